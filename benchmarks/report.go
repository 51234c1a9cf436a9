package main

import (
	"encoding/json"
	"math"
	"os"
	"slices"

	"github.com/pkg/errors"
)

// Report is all that a run has found out.
type Report struct {
	Machine Machine  `json:"machine"`
	Rounds  int      `json:"rounds"`
	Seconds float64  `json:"seconds"` // the run took
	Results []Result `json:"results"`
}

// Result is one case at one number of threads.
type Result struct {
	Case
	Threads int    `json:"threads"`
	Bytes   int    `json:"memcpy_bytes"`
	Times   []Time `json:"times"`
	// Runs are the ratios to the fastest peer in each run of a close case.
	Runs []float64 `json:"runs,omitempty"`
	// Share is the part of a step of a graph that our operators take.
	Share float64 `json:"our_share,omitempty"`
}

// time is the median of a runner in microseconds.
func (r Result) time(runner string) (us float64, ok bool) {
	for _, t := range r.Times {
		if t.Runner == runner && t.Missing == "" {
			return t.Median, true
		}
	}
	return 0, false
}

func (r Result) missing(runner string) string {
	for _, t := range r.Times {
		if t.Runner == runner {
			return t.Missing
		}
	}
	return ""
}

// bestPeer is the fastest implementation by others.
func (r Result) bestPeer() (runner string, us float64, ok bool) {
	us = math.Inf(1)
	for _, t := range r.Times {
		if isPeer(t.Runner) && t.Missing == "" && t.Median < us {
			runner, us, ok = t.Runner, t.Median, true
		}
	}
	return runner, us, ok
}

// ratioToBest is how many times as long as ours the best peer takes, the median
// of several runs if there were.
func (r Result) ratioToBest() (float64, bool) {
	if len(r.Runs) > 0 {
		return median(r.Runs), true
	}
	_, peer, ok := r.bestPeer()
	ours, found := r.time(Ours)
	return peer / ours, ok && found
}

// Marks of ratios.
const (
	slower = "▼" // a peer is faster
	level  = "≈" // sometimes, in several runs
)

// mark is "" where no peer is faster.
func (r Result) mark() string {
	ratio, ok := r.ratioToBest()
	switch {
	case len(r.Runs) > 0 && slices.Min(r.Runs) < 1 && slices.Max(r.Runs) >= 1:
		return level
	case ok && ratio < 1:
		return slower
	}
	return ""
}

// ratioTo is how many times as long as ours a runner takes.
func (r Result) ratioTo(runner string) (float64, bool) {
	other, ok := r.time(runner)
	ours, found := r.time(Ours)
	return other / ours, ok && found
}

// share is how much of the bandwidth of memcpy a runner reaches.
func (r Result) share(runner string) (float64, bool) {
	us, ok := r.time(runner)
	memcpy, found := r.time(Memcpy)
	return memcpy / us, ok && found
}

// geomean is the geometric mean of a ratio over the results that have one, and
// their number.
func geomean(results []Result, ratio func(Result) (float64, bool)) (mean float64, n int) {
	var sum float64
	for _, r := range results {
		if x, ok := ratio(r); ok {
			sum += math.Log(x)
			n++
		}
	}
	return math.Exp(sum / float64(n)), n
}

// of are the results of some cases at a number of threads.
func (r *Report) of(in func(Case) bool, threads int) []Result {
	var some []Result
	for _, x := range r.Results {
		if in(x.Case) && x.Threads == threads {
			some = append(some, x)
		}
	}
	return some
}

// threads are the numbers that were measured, in order.
func (r *Report) threads() []int {
	var all []int
	for _, x := range r.Results {
		seen := false
		for _, t := range all {
			seen = seen || t == x.Threads
		}
		if !seen {
			all = append(all, x.Threads)
		}
	}
	return all
}

// names are the runners of a group that have at least one time or a reason to
// have none, in the order of runnerOrder.
func (r *Report) names(group string) []string {
	var some []string
	for _, name := range runnerOrder {
		for _, x := range r.Results {
			if _, ok := x.time(name); x.Group == group && (ok || x.missing(name) == errWrong.Error()) {
				some = append(some, name)
				break
			}
		}
	}
	return some
}

func (r *Report) save(file string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return errors.Wrap(err, "report")
	}
	return errors.Wrap(os.WriteFile(file, append(b, '\n'), 0o644), "report")
}

// loadReports reads a report, or the parts of one that were measured one after
// the other. What was measured twice counts as measured last.
func loadReports(files []string) (*Report, error) {
	var whole *Report
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, errors.Wrap(err, "report")
		}
		part := new(Report)
		if err := json.Unmarshal(b, part); err != nil {
			return nil, errors.Wrapf(err, "report %s", file)
		}
		if whole == nil {
			whole = part
			continue
		}
		if part.Machine.CPU != whole.Machine.CPU || part.Machine.Build != whole.Machine.Build {
			return nil, errors.Errorf("report %s is of another machine than %s", file, files[0])
		}
		whole.add(part)
	}
	return whole, nil
}

// add takes over the results of a part.
func (r *Report) add(part *Report) {
	r.Seconds += part.Seconds
	r.Rounds = min(r.Rounds, part.Rounds)
	for _, x := range part.Results {
		same := func(y Result) bool { return x.Name == y.Name && x.Threads == y.Threads }
		if i := slices.IndexFunc(r.Results, same); i >= 0 {
			r.Results[i] = x
		} else {
			r.Results = append(r.Results, x)
		}
	}
}

// has tells whether the case was measured at all numbers of threads.
func (r *Report) has(c Case, threads []int) bool {
	for _, n := range threads {
		if !slices.ContainsFunc(r.Results, func(x Result) bool { return x.Name == c.Name && x.Threads == n }) {
			return false
		}
	}
	return true
}
