package nn_test

import (
	"math"
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// values is a tensor of float64.
func values(shape []int, list ...float64) gradtest.Input {
	if len(shape) == 0 {
		return gradtest.Input{Value: list[0], Differentiate: true}
	}
	return gradtest.Input{Value: tensor.New(tensor.WithShape(shape...), tensor.WithBacking(list)), Differentiate: true}
}

// fixed is an operand without a gradient.
func fixed[T any](shape []int, list ...T) gradtest.Input {
	return gradtest.Input{Value: tensor.New(tensor.WithShape(shape...), tensor.WithBacking(list))}
}

type node = *G.Node

// of makes a function of one node a builder of a graph.
func of(f func(node) (node, error)) gradtest.Builder {
	return func(in []*G.Node) (*G.Node, error) { return f(in[0]) }
}

func of2(f func(a, b node) (node, error)) gradtest.Builder {
	return func(in []*G.Node) (*G.Node, error) { return f(in[0], in[1]) }
}

func along(f func(node, ...int) (node, error), axes ...int) gradtest.Builder {
	return func(in []*G.Node) (*G.Node, error) { return f(in[0], axes...) }
}

func alongOne(f func(node, int) (node, error), axis int) gradtest.Builder {
	return func(in []*G.Node) (*G.Node, error) { return f(in[0], axis) }
}

// seq is 0 to n-1.
func seq(shape ...int) gradtest.Input {
	list := make([]float64, tensor.Shape(shape).TotalSize())
	for i := range list {
		list[i] = float64(i)
	}
	return values(shape, list...)
}

// TestValues compares every function with numbers worked out by hand, on both machines, and
// its gradient with differences.
func TestValues(t *testing.T) {
	e := math.Exp
	sigmoid := func(x float64) float64 { return 1 / (1 + e(-x)) }
	gelu := func(x float64) float64 { return x * 0.5 * math.Erfc(-x/math.Sqrt2) }
	x := values([]int{3}, -1, 0.5, 2)
	pair := []gradtest.Input{values([]int{2, 2}, 1, 5, 3, 4), values([]int{2}, 2, 3)}
	window := nn.Window{Kernel: []int{2}}
	for name, c := range map[string]struct {
		in    []gradtest.Input
		build gradtest.Builder
		shape []int
		want  []float64
	}{
		"Add": {pair, of2(nn.Add), []int{2, 2}, []float64{3, 8, 5, 7}}, "Sub": {pair, of2(nn.Sub), []int{2, 2}, []float64{-1, 2, 1, 1}},
		"Mul": {pair, of2(nn.Mul), []int{2, 2}, []float64{2, 15, 6, 12}}, "Div": {pair, of2(nn.Div), []int{2, 2}, []float64{.5, 5. / 3, 1.5, 4. / 3}},
		"Pow":     {pair, of2(nn.Pow), []int{2, 2}, []float64{1, 125, 9, 64}},
		"Maximum": {pair, of2(nn.Maximum), []int{2, 2}, []float64{2, 5, 3, 4}}, "Minimum": {pair, of2(nn.Minimum), []int{2, 2}, []float64{1, 3, 2, 3}},
		"Where": {append([]gradtest.Input{fixed([]int{2, 1}, true, false)}, pair...), func(in []*G.Node) (*G.Node, error) {
			return nn.Where(in[0], in[1], in[2])
		}, []int{2, 2}, []float64{1, 5, 2, 3}},
		"a constant": {[]gradtest.Input{x}, of(func(x node) (node, error) { return nn.Mul(x, G.NewConstant(3.)) }), []int{3}, []float64{-3, 1.5, 6}},
		"Neg":        {[]gradtest.Input{x}, of(nn.Neg), []int{3}, []float64{1, -.5, -2}}, "Abs": {[]gradtest.Input{x}, of(nn.Abs), []int{3}, []float64{1, .5, 2}},
		"Exp": {[]gradtest.Input{x}, of(nn.Exp), []int{3}, []float64{e(-1), e(.5), e(2)}}, "Square": {[]gradtest.Input{x}, of(nn.Square), []int{3}, []float64{1, .25, 4}},
		"Log":       {[]gradtest.Input{values([]int{2}, 1, 4)}, of(nn.Log), []int{2}, []float64{0, math.Log(4)}},
		"Sqrt":      {[]gradtest.Input{values([]int{2}, 1, 4)}, of(nn.Sqrt), []int{2}, []float64{1, 2}},
		"Clamp":     {[]gradtest.Input{x}, of(func(x node) (node, error) { return nn.Clamp(x, -0.5, 1.5) }), []int{3}, []float64{-.5, .5, 1.5}},
		"ReLU":      {[]gradtest.Input{x}, of(nn.ReLU), []int{3}, []float64{0, .5, 2}},
		"LeakyReLU": {[]gradtest.Input{x}, of(func(x node) (node, error) { return nn.LeakyReLU(x, 0.125) }), []int{3}, []float64{-.125, .5, 2}},
		"ELU":       {[]gradtest.Input{x}, of(func(x node) (node, error) { return nn.ELU(x, 2) }), []int{3}, []float64{2 * (e(-1) - 1), .5, 2}},
		"GELU":      {[]gradtest.Input{x}, of(nn.GELU), []int{3}, []float64{gelu(-1), gelu(.5), gelu(2)}},
		"GELUTanh": {[]gradtest.Input{values([]int{1}, 1)}, of(nn.GELUTanh), []int{1},
			[]float64{.5 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(1+0.044715)))}},
		"SiLU":     {[]gradtest.Input{x}, of(nn.SiLU), []int{3}, []float64{-sigmoid(-1), .5 * sigmoid(.5), 2 * sigmoid(2)}},
		"Softplus": {[]gradtest.Input{x}, of(nn.Softplus), []int{3}, []float64{math.Log1p(e(-1)), math.Log1p(e(.5)), math.Log1p(e(2))}},
		"Sigmoid":  {[]gradtest.Input{x}, of(nn.Sigmoid), []int{3}, []float64{sigmoid(-1), sigmoid(.5), sigmoid(2)}},
		"Tanh":     {[]gradtest.Input{x}, of(nn.Tanh), []int{3}, []float64{math.Tanh(-1), math.Tanh(.5), math.Tanh(2)}},

		"Softmax": {[]gradtest.Input{values([]int{2, 2}, 0, 0, math.Log(3), 0)}, alongOne(nn.Softmax, 0), []int{2, 2}, []float64{.25, .5, .75, .5}},
		"LogSoftmax": {[]gradtest.Input{values([]int{2, 2}, 0, 0, math.Log(3), 0)}, alongOne(nn.LogSoftmax, -1), []int{2, 2},
			[]float64{math.Log(.5), math.Log(.5), math.Log(.75), math.Log(.25)}},
		"both of one node": {[]gradtest.Input{values([]int{2}, 0, math.Log(3))}, of(func(x node) (node, error) {
			return nn.Add(G.Must(nn.Softmax(x, 0)), G.Must(nn.LogSoftmax(x, 0)))
		}), []int{2}, []float64{.25 + math.Log(.25), .75 + math.Log(.75)}},
		"Sum":        {[]gradtest.Input{seq(3, 2, 4, 2)}, along(nn.Sum, 2), []int{3, 2, 2}, []float64{12, 16, 44, 48, 76, 80, 108, 112, 140, 144, 172, 176}},
		"Sum of all": {[]gradtest.Input{seq(2, 3)}, along(nn.Sum), []int{}, []float64{15}}, "Sum of two": {[]gradtest.Input{seq(2, 2, 2)}, along(nn.Sum, 0, -1), []int{2}, []float64{10, 18}},
		"Mean": {[]gradtest.Input{seq(2, 2, 3)}, along(nn.Mean, 1), []int{2, 3}, []float64{1.5, 2.5, 3.5, 7.5, 8.5, 9.5}},
		"Max":  {[]gradtest.Input{values([]int{2, 3}, 1, 5, 3, 9, 7, 8)}, along(nn.Max, 1), []int{2}, []float64{5, 9}}, "Min": {[]gradtest.Input{values([]int{2, 3}, 1, 5, 3, 9, 7, 8)}, along(nn.Min, 0), []int{3}, []float64{1, 5, 3}},
		"LogSumExp": {[]gradtest.Input{values([]int{1, 3}, 1000, 1000, 1000)}, along(nn.LogSumExp, 1), []int{1}, []float64{1000 + math.Log(3)}},

		"Reshape": {[]gradtest.Input{seq(2, 3)}, along(nn.Reshape, 3, -1), []int{3, 2}, []float64{0, 1, 2, 3, 4, 5}}, "Reshape to a scalar": {[]gradtest.Input{values([]int{1, 1}, 7)}, along(nn.Reshape), []int{}, []float64{7}},
		"Flatten":   {[]gradtest.Input{seq(1, 2, 3)}, alongOne(nn.Flatten, 2), []int{2, 3}, []float64{0, 1, 2, 3, 4, 5}},
		"Squeeze":   {[]gradtest.Input{seq(1, 2, 1)}, along(nn.Squeeze, -1), []int{1, 2}, []float64{0, 1}},
		"Unsqueeze": {[]gradtest.Input{seq(2)}, along(nn.Unsqueeze, 0, 2), []int{1, 2, 1}, []float64{0, 1}},
		"Transpose": {[]gradtest.Input{seq(2, 1, 3)}, along(nn.Transpose, 2, 0, 1), []int{3, 2, 1}, []float64{0, 3, 1, 4, 2, 5}}, "Transpose, reversed": {[]gradtest.Input{seq(2, 3)}, along(nn.Transpose), []int{3, 2}, []float64{0, 3, 1, 4, 2, 5}},
		"Concat": {[]gradtest.Input{seq(2, 1, 2), seq(2, 2, 2)}, of2(func(a, b node) (node, error) { return nn.Concat(1, a, b) }), []int{2, 3, 2}, []float64{0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 6, 7}},
		"Slice":  {[]gradtest.Input{seq(2, 4)}, of(func(x node) (node, error) { return nn.Slice(x, -1, 1, -1) }), []int{2, 2}, []float64{1, 2, 5, 6}}, "Slice of one": {[]gradtest.Input{seq(2, 3)}, of(func(x node) (node, error) { return nn.Slice(x, 0, 0, 1) }), []int{1, 3}, []float64{0, 1, 2}},

		"MatMul": {[]gradtest.Input{seq(2, 1, 2), seq(2, 3)}, of2(nn.MatMul), []int{2, 1, 3}, []float64{3, 4, 5, 9, 14, 19}},
		"Linear": {[]gradtest.Input{seq(2, 2), seq(3, 2), seq(3)}, func(in []*G.Node) (*G.Node, error) { return nn.Linear(in[0], in[1], in[2]) }, []int{2, 3}, []float64{1, 4, 7, 3, 14, 25}},
		"Linear of three axes, no bias": {[]gradtest.Input{seq(2, 1, 2), seq(3, 2)}, of2(func(x, w node) (node, error) { return nn.Linear(x, w, nil) }), []int{2, 1, 3},
			[]float64{1, 3, 5, 3, 13, 23}},
		"Linear of a vector": {[]gradtest.Input{seq(2), seq(3, 2), seq(3)}, func(in []*G.Node) (*G.Node, error) { return nn.Linear(in[0], in[1], in[2]) }, []int{3}, []float64{1, 4, 7}},
		"LayerNorm": {[]gradtest.Input{values([]int{1, 2}, 1, 5), values([]int{2}, 2, 3), values([]int{2}, 10, 20)},
			func(in []*G.Node) (*G.Node, error) { return nn.LayerNorm(in[0], in[1], in[2], 5) }, []int{1, 2}, []float64{10 - 4./3, 22}},
		"RMSNorm": {[]gradtest.Input{values([]int{1, 2}, 1, 5), values([]int{2}, 2, 3)}, of2(func(x, w node) (node, error) { return nn.RMSNorm(x, w, 3) }), []int{1, 2}, []float64{.5, 15. / 4}},
		"GroupNorm": {[]gradtest.Input{values([]int{1, 4}, 1, 5, 2, 2), values([]int{4}, 1, 1, 1, 1), values([]int{4}, 0, 0, 0, 7)},
			func(in []*G.Node) (*G.Node, error) { return nn.GroupNorm(in[0], 2, in[1], in[2], 5) }, []int{1, 4}, []float64{-2. / 3, 2. / 3, 0, 7}},
		"BatchNorm": {[]gradtest.Input{values([]int{1, 2}, 1, 5), values([]int{2}, 0, 1), values([]int{2}, 3, 8), values([]int{2}, 2, 3), values([]int{2}, 10, 20)},
			func(in []*G.Node) (*G.Node, error) { return nn.BatchNorm(in[0], in[1], in[2], in[3], in[4], 1) }, []int{1, 2}, []float64{11, 24}},
		"Conv": {[]gradtest.Input{seq(1, 1, 3, 3), values([]int{1, 1, 2, 2}, 1, 2, 3, 4), values([]int{1}, 100)},
			func(in []*G.Node) (*G.Node, error) {
				return nn.Conv(in[0], in[1], in[2], nn.Window{Padding: []int{1, 0}, Stride: []int{2}})
			}, []int{1, 1, 2, 1}, []float64{104, 157}},
		"Conv in groups, dilated": {[]gradtest.Input{seq(1, 2, 3), values([]int{2, 1, 2}, 1, 2, 3, 4)},
			of2(func(x, w node) (node, error) { return nn.Conv(x, w, nil, nn.Window{Groups: 2, Dilation: []int{2}}) }), []int{1, 2, 1}, []float64{4, 29}},
		"MaxPool": {[]gradtest.Input{seq(1, 1, 2, 4)}, of(func(x node) (node, error) { return nn.MaxPool(x, window) }), []int{1, 1, 1, 2}, []float64{5, 7}},
		"AvgPool": {[]gradtest.Input{seq(1, 1, 4)}, of(func(x node) (node, error) { return nn.AvgPool(x, nn.Window{Kernel: []int{2}, Padding: []int{1}}) }), []int{1, 1, 3}, []float64{0, 1.5, 1.5}},
		"Attention": {[]gradtest.Input{values([]int{1, 1, 4}, 2*math.Log(3), 0, 0, 0), values([]int{1, 2, 4}, 1, 0, 0, 0, 0, 0, 0, 0), values([]int{1, 2, 1}, 8, 4)},
			func(in []*G.Node) (*G.Node, error) { return nn.Attention(in[0], in[1], in[2], nil) }, []int{1, 1, 1}, []float64{7}},
		"Attention, masked": {[]gradtest.Input{values([]int{2, 2}, 1, 2, 3, 4), values([]int{2, 2}, 1, 2, 3, 4), values([]int{2, 1}, 8, 4), fixed([]int{2}, true, false)},
			func(in []*G.Node) (*G.Node, error) { return nn.Attention(in[0], in[1], in[2], in[3]) }, []int{2, 1}, []float64{8, 8}},

		"Attention with axes in front, masked": {[]gradtest.Input{seq(2, 1, 1, 1), values([]int{2, 1, 3, 1}, 0, 1, 2, 3, 4, 5), values([]int{2, 1, 3, 1}, 1, 2, 3, 4, 5, 6), fixed([]int{1, 3}, false, true, false)},
			func(in []*G.Node) (*G.Node, error) { return nn.Attention(in[0], in[1], in[2], in[3]) }, []int{2, 1, 1, 1}, []float64{2, 5}},
		"Einsum": {[]gradtest.Input{seq(2, 3), seq(3)}, of2(func(a, b node) (node, error) { return nn.Einsum("ij,j->i", a, b) }), []int{2}, []float64{5, 14}},
		"Stack":  {[]gradtest.Input{seq(2), values([]int{2}, 5, 6)}, of2(func(a, b node) (node, error) { return nn.Stack(-1, a, b) }), []int{2, 2}, []float64{0, 5, 1, 6}},
		"a constant that is broadcast": {[]gradtest.Input{seq(2, 2)}, of(func(x node) (node, error) {
			return nn.Linear(x, G.NewConstant(tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{1, 2}))), G.NewConstant(tensor.New(tensor.WithShape(1), tensor.WithBacking([]float64{7}))))
		}), []int{2, 1}, []float64{9, 15}},
		"Where of a constant": {[]gradtest.Input{x}, of(func(x node) (node, error) {
			return nn.Where(G.NewConstant(tensor.New(tensor.WithBacking([]bool{true, false, true}))), x, G.NewConstant(7.))
		}), []int{3}, []float64{-1, 7, 2}},
		"a mask of comparisons": {[]gradtest.Input{x}, of(func(x node) (node, error) {
			zero := G.NewConstant(0.)
			return nn.Where(G.Must(nn.Not(G.Must(nn.Less(x, zero)))), x, G.Must(nn.Cast(G.Must(nn.Greater(x, zero)), tensor.Float64)))
		}), []int{3}, []float64{0, .5, 2}},

		"L1":            {[]gradtest.Input{values([]int{2}, 1, 5), values([]int{2}, 3, 4)}, of2(nn.L1), []int{}, []float64{1.5}},
		"MSE":           {[]gradtest.Input{values([]int{2}, 1, 5), values([]int{2}, 3, 4)}, of2(nn.MSE), []int{}, []float64{2.5}},
		"Huber":         {[]gradtest.Input{values([]int{2}, 1, 5), values([]int{2}, 1.5, 1)}, of2(func(y, w node) (node, error) { return nn.Huber(y, w, 2) }), []int{}, []float64{(.125 + 6) / 2}},
		"BCEWithLogits": {[]gradtest.Input{values([]int{2}, -3, 2), values([]int{2}, 1, .25)}, of2(nn.BCEWithLogits), []int{}, []float64{(-math.Log(sigmoid(-3)) - .25*math.Log(sigmoid(2)) - .75*math.Log(sigmoid(-2))) / 2}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := gradtest.Graph(c.in, c.build, rand.New(rand.NewSource(1)))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Shape, c.shape) || len(got.Output) != len(c.want) {
				t.Fatalf("%v of shape %v, want %v of shape %v", got.Output, got.Shape, c.want, c.shape)
			}
			for i, w := range c.want {
				if !gradtest.Close(got.Output[i], w, 1e-12) {
					t.Errorf("%v, want %v", got.Output, c.want)
					break
				}
			}
		})
	}
}

