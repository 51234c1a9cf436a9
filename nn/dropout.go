package nn

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Dropout sets elements of x to 0, each with a probability, and divides the others by 1 -
// probability. Every run draws anew, from the seed, so that a run of the program can be
// repeated; give each call a seed of its own. Use it in the graph that trains, and make another
// graph without it, of the same weights, that validates.
//
// Gorgonia v0.9.18: the gradient of Dropout(x, p) is divided by p: for p = 0.1 it is 10 where an
// element is kept, for 1.11. Two Dropouts of one node are one node, even with different p.
func Dropout(x *G.Node, probability float64, seed uint64) (*G.Node, error) {
	const name = "Dropout"
	if !(probability >= 0 && probability < 1) {
		return nil, fault.Errorf(gather.ErrOption, "%s: probability is %v, a number from 0 to below 1 is allowed", name, probability)
	}
	if err := floats("x").check(name, x); err != nil {
		return nil, err
	}
	op := &dropMask{probability: probability, seed: seed}
	op.Operator = graph.New(graph.Description{
		Name:     fmt.Sprintf("Dropout mask{probability: %v, seed: %d}", probability, seed),
		Operands: []graph.Operand{graph.OperandOf(x)},
		Result:   graph.OperandOf(x),
		Shape:    func(in ...tensor.Shape) (tensor.Shape, error) { return in[0].Clone(), nil },
		Run:      op.run,
	})
	mask, err := graph.Apply(op, x)
	if err != nil {
		return nil, err
	}
	y, err := Mul(x, mask)
	return y, named(name, err)
}

// dropMask is what Dropout multiplies by, of x's dtype and shape. It has no gradient.
type dropMask struct {
	withoutGradient
	probability float64
	seed        uint64
	runs        atomic.Uint64
}

func (op *dropMask) run(_ *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
	rng := rand.New(rand.NewPCG(op.seed, op.runs.Add(1)))
	mask := tensor.NewDense(in[0].Dtype(), in[0].Shape().Clone())
	switch {
	case mask.Shape().TotalSize() == 0: // whose elements panic
	case mask.Dtype() == tensor.Float32:
		drop(mask.Float32s(), rng, op.probability)
	default:
		drop(mask.Float64s(), rng, op.probability)
	}
	return mask, nil
}

func drop[T float32 | float64](mask []T, rng *rand.Rand, probability float64) {
	for i := range mask {
		if rng.Float64() >= probability {
			mask[i] = T(1 / (1 - probability))
		}
	}
}
