package gradtest

import (
	"hash"
	"math/rand"
	"slices"
	"testing"

	"github.com/chewxy/hm"
	"github.com/pkg/errors"
	"github.com/x448/float16"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func dense(values []float64, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
}

// columnMajor is the matrix [[1 2 3] [4 5 6]] kept by columns; AsFortran takes the values by rows and moves them.
func columnMajor() *tensor.Dense {
	return tensor.New(tensor.WithShape(2, 3), tensor.AsFortran([]float64{1, 2, 3, 4, 5, 6}))
}

// transposed is the same matrix as a view of its transpose.
func transposed(t *testing.T) *tensor.Dense {
	t.Helper()
	d := dense([]float64{1, 4, 2, 5, 3, 6}, 3, 2)
	if err := d.T(); err != nil {
		t.Fatal(err)
	}
	return d
}

// sliced is the column [2 5] of the same matrix, a view with a stride.
func sliced(t *testing.T) *tensor.Dense {
	t.Helper()
	view, err := dense([]float64{1, 2, 3, 4, 5, 6}, 2, 3).Slice(nil, tensor.S(1))
	if err != nil {
		t.Fatal(err)
	}
	return view.(*tensor.Dense)
}

func TestFloats(t *testing.T) {
	if strides := columnMajor().Strides(); !slices.Equal(strides, []int{1, 2}) {
		t.Fatalf("the column-major matrix has strides %v", strides)
	}
	for _, c := range []struct {
		name  string
		value any
		want  []float64
	}{
		{"row-major", dense([]float64{1, 2, 3, 4, 5, 6}, 2, 3), []float64{1, 2, 3, 4, 5, 6}},
		{"column-major", columnMajor(), []float64{1, 2, 3, 4, 5, 6}},
		{"transposed view", transposed(t), []float64{1, 2, 3, 4, 5, 6}},
		{"sliced view", sliced(t), []float64{2, 5}},
		{"rank 3", dense([]float64{1, 2, 3, 4, 5, 6}, 3, 1, 2), []float64{1, 2, 3, 4, 5, 6}},
		{"empty", tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(0)), []float64{}},
		{"empty, rank 2", tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(2, 0)), []float64{}},
		{"scalar tensor", tensor.New(tensor.FromScalar(7.5)), []float64{7.5}},
		{"Gorgonia scalar", G.NewF32(2.5), []float64{2.5}},
		{"Go number", int64(-3), []float64{-3}},
		{"integers", tensor.New(tensor.WithBacking([]int8{-1, 2})), []float64{-1, 2}},
		{"unsigned", tensor.New(tensor.WithBacking([]uint8{255, 2})), []float64{255, 2}},
		{"float16", float16.Fromfloat32(1.5), []float64{1.5}},
		{"bools", tensor.New(tensor.WithBacking([]bool{true, false})), []float64{1, 0}},
		{"one element of rank 1", dense([]float64{4}, 1), []float64{4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Floats(c.value)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %v, %v; want %v", got, err, c.want)
			}
		})
	}
	t.Run("string is no number", func(t *testing.T) {
		_, err := Floats("a")
		wants(t, err, "no real number")
	})
	t.Run("nothing", func(t *testing.T) {
		_, err := Floats(nil)
		wants(t, err, "no value")
	})
}

// product is x·y·y, elementwise.
func product(in []*G.Node) (*G.Node, error) {
	square, err := G.Square(in[1])
	if err != nil {
		return nil, err
	}
	return G.HadamardProd(in[0], square)
}

