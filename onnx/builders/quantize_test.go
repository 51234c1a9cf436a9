package builders

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A quantizedCase is a shape with scales for all of it, for an axis or for blocks.
type quantizedCase struct {
	shape, scales []int
	axis, block   int
}

var quantizedCases = []quantizedCase{
	{[]int{}, []int{}, 1, 0}, {[]int{5}, []int{}, 1, 0}, {[]int{2, 3}, []int{1}, 1, 0}, {[]int{0, 3}, []int{1}, 1, 0},
	{[]int{4}, []int{4}, 0, 0}, {[]int{2, 3, 4}, []int{3}, 1, 0}, {[]int{2, 3, 4}, []int{4}, -1, 0}, {[]int{2, 3, 4}, []int{2}, 0, 0}, {[]int{2, 1, 4}, []int{1}, 1, 0},
	{[]int{7}, []int{3}, 0, 3}, {[]int{2, 5, 3}, []int{2, 3, 3}, 1, 2}, {[]int{2, 6}, []int{2, 2}, 1, 3}, {[]int{5, 4}, []int{2, 4}, -2, 3}, {[]int{3, 4}, []int{1, 4}, 0, 9}, {[]int{1}, []int{1}, 0, 2},
}

// attributes of the node, as far as the case needs them.
func (c quantizedCase) attributes() attributes {
	attrs := attributes{"axis": int64(c.axis)}
	if c.block > 0 {
		attrs["block_size"] = int64(c.block)
	}
	return attrs
}

// scaleOf is the place of the scale of an element.
func (c quantizedCase) scaleOf(at []int) int {
	axis := (c.axis + len(c.shape)) % max(len(c.shape), 1)
	switch {
	case c.block > 0:
		i := 0
		for d, n := range c.scales {
			if d == axis {
				i = i*n + at[d]/c.block
			} else {
				i = i*n + at[d]
			}
		}
		return i
	case count(c.scales) == 1:
		return 0
	}
	return at[axis]
}

// roundedToEven is the nearest integer, and of two the even one.
func roundedToEven(x float64) float64 {
	down := math.Floor(x)
	switch {
	case x-down > 0.5 || x-down == 0.5 && math.Mod(down, 2) != 0:
		return down + 1
	}
	return down
}

// TestQuantize holds QuantizeLinear and DequantizeLinear against their formulas.
func TestQuantize(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for number, to := range quantizedTypes {
		for _, c := range quantizedCases {
			for _, zero := range []bool{false, true} {
				attrs := c.attributes()
				attrs["output_dtype"] = int64(number)
				scale := made(c.scales, func([]int) float64 { return float64(float32(0.1 + rng.Float64())) })
				zeros := made(c.scales, func([]int) float64 { return 0 })
				x := made(c.shape, func([]int) float64 {
					// Halves of a scale among others, and what saturates.
					return float64(float32([]float64{rng.NormFloat64() * 9, float64(rng.Intn(9)) / 2, 1e6, -1e6}[rng.Intn(4)]))
				})
				if c.block == 0 && rng.Intn(2) == 1 {
					scale = made(c.scales, func([]int) float64 { return 1 })
				}
				in := []*tensor.Dense{value(converted[float32](x.values), c.shape...), value(converted[float32](scale.values), c.scales...)}
				if zero {
					zeros = made(c.scales, func([]int) float64 { return math.Floor(to.low + (to.high-to.low)*rng.Float64()) })
					in = append(in, castTo(t, to.dtype, zeros))
				}
				q, err := runOp("QuantizeLinear", 23, attrs, in...)
				if err != nil {
					t.Fatalf("%+v to %v: %v", c, number, err)
				}
				want := made(c.shape, func(at []int) float64 {
					k := c.scaleOf(at)
					v := roundedToEven(float64(float32(x.at(at...))/float32(scale.values[k]))) + zeros.values[k]
					return min(max(v, to.low), to.high)
				})
				compareTo(t, fmt.Sprintf("%+v to %v", c, number), q, to.dtype, want)

				delete(attrs, "output_dtype")
				in[0] = q
				y, err := runOp("DequantizeLinear", 21, attrs, in...)
				if err != nil {
					t.Fatalf("%+v from %v: %v", c, number, err)
				}
				compareTo(t, fmt.Sprintf("%+v from %v", c, number), y, tensor.Float32, made(c.shape, func(at []int) float64 {
					k := c.scaleOf(at)
					return float64(float32(want.at(at...)-zeros.values[k]) * float32(scale.values[k]))
				}))
			}
		}
	}
}

