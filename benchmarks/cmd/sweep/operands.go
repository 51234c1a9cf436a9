package main

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/benchmarks/cmd/sweep/loops"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

var dtypes = map[string]tensor.Dtype{
	"float32": tensor.Float32, "float64": tensor.Float64, "int64": tensor.Int64, "uint8": tensor.Uint8,
	"float16": dense.Float16, "int32": tensor.Int32,
}

// view is a tensor and the memory that it looks at.
type view struct {
	*tensor.Dense
	base    *tensor.Dense // row-major
	offset  int           // of the first element
	strides []int
}

// newView makes a tensor of the layout that a call names.
func newView(dtype string, shape []int, layout string) (v view, err error) {
	order, cut, err := parseLayout(layout, len(shape))
	if err != nil {
		return v, err
	}
	base := make([]int, len(shape))
	for i, axis := range order {
		base[axis] = shape[i]
	}
	at := make([]tensor.Slice, len(shape))
	if cut >= 0 {
		at[cut] = tensor.S(shape[cut]/2, shape[cut]/2+shape[cut])
		base[cut] *= 2
	}
	v.base = newTensor(dtype, base)
	steps := packed(base)
	for _, axis := range order {
		v.strides = append(v.strides, steps[axis])
	}
	v.Dense = v.base
	switch {
	case cut >= 0:
		v.offset = shape[cut] / 2 * steps[cut]
		part, err := v.base.Slice(at...)
		if err != nil {
			return v, errors.WithStack(err)
		}
		v.Dense = part.(*tensor.Dense)
	case layout != "":
		v.Dense = v.base.ShallowClone()
		err = errors.WithStack(v.Dense.T(order...))
	}
	if err == nil && !v.Shape().Eq(tensor.Shape(shape)) {
		err = errors.Errorf("the layout %s makes the shape %v of %v", layout, v.Shape(), shape)
	}
	return v, err
}

// parseLayout is the order of axes in memory, and the axis of which data is the second half, or -1.
func parseLayout(layout string, rank int) (order []int, cut int, err error) {
	var axes []int
	for _, digit := range layout[min(1, len(layout)):] {
		axes = append(axes, int(digit-'0'))
	}
	for axis := range rank {
		order = append(order, axis)
	}
	switch {
	case layout == "":
		return order, -1, nil
	case layout[0] == 'S' && len(axes) == 1 && slices.Contains(order, axes[0]):
		return order, axes[0], nil
	case layout[0] == 'T' && slices.Equal(slices.Sorted(slices.Values(axes)), order):
		return axes, -1, nil
	}
	return nil, -1, errors.Errorf("there is no layout %q of rank %d", layout, rank)
}

// packed is the strides of a row-major shape.
func packed(shape []int) []int {
	strides, n := make([]int, len(shape)), 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = n
		n *= shape[axis]
	}
	return strides
}

// operands are what both sides of a comparison read.
type operands struct {
	Call
	data             view
	indices, offsets integers
	updates          *tensor.Dense // of a scatter
	result           tensor.Shape  // of what is written
	rng              *rand.Rand
}

func newOperands(c Call) (*operands, error) {
	name := fnv.New64()
	_, _ = name.Write([]byte(c.String())) // a hash never fails
	o := &operands{Call: c, rng: rand.New(rand.NewPCG(1, name.Sum64()))}
	var err error
	if o.data, err = newView(c.Dtype, c.Data, c.Layout); err != nil {
		return nil, errors.Wrap(err, c.String())
	}
	o.fill(o.data.base)
	if o.result, err = c.items(); err != nil {
		return nil, errors.Wrap(err, c.String())
	}
	if c.changes() {
		o.updates = newTensor(c.Dtype, o.result)
		o.fill(o.updates)
		o.result = c.Data
	}
	sizes := c.sizes()
	o.indices = o.draw(c.Indices, c.form() == segments, func(i int) int { return sizes[i%len(sizes)] })
	if c.Op == "EmbeddingBagOffsets" {
		o.offsets = o.draw([]int{c.Count}, true, func(int) int { return of(c.Indices) + 1 })
	}
	return o, nil
}

// newTensor is row-major.
func newTensor(dtype string, shape []int) *tensor.Dense {
	return tensor.New(tensor.Of(dtypes[dtype]), tensor.WithShape(shape...))
}

// sizes are those of the axes that a tuple of indices addresses.
func (c Call) sizes() []int {
	switch c.form() {
	case rows, elements:
		return c.Data[c.Axis : c.Axis+1]
	case tuples:
		return c.Data[c.BatchDims : c.BatchDims+c.Indices[len(c.Indices)-1]]
	case segments:
		return []int{c.Count}
	}
	return c.Data[:1]
}

// fill writes random values: floats from 0 to 1, integers to 99.
func (o *operands) fill(d *tensor.Dense) {
	switch all := d.Data().(type) {
	case []float32:
		each(all, o.rng.Float32)
	case []float64:
		each(all, o.rng.Float64)
	case []int64:
		each(all, func() int64 { return o.rng.Int64N(100) })
	case []uint8:
		each(all, func() uint8 { return uint8(o.rng.IntN(100)) })
	case []loops.Half:
		each(all, func() loops.Half { return loops.Half(o.rng.IntN(0x3c00)) }) // all below 1 have fewer bits
	}
}

func each[T any](all []T, draw func() T) {
	for i := range all {
		all[i] = draw()
	}
}

// integers are indices of either dtype, as a tensor and as its slice.
type integers struct {
	*tensor.Dense
	slice any
	wide  []int64 // for PyTorch, which takes no others
}

// draw makes random indices below what size says. None is negative: PyTorch knows no such ones.
func (o *operands) draw(shape []int, ascending bool, size func(i int) int) integers {
	n := of(shape)
	all := make([]int64, n)
	for i := range all {
		all[i] = o.rng.Int64N(int64(size(i)))
	}
	if ascending {
		slices.Sort(all)
	}
	x := integers{slice: all, wide: all}
	if o.Index == "int32" {
		narrow := make([]int32, n)
		for i, v := range all {
			narrow[i] = int32(v)
		}
		x.slice = narrow
	}
	switch all := x.slice.(type) {
	case []int32:
		x.Dense = indexTensor(all, shape)
	case []int64:
		x.Dense = indexTensor(all, shape)
	}
	return x
}

func indexTensor[I loops.Index](all []I, shape []int) *tensor.Dense {
	if len(shape) == 0 {
		return tensor.New(tensor.FromScalar(all[0]))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(all))
}
