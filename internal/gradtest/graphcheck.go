package gradtest

import (
	"math/rand"

	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Graph runs a graph on both machines with one random cotangent of integers, and checks that outputs and gradients agree and
// that each gradient has as many values as its input. If all inputs to differentiate are float64, the gradients are compared
// with differences, too; then the graph has to be smooth around the inputs, as Differences says. It returns what
// TapeMachine gave, for a comparison with expected values.
func Graph(inputs []Input, build Builder, rng *rand.Rand) (Result, error) {
	probe, err := Forward(Tape, inputs, build)
	if err != nil {
		return Result{}, err
	}
	u := Integers(rng, len(probe.Output))
	tape, err := Backward(Tape, inputs, build, u)
	if err != nil {
		return Result{}, errors.WithMessage(err, "TapeMachine")
	}
	lisp, err := Backward(Lisp, inputs, build, u)
	if err != nil {
		return Result{}, errors.WithMessage(err, "LispMachine")
	}
	if err := agree("output", tape.Output, lisp.Output); err != nil {
		return Result{}, err
	}
	smooth := true
	for i, input := range inputs {
		if !input.Differentiate {
			continue
		}
		if err := agree("gradient", tape.Grads[i], lisp.Grads[i]); err != nil {
			return Result{}, errors.WithMessagef(err, "input %d", i)
		}
		values, err := Floats(input.Value)
		if err != nil {
			return Result{}, err
		}
		if len(tape.Grads[i]) != len(values) {
			return Result{}, errors.Errorf("gradient of input %d: %d values, the input has %d", i, len(tape.Grads[i]), len(values))
		}
		smooth = smooth && dtypeOf(input.Value) == tensor.Float64
	}
	if smooth {
		if err := graphDifferences(inputs, build, rng); err != nil {
			return Result{}, err
		}
	}
	return tape, nil
}

// agree compares what the two machines gave. They may add in another order, hence the tolerance, which float32 needs.
func agree(what string, tape, lisp []float64) error {
	if len(tape) != len(lisp) {
		return errors.Errorf("%s: %d values on TapeMachine, %d on LispMachine", what, len(tape), len(lisp))
	}
	for i := range tape {
		if !Close(tape[i], lisp[i], tolerance) {
			return errors.Errorf("%s: TapeMachine gave %v, LispMachine %v", what, tape, lisp)
		}
	}
	return nil
}

// graphDifferences moves the differentiated inputs, in row-major layout, and runs the graph forward for each difference.
func graphDifferences(inputs []Input, build Builder, rng *rand.Rand) error {
	var xs [][]float64
	var which []int
	for i, input := range inputs {
		if !input.Differentiate {
			continue
		}
		values, err := Floats(input.Value)
		if err != nil {
			return err
		}
		xs, which = append(xs, values), append(which, i)
	}
	moved := func(xs [][]float64) ([]Input, error) {
		out := append([]Input{}, inputs...)
		for i, input := range which {
			value, err := valueOf(tensor.Float64, shapeOf(inputs[input].Value), xs[i])
			if err != nil {
				return nil, err
			}
			out[input].Value = value
		}
		return out, nil
	}
	f := func(xs [][]float64) ([]float64, error) {
		at, err := moved(xs)
		if err != nil {
			return nil, err
		}
		result, err := Forward(Tape, at, build)
		return result.Output, err
	}
	gradient := func(_ [][]float64, u []float64) ([][]float64, error) {
		result, err := Backward(Tape, inputs, build, u)
		if err != nil {
			return nil, err
		}
		var grads [][]float64
		for _, input := range which {
			grads = append(grads, result.Grads[input])
		}
		return grads, nil
	}
	return Differences(f, gradient, xs, rng)
}

// dtypeOf is the dtype of an input's value.
func dtypeOf(value any) tensor.Dtype {
	if v, ok := value.(interface{ Dtype() tensor.Dtype }); ok {
		return v.Dtype()
	}
	if _, ok := value.(float64); ok {
		return tensor.Float64
	}
	return tensor.Dtype{}
}

// shapeOf is the shape of an input's value, empty for a Go scalar.
func shapeOf(value any) tensor.Shape {
	if v, ok := value.(G.Value); ok {
		return v.Shape()
	}
	return tensor.ScalarShape()
}
