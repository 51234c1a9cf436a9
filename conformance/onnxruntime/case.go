package onnxruntime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Case is one node with its inputs.
type Case struct {
	Seed, Number uint64
	OpType       string
	Opset        int
	Attributes   Attributes
	Inputs       []*Value
	Layouts      []layout // of the inputs, for the operators under test

	config *config
	flaw   string // what is wrong with the case, in words; "" in most
}

// NewCase draws a case.
func NewCase(seed, number uint64) *Case {
	cfg := newConfig(seed, number/blockSize)
	rng := rand.New(rand.NewPCG(seed, 2*number+1))
	c := &Case{Seed: seed, Number: number, OpType: cfg.op, Opset: cfg.opset, Attributes: cfg.attrs, config: cfg, flaw: cfg.flaw}

	data := drawShape(rng, cfg.r, cfg.large)
	indices := cfg.indexShape(rng, data)
	updates := cfg.updateShape(rng, data, indices)
	if c.flaw == "" && rng.IntN(10) == 0 {
		c.flaw = spoilShape(rng, cfg, data, indices, updates)
	}
	positions := cfg.drawIndices(rng, data, indices, updates)
	if c.flaw == "" && rng.IntN(8) == 0 && len(positions) > 0 {
		at := rng.IntN(len(positions))
		positions[at] = badIndex(rng, cfg, cfg.indexLimit(data, updates, at))
		c.flaw = fmt.Sprintf("index %d at %d", positions[at], at)
	}

	style := drawStyle(rng, cfg)
	x := newValue(cfg.dtype, data)
	style.fill(rng, x)
	index := integers(cfg.itype, indices, positions)
	w := newValue(cfg.updates, updates)
	style.fill(rng, w)
	switch {
	case cfg.op == "TensorScatter" && cfg.write:
		c.Inputs = []*Value{x, w, index}
	case cfg.op == "TensorScatter":
		c.Inputs = []*Value{x, w}
	case cfg.isScatter():
		c.Inputs = []*Value{x, index, w}
	default:
		c.Inputs = []*Value{x, index}
	}
	if cfg.extra < 0 {
		c.Inputs = c.Inputs[:len(c.Inputs)+cfg.extra]
	}
	for range cfg.extra {
		c.Inputs = append(c.Inputs, index)
	}
	for range c.Inputs {
		c.Layouts = append(c.Layouts, pick(rng, []layout{rowMajor, rowMajor, rowMajor, colMajor, transposed}))
	}
	return c
}

// layout returns the layout of an input, row-major where none was drawn.
func (c *Case) layout(input int) layout {
	if c.Layouts == nil {
		return rowMajor
	}
	return c.Layouts[input]
}

// String prints the case without its values, such as
// `ScatterElements opset 18 axis=-1 reduction=max float[3 4] int32[3 2] float[3 2]`.
func (c *Case) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s opset %d", c.OpType, c.Opset)
	for _, name := range c.Attributes.names() {
		if s, ok := c.Attributes[name].(string); ok {
			fmt.Fprintf(&b, " %s=%q", name, s)
			continue
		}
		fmt.Fprintf(&b, " %s=%v", name, c.Attributes[name])
	}
	for i, in := range c.Inputs {
		fmt.Fprintf(&b, " %v%v%s", in.DType, in.Shape, [...]string{"", "/col-major", "/transposed"}[c.layout(i)])
	}
	if c.flaw != "" {
		fmt.Fprintf(&b, ", %s", c.flaw)
	}
	return b.String()
}

// drawShape draws dims that mostly differ, and now and then one of them 0 or 1; a large shape has some 50 000 elements.
func drawShape(rng *rand.Rand, rank int, large bool) []int {
	shape := make([]int, rank)
	for i := range shape {
		switch {
		case large && rank == 2:
			shape[i] = 150 + rng.IntN(120)
		case large:
			shape[i] = 24 + rng.IntN(30)
		case rng.IntN(40) == 0:
			shape[i] = 0
		case rng.IntN(30) == 0:
			shape[i] = 20 + rng.IntN(50)
		default:
			shape[i] = 1 + rng.IntN(6)
		}
	}
	for elements(shape) > 300_000 {
		shape[rng.IntN(rank)] = 2
	}
	return shape
}

