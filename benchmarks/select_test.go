package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func count(in func(Case) bool) (n int) {
	for _, c := range cases() {
		if in(c) {
			n++
		}
	}
	return n
}

func TestSelections(t *testing.T) {
	assert.Equal(t, 37, count(func(c Case) bool { return c.in(Published) }))
	assert.Equal(t, 54, count(func(c Case) bool { return c.in(Wider) }))
	assert.Equal(t, 33, count(func(c Case) bool { return c.in(Wider) && notStep(c) }))
	for _, g := range groups {
		assert.Positive(t, count(func(c Case) bool { return c.in(g) }), g)
	}
}

func TestSelected(t *testing.T) {
	some, err := selected(Trees+","+Strings, "")
	require.NoError(t, err)
	assert.Len(t, some, 4)
	some, err = selected(Wider, "float16")
	require.NoError(t, err)
	assert.Len(t, some, 2)
	all, err := selected("", "")
	require.NoError(t, err)
	assert.Len(t, all, len(cases()))
	_, err = selected("dtype", "")
	assert.ErrorContains(t, err, "-group dtype: the groups are gathers")
	_, err = selected(Trees, "float16")
	assert.ErrorContains(t, err, "-case float16")

	var out strings.Builder
	list([]Case{{Name: "a", Group: "g", Wider: true}, {Name: "b", Group: "g"}}, &out)
	assert.Equal(t, "g: a (wider)\ng: b\n", out.String())
}

// Each property of a call is met by several cases.
func TestEachPropertyHasCases(t *testing.T) {
	forward := func(c Case) bool { return c.Mode == Copy || c.Mode == InPlace }
	has := map[string]func(Case) bool{
		"ScatterUpdate": func(c Case) bool { return c.Op == "ScatterUpdate" },
		"GatherTree":    func(c Case) bool { return c.Op == "GatherTree" },
		"strings":       func(c Case) bool { return c.Dtype == String },
		"long lines":    func(c Case) bool { return len(c.Data) > 1 && c.Data[1] == 32000 },
		"few updates":   func(c Case) bool { return c.Op == "ScatterND" && c.Data[0] >= 100*c.Indices[0] },
		"many updates":  func(c Case) bool { return c.Op == "ScatterND" && 4*c.Data[0] == c.Indices[0] },
	}
	for _, r := range []Reduction{None, Mul, Min, Max, Mean} {
		has["ScatterElements "+string(r)] = func(c Case) bool { return c.Op == "ScatterElements" && c.Reduction == r && forward(c) }
		has["gradients of "+string(r)] = func(c Case) bool { return c.Mode == Backward && c.Reduction == r }
		if r != None {
			has[string(r)+" without the old value"] = func(c Case) bool { return c.Reduction == r && c.WithoutOld && forward(c) }
			has["steps of "+string(r)] = func(c Case) bool { return c.Mode == Step && c.Reduction == r }
		}
	}
	for _, l := range []Layout{Transposed, ColumnMajor, Gaps} {
		has["gathers, "+string(l)] = func(c Case) bool { return c.Layout == l && c.Mode == Read }
	}
	for name, in := range has {
		assert.GreaterOrEqual(t, count(in), 2, name)
	}
	for _, d := range []Dtype{Float64, Int8, Int64, Float16, BFloat16} {
		assert.Positive(t, count(func(c Case) bool { return c.Dtype == d && c.Mode == Read }), "%s: gather", d)
		assert.Positive(t, count(func(c Case) bool { return c.Dtype == d && c.Reduction == Add }), "%s: sum", d)
		assert.Positive(t, count(func(c Case) bool { return c.Dtype == d && c.Reduction == Max }), "%s: maximum", d)
	}
	for _, r := range []Reduction{None, Add, Sub, Mul, Min, Max, Mean} {
		assert.Positive(t, count(func(c Case) bool { return c.Op == "ScatterND" && c.Reduction == r }), "ScatterND %s", r)
	}
}
