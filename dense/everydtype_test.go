package dense_test

import (
	"fmt"
	"testing"

	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/turns"
)

// TestEveryDtype runs each operator on data of every dtype with indices of
// every integer dtype in every layout of data; the layouts of indices and
// result go round, so that each pair of layouts occurs.
func TestEveryDtype(t *testing.T) {
	for _, d := range dtypes {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			turn := 0
			for _, call := range smallCalls {
				for _, indices := range indexTypes {
					turn++
					for i := range layout.All {
						if !turns.Case(3, turn+i) {
							continue
						}
						c := call.with(indices)
						c.in, c.at, c.out = layout.All[i], layout.All[(i+turn)%len(layout.All)], layout.All[(i+3*turn)%len(layout.All)]
						c.reuse = (i+turn)%2 == 0
						if err := d.gather(&c); err != nil {
							t.Fatalf("%v: %v", &c, err)
						}
						if d.numeric() {
							if err := d.add(&c); err != nil {
								t.Fatalf("adjoint of %v: %v", &c, err)
							}
						}
					}
				}
			}
		})
	}
}

// smallCalls are one or two calls of each operator, on data of dims that all
// differ: with duplicates and, for the index types that have them, negatives.
var smallCalls = []call{
	{op: "Gather", data: dims{3, 4, 5}, axis: 1, indices: oracle.From([]int64{3, 0, -1, 3, -4, 2}, 2, 3)},
	{op: "Gather", data: dims{3, 4}, axis: -1, batchDims: 1, indices: oracle.From([]int64{3, 0, 1, -2, 1, 1}, 3, 2)},
	{op: "GatherElements", data: dims{3, 4, 2}, axis: 1, indices: oracle.From([]int64{0, 3, 1, 1, -4, 2, 2, -1, 3, 3, 0, 0, 1, 2, 0, -2, -3, 1, 0, 1, 2, 3, 3, 3, 1, 0, 0, 0, 2, 1}, 3, 5, 2)},
	{op: "GatherElements", data: dims{4, 3}, axis: 0, indices: oracle.From([]int64{3, -1, 2, 0, 1, 0, 0, 0, 1, 3}, 5, 2)},
	{op: "GatherND", data: dims{3, 4, 5}, indices: oracle.From([]int64{2, 3, 0, 0, -1, -4, 2, 3}, 4, 2)},
	{op: "GatherND", data: dims{3, 4, 2}, batchDims: 1, indices: oracle.From([]int64{3, 0, 0, 1, -2, -1}, 3, 2)},
}

// with is a copy of the call with indices of another type. Types without
// negative numbers get the same indices counted from the front.
func (c call) with(it indexType) call {
	c.indexType = it
	c.indices = c.indices.Clone()
	if it.read(-1) == -1 {
		return c
	}
	i := 0
	for position := range oracle.Coordinates(c.indices.Shape) {
		if c.indices.Data[i] < 0 {
			c.indices.Data[i] += int64(c.data[c.addressed(position)])
		}
		i++
	}
	return c
}

// TestThinTensors has the shapes that package tensor lays out in its own way: a
// column-major (n, 1) has one stride for two axes, and (1, 1) none at all.
func TestThinTensors(t *testing.T) {
	columnMajor := layout.ColumnMajor
	for _, c := range []call{
		{op: "Gather", data: dims{5, 1}, axis: 0, indices: oracle.From([]int64{4, 0, -2}, 3)},
		{op: "Gather", data: dims{5, 1}, axis: 1, indices: oracle.From([]int64{0, -1, 0}, 3, 1)},
		{op: "Gather", data: dims{1, 5}, axis: 1, indices: oracle.From([]int64{4, 0, -2}, 1, 3)},
		{op: "Gather", data: dims{1, 1}, axis: 0, indices: oracle.From([]int64{0}, 1, 1)},
		{op: "Gather", data: dims{4}, axis: 0, indices: oracle.From([]int64{-1})},
		{op: "GatherElements", data: dims{5, 1}, axis: 0, indices: oracle.From([]int64{4, 0, -2}, 3, 1)},
		{op: "GatherElements", data: dims{1, 5}, axis: 1, indices: oracle.From([]int64{4, 0, -2}, 1, 3)},
		{op: "GatherElements", data: dims{1, 1}, axis: 1, indices: oracle.From([]int64{0, 0, -1}, 1, 3)},
		{op: "GatherND", data: dims{5, 1}, indices: oracle.From([]int64{4, 0, -2}, 3, 1)},
		{op: "GatherND", data: dims{1, 5}, indices: oracle.From([]int64{0, 3}, 1, 2)},
		{op: "GatherND", data: dims{1, 1}, indices: oracle.From([]int64{0, 0}, 2)},
		{op: "GatherND", data: dims{5, 1}, batchDims: 1, indices: oracle.From([]int64{0, 0, -1, 0, -1}, 5, 1)},
	} {
		t.Run(fmt.Sprintf("%s of %v, axis %d, indices %v", c.op, c.data, c.axis, c.indices.Shape), func(t *testing.T) {
			for _, l := range layout.All {
				c.indexType, c.reuse = int64s, true
				c.in, c.at, c.out = columnMajor, columnMajor, l
				for _, d := range numbers {
					if err := d.gather(&c); err != nil {
						t.Errorf("result %v of %v: %v", l, d, err)
					}
					if err := d.add(&c); err != nil {
						t.Errorf("result %v, adjoint of %v: %v", l, d, err)
					}
				}
			}
		})
	}
}