func TestBackward(t *testing.T) {
	x, y := []float64{1, 2, 3, 4, 5, 6}, []float64{2, 1, -1, 3, -2, 0}
	for _, m := range []Machine{Tape, Lisp} {
		for _, c := range []struct {
			name   string
			inputs []Input
			build  Builder
			u      []float64
			output []float64
			grads  [][]float64
		}{
			{"product of matrices", []Input{{dense(x, 2, 3), true}, {dense(y, 2, 3), true}}, product, []float64{1, 2, 3, 4, 5, 6},
				[]float64{4, 2, 3, 36, 20, 0}, [][]float64{{4, 2, 3, 36, 20, 0}, {4, 8, -18, 96, -100, 0}}},
			{"one gradient wanted", []Input{{dense(x, 2, 3), false}, {dense(y, 2, 3), true}}, product, []float64{1, 2, 3, 4, 5, 6},
				[]float64{4, 2, 3, 36, 20, 0}, [][]float64{nil, {4, 8, -18, 96, -100, 0}}},
			{"scalars", []Input{{3.0, true}, {-2.0, true}}, func(in []*G.Node) (*G.Node, error) { return G.Mul(in[0], in[1]) }, []float64{5},
				[]float64{-6}, [][]float64{{-10}, {15}}},
			{"row of a matrix", []Input{{dense(x, 2, 3), true}}, func(in []*G.Node) (*G.Node, error) { return G.Slice(in[0], G.S(1)) }, []float64{7, 8, 9},
				[]float64{4, 5, 6}, [][]float64{{0, 0, 0, 7, 8, 9}}},
			{"column-major", []Input{{columnMajor(), true}}, func(in []*G.Node) (*G.Node, error) { return G.Square(in[0]) }, []float64{1, 2, 3, 4, 5, 6},
				[]float64{1, 4, 9, 16, 25, 36}, [][]float64{{2, 8, 18, 32, 50, 72}}},
			{"scalar tensor", []Input{{tensor.New(tensor.FromScalar(3.0)), true}}, func(in []*G.Node) (*G.Node, error) { return G.Square(in[0]) }, []float64{5},
				[]float64{9}, [][]float64{{30}}},
			{"empty output", []Input{{dense(x, 2, 3), true}}, func(in []*G.Node) (*G.Node, error) { return G.ApplyOp(&faulty{empty: true}, in[0]) }, []float64{},
				[]float64{}, [][]float64{{0, 0, 0, 0, 0, 0}}},
			{"the input itself", []Input{{dense(x, 6), true}}, func(in []*G.Node) (*G.Node, error) { return in[0], nil }, y,
				x, [][]float64{y}},
			{"float32", []Input{{tensor.New(tensor.WithBacking([]float32{1, 2, 3})), true}}, func(in []*G.Node) (*G.Node, error) { return G.Square(in[0]) },
				[]float64{1, 2, 3}, []float64{1, 4, 9}, [][]float64{{2, 8, 18}}},
		} {
			t.Run(m.String()+"/"+c.name, func(t *testing.T) {
				got, err := Backward(m, c.inputs, c.build, c.u)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Output, c.output) {
					t.Errorf("output %v, want %v", got.Output, c.output)
				}
				if !slices.EqualFunc(got.Grads, c.grads, slices.Equal[[]float64]) {
					t.Errorf("gradients %v, want %v", got.Grads, c.grads)
				}
			})
		}
	}
}

