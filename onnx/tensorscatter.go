package onnx

import (
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/opset"
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
func newWrites(c *opset.Call, cache, update, at tensor.Shape) (writes, error) {
	w := writes{update: update.Clone(), axis: c.Axis, circular: c.Words["mode"] == "circular"}
	if w.axis < 0 {
		w.axis += len(cache)
	}
	if w.axis == 0 {
		return w, fault.Errorf(dense.ErrAxis, "%s: axis %d is the batch, the sequence must be another", c.Name(), c.Axis)
	}
	if len(update) != len(cache) {
		return w, fault.Errorf(dense.ErrShape, "%s: update %s has not the rank of past_cache %s", c.Name(), fault.Shape(update), fault.Shape(cache))
	}
	for d, n := range update {
		if n != cache[d] && (d != w.axis || n > cache[d]) {
			return w, fault.Errorf(dense.ErrShape, "%s: dim %d of update %s does not fit past_cache %s with the sequence along axis %d",
				c.Name(), d, fault.Shape(update), fault.Shape(cache), w.axis)
		}
	}
	if at != nil && (len(at) != 1 || at[0] != cache[0]) {
		return w, fault.Errorf(dense.ErrShape, "%s: write_indices %s, past_cache %s takes (%d)", c.Name(), fault.Shape(at), fault.Shape(cache), cache[0])
	}
	w.size = cache[w.axis]
	return w, nil
}

// shape is that of the tuples: one for each position of update up to the
// sequence, and a tuple has a coordinate for each of these axes. Where update is
// empty by a later axis, the tuples go on to that one, so that there are none:
// an update of shape (1000000, 1000, 0) would take 16 GB of them.
func (w writes) shape() tensor.Shape {
	k := w.axis + 1
	if slices.Contains(w.update, 0) {
		k = max(k, slices.Index(w.update, 0)+1)
	}
	return append(w.update[:k].Clone(), k)
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
	var starts []int
	if at != nil {
		starts = make([]int, shape[0])
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
		position := coordinate[w.axis]
		if starts != nil {
			position += starts[coordinate[0]]
		}
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

func evalTensorScatter(c *opset.Call, in []tensor.Tensor) (*tensor.Dense, error) {
	var at tensor.Tensor
	var shape tensor.Shape
	if len(in) > 2 && in[2] != nil {
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
	return dense.ScatterND(in[0], tuples, in[1], c.Options()...)
}

func applyTensorScatter(c *opset.Call, in []*gorgonia.Node) (*gorgonia.Node, error) {
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
		if err := graph.Named(c.Name(), "write_indices", at); err != nil {
			return nil, err
		}
	}
	if err := graph.Nodes(c.Name(), names, nodes...); err != nil {
		return nil, err
	}
	nodes = graph.Bind(nodes...)
	tuples, err := graph.Apply(newWriteTuples(w, nodes))
	if err != nil {
		return nil, err
	}
	return gather.ScatterND(nodes[0], tuples, nodes[1], c.Options()...)
}
