package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Report is a run.
type Report struct {
	Head    string
	Results []*Result
}

// write writes the report as Markdown.
func (r *Report) write(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", r.Head)
	fmt.Fprintf(w, "| ratio of times | calls | geometric mean | 10 %% | median | 90 %% | 99 %% | most |\n|---|---|---|---|---|---|---|---|\n")
	for _, c := range comparisons {
		if some := c.counted(r.Results); len(some) > 0 {
			x := c.firstRatios(some)
			fmt.Fprintf(w, "| %s | %d | %.2f |", c.title, len(x), geometricMean(x))
			for _, share := range []float64{0.1, 0.5, 0.9, 0.99, 1} {
				fmt.Fprintf(w, " %.2f |", quantile(x, share))
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintf(w, "\n| limit | calls above it | share | allowed | |\n|---|---|---|---|---|\n")
	for _, c := range comparisons {
		some := c.counted(r.Results)
		for _, l := range c.limits {
			n := 0
			for _, x := range some {
				if c.over(x, l.above) {
					n++
				}
			}
			verdict := ""
			if float64(n) > l.share*float64(len(some)) {
				verdict = "too many"
			}
			if len(some) > 0 {
				fmt.Fprintf(w, "| %s: %v | %d of %d | %.1f %% | %v %% | %s |\n", c.title, l.above, n, len(some), 100*float64(n)/float64(len(some)), 100*l.share, verdict)
			}
		}
	}
	for _, c := range comparisons {
		c.worst(w, c.counted(r.Results))
	}
}

// classes are the sizes of calls, by the time of the plain loop.
var classes = []struct {
	name string
	from float64
}{{"1 ms or more", 1e-3}, {"100 µs", 1e-4}, {"10 µs", 1e-5}, {"less", 0}}

func class(r *Result) string {
	return classes[slices.IndexFunc(classes, func(c struct {
		name string
		from float64
	}) bool {
		return r.Plain >= c.from
	})].name
}

// perClass is how many calls of each operator and class are listed.
const perClass = 2

// worst lists the calls of each operator and class that are the furthest above 1.1.
func (c comparison) worst(w io.Writer, some []*Result) {
	found := map[string][]*Result{}
	for _, r := range some {
		if c.over(r, 1.1) {
			op, _, _ := strings.Cut(r.Name, " ")
			key := op + "\x00" + class(r)
			found[key] = append(found[key], r)
		}
	}
	if len(found) == 0 {
		return
	}
	fmt.Fprintf(w, "\n**%s**: the worst of each operator and size\n\n| ratio | loop | µs | other µs | call |\n|---|---|---|---|---|\n", c.title)
	for _, key := range slices.Sorted(maps.Keys(found)) {
		all := found[key]
		slices.SortFunc(all, func(a, b *Result) int {
			if c.ratio(a) > c.ratio(b) {
				return -1
			}
			return 1
		})
		for _, r := range all[:min(perClass, len(all))] {
			ours, other := c.times(r)
			fmt.Fprintf(w, "| %.2f | %s | %.2f | %.2f | `%s` |\n", c.ratio(r), class(r), 1e6*ours, 1e6*other, r.Name)
		}
	}
}
