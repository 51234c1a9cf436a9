package main

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

var reductions = map[Reduction]dense.Reduction{
	None: dense.None, Add: dense.Add, Sub: dense.Sub, Mul: dense.Mul,
	Min: dense.Min, Max: dense.Max, Mean: dense.Mean,
}

var segments = map[string]func(data, ids tensor.Tensor, n int, opts ...dense.Option) (*tensor.Dense, error){
	"SegmentSum": dense.SegmentSum, "SegmentMean": dense.SegmentMean, "SegmentMin": dense.SegmentMin,
	"SegmentMax": dense.SegmentMax, "SegmentProd": dense.SegmentProd, segmentSoftmax: dense.SegmentSoftmax,
}

// newOurs runs the case in this library: package dense, or the operators of a
// graph where gradients are asked for that only they have.
func newOurs(name string, p *Problem) (Runner, error) {
	switch p.Mode {
	case Backward:
		return newBackward(name, p)
	case Step:
		return newStep(name, p)
	case Gradient:
		return newAdjoint(name, p)
	case Read:
		return newGather(name, p)
	}
	return newScatter(name, p)
}

// newGather writes to a given tensor, but for strings, which cannot be given
// one.
func newGather(name string, p *Problem) (Runner, error) {
	var opts []dense.Option
	if p.Dtype != String {
		opts = append(opts, dense.WithReuse(tensor.New(tensor.Of(p.kind().of), tensor.WithShape(p.outShape()...))))
	}
	if p.BatchDims > 0 {
		opts = append(opts, dense.WithBatchDims(p.BatchDims))
	}
	opts = append(opts, p.policyOptions()...)
	var gather func(x *tensor.Dense) (*tensor.Dense, error)
	switch p.Op {
	case "Gather":
		gather = func(x *tensor.Dense) (*tensor.Dense, error) { return dense.Gather(p.data, x, p.Axis, opts...) }
	case "GatherElements":
		gather = func(x *tensor.Dense) (*tensor.Dense, error) {
			return dense.GatherElements(p.data, x, p.Axis, opts...)
		}
	case "GatherND":
		gather = func(x *tensor.Dense) (*tensor.Dense, error) { return dense.GatherND(p.data, x, opts...) }
	case embeddingBag:
		opts = append(opts, dense.WithReduction(reductions[p.Reduction]))
		gather = func(x *tensor.Dense) (*tensor.Dense, error) {
			return dense.EmbeddingBagPacked(p.data, x, nil, opts...)
		}
	case tableRows, tableBags:
		table, err := p.stored()
		if err != nil {
			return nil, err
		}
		gather = func(x *tensor.Dense) (*tensor.Dense, error) {
			if p.Op == tableRows {
				return table.Rows(x, opts...)
			}
			return table.Bags(x, nil, nil, embedding.Sum, opts...)
		}
	case "GatherTree":
		lengths, end := p.treeEnds()
		gather = func(x *tensor.Dense) (*tensor.Dense, error) {
			return dense.GatherTree(p.data, x, lengths, end, opts...)
		}
	default:
		segment, ok := segments[p.Op]
		if ok {
			gather = func(x *tensor.Dense) (*tensor.Dense, error) { return segment(p.data, x, segmentCount, opts...) }
			break
		}
		return nil, errors.Errorf("%s: %s is no gather", p.Name, p.Op)
	}
	var out *tensor.Dense
	return &inProcess{
		name: name, sets: p.Sets, result: func() Values { return valuesOf(p.kind(), out) }, collected: p.Dtype == String,
		run: func(set int) (err error) {
			out, err = gather(p.indices[set])
			return err
		},
	}, nil
}

