package gradtest

import (
	"math"
	"math/rand"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/turns"
)

// Func is a function of several vectors. It may neither change nor keep them.
type Func func(xs [][]float64) ([]float64, error)

// Gradient returns the gradients of <f(xs), u> with respect to each of xs.
type Gradient func(xs [][]float64, u []float64) ([][]float64, error)

const (
	// step balances the error of a central difference, which grows with step², against rounding, which grows with 1/step.
	step = 1e-5
	// tolerance is far above the sum of both for values of ordinary size, and far below any mistake in a formula.
	tolerance = 1e-6
	// directions is the number of random directions tried, without -short: one shows almost any mistake.
	directions = 3
)

// Differences compares the gradient of <f(xs), u>, with u random and normally distributed, with central differences along
// random directions through all coordinates of xs, which show a mistake in any of them, and, where one is shown or -everypair
// is given, along every coordinate. f has to be smooth around xs: no two values that compete in a min or max may be equal
// or nearly so.
func Differences(f Func, gradient Gradient, xs [][]float64, rng *rand.Rand) error {
	out, err := f(xs)
	if err != nil {
		return errors.Wrap(err, "function")
	}
	u := Normals(rng, len(out))
	grads, err := gradient(xs, u)
	if err != nil {
		return errors.Wrap(err, "gradient")
	}
	if len(grads) != len(xs) {
		return errors.Errorf("gradient: of %d inputs, not %d", len(grads), len(xs))
	}
	for i := range xs {
		if len(grads[i]) != len(xs[i]) {
			return errors.Errorf("gradient of input %d: %d values, the input has %d", i, len(grads[i]), len(xs[i]))
		}
	}

	for number := range directions {
		if !turns.Case(directions, number) {
			continue
		}
		direction := make([][]float64, len(xs))
		got := 0.0
		for i := range xs {
			direction[i] = Normals(rng, len(xs[i]))
			got += dot(grads[i], direction[i])
		}
		want, err := slope(f, u, xs, direction)
		if err != nil {
			return err
		}
		if !Close(got, want, tolerance) {
			if err := coordinates(f, u, xs, grads); err != nil {
				return err
			}
			return errors.Errorf("derivative along %v is %v, difference %v, for inputs %v and cotangent %v", direction, got, want, xs, u)
		}
	}
	if turns.Every() {
		return coordinates(f, u, xs, grads)
	}
	return nil
}

// coordinates compares the gradients with differences along every coordinate: for an error that names one.
func coordinates(f Func, u []float64, xs, grads [][]float64) error {
	for i := range xs {
		for j := range xs[i] {
			direction := zerosLike(xs)
			direction[i][j] = 1
			want, err := slope(f, u, xs, direction)
			if err != nil {
				return err
			}
			if got := grads[i][j]; !Close(got, want, tolerance) {
				return errors.Errorf("gradient of input %d at [%d] is %v, difference %v, for inputs %v and cotangent %v", i, j, got, want, xs, u)
			}
		}
	}
	return nil
}

// slope is the central difference of <f(xs), u> along a direction. The direction is scaled to have no component above 1, so
// that no value is moved by more than step.
func slope(f Func, u []float64, xs, direction [][]float64) (float64, error) {
	longest := 1.0
	for _, d := range direction {
		for _, v := range d {
			longest = max(longest, math.Abs(v))
		}
	}
	h := step / longest
	costAt := func(h float64) (float64, error) {
		moved := make([][]float64, len(xs))
		for i := range xs {
			moved[i] = slices.Clone(xs[i])
			for j, d := range direction[i] {
				moved[i][j] += h * d
			}
		}
		out, err := f(moved)
		if err != nil {
			return 0, errors.Wrap(err, "function")
		}
		if len(out) != len(u) {
			return 0, errors.Errorf("function: %d values at one point, %d at another", len(u), len(out))
		}
		return dot(out, u), nil
	}
	above, err := costAt(h)
	if err != nil {
		return 0, err
	}
	below, err := costAt(-h)
	if err != nil {
		return 0, err
	}
	return (above - below) / (2 * h), nil
}

// Normals returns n random values of mean 0 and standard deviation 1.
func Normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func zerosLike(xs [][]float64) [][]float64 {
	zeros := make([][]float64, len(xs))
	for i := range xs {
		zeros[i] = make([]float64, len(xs[i]))
	}
	return zeros
}
