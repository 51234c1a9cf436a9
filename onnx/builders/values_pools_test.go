package builders

import (
	"fmt"
	"math"
	"math/rand"
	"strconv"
	"testing"

	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func TestPoolValues(t *testing.T) {
	in := func(list ...*tensor.Dense) []*tensor.Dense { return list }
	inf := math.Inf(1)
	kernel := func(more attributes) attributes {
		attrs := attributes{"kernel_shape": []int64{2}}
		for name, x := range more {
			attrs[name] = x
		}
		return attrs
	}
	checkValues(t, []valueCase{
		{"MaxPool", kernel(nil), in(value([]int8{-128, -3, 5, 4}, 1, 1, 4)), []int8{-3, 5, 5}},
		{"MaxPool", kernel(attributes{"pads": []int64{1, 1}}), in(value([]float64{-inf, -5}, 1, 1, 2)), []float64{-inf, -5, -5}},
		{"MaxPool", kernel(attributes{"auto_pad": "SAME_UPPER", "strides": []int64{2}}), in(value([]float32{1, 2, 3}, 1, 1, 3)), []float32{2, 3}},
		{"MaxPool", kernel(attributes{"auto_pad": "SAME_LOWER", "strides": []int64{2}}), in(value([]float32{1, 2, 3}, 1, 1, 3)), []float32{1, 3}},
		{"MaxPool", kernel(attributes{"auto_pad": "VALID"}), in(value([]float64{1, math.NaN(), 3, 2}, 1, 1, 4)), []float64{math.NaN(), math.NaN(), 3}},
		{"MaxPool", kernel(nil), in(empty(tensor.Float32, 0, 1, 4)), nil},
		{"AveragePool", kernel(attributes{"pads": []int64{1, 0}, "count_include_pad": int64(1)}), in(value([]float64{2, 4}, 1, 1, 2)), []float64{1, 3}},
		{"Pad", nil, in(value([]string{"a", "b"}, 2), value([]int64{1, 1}, 2), value([]string{"z"}, 1)), []string{"z", "a", "b", "z"}},
		{"Pad", attributes{"mode": "reflect"}, in(value([]int64{1, 2, 3}, 3), value([]int64{2, 2}, 2)), []int64{3, 2, 1, 2, 3, 2, 1}},
		{"Pad", nil, in(value([]bool{true}, 1), value([]int64{0, 2}, 2)), []bool{true, false, false}},
		{"Pad", nil, in(value([]int64{1, 2, 3}, 3), value([]int64{-3, 1}, 2), value([]int64{9}, 1)), []int64{9}},
		{"Tile", nil, in(value([]string{"a", "b"}, 2), value([]int64{2}, 1)), []string{"a", "b", "a", "b"}},
		{"Tile", nil, in(value([]int8{1, 2}, 2), value([]int64{0}, 1)), nil},
		{"OneHot", nil, in(value([]int64{1, -1, 3, -4}, 4), value([]int64{3}, 1), value([]float64{0, 1}, 2)), []float64{0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}},
		{"OneHot", attributes{"axis": int64(0)}, in(value([]int32{1, 0}, 2), value([]float32{2}, 1), value([]string{"-", "x"}, 2)), []string{"-", "x", "x", "-"}},
		{"Conv", nil, in(empty(tensor.Float32, 0, 1, 4), value([]float32{1, 2}, 1, 1, 2)), nil},
	})
}

// The values of a OneHot and of a Pad have gradients, and a MaxPool gives all of
// it to the first of equal elements.
func TestPoolGradients(t *testing.T) {
	for name, c := range map[string]struct {
		in    []*tensor.Dense
		build func(in []*G.Node) ([]*G.Node, error)
	}{
		"OneHot": {[]*tensor.Dense{value([]float64{0.5, 2}, 2)}, func(in []*G.Node) ([]*G.Node, error) {
			return OneHot(onnx.Node{Opset: 11}, listNode(in[0].Graph(), "i", []int64{2, 0, 7}), listNode(in[0].Graph(), "d", []int64{3}), in[0])
		}},
		"Pad": {[]*tensor.Dense{value([]float64{1, 2, 3, 4}, 2, 2), value([]float64{0.5}, 1)}, func(in []*G.Node) ([]*G.Node, error) {
			return Pad(onnx.Node{Opset: 18}, in[0], listNode(in[0].Graph(), "p", []int64{2, 1}), in[1], listNode(in[0].Graph(), "a", []int64{-1}))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var inputs []gradtest.Input
			for _, v := range c.in {
				inputs = append(inputs, gradtest.Input{Value: v, Differentiate: true})
			}
			_, err := gradtest.Graph(inputs, func(in []*G.Node) (*G.Node, error) {
				out, err := c.build(in)
				if err != nil {
					return nil, err
				}
				return out[0], nil
			}, rand.New(rand.NewSource(1)))
			if err != nil {
				t.Error(err)
			}
		})
	}
	for _, machine := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
		g := G.NewGraph()
		x := G.NewTensor(g, tensor.Float64, 3, G.WithShape(1, 1, 4), G.WithName("x"), G.WithValue(value([]float64{1, 5, 5, 2}, 1, 1, 4)))
		y, err := MaxPool(onnx.Node{Opset: 12, Attributes: attributes{"kernel_shape": []int64{3}}}, x)
		if err != nil {
			t.Fatal(err)
		}
		run(t, machine, G.Must(G.Sum(y[0])), G.Nodes{x})
		if grad, err := x.Grad(); err != nil || fmt.Sprint(grad.Data()) != "[0 2 0 0]" {
			t.Errorf("%v: gradient %v, %v", machine, grad, err)
		}
	}
}