// newScatter writes to a given tensor, or to data itself.
func newScatter(name string, p *Problem) (Runner, error) {
	data := p.data
	dst := tensor.New(tensor.Of(p.kind().of), tensor.WithShape(p.outShape()...))
	if p.Mode == InPlace {
		var err error
		if data, err = p.freshData(); err != nil {
			return nil, err
		}
		dst = data
	}
	opts := []dense.Option{dense.WithReuse(dst), dense.WithReduction(reductions[p.Reduction]), dense.WithInitValue(!p.WithoutOld)}
	opts = append(opts, p.policyOptions()...)
	var scatter func(x *tensor.Dense) (*tensor.Dense, error)
	switch p.Op {
	case "ScatterElements":
		scatter = func(x *tensor.Dense) (*tensor.Dense, error) {
			return dense.ScatterElements(data, x, p.updates, p.Axis, opts...)
		}
	case "ScatterND":
		scatter = func(x *tensor.Dense) (*tensor.Dense, error) { return dense.ScatterND(data, x, p.updates, opts...) }
	case "ScatterUpdate":
		scatter = func(x *tensor.Dense) (*tensor.Dense, error) {
			return dense.ScatterUpdate(data, x, p.updates, p.Axis, opts...)
		}
	default:
		return nil, errors.Errorf("%s: %s is no scatter", p.Name, p.Op)
	}
	return &inProcess{
		name: name, sets: p.Sets, result: func() Values { return valuesOf(p.kind(), dst) },
		run: func(set int) error {
			_, err := scatter(p.indices[set])
			return err
		},
	}, nil
}

// newAdjoint adds to a gradient in place.
func newAdjoint(name string, p *Problem) (Runner, error) {
	dst, err := p.freshData()
	if err != nil {
		return nil, err
	}
	var add func(x *tensor.Dense) error
	switch p.Op {
	case "Gather":
		add = func(x *tensor.Dense) error { return dense.AddGather(dst, p.updates, x, p.Axis) }
	case embeddingBag:
		add = func(x *tensor.Dense) error {
			return dense.AddEmbeddingBagPacked(dst, p.updates, nil, x, nil, dense.WithReduction(reductions[p.Reduction]))
		}
	case "GatherElements":
		add = func(x *tensor.Dense) error { return dense.AddGatherElements(dst, p.updates, x, p.Axis) }
	case "GatherND":
		add = func(x *tensor.Dense) error {
			return dense.AddGatherND(dst, p.updates, x, dense.WithBatchDims(p.BatchDims))
		}
	default:
		return nil, errors.Errorf("%s: %s has no adjoint here", p.Name, p.Op)
	}
	return &inProcess{
		name: name, sets: p.Sets, result: func() Values { return valuesOf(p.kind(), dst) },
		run: func(set int) error { return add(p.indices[set]) },
	}, nil
}

// treeEnds are the two small inputs of a GatherTree: all beams have all steps,
// and no step is the end token.
func (p *Problem) treeEnds() (lengths, end *tensor.Dense) {
	values := make([]int32, p.Data[1])
	for i := range values {
		values[i] = int32(p.Data[0])
	}
	return tensor.New(tensor.WithBacking(values)), tensor.New(tensor.FromScalar(int32(100)))
}

// newLoop is the loop that anyone would write to gather strings.
func newLoop(p *Problem) (Runner, error) {
	if p.Dtype != String || p.Mode != Read || len(p.Data) > 1 && p.Op != "GatherElements" {
		return nil, errCannot
	}
	words, columns := p.data.Strings(), p.Data[len(p.Data)-1]
	var out []string
	return &inProcess{
		name: Loop, sets: p.Sets, collected: true,
		result: func() Values { return Values{kind: p.kind(), strings: out} },
		run: func(set int) error {
			picks := p.indices[set].Int64s()
			out = make([]string, len(picks))
			if len(p.Data) == 1 {
				for i, x := range picks {
					out[i] = words[x]
				}
				return nil
			}
			width := p.Indices[1]
			for row := range p.Indices[0] {
				from := words[row*columns : (row+1)*columns]
				for i, x := range picks[row*width : (row+1)*width] {
					out[row*width+i] = from[x]
				}
			}
			return nil
		},
	}, nil
}