// indexShape draws the shape of the indices, which fits data unless the config's ranks are wrong.
func (c *config) indexShape(rng *rand.Rand, data []int) []int {
	shape := drawShape(rng, c.q, c.large && c.op != "Gather")
	switch c.op {
	case "Gather":
		if c.large {
			shape = drawShape(rng, c.q, false)
		}
	case "GatherElements", "Scatter", "ScatterElements":
		for d := range shape {
			switch {
			case d == c.axis || d >= len(data):
			case rng.IntN(3) > 0:
				shape[d] = data[d]
			default:
				shape[d] = min(shape[d], data[d])
			}
		}
	case "GatherND", "ScatterND":
		if c.large {
			// Wide tuples times large slices would be millions of elements.
			shape = drawShape(rng, c.q, false)
			if c.k == c.r && c.q > 0 {
				shape[0] = 1000
			}
		}
		if c.q == 0 {
			return shape
		}
		copy(shape[:c.q-1], data[:min(c.b, len(data))])
		shape[c.q-1] = c.k
	case "TensorScatter":
		if c.q == 1 && len(data) > 0 {
			shape[0] = data[0]
		}
	}
	return shape
}

// updateShape returns the shape of the updates that fits data and indices; for a wrong rank it appends or cuts a dim.
func (c *config) updateShape(rng *rand.Rand, data, indices []int) []int {
	var shape []int
	switch c.op {
	case "Scatter", "ScatterElements":
		shape = append(shape, indices...)
	case "ScatterND":
		if c.q > 0 {
			shape = append(shape, indices[:c.q-1]...)
		}
		shape = append(shape, data[min(c.k, len(data)):]...)
	case "TensorScatter":
		shape = append(shape, data...)
		if c.axis < len(shape) {
			shape[c.axis] = rng.IntN(shape[c.axis] + 1)
		}
	}
	switch {
	case c.uRank > 0:
		shape = append(shape, 1)
	case c.uRank < 0 && len(shape) > 0:
		shape = shape[:len(shape)-1]
	}
	return shape
}

// spoilShape changes one dim of the indices or of the updates and says which.
func spoilShape(rng *rand.Rand, c *config, data, indices, updates []int) string {
	name, shape := "indices", indices
	if len(updates) > 0 && rng.IntN(2) == 0 || c.op == "TensorScatter" {
		name, shape = "updates", updates
	}
	if len(shape) == 0 || c.op == "Gather" {
		return ""
	}
	d := rng.IntN(len(shape))
	switch rng.IntN(4) {
	case 0:
		shape[d]++
	case 1:
		shape[d] = max(shape[d]-1, 0)
	case 2:
		shape[d] *= 2
	case 3:
		shape[d] = 1
	}
	return fmt.Sprintf("dim %d of %s spoilt", d, name)
}

// indexLimit returns the size of the axis that the index at a flat position counts on: for TensorScatter the number
// of positions at which a write may start.
func (c *config) indexLimit(data, updates []int, at int) int {
	if len(data) == 0 {
		return 1
	}
	switch c.op {
	case "GatherND", "ScatterND":
		return data[min(c.b+at%max(c.k, 1), len(data)-1)]
	case "TensorScatter":
		if c.attrs["mode"] == "circular" || len(updates) <= c.axis {
			return data[c.axis]
		}
		return data[c.axis] - updates[c.axis] + 1
	}
	return data[c.axis]
}

// drawIndices draws indices in range: plain, some negative, or all near each other, so that targets repeat.
func (c *config) drawIndices(rng *rand.Rand, data, indices, updates []int) []int64 {
	xs := make([]int64, elements(indices))
	negatives := rng.IntN(2) == 0 && c.op != "TensorScatter"
	crowded := rng.IntN(3) == 0
	for i := range xs {
		size := c.indexLimit(data, updates, i)
		if size <= 0 {
			continue
		}
		x := rng.IntN(size)
		if crowded {
			x = min(x, 1)
		}
		if negatives && rng.IntN(2) == 0 {
			x -= size
		}
		xs[i] = int64(x)
	}
	return xs
}

// badIndex draws an index that is out of range for an axis of the given size, as far as the dtype can hold it.
func badIndex(rng *rand.Rand, c *config, size int) int64 {
	bad := []int64{int64(size), -int64(size) - 1, int64(size) + 1, math.MinInt32, math.MaxInt32}
	if c.op == "TensorScatter" {
		bad[1] = -1
	}
	if c.itype == Int64 {
		bad = append(bad, math.MinInt64, math.MaxInt64, math.MinInt64+int64(size), 1<<32)
	}
	return pick(rng, bad)
}
