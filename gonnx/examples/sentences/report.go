package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
)

// describe says what was read, and what of it is left out.
func describe(w io.Writer, all []*sentence, empty, most int) {
	least, longest, cut := len(all[0].ids), 0, []int{}
	for _, s := range all {
		least, longest = min(least, len(s.ids)), max(longest, len(s.ids))
		if s.cut {
			cut = append(cut, s.line)
		}
	}
	fmt.Fprintf(w, "%s of %d to %d tokens\n", plural(len(all), "sentence"), least, longest)
	if empty > 0 {
		fmt.Fprintf(w, "%s left out\n", plural(empty, "empty line"))
	}
	if len(cut) > 0 {
		lines, more := cut, ""
		if len(lines) > 5 {
			lines, more = lines[:5], " …"
		}
		fmt.Fprintf(w, "%s cut to %d tokens: line %v%s\n", plural(len(cut), "sentence"), most, lines, more)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// short is a text cut to so many characters, so that a line has 80 at most.
func short(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// printNearest prints the sentences that are most like the query.
func printNearest(w io.Writer, all []*sentence, query *sentence, top int) {
	byLikeness := slices.Clone(all)
	like := map[*sentence]float64{}
	for _, s := range all {
		like[s] = cosine(query.vector, s.vector)
	}
	slices.SortStableFunc(byLikeness, func(a, b *sentence) int { return cmp.Compare(like[b], like[a]) })
	fmt.Fprintf(w, "\nnearest to %q\n", short(query.text, 66))
	for _, s := range byLikeness[:min(top, len(all))] {
		fmt.Fprintf(w, "%7.3f  %s\n", like[s], short(s.text, 71))
	}
}

// A pair is two sentences.
type pair struct {
	a, b *sentence
	like float64
}

// mostPaired is how many sentences are compared with each other, two million pairs,
// which takes a second.
const mostPaired = 2000

// printPairs prints the pairs of sentences that are most alike.
func printPairs(w io.Writer, all []*sentence, top int) {
	if len(all) < 2 {
		return
	}
	of := ""
	if len(all) > mostPaired {
		all, of = all[:mostPaired], fmt.Sprintf(" of the first %d", mostPaired)
	}
	var best []pair // in order
	for i, a := range all {
		for _, b := range all[i+1:] {
			p := pair{a, b, cosine(a.vector, b.vector)}
			at := sort.Search(len(best), func(k int) bool { return best[k].like < p.like }) // behind its equals
			if at < top {
				best = slices.Insert(best, at, p)
				best = best[:min(top, len(best))]
			}
		}
	}
	fmt.Fprintf(w, "\nmost similar%s\n", of)
	for _, p := range best {
		fmt.Fprintf(w, "%7.3f  %s\n         %s\n", p.like, short(p.a.text, 71), short(p.b.text, 71))
	}
}
