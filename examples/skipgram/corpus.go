package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// corpus is a text as numbers of words, the most frequent one being 0.
type corpus struct {
	words  []string
	number map[string]int
	counts []int
	text   []int32
	// Frequent words say little of what is near them: a word is kept with this
	// probability (section 2.3 of the paper, by the formula of its program).
	keep []float64
	// cumulative, to draw random words by: their counts to the power of 3/4.
	noise []float64
}

// fewest is how many words there must be to learn anything.
const fewest = 100

func newCorpus(words []string, least int) (*corpus, error) {
	counts := map[string]int{}
	for _, w := range words {
		counts[w]++
	}
	c := &corpus{number: map[string]int{}}
	for w, n := range counts {
		if n >= least {
			c.words = append(c.words, w)
		}
	}
	if len(c.words) < fewest {
		return nil, errors.Errorf("%d words occur %d times or more, %d are needed", len(c.words), least, fewest)
	}
	slices.SortFunc(c.words, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for i, w := range c.words {
		c.number[w] = i
		c.counts = append(c.counts, counts[w])
	}
	for _, w := range words {
		if i, ok := c.number[w]; ok {
			c.text = append(c.text, int32(i))
		}
	}
	const frequent = 3e-5
	sum := 0.0
	for _, n := range c.counts {
		share := float64(n) / float64(len(c.text))
		c.keep = append(c.keep, min(1, math.Sqrt(frequent/share)+frequent/share))
		sum += math.Pow(float64(n), 0.75)
		c.noise = append(c.noise, sum)
	}
	return c, nil
}

// random draws a word.
func (c *corpus) random(rng *rand.Rand) int64 {
	at, _ := slices.BinarySearch(c.noise, rng.Float64()*c.noise[len(c.noise)-1])
	return int64(min(at, len(c.words)-1))
}

// each calls visit with the words of the text and some words near each, with the
// number of words that have been read, until that returns false. It reads some
// words here and some there: what is said at the end of a text is not what is said
// at its beginning. A word's window has a random size, so that nearer words count
// more, and from it the words near are drawn: all words have as many, which is what
// the shapes of a graph need.
func (c *corpus) each(rng *rand.Rand, window int, visit func(word int32, near []int32, read int) bool) {
	const passage = 200
	kept, near, read := make([]int32, 0, passage), make([]int32, nearPerWord), 0
	for _, number := range rng.Perm((len(c.text) + passage - 1) / passage) {
		part := c.text[number*passage : min((number+1)*passage, len(c.text))]
		kept, read = kept[:0], read+len(part)
		for _, w := range part {
			if rng.Float64() < c.keep[w] {
				kept = append(kept, w)
			}
		}
		if len(kept) < 2 {
			continue // a word alone
		}
		for i, w := range kept {
			for k := range near {
				size := 1 + rng.IntN(window)
				first, last := max(0, i-size), min(len(kept)-1, i+size)
				j := first + rng.IntN(last-first)
				if j >= i {
					j++ // not the word itself
				}
				near[k] = kept[j]
			}
			if !visit(w, near, read) {
				return
			}
		}
	}
}

// usual are words to show the neighbours of, by what a text is of.
var usual = []string{
	"war,gold,mexico,congress,taxes,soldiers,agriculture,railroads,children,peace",
	"error,goroutine,reader,byte,slice,string,file,time,certificate,mutex",
}

// mostAsked is how many are shown.
const mostAsked = 10

// chosen is the words that are asked for, or some.
func (c *corpus) chosen(list string) (words []int, err error) {
	if list != "" {
		for _, w := range strings.Split(list, ",") {
			w = strings.ToLower(strings.TrimSpace(w))
			i, ok := c.number[w]
			if !ok {
				return nil, errors.Errorf("flag -words: %q is not among the words learnt", w)
			}
			words = append(words, i)
		}
		return words, nil
	}
	for _, list := range usual { // a text has more of one
		var has []int
		for _, w := range strings.Split(list, ",") {
			if i, ok := c.number[w]; ok && c.counts[i] >= 100 {
				has = append(has, i)
			}
		}
		if len(has) > len(words) {
			words = has
		}
	}
	for i := 100; len(words) == 0 && i < len(c.words) && i < 110; i++ {
		words = append(words, i)
	}
	for i := 0; len(words) == 0 && i < mostAsked; i++ {
		words = append(words, i)
	}
	return words[:min(mostAsked, len(words))], nil
}
