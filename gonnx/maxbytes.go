package gathergonnx

import (
	"math"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// defaultMaxBytes is more than models of this kind have in one node, and less than what a
// wrong shape asks for.
const defaultMaxBytes = 16 << 30

// A limit is what the tensors that one node makes may take. All operators of a model
// share it.
type limit struct{ bytes int64 }

func newLimit() *limit { return &limit{defaultMaxBytes} }

// SetMaxBytes bounds the memory of the tensors that one node makes in a run: a model of a
// hundred bytes can ask for any amount, and a process that asks for more than there is
// cannot recover. It is 16 GiB where it is not set. What would exceed it is an error,
// before it is allocated, that wraps [dense.ErrMaxBytes] and names the node.
//
// The results of an operator of package onnx or onnx/builders count, with those of the
// operators that it is made of; of gonnx's own the largest of its tensors, where it can
// be larger than the inputs.
//
// Call it before the model runs.
func (m *Model) SetMaxBytes(n int64) error {
	if n < 1 {
		return fault.Errorf(dense.ErrOption, "gonnx: SetMaxBytes(%d), the least is 1", n)
	}
	m.limit.bytes = n
	return nil
}

// fits refuses a tensor of a shape, with others that take so many bytes already, and
// returns what all of them take.
func fits[T int | int64](l *limit, shape []T, width int, taken uint64) (uint64, error) {
	n := node.Bytes(shape, width)
	if n > uint64(l.bytes) || taken > uint64(l.bytes)-n {
		return 0, fault.Errorf(dense.ErrMaxBytes, "it needs a tensor of shape %v, which takes %d bytes beside %d of others; SetMaxBytes allows %d", shape, n, taken, l.bytes)
	}
	return taken + n, nil
}

// eval is [onnx.EvalWith] of a node whose results fit.
func (l *limit) eval(build onnx.Builder, n onnx.Node, inputs []tensor.Tensor) ([]*tensor.Dense, error) {
	return onnx.EvalWith(func(n onnx.Node, inputs ...*gorgonia.Node) ([]*gorgonia.Node, error) {
		out, err := build(n, inputs...)
		if err != nil {
			return nil, err
		}
		return out, l.graphFits(out)
	}, n, inputs...)
}

// graphFits refuses outputs of a graph with operators whose results do not fit.
func (l *limit) graphFits(out []*gorgonia.Node) (err error) {
	first := slices.IndexFunc(out, func(n *gorgonia.Node) bool { return n != nil })
	if first < 0 {
		return nil
	}
	taken := uint64(0)
	for _, n := range out[first].Graph().AllNodes() {
		if n.Op() == nil {
			continue
		}
		if taken, err = fits(l, n.Shape(), int(n.Dtype().Size()), taken); err != nil {
			return err
		}
	}
	return nil
}

// evalGather is [onnx.Eval] of a node whose result fits.
func (l *limit) evalGather(n onnx.Node, inputs []tensor.Tensor) (*tensor.Dense, error) {
	if l.mayExceed(inputs) {
		_, err := l.eval(func(n onnx.Node, inputs ...*gorgonia.Node) ([]*gorgonia.Node, error) {
			y, err := onnx.Apply(n, inputs...)
			if err == nil {
				err = l.graphFits([]*gorgonia.Node{y})
			}
			return nil, err // which computes nothing
		}, n, inputs)
		if errors.Is(err, dense.ErrMaxBytes) {
			return nil, err
		}
	}
	return onnx.Eval(n, inputs...)
}

// mayExceed tells whether each index could pick all of data and exceed the limit: for
// most nodes it could not, and the shape of the result need not be known.
func (l *limit) mayExceed(inputs []tensor.Tensor) bool {
	most := uint64(1)
	for i, t := range inputs {
		d, _ := t.(*tensor.Dense)
		if d == nil {
			continue
		}
		width := 1 // of indices, of which each counts
		if i != 1 {
			width = int(d.Dtype().Size())
		}
		n := max(node.Bytes(d.Shape(), width), 1)
		if most > math.MaxUint64/n {
			return true
		}
		most *= n
	}
	return most > uint64(l.bytes)
}
