package main

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

var reductions = map[string]dense.Reduction{
	"none": dense.None, "add": dense.Add, "max": dense.Max, "sum": dense.Add, "mean": dense.Mean,
}

// newOurs is the call of package dense. It writes into memory that it is given, as the
// plain loop does.
func newOurs(o *operands) (side, error) {
	target, err := o.target()
	if err != nil {
		return side{}, err
	}
	data, result := target.Dense, target.base
	if !o.inPlace() {
		data, result = o.data.Dense, newTensor(o.Dtype, o.result)
	}
	opts := []dense.Option{dense.WithReuse(result)}
	if o.InPlace {
		opts[0] = dense.WithReuse(data)
	}
	if o.Reduction != "" {
		opts = append(opts, dense.WithReduction(reductions[o.Reduction]))
	}
	if o.BatchDims > 0 {
		opts = append(opts, dense.WithBatchDims(o.BatchDims))
	}
	indices, offsets, updates := o.indices.Dense, o.offsets.Dense, o.updates
	made := func(_ *tensor.Dense, err error) error { return err }
	run, known := map[string]func() error{
		"Gather":              func() error { return made(dense.Gather(data, indices, o.Axis, opts...)) },
		"GatherElements":      func() error { return made(dense.GatherElements(data, indices, o.Axis, opts...)) },
		"GatherND":            func() error { return made(dense.GatherND(data, indices, opts...)) },
		"ScatterUpdate":       func() error { return made(dense.ScatterUpdate(data, indices, updates, o.Axis, opts...)) },
		"ScatterElements":     func() error { return made(dense.ScatterElements(data, indices, updates, o.Axis, opts...)) },
		"ScatterND":           func() error { return made(dense.ScatterND(data, indices, updates, opts...)) },
		"SegmentSum":          func() error { return made(dense.SegmentSum(data, indices, o.Count, opts...)) },
		"SegmentMean":         func() error { return made(dense.SegmentMean(data, indices, o.Count, opts...)) },
		"SegmentMax":          func() error { return made(dense.SegmentMax(data, indices, o.Count, opts...)) },
		"EmbeddingBagPacked":  func() error { return made(dense.EmbeddingBagPacked(data, indices, nil, opts...)) },
		"EmbeddingBagOffsets": func() error { return made(dense.EmbeddingBagOffsets(data, indices, offsets, nil, opts...)) },
		"AddGather":           func() error { return dense.AddGather(data, updates, indices, o.Axis, opts[1:]...) },
		"AddGatherElements":   func() error { return dense.AddGatherElements(data, updates, indices, o.Axis, opts[1:]...) },
		"AddGatherND":         func() error { return dense.AddGatherND(data, updates, indices, opts[1:]...) },
	}[o.Op]
	if !known {
		return side{}, o.check()
	}
	return side{run, result}, nil
}