func TestForwardHasNoGradient(t *testing.T) {
	for _, m := range []Machine{Tape, Lisp} {
		t.Run(m.String(), func(t *testing.T) {
			got, err := Forward(m, []Input{{dense([]float64{1, 2, 3}, 3), true}}, func(in []*G.Node) (*G.Node, error) { return G.Square(in[0]) })
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Output, []float64{1, 4, 9}) || !got.Shape.Eq(tensor.Shape{3}) || got.Grads[0] != nil {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestBackwardErrors(t *testing.T) {
	vector := []Input{{dense([]float64{1, 2, 3}, 3), true}}
	for _, c := range []struct {
		name   string
		inputs []Input
		build  Builder
		u      []float64
		want   string
	}{
		{"cotangent too short", vector, func(in []*G.Node) (*G.Node, error) { return G.Square(in[0]) }, []float64{1}, "cotangent has 1 values"},
		{"builder fails", vector, func([]*G.Node) (*G.Node, error) { return nil, errProbe }, []float64{1}, "probe"},
		{"builder panics", vector, func([]*G.Node) (*G.Node, error) { panic("probe") }, []float64{1}, "panic: probe"},
		{"integers have no gradient", []Input{{tensor.New(tensor.WithBacking([]int{1, 2, 3})), true}}, func(in []*G.Node) (*G.Node, error) { return G.Slice(in[0], G.S(0, 2)) },
			[]float64{1, 2}, "needs float32 or float64"},
		{"no number", []Input{{"a", false}}, func(in []*G.Node) (*G.Node, error) { return in[0], nil }, nil, "no real number"},
		{"input changed", vector, func(in []*G.Node) (*G.Node, error) { return G.ApplyOp(&faulty{overwrite: true}, in[0]) }, []float64{1, 2, 3}, "changed input 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Backward(Tape, c.inputs, c.build, c.u)
			wants(t, err, c.want)
		})
	}
	t.Run("the machine's own error stays to be found", func(t *testing.T) {
		_, err := Forward(Tape, vector, func(in []*G.Node) (*G.Node, error) { return G.ApplyOp(&faulty{fail: true}, in[0]) })
		if inner, ok := err.(interface{ Err() error }); !ok || inner.Err() == nil {
			t.Errorf("got %T: %v", err, err)
		}
	})
}

func TestGraph(t *testing.T) {
	matrix := func() *tensor.Dense { return dense([]float64{1, 2, 3, 4, 5, 6}, 2, 3) }
	for _, c := range []struct {
		name   string
		inputs []Input
		build  Builder
		want   string
	}{
		{"Gorgonia's product", []Input{{matrix(), true}, {dense([]float64{2, 1, -1, 3, -2, 0}, 2, 3), true}}, product, ""},
		{"Gorgonia's slice", []Input{{matrix(), true}}, func(in []*G.Node) (*G.Node, error) { return G.Slice(in[0], nil, G.S(1)) }, ""},
		{"Gorgonia's sum", []Input{{matrix(), true}}, func(in []*G.Node) (*G.Node, error) { return G.Sum(in[0], 1) }, ""},
		{"scalars", []Input{{3.0, true}, {-2.0, true}}, func(in []*G.Node) (*G.Node, error) { return G.Mul(in[0], in[1]) }, ""},
		{"column-major", []Input{{columnMajor(), true}}, func(in []*G.Node) (*G.Node, error) { return G.Square(in[0]) }, ""},
		{"float32", []Input{{tensor.New(tensor.WithBacking([]float32{1, 2, 3})), true}}, func(in []*G.Node) (*G.Node, error) { return G.Cube(in[0]) }, ""},
		{"empty output", []Input{{matrix(), true}}, func(in []*G.Node) (*G.Node, error) { return G.ApplyOp(&faulty{empty: true}, in[0]) }, ""},
		{"faultless", []Input{{matrix(), true}}, func(in []*G.Node) (*G.Node, error) { return G.ApplyOp(&faulty{symDiff: 2, doDiff: 2}, in[0]) }, ""},
		{"SymDiff wrong", []Input{{matrix(), true}}, func(in []*G.Node) (*G.Node, error) { return G.ApplyOp(&faulty{symDiff: 3, doDiff: 2}, in[0]) }, "gradient: TapeMachine gave"},
		{"DoDiff wrong", []Input{{matrix(), true}}, func(in []*G.Node) (*G.Node, error) { return G.ApplyOp(&faulty{symDiff: 2, doDiff: 3}, in[0]) }, "gradient: TapeMachine gave"},
		{"no graph", []Input{{matrix(), true}}, failsAt(1), "no graph"},
		{"no graph for TapeMachine", []Input{{matrix(), true}}, failsAt(2), "TapeMachine: no graph"},
		{"no graph for LispMachine", []Input{{matrix(), true}}, failsAt(3), "LispMachine: no graph"},
		{"both wrong", []Input{{matrix(), true}}, func(in []*G.Node) (*G.Node, error) { return G.ApplyOp(&faulty{symDiff: 3, doDiff: 3}, in[0]) }, "difference"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Graph(c.inputs, c.build, rand.New(rand.NewSource(1)))
			wants(t, err, c.want)
		})
	}
}

// failsAt builds a square, but not the n-th time.
func failsAt(n int) Builder {
	return func(in []*G.Node) (*G.Node, error) {
		if n--; n == 0 {
			return nil, errors.New("no graph")
		}
		return G.Square(in[0])
	}
}

// faulty is the operator 2·x of a float64 tensor, with gradients of any factor and faults at will.
type faulty struct {
	symDiff, doDiff float64
	overwrite, fail bool
	empty           bool // the result is an empty matrix instead, on which x has no influence
}

func (op *faulty) Arity() int { return 1 }
func (op *faulty) Type() hm.Type {
	a := hm.TypeVariable('a')
	return hm.NewFnType(a, a)
}
func (op *faulty) InferShape(shapes ...G.DimSizer) (tensor.Shape, error) {
	if op.empty {
		return tensor.Shape{0, 3}, nil
	}
	return shapes[0].(tensor.Shape).Clone(), nil
}
func (op *faulty) ReturnsPtr() bool     { return false }
func (op *faulty) CallsExtern() bool    { return false }
func (op *faulty) OverwritesInput() int { return -1 }
func (op *faulty) WriteHash(hash.Hash)  {}
func (op *faulty) Hashcode() uint32     { return 0 }
func (op *faulty) String() string       { return "faulty" }
func (op *faulty) DiffWRT(int) []bool   { return []bool{true} }

func (op *faulty) Do(values ...G.Value) (G.Value, error) {
	if op.fail {
		return nil, errors.New("failed as told")
	}
	x := values[0].(*tensor.Dense)
	if op.empty {
		return tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(0, 3)), nil
	}
	if op.overwrite {
		return x.MulScalar(2.0, true, tensor.UseUnsafe())
	}
	return x.MulScalar(2.0, true)
}

func (op *faulty) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	if op.empty {
		zeros, err := G.Mul(inputs[0], G.NewConstant(0.0))
		return G.Nodes{zeros}, err
	}
	scaled, err := G.Mul(grad, G.NewConstant(op.symDiff))
	return G.Nodes{scaled}, err
}

func (op *faulty) DoDiff(_ G.ExecutionContext, inputs G.Nodes, output *G.Node) error {
	if op.empty {
		return nil
	}
	grad, err := output.Grad()
	if err != nil {
		return err
	}
	scaled, err := grad.(*tensor.Dense).MulScalar(op.doDiff, true)
	if err != nil {
		return err
	}
	into, err := inputs[0].Grad()
	if err != nil {
		return err
	}
	_, err = into.(*tensor.Dense).Add(scaled, tensor.UseUnsafe())
	return err
}