// castTo is an array as a tensor of a type.
func castTo(t *testing.T, dt tensor.Dtype, a array) *tensor.Dense {
	t.Helper()
	out := newTensor(operand{dt, tensor.Shape(a.shape)})
	if err := (casting{dt}).run(out, []*tensor.Dense{value(slices.Clone(a.values), a.shape...)}); err != nil {
		t.Fatal(err)
	}
	return out
}

// compareTo demands those values, to the bit.
func compareTo(t *testing.T, what string, got *tensor.Dense, dt tensor.Dtype, want array) {
	t.Helper()
	if got.Dtype() != dt || !slices.Equal(got.Shape(), want.shape) && len(want.shape) > 0 {
		t.Fatalf("%s: %v %v, want %v %v", what, got.Dtype(), got.Shape(), dt, want.shape)
	}
	wide := newTensor(operand{tensor.Float64, tensor.Shape(want.shape)})
	if err := (casting{tensor.Float64}).run(wide, []*tensor.Dense{got}); err != nil {
		t.Fatal(err)
	}
	for i, v := range want.values {
		if elements[float64](wide)[i] != v {
			t.Fatalf("%s: got %v, want %v", what, got, want.values)
		}
	}
}

func TestQuantizeValues(t *testing.T) {
	in := func(list ...*tensor.Dense) []*tensor.Dense { return list }
	nan := float32(math.NaN())
	inf := float32(math.Inf(1))
	checkValues(t, []valueCase{
		{"QuantizeLinear", nil, in(value([]float32{nan, inf, -inf, 0.5, 1.5, -0.5}, 6), value([]float32{1}, 1), value([]int8{3}, 1)), []int8{-128, 127, -128, 3, 5, 3}},
		{"QuantizeLinear", nil, in(value([]int32{-7, 300, 8}, 3), value([]float32{2}, 1)), []uint8{0, 150, 4}},
		{"DequantizeLinear", nil, in(value([]int32{math.MinInt32, 5}, 2), value([]float32{2}, 1), value([]int32{1}, 1)), []float32{-4294967298, 8}},
	})
}

// TestDynamicQuantize computes scale and zero point of tensors on both sides of 0.
func TestDynamicQuantize(t *testing.T) {
	for _, c := range []struct {
		x     []float32
		scale float32
		zero  uint8
		want  []uint8
	}{
		{[]float32{0, 2, -3, -2.5, 1.34, 0.5}, 5.0 / 255, 153, []uint8{153, 255, 0, 26, 221, 179}},
		{[]float32{-1, -2.1, -1.3, -2.5, -3.34, -4}, 4.0 / 255, 255, []uint8{191, 121, 172, 96, 42, 0}},
		{[]float32{1, 2.1, 4}, 4.0 / 255, 0, []uint8{64, 134, 255}},
		{[]float32{0, 0}, 1, 0, []uint8{0, 0}},
		{nil, 1, 0, nil},
	} {
		x := value(c.x, len(c.x))
		if len(c.x) == 0 {
			x = empty(tensor.Float32, 0)
		}
		for _, outputs := range [][]string{nil, {"y", "s", "z"}, {"", "s"}, {"", "", "z"}, {"y"}} {
			got, err := onnx.EvalWith(DynamicQuantizeLinear, onnx.Node{Opset: 11, Outputs: outputs}, x)
			if err != nil {
				t.Fatal(err)
			}
			wants := func(i int) bool { return outputs == nil || i < len(outputs) && outputs[i] != "" }
			if wants(0) && !slices.Equal(elements[uint8](got[0]), c.want) || wants(1) && elements[float32](got[1])[0] != c.scale || wants(2) && elements[uint8](got[2])[0] != c.zero {
				t.Errorf("%v %v: got %v", c.x, outputs, got)
			}
		}
	}
}

