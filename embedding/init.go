package embedding

import (
	"math"
	"math/rand/v2"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/tensor"
)

// An Init says how the rows of a table are initialised. The zero Init is [Zeros]. [Make]
// and [Create] return [dense.ErrOption] for numbers that are not allowed.
type Init struct {
	kind initKind
	seed uint64
	a, b float64
	row  func(row int, weights []float64)
}

type initKind uint8

const (
	zeros initKind = iota
	uniform
	normal
	fromRows
)

// Zeros starts from zeros. It writes no memory: the system provides that of a large table
// page by page, when steps change it.
func Zeros() Init { return Init{} }

// Uniform draws every number from [low, high], two numbers that are finite in the dtype
// of the table. One seed gives one table, for any GOMAXPROCS.
func Uniform(seed uint64, low, high float64) Init {
	return Init{kind: uniform, seed: seed, a: low, b: high}
}

// Normal draws every number from the normal distribution of a mean and a standard
// deviation, 0 or more. One seed gives one table, for any GOMAXPROCS.
func Normal(seed uint64, mean, deviation float64) Init {
	return Init{kind: normal, seed: seed, a: mean, b: deviation}
}

// FromRows calls a function for each row in order. The function writes the row to
// weights, which are zeros before, and must not keep the slice. They are rounded to the table's
// dtype: one too large for float32 becomes infinite.
func FromRows(f func(row int, weights []float64)) Init { return Init{kind: fromRows, row: f} }

// mostDeviations is above the greatest number that rand.NormFloat64 draws.
const mostDeviations = 16

func (i Init) check(op string, kind num.Kind) error {
	finite := func(x float64) bool { // in the dtype of the table
		if kind == num.Float32 {
			x = float64(float32(x))
		}
		return !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	dtype := elem.Name(tensor.Float64)
	if kind == num.Float32 {
		dtype = elem.Name(tensor.Float32)
	}
	switch {
	case i.kind == uniform && !(finite(i.a) && finite(i.b) && i.b-i.a <= math.MaxFloat64 && i.a <= i.b):
		return fault.Errorf(dense.ErrOption, "%s: Uniform from %v to %v, two numbers in ascending order are needed, finite in %s", op, i.a, i.b, dtype)
	case i.kind == normal && !(i.b >= 0 && finite(i.a-mostDeviations*i.b) && finite(i.a+mostDeviations*i.b)):
		return fault.Errorf(dense.ErrOption, "%s: Normal with mean %v and deviation %v, needed is a deviation from 0 on, and %d of them from the mean a number that is finite in %s", op, i.a, i.b, mostDeviations, dtype)
	case i.kind == fromRows && i.row == nil:
		return fault.Errorf(dense.ErrOption, "%s: FromRows of nil, a function is needed", op)
	}
	return nil
}

// fill writes the rows of a table that is all zeros.
func (i Init) fill(t *Table) {
	if t.kind == num.Float32 {
		fillRows(i, t, num.As[float32](t.memory.bytes))
	} else {
		fillRows(i, t, num.As[float64](t.memory.bytes))
	}
}

// blockNumbers is how many numbers are drawn from one seed: those of a block do not
// depend on who draws the others.
const blockNumbers = 1 << 14

func fillRows[T float32 | float64](i Init, t *Table, weights []T) {
	switch i.kind {
	case zeros:
		return
	case fromRows:
		if t.rows == 0 {
			return // of rows that may be longer than memory
		}
		row := make([]float64, t.inner)
		defer core.InCallback("FromRows")
		for r := range t.rows {
			clear(row)
			i.row(r, row)
			for c, x := range row {
				weights[r*t.inner+c] = T(x)
			}
		}
		return
	}
	blocks := (len(weights) + blockNumbers - 1) / blockNumbers
	par.Each(blocks, blocks/4, func(lo, hi int) {
		for block := lo; block < hi; block++ {
			from := block * blockNumbers
			drawBlock(i, uint64(block), weights[from:min(from+blockNumbers, len(weights))])
		}
	})
}

// drawBlock draws the numbers of a block.
func drawBlock[T float32 | float64](i Init, block uint64, weights []T) {
	rng := rand.New(rand.NewPCG(i.seed, scatter(block)))
	for w := range weights {
		// Rounded before the sum, so that every processor makes the same of it.
		if i.kind == uniform {
			weights[w] = T(i.a + float64((i.b-i.a)*rng.Float64()))
		} else {
			weights[w] = T(i.a + float64(i.b*rng.NormFloat64()))
		}
	}
}

// scatter makes numbers that are near each other differ in half of their bits: the
// last step of SplitMix64 (Steele, Lea and Flood, 2014).
func scatter(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
