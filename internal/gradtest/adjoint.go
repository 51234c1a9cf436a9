package gradtest

import (
	"math/rand"

	"github.com/pkg/errors"
)

// Linear is a function of a vector. Its input is its own to keep, not to change.
type Linear func(x []float64) ([]float64, error)

// trials is how many random pairs AdjointIdentity draws. A wrong adjoint may satisfy the identity for one pair of small
// integers by chance, say once in ten times.
const trials = 10

// exact is the limit up to which every integer is a float64, so that sums of integers have no rounding.
const exact = 1 << 53

// AdjointIdentity checks that
//
//	<f(x), u> = <x, adjoint(u)>
//
// exactly, for random integers x (n of them) and u in [-8, 8]. f has to be linear with integer coefficients.
func AdjointIdentity(f, adjoint Linear, n int, rng *rand.Rand) error {
	for range trials {
		x := Integers(rng, n)
		y, err := f(x)
		if err != nil {
			return errors.Wrap(err, "forward")
		}
		u := Integers(rng, len(y))
		back, err := adjoint(u)
		if err != nil {
			return errors.Wrap(err, "adjoint")
		}
		if len(back) != n {
			return errors.Errorf("adjoint: %d values, the input has %d", len(back), n)
		}
		left, right := dot(y, u), dot(x, back)
		// Written so that NaN fails, too.
		if !(-exact < left && left < exact) || left != right {
			return errors.Errorf("<f(x), u> = %v but <x, adjoint(u)> = %v for x = %v, u = %v: f(x) = %v, adjoint(u) = %v",
				left, right, x, u, y, back)
		}
	}
	return nil
}

// Integers returns n random integers in [-8, 8] as floats.
func Integers(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(rng.Intn(17) - 8)
	}
	return x
}

// dot is the sum of the products of two vectors of one length.
func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
