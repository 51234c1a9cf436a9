package core_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// TestScatterDerivativeErrors gives derivatives what they refuse.
func TestScatterDerivativeErrors(t *testing.T) {
	f64 := func(shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(make([]float64, product(shape))))
	}
	index := func(v ...int) *tensor.Dense { return tensor.New(tensor.WithShape(len(v)), tensor.WithBacking(v)) }
	mul := plan.Params{Op: plan.ScatterElements}
	mul.Reduction = plan.Mul
	most := mul
	most.Reduction = plan.Max
	x := f64(3)
	ints := tensor.New(tensor.WithShape(3), tensor.WithBacking([]int32{1, 2, 3}))
	for _, c := range []struct {
		name string
		run  func() (*tensor.Dense, error)
		err  error
		text string
	}{
		{"a gradient of another shape", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.GradUpdates, nil, f64(2), x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: grad (2) must have the shape (3) of data"},
		{"a change of another shape", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.TangentUpdates, nil, x, x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: tangent (3) must have the shape (2) of updates"},
		{"a gradient of another dtype", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.GradData, nil, ints, x, index(0, 1), f64(2))
		}, elem.ErrDtype, "ScatterElements: grad has dtype int32, data has float64"},
		{"integers", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.GradData, nil, ints, ints, index(0, 1, 2), ints)
		}, elem.ErrDtype, "ScatterElements: values of dtype int32 have no gradient"},
		{"updates of another shape", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.GradData, nil, x, x, index(0, 1), x)
		}, shapes.ErrShape, "ScatterElements: updates (3) must have the shape of indices (2)"},
		{"a destination of another shape", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.GradUpdates, f64(3), x, x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: the destination has shape (3), the result (2)"},
		{"the gradient as destination", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(mul, core.GradData, x, x, f64(3), index(0, 1), f64(2))
		}, core.ErrLayout, "ScatterElements: the destination overlaps grad in memory"},
		{"a change of updates whose greatest is taken", func() (*tensor.Dense, error) {
			return core.ScatterDerivative(most, core.TangentUpdates, nil, f64(2), x, index(0, 1), f64(2))
		}, nil, "ScatterElements(axis=0, reduction=max): the gradient of a reduction max has no gradient of its own"},
		{"the second derivative of a sum", func() (*tensor.Dense, error) {
			return core.ScatterSecond(plan.Params{Op: plan.ScatterElements}, core.DataByUpdates, nil, f64(2), x, x, index(0, 1), f64(2))
		}, nil, "ScatterElements(axis=0): a second derivative is needed of mul alone"},
		{"a second change of another shape", func() (*tensor.Dense, error) {
			return core.ScatterSecond(mul, core.UpdatesByData, nil, f64(2), x, x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: tangent (2) must have the shape (3) of data"},
		{"a second gradient of another shape", func() (*tensor.Dense, error) {
			return core.ScatterSecond(mul, core.UpdatesByUpdates, nil, f64(2), f64(2), x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: grad (2) must have the shape (3) of data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.run()
			if err == nil || err.Error() != c.text || c.err != nil && !errors.Is(err, c.err) || got != nil {
				t.Errorf("error\n%v, want\n%s", err, c.text)
			}
		})
	}
}

// TestScatterDerivativeBadIndex has a bad index at the end: nothing may be
// written by then, by any of the ways that derivatives are made.
func TestScatterDerivativeBadIndex(t *testing.T) {
	f64 := func(v float64, shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(slices.Repeat([]float64{v}, product(shape))))
	}
	indices := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]int64{0, 1, 2, 3}))
	want := &core.IndexError{Op: "ScatterElements", Position: []int{1, 1}, Index: 3, Axis: 0, Size: 3}
	check := func(t *testing.T, what string, dst *tensor.Dense, err error) {
		t.Helper()
		var bad *core.IndexError
		if !errors.As(err, &bad) || !reflect.DeepEqual(bad, want) {
			t.Errorf("%s: error %v, want %v", what, err, want)
		}
		for _, v := range read[float64](dst) {
			if v != 9 {
				t.Errorf("%s: written to dst before the error: %v", what, read[float64](dst))
				break
			}
		}
	}
	for r := plan.None; r <= plan.Mean; r++ {
		for _, noInit := range []bool{false, true} {
			p := plan.Params{Op: plan.ScatterElements}
			p.Reduction, p.NoInit = r, noInit
			t.Run(p.String(), func(t *testing.T) {
				x, w := f64(1, 3, 2), f64(1, 2, 2)
				for d, dst := range map[core.Derivative]*tensor.Dense{
					core.GradData: f64(9, 3, 2), core.GradUpdates: f64(9, 2, 2), core.TangentData: f64(9, 3, 2), core.TangentUpdates: f64(9, 3, 2),
				} {
					v := f64(1, 3, 2)
					if d == core.TangentUpdates {
						v = f64(1, 2, 2)
						if core.CheckSecond(p) != nil {
							continue
						}
					}
					_, err := core.ScatterDerivative(p, d, dst, v, x, indices, w)
					check(t, fmt.Sprint("derivative ", d), dst, err)
				}
				if r != plan.Mul {
					return
				}
				for d, c := range map[core.Second]struct{ dst, change *tensor.Dense }{
					core.UpdatesByData:    {f64(9, 2, 2), f64(1, 3, 2)},
					core.DataByUpdates:    {f64(9, 3, 2), f64(1, 2, 2)},
					core.UpdatesByUpdates: {f64(9, 2, 2), f64(1, 2, 2)},
				} {
					_, err := core.ScatterSecond(p, d, c.dst, c.change, f64(1, 3, 2), x, indices, w)
					check(t, fmt.Sprint("second derivative ", d), c.dst, err)
				}
			})
		}
	}
}
