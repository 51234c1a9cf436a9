package graph

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// unary stands for an operator in messages.
type unary struct {
	G.Op
	arity int
}

func (op unary) Arity() int     { return op.arity }
func (op unary) String() string { return "Unary" }

// scalarsOf has one scalar of each type that Gorgonia has.
var scalarsOf = []G.Scalar{G.NewF64(2.5), G.NewF32(-1.5), G.NewI(-3), G.NewI64(1 << 40), G.NewI32(-7), G.NewU8(200), G.NewB(true)}

// TestScalars takes each of Gorgonia's scalars to a tensor and back.
func TestScalars(t *testing.T) {
	for _, v := range scalarsOf {
		t.Run(fmt.Sprintf("%T", v), func(t *testing.T) {
			var in Inputs
			tensors, err := in.Read(unary{arity: 1}, []G.Value{v})
			if err != nil {
				t.Fatal(err)
			}
			d := tensors[0].(*tensor.Dense)
			if d.Dtype() != v.Dtype() || len(d.Shape()) != 0 || d.Data() != v.Data() {
				t.Fatalf("the tensor is %v of dtype %v and shape %v", d, d.Dtype(), d.Shape())
			}
			back := Value(d)
			if reflect.TypeOf(back) != reflect.TypeOf(v) || back.Data() != v.Data() {
				t.Errorf("back as %T %v", back, back)
			}
			in.Release()
			if back.Data() != v.Data() {
				t.Errorf("the value is %v after the tensor was released", back)
			}
		})
	}
}

// TestValue leaves alone what Gorgonia has no scalar for.
func TestValue(t *testing.T) {
	for _, d := range []*tensor.Dense{
		tensor.New(tensor.FromScalar(int8(3))),
		tensor.New(tensor.FromScalar("text")),
		tensor.New(tensor.FromScalar(complex64(1i))),
		tensor.New(tensor.WithShape(1), tensor.WithBacking([]float64{1})),
	} {
		if got := Value(d); got != G.Value(d) {
			t.Errorf("%v became %T %v", d, got, got)
		}
	}
}

// TestOutput writes through a tensor into each of Gorgonia's scalars.
func TestOutput(t *testing.T) {
	for _, v := range scalarsOf {
		t.Run(fmt.Sprintf("%T", v), func(t *testing.T) {
			want := v.Data()
			into := reflect.New(reflect.TypeOf(v).Elem()).Interface().(G.Scalar)
			var out Output
			d, err := out.Take(unary{}, into)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.SetAt(want); err != nil {
				t.Fatal(err)
			}
			got, err := out.Finish(nil)
			if err != nil || got != G.Value(into) || got.Data() != want {
				t.Errorf("got %v, %v; want %v", got, err, want)
			}
		})
	}
	t.Run("an error leaves the scalar alone", func(t *testing.T) {
		into := G.NewF64(1)
		var out Output
		d, err := out.Take(unary{}, into)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.SetAt(2.0); err != nil {
			t.Fatal(err)
		}
		failure := fmt.Errorf("failure")
		if v, err := out.Finish(failure); v != nil || err != failure || into.Data() != 1.0 {
			t.Errorf("got %v, %v, and the scalar is %v", v, err, into)
		}
	})
}

// TestReadErrors reads what is no tensor and no scalar.
func TestReadErrors(t *testing.T) {
	d := tensor.New(tensor.WithBacking([]float64{1, 2}))
	for _, c := range []struct {
		name   string
		arity  int
		values []G.Value
	}{
		{"too few", 2, []G.Value{d}},
		{"too many", 1, []G.Value{d, d}},
		{"nil", 1, []G.Value{nil}},
		{"another value", 1, []G.Value{another{d}}},
		{"another scalar", 1, []G.Value{anotherScalar{G.NewF64(1)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in Inputs
			defer in.Release()
			if tensors, err := in.Read(unary{arity: c.arity}, c.values); err == nil {
				t.Errorf("no error, but %v", tensors)
			}
		})
	}
	t.Run("as a preallocated value", func(t *testing.T) {
		for _, v := range []G.Value{nil, another{d}, anotherScalar{G.NewF64(1)}} {
			var out Output
			if d, err := out.Take(unary{}, v); err == nil {
				t.Errorf("no error for %T, but %v", v, d)
			}
		}
	})
}

// another is a value that is no tensor, anotherScalar a scalar that is not
// Gorgonia's.
type (
	another       struct{ G.Value }
	anotherScalar struct{ G.Scalar }
)

// TestPool takes scalars in several goroutines: no two may get one tensor.
func TestPool(t *testing.T) {
	var group sync.WaitGroup
	for i := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := range 200 {
				want := float64(1000*i + j)
				var in Inputs
				tensors, err := in.Read(unary{arity: 2}, []G.Value{G.NewF64(want), G.NewF64(-want)})
				if err != nil {
					t.Error(err)
					return
				}
				if a, b := tensors[0].Data(), tensors[1].Data(); a != want || b != -want {
					t.Errorf("got %v and %v, want %v and its negative", a, b, want)
				}
				in.Release()
			}
		}()
	}
	group.Wait()
}
