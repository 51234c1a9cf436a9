package kernel

import (
	"slices"

	"gorgonia.org/gather/internal/num"
)

// A form is how a testCall says what its loops are.
type form uint8

const (
	// byTuples has blocks of data, one for each (batch, outer) pair, whose rows index
	// tuples address: the tuples of a batch serve all its outer blocks.
	byTuples form = iota
	// byElements has an index for each element, on its own line along the axis.
	byElements
	// byLoops has the loops themselves.
	byLoops
)

// A testCall is a call that is described by its blocks.
type testCall struct {
	*Call
	form                         form
	Batch, Outer, N, Inner, Span int
	described                    bool
}

func newCall() *testCall { return &testCall{Call: Get(), Batch: 1, Outer: 1} }

func (c *testCall) Put() { c.Call.Put() }

// describe makes the loops. Idx is in tuples.
func (c *testCall) describe() *Call {
	c.makeLoops()
	c.Separate = c.separate(false)
	return c.Call
}

// separate reports whether no two items, or no two positions of data, share memory.
func (c *testCall) separate(items bool) bool {
	var all []Axis
	if !items {
		all = append(all, c.Axes...)
	}
	for _, l := range c.Loops {
		if items {
			all = append(all, Axis{l.N, l.Items})
		} else if l.Data != 0 || l.Idx == 0 {
			all = append(all, Axis{l.N, l.Data})
		}
	}
	slices.SortFunc(all, func(a, b Axis) int { return a.Stride - b.Stride })
	reach := 0
	for _, a := range all {
		if a.Size > 1 {
			if a.Stride <= reach {
				return false
			}
			reach += (a.Size - 1) * a.Stride
		}
	}
	return true
}

// makeLoops makes the loops of the first two forms, once.
func (c *testCall) makeLoops() {
	if c.described || c.form == byLoops {
		return
	}
	c.described = true
	if c.form == byElements {
		c.Loops = append(c.Loops, Loop{c.Batch, c.N * c.Inner, c.Span, c.N * c.Inner}, Loop{c.N, c.Inner, 0, c.Inner}, Loop{c.Inner, 1, 1, 1})
		return
	}
	c.Loops = append(c.Loops, Loop{c.Batch, c.Outer * c.N * c.Inner, c.Outer * c.Span, c.N}, Loop{c.Outer, c.N * c.Inner, c.Span, 0},
		Loop{c.N, c.Inner, 0, 1}, Loop{c.Inner, 1, 1, 0})
}

func (c *testCall) gather(width int) int {
	c.Width = width
	c.describe().Separate = c.separate(true)
	return c.Call.Gather()
}

func (c *testCall) scatter(width int) int {
	c.Width = width
	return c.describe().Scatter()
}

func (c *testCall) reduce(kind num.Kind, r num.Reduction) int {
	c.Width = kind.Width()
	return c.describe().Reduce(kind, r)
}

func (c *testCall) mean(kind num.Kind) int {
	c.Width = kind.Width()
	return c.describe().Mean(kind)
}

// add adds loops.
func (c *testCall) add(loops ...Loop) {
	c.form = byLoops
	c.Loops = append(c.Loops, loops...)
}
