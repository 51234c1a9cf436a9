package core_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// TestScatterMapErrors gives derivatives what they refuse.
func TestScatterMapErrors(t *testing.T) {
	f64 := func(shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(make([]float64, tensor.ProdInts(shape))))
	}
	index := func(v ...int) *tensor.Dense { return tensor.New(tensor.WithShape(len(v)), tensor.WithBacking(v)) }
	mul := plan.Params{Op: plan.ScatterElements}
	mul.Reduction = num.Mul
	most := mul
	most.Reduction = num.Max
	x := f64(3)
	ints := tensor.New(tensor.WithShape(3), tensor.WithBacking([]int32{1, 2, 3}))
	for _, c := range []struct {
		name string
		run  func() (*tensor.Dense, error)
		err  error
		text string
	}{
		{"a gradient of another shape", func() (*tensor.Dense, error) {
			return core.VJPUpdates.Apply(mul, nil, f64(2), x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: grad (2) must have the shape (3) of data"},
		{"a tangent of another shape", func() (*tensor.Dense, error) {
			return core.JVPUpdates.Apply(mul, nil, x, x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: tangent (3) must have the shape (2) of updates"},
		{"a gradient of another dtype", func() (*tensor.Dense, error) {
			return core.VJPData.Apply(mul, nil, ints, x, index(0, 1), f64(2))
		}, elem.ErrDtype, "ScatterElements: grad must have the dtype float64 of data, not int32"},
		{"integers", func() (*tensor.Dense, error) {
			return core.VJPData.Apply(mul, nil, ints, ints, index(0, 1, 2), ints)
		}, elem.ErrDtype, "ScatterElements: values of dtype int32 have no gradient"},
		{"updates of another shape", func() (*tensor.Dense, error) {
			return core.VJPData.Apply(mul, nil, x, x, index(0, 1), x)
		}, shapes.ErrShape, "ScatterElements: updates (3) must have the shape of indices (2)"},
		{"dst of another shape", func() (*tensor.Dense, error) {
			return core.VJPUpdates.Apply(mul, f64(3), x, x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: dst has shape (3), the result (2)"},
		{"the gradient as dst", func() (*tensor.Dense, error) {
			return core.VJPData.Apply(mul, x, x, f64(3), index(0, 1), f64(2))
		}, core.ErrLayout, "ScatterElements: dst overlaps grad in memory"},
		{"a tangent of updates whose greatest is taken", func() (*tensor.Dense, error) {
			return core.JVPUpdates.Apply(most, nil, f64(2), x, index(0, 1), f64(2))
		}, nil, "ScatterElements(axis=0, reduction=max): the gradient of a reduction max has no gradient of its own"},
		{"the second derivative of a sum", func() (*tensor.Dense, error) {
			return core.DataByUpdates.Apply(plan.Params{Op: plan.ScatterElements}, nil, f64(2), x, x, index(0, 1), f64(2))
		}, nil, "ScatterElements(axis=0): a second derivative is needed of mul alone"},
		{"a second tangent of another shape", func() (*tensor.Dense, error) {
			return core.UpdatesByData.Apply(mul, nil, f64(2), x, x, index(0, 1), f64(2))
		}, shapes.ErrShape, "ScatterElements: tangent (2) must have the shape (3) of data"},
		{"a second gradient of another shape", func() (*tensor.Dense, error) {
			return core.UpdatesByUpdates.Apply(mul, nil, f64(2), f64(2), x, index(0, 1), f64(2))
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

// TestScatterMapBadIndex has a bad index at the end: nothing may be
// written by then, by any of the ways that derivatives are made.
func TestScatterMapBadIndex(t *testing.T) {
	f64 := func(v float64, shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(slices.Repeat([]float64{v}, tensor.ProdInts(shape))))
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
	for r := num.None; r <= num.Mean; r++ {
		for _, noInit := range []bool{false, true} {
			p := plan.Params{Op: plan.ScatterElements}
			p.Reduction, p.NoInit = r, noInit
			t.Run(p.String(), func(t *testing.T) {
				x, w := f64(1, 3, 2), f64(1, 2, 2)
				for d, dst := range map[core.ScatterMap]*tensor.Dense{
					core.VJPData: f64(9, 3, 2), core.VJPUpdates: f64(9, 2, 2), core.JVPData: f64(9, 3, 2), core.JVPUpdates: f64(9, 3, 2),
				} {
					v := f64(1, 3, 2)
					if d == core.JVPUpdates {
						v = f64(1, 2, 2)
						if core.CheckHVP(p) != nil {
							continue
						}
					}
					_, err := d.Apply(p, dst, v, x, indices, w)
					check(t, fmt.Sprint("derivative ", d), dst, err)
				}
				if r != num.Mul {
					return
				}
				for d, c := range map[core.ScatterMap]struct{ dst, tangent *tensor.Dense }{
					core.UpdatesByData:    {f64(9, 2, 2), f64(1, 3, 2)},
					core.DataByUpdates:    {f64(9, 3, 2), f64(1, 2, 2)},
					core.UpdatesByUpdates: {f64(9, 2, 2), f64(1, 2, 2)},
				} {
					_, err := d.Apply(p, c.dst, c.tangent, f64(1, 3, 2), x, indices, w)
					check(t, fmt.Sprint("second derivative ", d), c.dst, err)
				}
			})
		}
	}
}