// TestIntegers: what moves elements takes every dtype, and ArgMax gives integers.
func TestIntegers(t *testing.T) {
	for name, c := range map[string]struct {
		in    gradtest.Input
		build gradtest.Builder
		want  []float64
	}{
		"Reshape": {fixed[int64]([]int{2, 2}, 1, 2, 3, 4), along(nn.Reshape, 4, 1), []float64{1, 2, 3, 4}},
		"Slice":   {fixed[int32]([]int{2, 2}, 1, 2, 3, 4), of(func(x node) (node, error) { return nn.Slice(x, 1, 1, 9) }), []float64{2, 4}},
		"ArgMax":  {fixed([]int{2, 3}, 1., 5, 5, 9, 7, 8), alongOne(nn.ArgMax, 1), []float64{1, 0}},
		"Equal": {fixed[uint8]([]int{3}, 7, 8, 7), of(func(x node) (node, error) {
			return nn.Cast(G.Must(nn.Equal(x, G.NewConstant(tensor.New(tensor.WithShape(1), tensor.WithBacking([]uint8{7}))))), tensor.Int32)
		}), []float64{1, 0, 1}},
	} {
		for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
			got, err := gradtest.Forward(m, []gradtest.Input{c.in}, c.build)
			if err != nil || !slices.Equal(got.Output, c.want) {
				t.Errorf("%s on %v: %v, %v; want %v", name, m, got.Output, err, c.want)
			}
		}
	}
}

