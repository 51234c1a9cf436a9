package gradtest

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// emptySum is the sum of a tensor without elements, which is 0: Gorgonia's own arithmetic panics on such tensors. It lets the
// gradient of an operator be asked for where the result is empty.
type emptySum struct {
	dtype tensor.Dtype
	axes  int
}

func (op emptySum) Arity() int { return 1 }

func (op emptySum) Type() hm.Type {
	return hm.NewFnType(G.TensorType{Dims: op.axes, Of: op.dtype}, op.dtype)
}

func (op emptySum) InferShape(...G.DimSizer) (tensor.Shape, error) { return tensor.ScalarShape(), nil }

func (op emptySum) Do(values ...G.Value) (G.Value, error) {
	if len(values) != 1 || values[0].Shape().TotalSize() != 0 {
		return nil, errors.Errorf("%v: wants one empty tensor, got %d values", op, len(values))
	}
	if op.dtype == tensor.Float32 {
		return G.NewF32(0), nil
	}
	return G.NewF64(0), nil
}

func (op emptySum) DiffWRT(inputs int) []bool { return []bool{true} }

// SymDiff returns the input: there is one empty tensor of each shape, so it is its own gradient.
func (op emptySum) SymDiff(inputs G.Nodes, _, _ *G.Node) (G.Nodes, error) { return inputs, nil }

// DoDiff has no element to add to.
func (op emptySum) DoDiff(G.ExecutionContext, G.Nodes, *G.Node) error { return nil }

func (op emptySum) ReturnsPtr() bool     { return false }
func (op emptySum) CallsExtern() bool    { return false }
func (op emptySum) OverwritesInput() int { return -1 }

func (op emptySum) WriteHash(h hash.Hash) { fmt.Fprint(h, op) }

func (op emptySum) Hashcode() uint32 {
	h := fnv.New32a()
	op.WriteHash(h)
	return h.Sum32()
}

func (op emptySum) String() string {
	return fmt.Sprintf("EmptySum{dtype=%v, axes=%d}", op.dtype, op.axes)
}

var (
	_ G.SDOp = emptySum{}
	_ G.ADOp = emptySum{}
)
