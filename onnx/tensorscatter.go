package onnx

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TensorScatter writes, for every sample b of the batch, the update's sequence
// into the cache from position write_indices[b] on:
//
//	out[b, …, write_indices[b]+l, …] = update[b, …, l, …]
//
// modulo the axis's size in circular mode. Since no target is written twice,
// this is a ScatterND whose tuples address the axes up to the sequence; only
// the tuples remain to be made, and the gradients are ScatterND's. The modulo
// concerns the sequence's coordinate alone: ONNX's reference takes it of the
// others too, and goes wrong where the batch is longer than the sequence.

// writes is the geometry of one TensorScatter.
type writes struct {
	update   tensor.Shape
	axis     int // of the sequence, counted from the front, never 0
	size     int // the cache's length along it
	circular bool
}

// newWrites checks how the shapes must fit: the update has the cache's dims but
// along the axis, where it may be shorter, and write_indices one entry for each
// sample. at is nil if write_indices is left out.
func newWrites(c call, cache, update, at tensor.Shape) (writes, error) {
	w := writes{update: update.Clone(), axis: c.axis(), circular: c.words["mode"] == "circular"}
	if w.axis < 0 {
		w.axis += len(cache)
	}
	if w.axis == 0 {
		return w, errors.Wrapf(dense.ErrAxis, "%s: axis %d is the batch, the sequence must be another", c.name(), c.axis())
	}
	if len(update) != len(cache) {
		return w, errors.Wrapf(dense.ErrShape, "%s: update %v has not the rank of past_cache %v", c.name(), update, cache)
	}
	for d, n := range update {
		if n != cache[d] && (d != w.axis || n > cache[d]) {
			return w, errors.Wrapf(dense.ErrShape, "%s: dim %d of update %v does not fit past_cache %v with the sequence along axis %d",
				c.name(), d, update, cache, w.axis)
		}
	}
	if at != nil && (len(at) != 1 || at[0] != cache[0]) {
		return w, errors.Wrapf(dense.ErrShape, "%s: write_indices %v, past_cache %v takes (%d)", c.name(), at, cache, cache[0])
	}
	w.size = cache[w.axis]
	return w, nil
}

// shape is that of the tuples: one for each position of update up to the
// sequence, and a tuple has a coordinate for each of these axes.
func (w writes) shape() tensor.Shape {
	return append(w.update[:w.axis+1].Clone(), w.axis+1)
}

// start is where the sequence of sample b starts, for its write index i.
func (w writes) start(b int, i int64) (int, error) {
	length := w.update[w.axis]
	bad := i
	switch {
	case length == 0 && i >= 0 && (w.circular || i <= int64(w.size)):
		return 0, nil // nothing is written; a modulo of size 0 would panic
	case i >= 0 && w.circular:
		return int(i % int64(w.size)), nil
	case i >= 0 && i <= int64(w.size-length):
		return int(i), nil
	case i >= 0:
		bad = max(i, int64(w.size)) // the first position past the end
	}
	err := &dense.IndexError{Op: "TensorScatter", Position: []int{b}, Index: bad, Axis: w.axis, Size: w.size, NonNegative: true}
	return 0, errors.Wrapf(err, "write_indices[%d] is %d and update has %d positions", b, i, length)
}

// tuples makes the indices for ScatterND. at is nil if write_indices is left
// out: all start at 0.
func (w writes) tuples(at tensor.Tensor) (*tensor.Dense, error) {
	shape := w.shape()
	k := w.axis + 1
	starts := make([]int, shape[0])
	if at != nil {
		for b := range starts {
			i, err := at.At(b)
			if err != nil {
				return nil, errors.Wrap(err, "TensorScatter: write_indices")
			}
			if starts[b], err = w.start(b, i.(int64)); err != nil {
				return nil, err
			}
		}
	}
	tuples := make([]int64, 0, shape.TotalSize())
	coordinate := make([]int, k) // of update, up to the sequence
	for len(tuples) < cap(tuples) {
		for _, x := range coordinate[:w.axis] {
			tuples = append(tuples, int64(x))
		}
		// Neither term reaches size, so that their sum cannot wrap far.
		position := starts[coordinate[0]] + coordinate[w.axis]
		if w.circular && position >= w.size {
			position -= w.size
		}
		tuples = append(tuples, int64(position))
		for d := w.axis; d >= 0; d-- {
			if coordinate[d]++; coordinate[d] < shape[d] {
				break
			}
			coordinate[d] = 0
		}
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(tuples)), nil
}

func evalTensorScatter(c call, in []tensor.Tensor) (*tensor.Dense, error) {
	var at tensor.Tensor
	var shape tensor.Shape
	if len(in) > 2 && present(in[2]) {
		at, shape = in[2], in[2].Shape()
	}
	w, err := newWrites(c, in[0].Shape(), in[1].Shape(), shape)
	if err != nil {
		return nil, err
	}
	tuples, err := w.tuples(at)
	if err != nil {
		return nil, err
	}
	return dense.ScatterND(in[0], tuples, in[1], c.options()...)
}

func applyTensorScatter(c call, in []*gorgonia.Node) (*gorgonia.Node, error) {
	var at *gorgonia.Node
	var shape tensor.Shape
	if len(in) > 2 && in[2] != nil {
		at, shape = in[2], in[2].Shape()
	}
	w, err := newWrites(c, in[0].Shape(), in[1].Shape(), shape)
	if err != nil {
		return nil, err
	}
	names, nodes := []string{"past_cache", "update"}, in[:2]
	if at != nil {
		names, nodes = append(names, "write_indices"), in[:3]
		if err := graph.Named(c.name(), "write_indices", at); err != nil {
			return nil, err
		}
	}
	if err := graph.Nodes(c.name(), names, nodes...); err != nil {
		return nil, err
	}
	nodes = graph.Bind(nodes...)
	cache, update := nodes[0], nodes[1]
	if at != nil {
		at = nodes[2]
	}
	tuples, err := gorgonia.ApplyOp(newWriteTuples(w, at, update))
	if err != nil {
		return nil, err
	}
	return gather.ScatterND(cache, tuples, update, c.options()...)
}
