package main

import (
	"fmt"
	"strings"
)

// selection is some of the cases that have a mean of their own.
type selection struct {
	name string
	in   func(Case) bool
}

// notStep leaves out whole steps of a graph: most of their time is Gorgonia's.
func notStep(c Case) bool { return c.Mode != Step }

// selections are what the head of the report is about: selections of groups,
// then the groups.
func selections() []selection {
	all := []selection{
		{"published first", func(c Case) bool { return c.in(Published) }},
		{"wider", func(c Case) bool { return c.in(Wider) && notStep(c) }},
		{"wider, and steps of a graph", func(c Case) bool { return c.in(Wider) }},
		{"all but steps of a graph", notStep},
	}
	for _, g := range groups {
		all = append(all, selection{g, func(c Case) bool { return c.Group == g }})
	}
	return all
}

// meanTable has geometric means over the cases.
func (r *Report) meanTable() table {
	t := table{title: "geometric means", head: []string{"cases", "number", "best peer / " + Ours}}
	for _, name := range chartPeers {
		t.head = append(t.head, name+" / "+Ours)
	}
	for _, s := range selections() {
		number := 0
		if n := r.threads(); len(n) > 0 {
			_, number = geomean(r.of(s.in, n[0]), Result.ratioToBest)
		}
		if number == 0 {
			continue
		}
		row := []string{s.name, fmt.Sprint(number), r.meanCell(s, Result.ratioToBest)}
		for _, name := range chartPeers {
			row = append(row, r.meanCell(s, func(x Result) (float64, bool) { return x.ratioTo(name) }))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// meanCell is a mean at each number of threads.
func (r *Report) meanCell(s selection, ratio func(Result) (float64, bool)) string {
	var some []string
	for _, n := range r.threads() {
		mean, compared := geomean(r.of(s.in, n), ratio)
		text := "-"
		if compared > 0 {
			text = fmt.Sprintf("%.2f", mean)
		}
		some = append(some, text)
	}
	return joined(some)
}

// behindTable names the cases in which a peer is faster.
func (r *Report) behindTable() table {
	t := table{
		title: "cases in which a peer is faster (" + slower + "), or is in some of several runs (" + level + ")",
		head:  []string{"case", "threads", "peer", "peer / " + Ours, "", "runs"},
	}
	for _, x := range r.Results {
		if x.mark() == "" {
			continue
		}
		ratio, _ := x.ratioToBest()
		peer, _, _ := x.bestPeer()
		t.rows = append(t.rows, []string{
			x.Name, fmt.Sprint(x.Threads), peer, fmt.Sprintf("%.2f", ratio), x.mark(), runsText(x.Runs),
		})
	}
	if len(t.rows) == 0 {
		t.rows = append(t.rows, []string{"none", "", "", "", "", ""})
	}
	return t
}

func runsText(runs []float64) string {
	var some []string
	for _, x := range runs {
		some = append(some, fmt.Sprintf("%.2f", x))
	}
	return strings.Join(some, " ")
}

// stepTable says of each step how much of it is ours.
func (r *Report) stepTable() table {
	t := table{
		title: Steps + ", µs",
		head: []string{
			"case", "data", "indices", "whole step", "our operators", "Gorgonia's share",
			PyTorch, PyTorch + " / whole step", PyTorch + " / our operators",
		},
	}
	ours := func(x Result) (float64, bool) {
		us, ok := x.time(Ours)
		return us * x.Share, ok && x.Share > 0
	}
	for _, at := range r.cases(Steps) {
		t.rows = append(t.rows, []string{
			at[0].Name, shapeText(at[0].Data), shapeText(at[0].Indices), r.times(at, Ours),
			cell(at, "%.0f", ours),
			cell(at, "%.0f %%", func(x Result) (float64, bool) { return 100 * (1 - x.Share), x.Share > 0 }),
			r.times(at, PyTorch),
			ratioCell(at),
			cell(at, "%.2f", func(x Result) (float64, bool) {
				us, ok := ours(x)
				peer, found := x.time(PyTorch)
				return peer / us, ok && found
			}),
		})
	}
	return t
}
