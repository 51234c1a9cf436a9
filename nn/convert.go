package nn

import (
	"bytes"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Cast converts numbers, and bool, which is 0 and 1, to one of the dtypes bool, float32, float64,
// int32 and int64. Only between float32 and float64 there is a gradient.
func Cast(x *G.Node, to tensor.Dtype) (*G.Node, error) {
	types := map[tensor.Dtype]int{tensor.Float32: 1, tensor.Int32: 6, tensor.Int64: 7, tensor.Bool: 9, tensor.Float64: 11} // ONNX's numbers of them
	number, ok := types[to]
	if !ok {
		return nil, fault.Errorf(gather.ErrDtype, "Cast: to %v, allowed: bool, float32, float64, int32 and int64", elem.Name(to))
	}
	return call("Cast", anything("x"), builders.Cast, 13, attributes{"to": number}, x)
}

// Detach is x, float32 or float64, without a gradient: what it was computed from does not learn from
// what follows. It is PyTorch's detach, for the wanted value of Q-learning, say.
func Detach(x *G.Node) (*G.Node, error) {
	if err := floats("x").check("Detach", x); err != nil {
		return nil, err
	}
	dt := x.Dtype()
	return graph.Apply(&withoutGradient{graph.New(graph.Description{
		Name:     "Detach",
		Operands: []graph.Operand{graph.OperandOf(x)},
		Result:   graph.OperandOf(x),
		Shape:    func(in ...tensor.Shape) (tensor.Shape, error) { return in[0].Clone(), nil },
		Run: func(_ *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
			var memory []byte
			packed, shape, err := core.Packed(&memory, "Detach", "x", in[0], dt)
			if err != nil || len(packed) == 0 {
				return tensor.NewDense(dt, in[0].Shape().Clone()), err
			}
			return core.Over(bytes.Clone(packed), dt, shape.Clone()), nil
		},
	})}, x)
}

// withoutGradient is an operator of one operand, whose gradient is 0 whatever it does.
type withoutGradient struct{ graph.Operator }

// DiffWRT is false.
func (op *withoutGradient) DiffWRT(int) []bool { return []bool{false} }

// SymDiff gives no gradient.
func (op *withoutGradient) SymDiff(G.Nodes, *G.Node, *G.Node) (G.Nodes, error) {
	return G.Nodes{nil}, nil
}

// DoDiff adds nothing.
func (op *withoutGradient) DoDiff(G.ExecutionContext, G.Nodes, *G.Node) error { return nil }

var (
	_ G.SDOp = (*withoutGradient)(nil)
	_ G.ADOp = (*withoutGradient)(nil)
)
