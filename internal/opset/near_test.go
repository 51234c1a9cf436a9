package opset

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNear(t *testing.T) {
	operators := []string{"Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"}
	for _, c := range []struct {
		word       string
		candidates []string
		want       []string
	}{
		{"GatherNd", operators, []string{"GatherND", "Gather"}},
		{"gathernd", operators, []string{"GatherND", "Gather"}},
		{"Gathr", operators, []string{"Gather"}},
		{"SctaterND", operators, []string{"ScatterND"}},
		{"Conv", operators, nil},
		{"", operators, nil},
		{"axs", []string{"axis", "batch_dims"}, []string{"axis"}},
		{"axes", []string{"axis", "batch_dims"}, []string{"axis"}},
		{"a", []string{"axis"}, nil},
		{"batchdims", []string{"axis", "batch_dims"}, []string{"batch_dims"}},
		{"größe", []string{"größte"}, []string{"größte"}},
		{"ab", []string{"ae", "ad", "ac", "ab"}, []string{"ab", "ac", "ad"}},
		{strings.Repeat("a", 1<<20), []string{strings.Repeat("a", 1<<20)}, nil},
	} {
		assert.Equal(t, c.want, Near(c.word, c.candidates), "%.20s", c.word)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3},
		{"flaw", "lawn", 2}, {"abcdef", "bcdefg", 2}, {"ab", "ba", 2},
	} {
		assert.Equal(t, c.want, distance(c.a, c.b), "%s, %s", c.a, c.b)
		assert.Equal(t, c.want, distance(c.b, c.a), "%s, %s", c.b, c.a)
	}
}

func TestAllowed(t *testing.T) {
	assert.Equal(t, ", allowed are axis, mode; did you mean axis?", Allowed("axs", []string{"axis", "mode"}))
	assert.Equal(t, ", allowed are axis, mode", Allowed("reduction", []string{"axis", "mode"}))
	assert.Empty(t, Allowed("axis", nil))
	assert.Equal(t, "did you mean GatherND or Gather?", DidYouMean("GatherNd", []string{"Gather", "GatherND"}))
	assert.Empty(t, DidYouMean("Conv", []string{"Gather", "GatherND"}))
}

func TestList(t *testing.T) {
	assert.Empty(t, List(nil))
	assert.Equal(t, "a, b", List([]string{"a", "b"}))
	assert.Equal(t, strings.Repeat(", ", Shown)+"…", List(make([]string, 1_000_000)))
	operator := []string{"LogSoftmax"}
	for len(operator) < 40 {
		operator = append(operator, operator[0])
	}
	assert.Equal(t, strings.Join(operator, ", "), List(operator), "in full")
	long := strings.Repeat("a", 1000)
	assert.Less(t, len(List([]string{long, long, long, long, long, long, long, long, long, long})), 700)
	assert.Less(t, len(List([]string{strings.Repeat("a", 1<<20), "b"})), 100)
}
