package main

import (
	"hash/fnv"
	"math/rand/v2"

	"gorgonia.org/tensor"
)

// Problem is a case with its tensors.
type Problem struct {
	Case
	data    *tensor.Dense
	indices []*tensor.Dense
	updates *tensor.Dense // nil for a gather
}

// newProblem makes the tensors, the same ones for the same case in every
// process.
func newProblem(c Case) *Problem {
	name := fnv.New64()
	_, _ = name.Write([]byte(c.Name)) // a hash never fails
	rng := rand.New(rand.NewPCG(7, name.Sum64()))
	p := &Problem{Case: c, data: floats(rng, c.Data)}
	if c.adds() {
		p.updates = floats(rng, c.updatesShape())
	}
	for range c.Sets {
		p.indices = append(p.indices, c.draw(rng))
	}
	return p
}

// draw makes indices that are evenly spread over their axes, none negative:
// PyTorch knows no negative ones.
func (c Case) draw(rng *rand.Rand) *tensor.Dense {
	values := make([]int64, size(c.Indices))
	k := c.tuple()
	for i := range values {
		axis := c.Axis
		if c.Op == "GatherND" || c.Op == "ScatterND" {
			axis = c.BatchDims + i%k
		}
		values[i] = rng.Int64N(int64(c.Data[axis]))
	}
	return tensor.New(tensor.WithShape(c.Indices...), tensor.WithBacking(values))
}

func floats(rng *rand.Rand, shape []int) *tensor.Dense {
	values := make([]float32, size(shape))
	for i := range values {
		values[i] = rng.Float32()
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
}

// bytes is what the call has to move at least: the result, or the updates where
// data is added to in place. It is the length of the memcpy beside it.
func (c Case) bytes() int {
	shape := c.outShape()
	if c.ownsData() {
		shape = c.updatesShape()
	}
	return 4 * size(shape)
}

// size is the number of elements of a shape.
func size(shape []int) int { return tensor.Shape(shape).TotalSize() }