func TestPoolErrors(t *testing.T) {
	for _, c := range []struct {
		op    string
		opset int
		attrs attributes
		in    []given
		want  string // the whole text
	}{
		{"Conv", 11, nil, []given{f32(1, 2), f32(1, 2)}, "Conv-11: X of shape (1, 2) and W of shape (1, 2), equal ranks of at least 3 are allowed"},
		{"Conv", 11, nil, []given{f32(1, 3, 5), f32(2, 2, 3)}, "Conv-11: X of shape (1, 3, 5) and W of shape (2, 2, 3) do not fit in 1 groups"},
		{"Conv", 11, attributes{"group": int64(0)}, []given{f32(1, 3, 5), f32(2, 2, 3)}, "Conv-11: X of shape (1, 3, 5) and W of shape (2, 2, 3) do not fit in 0 groups"},
		{"Conv", 11, attributes{"kernel_shape": []int64{2}}, []given{f32(1, 2, 5), f32(2, 2, 3)}, "Conv-11: kernel_shape is [2], W has [3]"},
		{"Conv", 11, attributes{"strides": []int64{0}}, []given{f32(1, 2, 5), f32(2, 2, 3)}, "Conv-11: strides are [0], 1 numbers from 1 to 268435456 are needed"},
		{"Conv", 11, attributes{"pads": []int64{1}}, []given{f32(1, 2, 5), f32(2, 2, 3)}, "Conv-11: pads are [1], 2 numbers from 0 to 268435456 are needed"},
		{"Conv", 11, attributes{"dilations": []int64{3}}, []given{f32(1, 2, 5), f32(2, 2, 3)}, "Conv-11: a window of 3 elements 3 apart is longer than axis 2, which has 5 with its pads"},
		{"Conv", 11, attributes{"auto_pad": "SAME"}, []given{f32(1, 2, 5), f32(2, 2, 3)}, `Conv-11: auto_pad is "SAME", NOTSET, SAME_UPPER, SAME_LOWER, VALID are allowed`},
		{"Conv", 11, attributes{"auto_pad": "VALID", "pads": []int64{1, 1}}, []given{f32(1, 2, 5), f32(2, 2, 3)}, `Conv-11: auto_pad is "VALID" and pads are [1 1], one of them is allowed`},
		{"Conv", 11, attributes{"pads": []int64{math.MaxInt64, 0}}, []given{f32(1, 2, 5), f32(2, 2, 3)}, fmt.Sprintf("Conv-11: pads are [%d 0], 2 numbers from 0 to 268435456 are needed", math.MaxInt)},
		{"Conv", 11, nil, []given{f32(1, 2, 5), f32(2, 2, 3), f32(3)}, "Conv-11: input 2 of shape (3), (2) is allowed"},
		{"MaxPool", 11, nil, []given{f32(1, 2, 5)}, "MaxPool-11: no kernel_shape"},
		{"MaxPool", 11, attributes{"kernel_shape": []int64{2, 2}}, []given{f32(1, 2, 5)}, "MaxPool-11: a kernel of shape [2 2] for 1 spatial axes, 1 dims from 1 to 268435456 are needed"},
		{"MaxPool", 8, attributes{"kernel_shape": []int64{2}, "dilations": []int64{2}}, []given{f32(1, 2, 5)}, `MaxPool-8: attribute "dilations" is not allowed in opset 8, it is since opset 10`},
		{"AveragePool", 18, attributes{"kernel_shape": []int64{2}, "dilations": []int64{2}}, []given{f32(1, 2, 5)}, `AveragePool-11: attribute "dilations" is not allowed in opset 18, it is since opset 19`},
		{"GlobalAveragePool", 18, nil, []given{f32(1, 2)}, "GlobalAveragePool-1: X of shape (1, 2), ranks of at least 3 are allowed"},
		{"Pad", 2, attributes{"pads": []int64{1, 1}, "value": float32(math.Copysign(0, -1))}, []given{f32(3)}, "Pad-2: value is -0, 0 is allowed before opset 11"},
		{"Pad", 18, attributes{"mode": "wrap"}, []given{f32(3), longs(1, 1)}, `Pad-18: mode is "wrap", constant, reflect, edge are allowed`},
		{"Pad", 18, attributes{"mode": "reflect"}, []given{f32(3), longs(3, 1)}, "Pad-18: reflect pads 3 and 1 of axis 0, which has 3 elements"},
		{"Pad", 18, nil, []given{f32(3), longs(1)}, "Pad-18: 1 pads for 1 axes, two for each are allowed"},
		{"Pad", 18, nil, []given{f32(3), longs(-2, -2)}, "Pad-18: pad -2 of axis 0, which has 3 elements"},
		{"Pad", 18, nil, []given{f32(3), longs(1, 1), typed(tensor.Float64)}, "Pad-18: pad (3) of (5) from 1 by [1], with the least false: a constant value double (), one element of type float is allowed"},
		{"Tile", 13, nil, []given{f32(3), longs(1, 1)}, "Tile-13: 2 repeats for data of shape (3)"},
		{"Tile", 13, nil, []given{f32(3), longs(-1)}, fmt.Sprintf("Tile-13: repeats[0] is -1, 0 to %d are allowed", maxWindow)},
		{"OneHot", 11, nil, []given{typed(tensor.Int64, 3), longs(-1), f32(2)}, "OneHot-11: depth is -1, at least 0 is allowed"},
		{"OneHot", 11, nil, []given{typed(tensor.Int64, 3), longs(4), f32(3)}, "OneHot-11: values of shape (3), (2) is allowed"},
	} {
		_, err := use(c.op, c.opset, c.attrs, c.in...)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s %v: got  %v\nwant %s", c.op, c.in, err, c.want)
		}
	}
}

