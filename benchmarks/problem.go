package main

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/tensor"
)

// Problem is a case with its tensors.
type Problem struct {
	Case
	data    *tensor.Dense
	memory  []byte // that holds data, see [Case.baseShape]
	indices []*tensor.Dense
	updates *tensor.Dense // nil for a gather
	weights *tensor.Dense // see [Case.hasWeights]
}

// newProblem makes the tensors, the same ones for the same case in every
// process.
func newProblem(c Case) (*Problem, error) {
	name := fnv.New64()
	_, _ = name.Write([]byte(c.Name)) // a hash never fails
	rng := rand.New(rand.NewPCG(7, name.Sum64()))
	p := &Problem{Case: c}
	if c.Dtype == String {
		p.data = tensor.New(tensor.WithShape(c.Data...), tensor.WithBacking(words(rng, size(c.Data))))
	} else {
		var err error
		if p.data, p.memory, err = c.newData(); err != nil {
			return nil, errors.Wrap(err, c.Name)
		}
		c.kind().fill(rng, p.memory, c.low())
	}
	if c.hasUpdates() {
		p.updates = c.values(rng, c.updatesShape())
	}
	for range c.Sets {
		p.indices = append(p.indices, c.draw(rng))
	}
	if c.hasWeights() {
		p.weights = c.values(rng, c.Data)
	}
	return p, nil
}

// low is the least of the values. Factors are near 1: products of values from 0
// on would be so small that processors take much longer for them.
func (c Case) low() float64 {
	if c.Reduction == Mul {
		return 0.5
	}
	return 0
}

// values are a row-major tensor of random ones.
func (c Case) values(rng *rand.Rand, shape []int) *tensor.Dense {
	d := tensor.New(tensor.Of(c.kind().of), tensor.WithShape(shape...))
	c.kind().fill(rng, d.Uint8s(), c.low())
	return d
}

// freshData is a copy of data in the same layout.
func (p *Problem) freshData() (*tensor.Dense, error) {
	d, memory, err := p.newData()
	copy(memory, p.memory)
	return d, errors.Wrap(err, p.Name)
}

// draw makes indices that are evenly spread over their axes, none negative:
// PyTorch knows no negative ones.
func (c Case) draw(rng *rand.Rand) *tensor.Dense {
	values := make([]int64, size(c.Indices))
	switch k := c.tuple(); {
	case c.Distinct:
		c.drawDistinct(rng, values)
	case c.Op == "GatherTree":
		// The parent of a beam is one of the beams, of the dtype of all inputs.
		parents := make([]int32, len(values))
		for i := range parents {
			parents[i] = rng.Int32N(int32(c.Data[2]))
		}
		return tensor.New(tensor.WithShape(c.Indices...), tensor.WithBacking(parents))
	case c.ofSegments():
		for i := range values {
			values[i] = c.index(rng, segmentCount)
		}
		slices.Sort(values)
	case c.Zipf:
		law := rand.NewZipf(rng, 1.1, 1, uint64(c.Data[0]-1))
		for i := range values {
			// The frequent ones are not neighbours: 2654435761 has no factor of the rows.
			values[i] = int64(law.Uint64() * 2654435761 % uint64(c.Data[0]))
		}
	default:
		for i := range values {
			axis := c.Axis
			if c.Op == "GatherND" || c.Op == "ScatterND" {
				axis = c.BatchDims + i%k
			}
			values[i] = c.index(rng, c.Data[axis])
		}
	}
	return tensor.New(tensor.WithShape(c.Indices...), tensor.WithBacking(values))
}

// index draws one of n indices, or with a policy one that may be out of range.
func (c Case) index(rng *rand.Rand, n int) int64 {
	outside := c.outside(n)
	return rng.Int64N(int64(n+2*outside)) - int64(outside)
}

// drawDistinct makes indices of which no two meet: of a ScatterElements those of
// one line along the axis, else all.
func (c Case) drawDistinct(rng *rand.Rand, values []int64) {
	line, stride, n := len(values), 1, c.Data[c.Axis]
	if c.Op == "ScatterElements" {
		line, stride = c.Indices[c.Axis], size(c.Indices[c.Axis+1:])
	}
	for first := range values {
		if first/stride%line != 0 {
			continue
		}
		for i, x := range rng.Perm(n + 2*c.outside(n))[:line] {
			values[first+i*stride] = int64(x - c.outside(n))
		}
	}
}

// bytes is what the call has to move at least: the result, or the updates where
// data is changed in place. It is the length of the memcpy beside it.
func (c Case) bytes() int {
	shape := c.outShape()
	if c.ownsData() {
		shape = c.updatesShape()
	}
	return c.kind().width * size(shape)
}

// size is the number of elements of a shape.
func size(shape []int) int { return tensor.Shape(shape).TotalSize() }
