package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gorgonia.org/gather/benchmarks/internal/processor"
)

// Report is a run, or several of one build.
type Report struct {
	Build   string
	Threads int
	Calls   []string // which ones: a seed and a number
	Results []*Result
}

func newReport(s settings, calls string) *Report {
	r := &Report{Threads: s.threads, Calls: []string{calls}}
	r.Build = fmt.Sprintf("%s, %d cores, %s, %s", processor.Name(), runtime.NumCPU(), runtime.GOARCH, runtime.Version())
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, x := range info.Settings {
			if x.Key == "-tags" {
				r.Build += ", -tags " + x.Value
			}
		}
	}
	return r
}

// readReports puts runs of one build together.
func readReports(files []string) (all []*Report, err error) {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, errors.WithStack(err)
		}
		r := new(Report)
		if err := json.Unmarshal(text, r); err != nil {
			return nil, errors.Wrap(err, file)
		}
		at := slices.IndexFunc(all, func(x *Report) bool { return x.Build == r.Build && x.Threads == r.Threads })
		if at < 0 {
			all = append(all, r)
			continue
		}
		all[at].Calls = append(all[at].Calls, r.Calls...)
		all[at].Results = append(all[at].Results, r.Results...)
	}
	return all, nil
}

// write writes the report as Markdown.
func (r *Report) write(w io.Writer) {
	fmt.Fprintf(w, "## %s\n\n%d calls of `sweep %s`\n\n", r.Build, len(r.Results), strings.Join(r.Calls, "`, `sweep "))
	fmt.Fprintf(w, "| times | calls | geometric mean | 10 %% | median | 90 %% | 99 %% | most |\n|---|---|---|---|---|---|---|---|\n")
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
		if len(some) == 0 {
			continue
		}
		if mean := geometricMean(c.firstRatios(some)); c.mean > 0 {
			fmt.Fprintf(w, "| %s: geometric mean %.2f | | %.2f | | %s |\n", c.title, c.mean, mean, verdict(mean > c.mean))
		}
		for _, l := range c.limits {
			n, above := c.above(some, l.ratio), fmt.Sprint(l.ratio)
			if c.slack > 0 {
				above += fmt.Sprintf(" and %.0f ns", c.slack/nano)
			}
			fmt.Fprintf(w, "| %s: %s | %d of %d | %.1f %% | %v %% | %s |\n", c.title, above, n, len(some), 100*float64(n)/float64(len(some)), 100*l.share, verdict(float64(n) > l.share*float64(len(some))))
		}
	}
	for _, c := range comparisons {
		c.operators(w, c.counted(r.Results))
	}
	for _, c := range comparisons {
		c.worst(w, c.counted(r.Results))
	}
}

func verdict(over bool) string {
	if over {
		return "too many"
	}
	return "met"
}

// operators lists the operators of a comparison that has limits.
func (c comparison) operators(w io.Writer, some []*Result) {
	if len(c.limits) == 0 || len(some) == 0 {
		return
	}
	fmt.Fprintf(w, "\n**%s**\n\n| operator | calls | geometric mean | most | above %v |\n|---|---|---|---|---|\n", c.title, c.limits[0].ratio)
	by := map[string][]*Result{}
	for _, r := range some {
		by[r.op()] = append(by[r.op()], r)
	}
	for _, op := range slices.Sorted(maps.Keys(by)) {
		x := c.firstRatios(by[op])
		fmt.Fprintf(w, "| %s | %d | %.2f | %.2f | %d |\n", op, len(x), geometricMean(x), x[len(x)-1], c.above(by[op], c.limits[0].ratio))
	}
}

// op is the operator's name with its reduction.
func (r *Result) op() string {
	op, _, _ := strings.Cut(r.Name, " ")
	return op
}

// class is a size of calls, by the time of the plain loop.
func (r *Result) class() string {
	switch {
	case r.Plain >= 1000*micro:
		return "1 ms or more"
	case r.Plain >= 100*micro:
		return "100 µs to 1 ms"
	case r.Plain >= 10*micro:
		return "10 µs to 100 µs"
	}
	return "below 10 µs"
}

// perClass is how many calls of each operator and class are listed.
const perClass = 2

// worst lists the calls of each operator and class that are the furthest above 1.1.
func (c comparison) worst(w io.Writer, some []*Result) {
	found := map[string][]*Result{}
	for _, r := range some {
		if c.over(r, 1.1) {
			key := r.op() + r.class()
			found[key] = append(found[key], r)
		}
	}
	if len(found) == 0 {
		return
	}
	fmt.Fprintf(w, "\n**%s**: the worst of each operator and size\n\n| ratio | µs | other | loop | call |\n|---|---|---|---|---|\n", c.title)
	for _, key := range slices.Sorted(maps.Keys(found)) {
		all := found[key]
		slices.SortFunc(all, func(a, b *Result) int { return cmp.Compare(c.ratio(b), c.ratio(a)) })
		for _, r := range all[:min(perClass, len(all))] {
			ours, other := c.times(r)
			fmt.Fprintf(w, "| %.2f | %.2f | %.2f | %s | `%s` |\n", c.ratio(r), ours/micro, other/micro, r.class(), r.Name)
		}
	}
}
