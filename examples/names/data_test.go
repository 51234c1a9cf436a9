package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
)

func corpusOf(t *testing.T, languages ...string) *corpus {
	t.Helper()
	var tags []language.Tag
	for _, l := range languages {
		tags = append(tags, language.MustParse(l))
	}
	c, err := readCorpus(tags)
	require.NoError(t, err)
	return c
}

func TestCorpusSplit(t *testing.T) {
	c := corpusOf(t, "en", "de", "fr")
	assert.Greater(t, len(c.train), 1000)
	assert.InDelta(t, 1.0/holdOut, float64(len(c.held))/float64(len(c.train)+len(c.held)), 0.03)

	seen := map[string]string{}
	for side, names := range map[string][][]int{"train": c.train, "held": c.held} {
		for _, tokens := range names {
			text := c.decode(tokens)
			require.Emptyf(t, seen[text], "%q stands in %s and again in %s", text, seen[text], side)
			seen[text] = side
			require.Equal(t, end, tokens[len(tokens)-1])
			require.NotContains(t, tokens[:len(tokens)-1], end)
		}
	}
	// A subject is held out in all languages or in none.
	for _, text := range []string{"norway", "norwegen", "norvège"} {
		assert.Equal(t, "held", seen[text], text)
	}
	for _, text := range []string{"iceland", "island", "islande"} {
		assert.Equal(t, "train", seen[text], text)
	}
}

func TestCorpusIsTheSameEachTime(t *testing.T) {
	assert.Equal(t, corpusOf(t, "en", "fi"), corpusOf(t, "en", "fi"))
}

func TestCorpusText(t *testing.T) {
	cases := []struct {
		name, language, has string
		hasNot              []string
	}{
		{"no explanation, no abbreviation", "fr", "espagne", []string{"(", ".", "&"}},
		{"typographic apostrophe", "fr", "île de l'ascension", []string{"’"}},
		{"no codes for want of a name", "ga", "an fhrainc", []string{"mzn"}},
		{"Turkish lower case of İ is i, of I is ı", "tr", "ispanya", []string{"I", "i̇"}},
		{"another script", "ru", "норвегия", []string{"a", "("}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			corpus := corpusOf(t, c.language)
			var all []string
			for _, tokens := range slices.Concat(corpus.train, corpus.held) {
				all = append(all, corpus.decode(tokens))
			}
			assert.Contains(t, all, c.has)
			for _, not := range c.hasNot {
				assert.NotContains(t, strings.Join(all, "\n"), not)
			}
		})
	}
}

func TestCorpusTooSmall(t *testing.T) {
	_, err := readCorpus([]language.Tag{language.Chinese}) // thousands of characters, each rare
	assert.ErrorContains(t, err, "too few to learn from")
}

func TestExamples(t *testing.T) {
	e := newExamples([][]int{{3, 4, end}, {5, end}})
	assert.Equal(t, []int64{3, 4, end, 5, end}, e.next)
	contexts := make([]int64, 2*window)
	next := make([]int64, 2)
	e.read([]int{2, 3}, contexts, next)
	assert.Equal(t, []int64{0, 3, 4}, contexts[window-3:window], "before the end stands the whole name")
	assert.Equal(t, make([]int64, window), contexts[window:], "a new name knows nothing of the one before")
	assert.Equal(t, []int64{end, 5}, next)
	assert.ElementsMatch(t, []int64{3, 4, end, 5, end}, e.next, "reading changes nothing")
}

func TestBigram(t *testing.T) {
	c := &corpus{
		symbols: []rune{end, 'a', 'b'},
		train:   [][]int{{1, 2, end}, {1, 2, 1, end}},
		held:    [][]int{{1, end}},
	}
	b := newBigram(c)
	// After the start: a twice. After a: b twice, the end once. So with k:
	want := func(k float64) float64 {
		return -(math.Log2((2+k)/(2+3*k)) + math.Log2((1+k)/(3+3*k))) / 2
	}
	assert.InDelta(t, want(b.k), b.bits(c.held), 1e-12)
	for _, k := range []float64{0.001, 0.01, 0.1, 1, 3} {
		assert.LessOrEqual(t, b.bits(c.held), want(k)+1e-12, "k=%g is not better", k)
	}
}
