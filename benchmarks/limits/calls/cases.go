package main

import (
	"math/rand/v2"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// A limit is a call of the library, and the loops in C that do the same.
type limit struct {
	name    string
	data    []int
	indices []int
	axis    int
	sum     bool // the call adds to data, in place
	loops   []loop
	ours    func(data, other, indices *tensor.Dense) error // other: result of a gather, updates of a sum
}

func cases() []limit {
	gather := func(data, out, indices *tensor.Dense) error {
		_, err := dense.Gather(data, indices, 0, dense.WithReuse(out))
		return err
	}
	gatherElements := func(data, out, indices *tensor.Dense) error {
		_, err := dense.GatherElements(data, indices, 1, dense.WithReuse(out))
		return err
	}
	addElements := func(data, updates, indices *tensor.Dense) error {
		return dense.AddGatherElements(data, updates, indices, 1)
	}
	addColumns := func(data, updates, indices *tensor.Dense) error {
		return dense.AddGather(data, updates, indices, 1)
	}
	addTuples := func(data, updates, indices *tensor.Dense) error {
		return dense.AddGatherND(data, updates, indices)
	}
	return []limit{
		{name: "Gather, numbers", data: []int{100000}, indices: []int{1048576}, loops: gatherLoops, ours: gather},
		{name: "GatherElements, last axis", data: []int{1024, 1024}, indices: []int{1024, 1024}, axis: 1, loops: gatherLoops, ours: gatherElements},
		{name: "GatherElements, one of 32000", data: []int{4096, 32000}, indices: []int{4096, 1}, axis: 1, loops: gatherLoops, ours: gatherElements},
		{name: "gradient of GatherElements, one of 32000", data: []int{4096, 32000}, indices: []int{4096, 1}, axis: 1, sum: true, loops: addLoops, ours: addElements},
		{name: "ScatterElements add, last axis, in place", data: []int{1024, 1024}, indices: []int{1024, 1024}, axis: 1, sum: true, loops: addLoops, ours: addElements},
		{name: "gradient of Gather, last axis", data: []int{1024, 1024}, indices: []int{512}, axis: 1, sum: true, loops: columnLoops, ours: addColumns},
		{name: "ScatterND add, numbers, in place", data: []int{256, 256, 64}, indices: []int{262144, 3}, sum: true, loops: tupleLoops, ours: addTuples},
	}
}

// call has the sizes of the loops.
func (c limit) call() call {
	switch {
	case len(c.data) == 1: // one row of data, its picks cut into rows to be shared
		return call{rows: 1, n: c.indices[0], line: c.data[0]}
	case len(c.data) == 3:
		return call{rows: c.indices[0], dims: [3]int(c.data)}
	default:
		return call{rows: c.data[0], n: c.indices[len(c.indices)-1], line: c.data[1]}
	}
}

// others is the shape of the result of a gather, or of the updates of a sum.
func (c limit) others() []int {
	switch {
	case len(c.data) == 3:
		return c.indices[:1]
	case len(c.data) == 2 && len(c.indices) == 1:
		return []int{c.data[0], c.indices[0]}
	}
	return c.indices
}

// draw makes indices that are evenly spread.
func (c limit) draw(rng *rand.Rand) *tensor.Dense {
	t := tensor.New(tensor.Of(tensor.Int64), tensor.WithShape(c.indices...))
	for i, v := 0, t.Int64s(); i < len(v); i++ {
		d := c.axis
		if len(c.data) == 3 {
			d = i % 3
		}
		v[i] = rng.Int64N(int64(c.data[d]))
	}
	return t
}
