package onnx

import (
	"slices"

	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// arrayFeatureExtractor is a gather along the last axis. Its indices count as one
// list, whatever their shape, and 1-D data gives (1, n): as one row.
var arrayFeatureExtractor = operator{
	opset.Operator{
		Apply: func(c *opset.Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
			data, indices := in[0], in[1]
			if want := featureShape(data.Dims(), indices.Shape()); !slices.Equal(indices.Shape(), want) {
				var err error
				indices = graph.Bind(in...)[1] // a constant is in no graph before
				if indices, err = gather.GatherND(indices, gorgonia.NewConstant(coordinates(indices.Shape(), want))); err != nil {
					return nil, err
				}
			}
			return gather.Gather(data, indices, -1, c.Options()...)
		},
		Eval: func(c *opset.Call, in []tensor.Tensor) (*tensor.Dense, error) {
			data, indices := in[0], in[1]
			if want := featureShape(data.Dims(), indices.Shape()); !slices.Equal(indices.Shape(), want) {
				list, err := dense.GatherND(indices, coordinates(indices.Shape(), want))
				if err != nil {
					return nil, err
				}
				indices = list
			}
			return dense.Gather(data, indices, -1, c.Options()...)
		},
	},
	[]opset.Parameter{{Name: "X", Rank: 1}, {Name: "Y", Role: opset.Indices, Rank: 1}},
}

// featureShape is the shape that indices need for data of a rank.
func featureShape(rank int, indices tensor.Shape) tensor.Shape {
	n := 1
	for _, d := range indices {
		n *= d
	}
	if rank > 1 {
		return tensor.Shape{n}
	}
	return tensor.Shape{1, n}
}

// coordinates are those of a tensor's elements in row-major order, as index tuples
// under another shape.
func coordinates(of, as tensor.Shape) *tensor.Dense {
	n, q := as[len(as)-1], len(of)
	tuples := make([]int64, n*q)
	for i := range n {
		rest := i
		for d := q - 1; d >= 0; d-- {
			tuples[i*q+d] = int64(rest % of[d])
			rest /= of[d]
		}
	}
	return tensor.New(tensor.WithShape(append(as.Clone(), q)...), tensor.WithBacking(tuples))
}
