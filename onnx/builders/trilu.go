package builders

import (
	"fmt"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Trilu keeps the elements of every matrix, which are the last two axes, from the
// diagonal on upward, or downward with upper 0, and makes zeros of the others. k
// moves the diagonal to the right; it must be known when the graph is built.
// Opsets from 14 on.
func Trilu(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Trilu", n, inputs, func(c *call) (*G.Node, error) {
		upper, err := c.boolean("upper", true)
		if err != nil {
			return nil, err
		}
		k, _, err := c.staticOne("k")
		if err != nil {
			return nil, err
		}
		shape := c.shape(0)
		if len(shape) < 2 {
			return nil, fault.Errorf(dense.ErrShape, "input of shape %v, ranks of at least 2 are allowed", shape)
		}
		// Beyond the matrix one diagonal is like another.
		k = min(max(k, -shape[len(shape)-2]), shape[len(shape)-1])
		return c.apply(triangle{upper, k}, c.inputs[0])
	})
}

// triangle keeps one side of the diagonal of every matrix.
type triangle struct {
	upper bool
	k     int
}

func (f triangle) String() string { return fmt.Sprintf("Trilu, upper %v, k %d", f.upper, f.k) }

func (f triangle) result(in []operand) (operand, error) { return in[0], nil }

func (f triangle) run(out *tensor.Dense, in []*tensor.Dense) error {
	shape := out.Shape()
	rows, columns := shape[len(shape)-2], shape[len(shape)-1]
	kept := make([]bool, count(shape))
	for i := range kept {
		row, column := i/columns%rows, i%columns
		kept[i] = column-row == f.k || column-row > f.k == f.upper
	}
	return choose(out, kept, in[0], newTensor(operand{out.Dtype(), shape}))
}

func (f triangle) gradients([]operand, operand) []*term { return []*term{of(f, grad())} }