// TestMatMulInteger compares random products of bytes, long ones with the greatest
// numbers too, with sums of integers.
func TestMatMulInteger(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for _, c := range []struct{ a, b, zeroA, zeroB []int }{
		{[]int{2, 3}, []int{3, 4}, nil, nil}, {[]int{2, 3}, []int{3, 4}, []int{}, []int{1}}, {[]int{2, 3}, []int{3, 4}, []int{2}, []int{4}},
		{[]int{2, 3}, []int{3, 4}, []int{2, 1}, []int{1, 4}}, {[]int{2, 2, 3}, []int{3, 4}, []int{2, 2, 1}, []int{4}}, {[]int{2, 3}, []int{2, 3, 4}, []int{2}, []int{2, 1, 4}},
		{[]int{2, 1, 2, 3}, []int{3, 3, 2}, []int{}, []int{3, 1, 2}}, {[]int{3}, []int{3}, []int{}, nil}, {[]int{3}, []int{3, 4}, nil, []int{4}}, {[]int{2, 3}, []int{3}, []int{2}, []int{1}},
		{[]int{3, 1000}, []int{1000, 70}, []int{3}, []int{70}}, {[]int{2, exactTerms}, []int{exactTerms, 3}, []int{}, []int{}}, {[]int{2, 2*exactTerms + 1}, []int{2*exactTerms + 1, 3}, nil, nil},
		{[]int{2, 0}, []int{0, 3}, nil, nil}, {[]int{0, 2}, []int{2, 3}, []int{}, nil},
	} {
		for types := range 4 {
			draw := func(signed bool) func([]int) float64 {
				low := 0.0
				if signed {
					low = -128
				}
				return func([]int) float64 { return low + []float64{0, 255, float64(rng.Intn(256))}[rng.Intn(3)] }
			}
			dts := [2]tensor.Dtype{tensor.Uint8, tensor.Uint8}
			for i := range dts {
				if types>>i&1 == 1 {
					dts[i] = tensor.Int8
				}
			}
			a, b := made(c.a, draw(dts[0] == tensor.Int8)), made(c.b, draw(dts[1] == tensor.Int8))
			in := []*tensor.Dense{castTo(t, dts[0], a), castTo(t, dts[1], b), nil, nil}
			lessA, lessB := array{[]int{}, []float64{0}}, array{[]int{}, []float64{0}}
			if c.zeroA != nil {
				lessA = made(c.zeroA, draw(dts[0] == tensor.Int8))
				in[2] = castTo(t, dts[0], lessA)
			}
			if c.zeroB != nil {
				lessB = made(c.zeroB, draw(dts[1] == tensor.Int8))
				in[3] = castTo(t, dts[1], lessB)
			}
			if len(c.zeroA) == 1 { // one for each row
				lessA.shape = []int{c.zeroA[0], 1}
			}
			// Vectors by way of the matrices they stand for.
			result := []int(nil)
			if len(a.shape) == 1 {
				a.shape = []int{1, a.shape[0]}
			} else {
				result = append(result, a.shape[len(a.shape)-2])
			}
			if len(b.shape) == 1 {
				b.shape = []int{b.shape[0], 1}
			} else {
				result = append(result, b.shape[len(b.shape)-1])
			}
			minus := pairwise(func(x, y float64) float64 { return x - y })
			want := products([]array{minus([]array{a, lessA}), minus([]array{b, lessB})})
			if len(c.a) == 1 || len(c.b) == 1 {
				want.shape = result
			}
			tensors := make([]tensor.Tensor, 4)
			for i, d := range in {
				if d != nil {
					tensors[i] = d
				}
			}
			got, err := onnx.EvalWith(MatMulInteger, onnx.Node{Opset: 10}, tensors...)
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			compareTo(t, fmt.Sprintf("%+v", c), got[0], tensor.Int32, want)
		}
	}
}

// Sums keep their low bits, as ONNX Runtime's do.
func TestMatMulIntegerOverflow(t *testing.T) {
	const n = 40000 // times 255² is more than an int32 holds
	a, b := slices.Repeat([]uint8{255}, n), slices.Repeat([]uint8{255}, n)
	got, err := runOp("MatMulInteger", 10, nil, value(a, 1, n), value(b, n, 1))
	sum := int64(n) * 255 * 255
	if err != nil || elements[int32](got)[0] != int32(sum) {
		t.Errorf("got %v, %v; want %d", got, err, int32(sum))
	}
}

// Integers for floats are used, not trained: a gradient is an error, and never a silent
// part of one.
func TestQuantizedGradients(t *testing.T) {
	g := G.NewGraph()
	x := f32(2, 3).node(g, "x")
	scale := f32(1).node(g, "scale")
	for name, build := range map[string]func() (*G.Node, *G.Node, error){
		"DequantizeLinear": func() (*G.Node, *G.Node, error) {
			y, err := DequantizeLinear(onnx.Node{Opset: 13}, typed(tensor.Int8, 2, 3).node(g, "q"), scale)
			return y[0], scale, err
		},
		"DynamicQuantizeLinear": func() (*G.Node, *G.Node, error) {
			y, err := DynamicQuantizeLinear(onnx.Node{Opset: 13, Outputs: []string{"", "s"}}, x)
			return y[1], x, err
		},
	} {
		y, wrt, err := build()
		if err != nil {
			t.Fatal(err)
		}
		if y.Shape().Dims() > 0 {
			y = G.Must(G.Sum(y))
		}
		if _, err := G.Grad(y, wrt); err == nil {
			t.Errorf("%s has a gradient", name)
		}
	}
}
