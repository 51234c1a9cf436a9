package transformer

import (
	"math"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

var erfs = []version{
	{since: 9, inputs: []parameter{{name: "input", of: numbers}}, least: 1, outputs: 1, apply: erf},
	{since: 13, inputs: []parameter{{name: "input", of: floats16}}, least: 1, outputs: 1, apply: erf},
}

// erf is the error function of each element. That of an integer is cut to one: 0,
// since erf is below 1, up to 5, and 1 from 6 on, where float64 has no number
// between erf and 1.
func erf(_ call, in []*tensor.Dense) ([]*tensor.Dense, error) {
	switch in[0].Dtype() {
	case tensor.Float32:
		return each(in[0], erf32)
	case tensor.Float64:
		return each(in[0], math.Erf)
	case dense.Float16:
		return each(in[0], func(x float16.Float16) float16.Float16 { return float16.Fromfloat32(erf32(x.Float32())) })
	case dense.BFloat16:
		return each(in[0], func(x dense.BF16) dense.BF16 { return bfloat(erf32(widen(x))) })
	case tensor.Int8:
		return each(in[0], erfInt[int8])
	case tensor.Int16:
		return each(in[0], erfInt[int16])
	case tensor.Int32:
		return each(in[0], erfInt[int32])
	case tensor.Int64:
		return each(in[0], erfInt[int64])
	case tensor.Uint8:
		return each(in[0], erfInt[uint8])
	case tensor.Uint16:
		return each(in[0], erfInt[uint16])
	case tensor.Uint32:
		return each(in[0], erfInt[uint32])
	}
	return each(in[0], erfInt[uint64])
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

func erfInt[T integer](x T) T { return T(math.Erf(float64(x))) }

// Between the points of a table erf32 follows the Taylor series about the nearest
// one, x₀ = i/erfSteps:
//
//	erf(x₀+h) = erf(x₀) + d h (1 - x₀ h + (2x₀² - 1) h²/3 - x₀ (2x₀² - 3) h³/6 + …),  d = 2/√π exp(-x₀²)
//
// With |h| ≤ 1/64, what is cut off is a hundredth of what rounding to a float32 takes.
const (
	erfSteps = 32
	erfEnd   = 4 // from here on, erf is nearer to 1 than to any other float32
)

// An erfPoint holds erf(x₀) and the coefficients of h to h⁴.
type erfPoint struct{ value, first, second, third, fourth float64 }

var erfTable = func() (table [erfEnd*erfSteps + 1]erfPoint) {
	for i := range table {
		x := float64(i) / erfSteps
		d := 2 / math.SqrtPi * math.Exp(-x*x)
		table[i] = erfPoint{math.Erf(x), d, -d * x, d * (2*x*x - 1) / 3, -d * x * (2*x*x - 3) / 6}
	}
	return table
}()

// erf32 takes a quarter of the time of math.Erf.
func erf32(x float32) float32 {
	a := math.Abs(float64(x))
	if !(a < erfEnd) {
		if x != x {
			return x
		}
		return float32(math.Copysign(1, float64(x)))
	}
	i := int(a*erfSteps + 0.5)
	p := &erfTable[i]
	h := a - float64(i)/erfSteps
	return float32(math.Copysign(p.value+h*(p.first+h*(p.second+h*(p.third+h*p.fourth))), float64(x)))
}
