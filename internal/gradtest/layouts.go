package gradtest

import (
	"slices"

	"gorgonia.org/tensor"
)

// A Layout makes a matrix of values, given in row-major order, whose memory is laid
// out in one of the ways that package tensor has.
type Layout struct {
	Name string
	Make func(values []float64, rows, columns int) *tensor.Dense
}

// Layouts are all of them.
var Layouts = []Layout{
	{"row-major", func(values []float64, rows, columns int) *tensor.Dense {
		return tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(slices.Clone(values)))
	}},
	{"column-major", func(values []float64, rows, columns int) *tensor.Dense {
		return tensor.New(tensor.WithShape(rows, columns), tensor.AsFortran(slices.Clone(values)))
	}},
	{"transposed", func(values []float64, rows, columns int) *tensor.Dense {
		d := tensor.New(tensor.WithShape(columns, rows), tensor.Of(tensor.Float64))
		for i, v := range values {
			must(d.SetAt(v, i%columns, i/columns))
		}
		must(d.T())
		return d
	}},
	{"sliced", func(values []float64, rows, columns int) *tensor.Dense {
		// What stands around the slice is no zeros, which might not be noticed.
		size := (rows + 2) * (columns + 3)
		around := tensor.New(tensor.WithShape(rows+2, columns+3), tensor.WithBacking(tensor.Range(tensor.Float64, 100, 100+size)))
		view, err := around.Slice(tensor.S(1, rows+1), tensor.S(2, columns+2))
		must(err)
		for i, v := range values {
			must(view.SetAt(v, i/columns, i%columns))
		}
		return view.(*tensor.Dense)
	}},
}

// must is for calls that cannot fail on what stands above.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
