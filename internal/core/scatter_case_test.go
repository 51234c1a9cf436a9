package core_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"slices"

	"github.com/x448/float16"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// A scatterCase is a scatter of random shapes and indices, all of them in range or
// skipped.
type scatterCase struct{ cases.Scatter }

// params are the case's operator, axis and options.
func (c scatterCase) params() plan.Params {
	p := plan.Params{Op: scatterOps[c.Op], Axis: c.Axis}
	if p.Axis < 0 {
		p.Axis += len(c.Data)
	}
	p.Reduction, p.NoInit, p.NonNegative = num.Reduction(c.Rule.Reduction), c.Rule.NoInit, c.Rule.NonNegative
	p.Padded, p.Padding = c.Rule.Padded, c.Rule.ID
	if c.Rule.Skip {
		p.OutOfRange = plan.Skip
	}
	return p
}

var scatterOps = map[string]plan.Op{"ScatterElements": plan.ScatterElements, "ScatterND": plan.ScatterND, "ScatterUpdate": plan.ScatterUpdate}

func (c scatterCase) indexTensor() *tensor.Dense {
	if len(c.Indices.Data) == 0 {
		return tensor.New(tensor.Of(tensor.Int64), tensor.WithShape(c.Indices.Shape...))
	}
	return tensor.New(tensor.WithShape(c.Indices.Shape...), tensor.WithBacking(c.Indices.Data))
}

// randomSource draws small dims, so that most targets have several updates, and now
// and then columns enough to be divided.
func randomSource(rng *rand.Rand) *cases.Source {
	return &cases.Source{Rest: rng, MaxRank: 3, Sizes: []int{2, 3, 4, 5, 1, 3, 2, 4, 3, 2, 5, 1, 3, 2, 4, 0}, Wide: true}
}

func randomScatter(s *cases.Source) scatterCase {
	for {
		c := s.Scatter(cases.Choice(s, cases.ScatterOps))
		c.Fill(s, func(index int64) int64 { return index })
		if _, bad := c.Targets(); bad == nil {
			return scatterCase{c}
		}
	}
}

// A kind is an element type that has gradients.
type kind[T any] struct {
	name  string
	of    func(f float64) T
	arith oracle.Arith[T]
}

func toBF16(f float32) elem.BF16 { // exact for the numbers of these tests
	return elem.BF16(math.Float32bits(f) >> 16)
}

func fromBF16(b elem.BF16) float32 { return math.Float32frombits(uint32(b) << 16) }

// rounded rounds to nearest even, by the nearer of the two neighbours.
func rounded(f float32) elem.BF16 {
	down := toBF16(f)
	below, above := math.Abs(float64(f-fromBF16(down))), math.Abs(float64(fromBF16(down+1)-f))
	if above < below || above == below && down%2 == 1 {
		down++
	}
	return down
}

var (
	float32s = kind[float32]{"float32", func(f float64) float32 { return float32(f) }, oracle.Floats[float32]()}
	float64s = kind[float64]{"float64", func(f float64) float64 { return f }, oracle.Floats[float64]()}
	halves   = kind[float16.Float16]{"float16", func(f float64) float16.Float16 { return float16.Fromfloat32(float32(f)) },
		oracle.Halves(float16.Float16.Float32, float16.Fromfloat32)}
	bfloats = kind[elem.BF16]{"bfloat16", func(f float64) elem.BF16 { return toBF16(float32(f)) }, oracle.Halves(fromBF16, rounded)}
	// A complex number turns by a quarter for each unit, so that its conjugate is
	// another number.
	complex64s = kind[complex64]{"complex64", func(f float64) complex64 { return complex64(turned(f)) }, oracle.Complexes[complex64]()}
	complexes  = kind[complex128]{"complex128", turned, oracle.Complexes[complex128]()}
)

func turned(f float64) complex128 {
	return complex(f, 0) * [...]complex128{1, 1i, -1, -1i}[int(f)&3]
}

// powers draws n of 1, 2, 1/2, their negatives and 0: their products are exact
// in every type.
func powers(s *cases.Source, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = []float64{1, -1, 2, -2, .5, 0, 1, -1}[s.Choose(8)]
	}
	return out
}

// integers draws n integers from a small range, so that they tie, and now and
// then a NaN.
func integers(s *cases.Source, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(s.Choose(5) - 2)
		if s.Rarely(12) {
			out[i] = math.NaN()
		}
	}
	return out
}

func (k kind[T]) all(numbers []float64) []T {
	out := make([]T, len(numbers))
	for i, f := range numbers {
		out[i] = k.of(f)
	}
	return out
}

// laid makes a tensor in a random layout.
func laid[T any](s *cases.Source, values []T, junk T, shape ...int) *layout.Block[T] {
	return layout.Lay(cases.Choice(s, layout.All), values, junk, shape...)
}

// read are the elements of a new tensor, which is row-major.
func read[T any](d *tensor.Dense) []T { return num.As[T](d.Uint8s()) }

// same reports whether two elements are equal, all NaN being one.
func same(a, b any) bool { return a == b || fmt.Sprint(a) == fmt.Sprint(b) && a != a }

// tensorOf is the tensor of a block, or nil.
func tensorOf[T any](dst *layout.Block[T]) *tensor.Dense {
	if dst == nil {
		return nil
	}
	return dst.Dense
}

// sameElements compares a result with elements in row-major order. With a given
// dst, it is that, and memory between its elements has not changed.
func sameElements[T any](got *tensor.Dense, dst *layout.Block[T], want []T, shape []int) error {
	if !slices.Equal(got.Shape(), shape) {
		return fmt.Errorf("shape %v, want %v", got.Shape(), shape)
	}
	var values []T
	if dst == nil {
		values = read[T](got)
	} else {
		if got != dst.Dense {
			return errors.New("the result is not dst")
		}
		if err := dst.Stray(); err != nil {
			return fmt.Errorf("written beside dst: %w", err)
		}
		values = dst.Values()
	}
	for i, v := range values {
		if !same(v, want[i]) {
			return fmt.Errorf("element %d is %v, want %v: got %v, want %v", i, v, want[i], values, want)
		}
	}
	return nil
}