// TestDetach: the value is that of x in any layout, which gets no gradient by this way; a graph
// in which there is no other is an error of Grad.
func TestDetach(t *testing.T) {
	for _, l := range []layout.Layout{layout.RowMajor, layout.ColumnMajor, layout.EverySecond} {
		in := []gradtest.Input{{Value: layout.Lay(l, []float64{1, 2, 3, 4, 5, 6}, 99, 2, 3).Dense, Differentiate: true}}
		for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
			got, err := gradtest.Backward(m, in, of(func(x node) (node, error) { return nn.Mul(x, G.Must(nn.Detach(x))) }), []float64{1, 1, 1, 1, 1, 2})
			if err != nil || !slices.Equal(got.Output, []float64{1, 4, 9, 16, 25, 36}) || !slices.Equal(got.Grads[0], []float64{1, 2, 3, 4, 5, 12}) {
				t.Errorf("%v on %v: %v, %v", l, m, got, err)
			}
		}
	}
	for _, value := range []any{float32(3), tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(0, 2))} {
		for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
			got, err := gradtest.Forward(m, []gradtest.Input{{Value: value}}, of(nn.Detach))
			if err != nil || len(got.Output) > 0 && got.Output[0] != 3 {
				t.Errorf("%v on %v: %v, %v", value, m, got, err)
			}
		}
	}
	g := G.NewGraph()
	x := G.NewVector(g, tensor.Float64, G.WithShape(2), G.WithName("x"))
	if _, err := G.Grad(G.Must(nn.Sum(G.Must(nn.Detach(x)))), x); err == nil {
		t.Error("a detached cost has a gradient")
	}
}

