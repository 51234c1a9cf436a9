package main

import (
	"math"
	"slices"
	"strings"
)

// comparison is a ratio of two times of a call.
type comparison struct {
	title  string
	counts func(r *Result) bool
	times  func(r *Result) (ours, other float64)
	slack  float64 // by which a call must be longer, too, to be over a limit
	limits []limit
	mean   float64 // the geometric mean that is allowed, or 0 for any
}

// limit is the share of calls that may be above a ratio.
type limit struct{ ratio, share float64 }

const micro, nano = 1e-6, 1e-9

var comparisons = []comparison{
	{
		title:  "ours / plain loop, one thread, loop 10 µs or more",
		counts: func(r *Result) bool { return r.Plain >= 10*micro },
		times:  func(r *Result) (float64, float64) { return r.Ours, r.Plain },
		limits: []limit{{1.1, 0.06}, {1.25, 0.01}, {1.5, 0}},
	},
	{
		title:  "ours / plain loop, one thread, loop below 10 µs",
		counts: func(r *Result) bool { return r.Plain < 10*micro },
		times:  func(r *Result) (float64, float64) { return r.Ours, r.Plain },
		slack:  400 * nano,
		limits: []limit{{1.25, 0}},
	},
	{
		title:  "several threads / one, ours 20 µs or more",
		counts: func(r *Result) bool { return r.Threads > 0 && r.Ours >= 20*micro },
		times:  func(r *Result) (float64, float64) { return r.Threads, r.Ours },
		limits: []limit{{1.1, 0.04}, {1.25, 0.01}},
	},
	{
		title:  "ours with several threads / plain loop, loop 10 µs or more",
		counts: func(r *Result) bool { return r.Threads > 0 && r.Plain >= 10*micro },
		times:  func(r *Result) (float64, float64) { return r.Threads, r.Plain },
	},
	withMean(1/1.9, peerComparison(pyTorch, 0, false, limit{1.1, 0.08}, limit{1.6, 0.01}, limit{2, 0})),
	peerComparison(pyTorch, 0, true),
	peerComparison(pyTorch, 1, false),
	peerComparison(onnxRuntime, 0, false),
	peerComparison(onnxRuntime, 1, false),
}

// peerComparison is one with a peer, where both have one thread, or 1 for several. Calls in
// place, the gradients of gathers among them, stand apart: a peer leaves data changed at a bad
// index.
func peerComparison(name string, several int, inPlace bool, limits ...limit) comparison {
	ours := func(r *Result) float64 { return []float64{r.Ours, r.Threads}[several] }
	title := "ours / " + name + []string{", one thread", ", several threads"}[several] + ", loop 10 µs or more, "
	if !inPlace {
		title += "not "
	}
	return comparison{
		title: title + "in place",
		counts: func(r *Result) bool {
			changes := strings.Contains(r.Name, ",inplace") || strings.HasPrefix(r.Name, "Add")
			return r.Peers[name] != nil && ours(r) > 0 && r.Plain >= 10*micro && changes == inPlace
		},
		times:  func(r *Result) (float64, float64) { return ours(r), r.Peers[name][several] },
		limits: limits,
	}
}

func withMean(mean float64, c comparison) comparison {
	c.mean = mean
	return c
}

// ratio is the smaller one of two runs, if there are two: a call is over a limit if it is in both.
func (c comparison) ratio(r *Result) float64 {
	ours, other := c.times(r)
	ratio := ours / other
	if r.Again != nil {
		ratio = min(ratio, c.ratio(r.Again))
	}
	return ratio
}

// over tells whether a call is above a limit in each of its runs.
func (c comparison) over(r *Result, limit float64) bool {
	ours, other := c.times(r)
	return ours > limit*other && ours-other > c.slack && (r.Again == nil || c.over(r.Again, limit))
}

// above is how many calls are above a limit.
func (c comparison) above(some []*Result, limit float64) (n int) {
	for _, r := range some {
		if c.over(r, limit) {
			n++
		}
	}
	return n
}

// counted is the results that count.
func (c comparison) counted(all []*Result) (some []*Result) {
	for _, r := range all {
		if c.counts(r) {
			some = append(some, r)
		}
	}
	return some
}

// overAny tells whether a call is over a limit of any comparison.
func overAny(r *Result) bool {
	return slices.ContainsFunc(comparisons, func(c comparison) bool {
		return c.counts(r) && len(c.limits) > 0 && c.over(r, c.limits[0].ratio)
	})
}

// firstRatios are those of the first runs, in ascending order.
func (c comparison) firstRatios(some []*Result) (ratios []float64) {
	for _, r := range some {
		ours, other := c.times(r)
		ratios = append(ratios, ours/other)
	}
	slices.Sort(ratios)
	return ratios
}

func geometricMean(ratios []float64) float64 {
	sum := 0.0
	for _, x := range ratios {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(max(1, len(ratios))))
}

// quantile is the ratio that a share of all is not above.
func quantile(sorted []float64, share float64) float64 {
	return sorted[max(0, int(math.Ceil(share*float64(len(sorted))))-1)]
}