// TestWindowCount counts the elements under random windows one by one.
func TestWindowCount(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 10_000 {
		size, kernel, stride, dilation := 1+rng.Intn(9), 1+rng.Intn(6), 1+rng.Intn(4), 1+rng.Intn(4)
		w := &window{
			sizes: []int{size}, kernel: []int{kernel}, strides: []int{stride}, dilations: []int{dilation},
			begin: []int{rng.Intn(5)}, end: []int{rng.Intn(5)},
		}
		place := rng.Intn(8)
		want := map[bool]int{}
		for k := range kernel {
			at := place*stride - w.begin[0] + k*dilation
			if at >= 0 && at < size {
				want[false]++
			}
			if at >= -w.begin[0] && at < size+w.end[0] {
				want[true]++
			}
		}
		for _, padded := range []bool{false, true} {
			if got := w.count(0, place, padded); got != want[padded] {
				t.Fatalf("%v, place %d, padded %v: %d, want %d", *w, place, padded, got, want[padded])
			}
		}
	}
}

// TestEmptyPool has a window with more places than there is time or memory to count the elements under.
func TestEmptyPool(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("such shapes are too large")
	}
	attrs := attributes{"kernel_shape": []int64{1 << 27}}
	if _, err := use("AveragePool", 18, attrs, given{tensor.Float32, []int{0, 1, 1 << 28}, nil}); err != nil {
		t.Error(err)
	}
}