// TestDropout: what is kept is divided by 1 - probability, and so is its gradient; each run
// and each call draws anew, and the same again from the same seed.
func TestDropout(t *testing.T) {
	const n, probability = 4000, 0.25
	x := make([]float64, n)
	u := make([]float64, n)
	for i := range x {
		x[i], u[i] = float64(i%7+1), 1
	}
	in := []gradtest.Input{values([]int{n}, x...)}
	build := of(func(x node) (node, error) { return nn.Dropout(x, probability, 3) })
	for _, m := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
		first, err := gradtest.Backward(m, in, build, u)
		if err != nil {
			t.Fatal(err)
		}
		again, err := gradtest.Backward(m, in, build, u)
		if err != nil || !slices.Equal(first.Output, again.Output) {
			t.Errorf("%v: another output of the same seed, %v", m, err)
		}
		dropped := 0
		for i, y := range first.Output {
			want := first.Grads[0][i] * x[i]
			if y == 0 {
				dropped++
			}
			if g := first.Grads[0][i]; g != 0 && g != 1/(1-probability) || y != want {
				t.Fatalf("%v: x %v, result %v, gradient %v", m, x[i], y, g)
			}
		}
		if math.Abs(float64(dropped)/n-probability) > 0.03 {
			t.Errorf("%v: %d of %d are dropped", m, dropped, n)
		}
	}
	g := G.NewGraph()
	node := G.NodeFromAny(g, in[0].Value, G.WithName("x"))
	a, b := G.Must(nn.Dropout(node, 0.5, 1)), G.Must(nn.Dropout(node, 0.5, 2))
	var va, vb G.Value
	G.Read(a, &va)
	G.Read(b, &vb)
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	var before []float64
	for range 2 {
		if err := machine.RunAll(); err != nil {
			t.Fatal(err)
		}
		if slices.Equal(va.(*tensor.Dense).Float64s(), vb.(*tensor.Dense).Float64s()) {
			t.Error("two seeds give one mask")
		}
		if slices.Equal(va.(*tensor.Dense).Float64s(), before) {
			t.Error("two runs have one mask")
		}
		before = slices.Clone(va.(*tensor.Dense).Float64s())
		machine.Reset()
	}
}
