package builders

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func empty(dt tensor.Dtype, shape ...int) *tensor.Dense { return tensor.NewDense(dt, shape) }

func TestFunctionValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	in := func(list ...*tensor.Dense) []*tensor.Dense { return list }
	checkValues(t, []valueCase{
		{"Max", nil, in(value([]float64{1, nan, 3, inf}, 4), value([]float64{2, 2, nan, -inf}, 4)), []float64{2, nan, nan, inf}},
		{"Max", nil, in(value([]int64{1 << 60, 5}, 2), value([]int64{1<<60 + 1}, 1), value([]int64{7}, 1)), []int64{1<<60 + 1, 1<<60 + 1}},
		{"Min", nil, in(value([]uint8{1, 255}, 2), value([]uint8{7, 7}, 2)), []uint8{1, 7}},
		{"Min", nil, in(value([]int16{-5, 5}, 2)), []int16{-5, 5}},
		{"Clip", nil, in(value([]float64{-inf, 0, nan, 5}, 4), value([]float64{-1}), value([]float64{1})), []float64{-1, 0, nan, 1}},
		{"Clip", nil, in(value([]float32{-3, 0, 3}, 3), value([]float32{1}), value([]float32{-1})), []float32{-1, -1, -1}},
		{"Clip", nil, in(value([]float32{float32(inf), float32(-inf)}, 2)), []float32{math.MaxFloat32, -math.MaxFloat32}},
		{"Clip", nil, in(value([]int8{-128, 3, 127}, 3), value([]int8{-5}, 1)), []int8{-5, 3, 127}},
		{"Mod", nil, in(value([]int64{5, -5, 5, -5, math.MinInt64}, 5), value([]int64{3, 3, -3, -3, -1}, 5)), []int64{2, 1, -1, -2, 0}},
		{"Mod", attributes{"fmod": int64(1)}, in(value([]int32{5, -5, 5, -5}, 4), value([]int32{3, 3, -3, -3}, 4)), []int32{2, -2, 2, -2}},
		{"Mod", nil, in(value([]uint8{250, 3}, 2), value([]uint8{7}, 1)), []uint8{5, 3}},
		{"Mod", attributes{"fmod": int64(1)}, in(value([]float64{5, -5, inf, 5}, 4), value([]float64{3, 3, 3, inf}, 4)), []float64{2, -2, nan, 5}},
		{"Round", nil, in(value([]float64{0.5, 1.5, 2.5, -0.5, -1.5}, 5)), []float64{0, 2, 2, math.Copysign(0, -1), -2}},
		{"Sign", nil, in(value([]float64{-3, 0, nan}, 3)), []float64{-1, 0, nan}},
		{"Softplus", nil, in(value([]float64{-1000, 1000}, 2)), []float64{0, 1000}},
		{"Elu", nil, in(value([]float64{-1000, 1000, nan}, 3)), []float64{-1, 1000, nan}},
		{"Mish", nil, in(value([]float64{-1000, 1000}, 2)), []float64{math.Copysign(0, -1), 1000}},
		{"LeakyRelu", attributes{"alpha": float32(0.5)}, in(value([]float64{-2, 0, nan}, 3)), []float64{-1, 0, nan}},
		{"ReduceMax", nil, in(value([]float64{1, nan, 3, 2}, 2, 2), value([]int64{1}, 1)), []float64{nan, 3}},
		{"ReduceMax", nil, in(value([]int64{1 << 60, 1<<60 + 1}, 2)), []int64{1<<60 + 1}},
		{"ReduceMin", nil, in(value([]int8{-128, 5}, 2)), []int8{-128}},
		{"ReduceMax", nil, in(empty(tensor.Float64, 2, 0), value([]int64{1}, 1)), []float64{-inf, -inf}},
		{"ReduceMin", nil, in(empty(tensor.Int32, 0)), []int32{math.MaxInt32}},
		{"ReduceMax", nil, in(empty(tensor.Uint8, 0)), []uint8{0}},
		{"ReduceProd", nil, in(value([]int64{1 << 60, 3}, 2)), []int64{3 << 60}},
		{"ReduceProd", nil, in(empty(tensor.Float64, 0)), []float64{1}},
		{"ReduceLogSumExp", nil, in(value([]float64{1000, 1000}, 2)), []float64{1000 + math.Ln2}},
		{"ReduceLogSumExp", nil, in(value([]float64{-inf, -inf, inf, 1, nan, 1}, 3, 2), value([]int64{1}, 1)), []float64{-inf, inf, nan}},
		{"PRelu", nil, in(value([]float64{-inf, -2, inf, nan}, 4), value([]float64{0.5}, 1)), []float64{-inf, -1, inf, nan}},
		{"ReduceL2", nil, in(value([]float32{3, 4, 0, 0}, 2, 2), value([]int64{1}, 1)), []float32{5, 0}},
		{"ReduceSumSquare", nil, in(value([]int64{3, 4}, 2)), []int64{25}},
		{"ArgMax", nil, in(value([]float64{1, 5, 5, 2, nan, 7}, 2, 3)), []int64{1, 1, 1}},
		{"ArgMax", attributes{"axis": int64(-1), "keepdims": int64(0)}, in(value([]int64{1 << 60, 1<<60 + 1, 4, 4}, 2, 2)), []int64{1, 0}},
		{"ArgMax", attributes{"select_last_index": int64(1)}, in(value([]int8{4, 1, 4}, 3)), []int64{2}},
		{"ArgMin", attributes{"axis": int64(1), "select_last_index": int64(1)}, in(value([]float32{1, 1, 2, 0, 3, 0}, 2, 3)), []int64{1, 2}},
		{"ArgMin", nil, in(empty(tensor.Float32, 3, 0)), nil},
		{"CumSum", nil, in(value([]int64{1 << 60, 1, 2}, 3), value([]int64{0}, 1)), []int64{1 << 60, 1<<60 + 1, 1<<60 + 3}},
		{"CumSum", nil, in(value([]float32{1e8, 1, 1, 1}, 4), value([]int64{0}, 1)), []float32{1e8, 1e8, 1e8, 1e8 + 3}},
		{"Trilu", nil, in(value([]string{"a", "b", "c", "d"}, 2, 2)), []string{"a", "b", "", "d"}},
		{"Trilu", nil, in(value([]bool{true, true, true, true}, 2, 2), value([]int64{1}, 1)), []bool{false, true, false, false}},
		{"Trilu", nil, in(empty(tensor.Float32, 2, 0, 3)), nil},
		{"LayerNormalization", nil, in(value([]float64{1e9, 1e9 + 1, 1e9 + 2}, 1, 3), value([]float64{1, 1, 1}, 3)), []float64{-1.2247356859083902, 0, 1.2247356859083902}},
		{"LayerNormalization", nil, in(empty(tensor.Float32, 2, 0), empty(tensor.Float32, 0)), nil},
		{"CastLike", nil, in(value([]float64{1.5, -2}, 2), value([]int64{1}, 1)), []int64{1, -2}},
		{"IsNaN", nil, in(value([]float32{1, float32(nan)}, 2)), []bool{false, true}},
		{"IsInf", nil, in(value([]float64{inf, -inf, nan, 1}, 4)), []bool{true, true, false, false}},
		{"IsInf", attributes{"detect_negative": int64(0)}, in(value([]float64{inf, -inf}, 2)), []bool{true, false}},
		{"And", nil, in(value([]bool{true, true, false}, 3), value([]bool{true, false, false}, 3)), []bool{true, false, false}},
		{"Or", nil, in(value([]bool{true, false}, 2, 1), value([]bool{true, false}, 2)), []bool{true, true, true, false}},
		{"Xor", nil, in(value([]bool{true, false}, 2), value([]bool{true}, 1)), []bool{false, true}},
		{"GreaterOrEqual", nil, in(value([]float64{1, 2, nan}, 3), value([]float64{2, 2, 2}, 3)), []bool{false, true, false}},
		{"LessOrEqual", nil, in(value([]uint64{1, math.MaxUint64}, 2), value([]uint64{math.MaxUint64 - 1}, 1)), []bool{true, false}},
	})
}

// TestTies are gradients where a function has a kink, which differences cannot
// tell. They are PyTorch's.
func TestTies(t *testing.T) {
	for _, c := range []struct {
		op    string
		opset int
		attrs attributes
		in    [][]float64
		want  [][]float64 // of a gradient of 1 everywhere
	}{
		{"Max", 13, nil, [][]float64{{1, 2, 3}, {1, 3, 2}}, [][]float64{{0.5, 0, 1}, {0.5, 1, 0}}},
		{"Min", 13, nil, [][]float64{{1, 2, 3}, {1, 3, 2}}, [][]float64{{0.5, 1, 0}, {0.5, 0, 1}}},
		{"ReduceMax", 13, attributes{"axes": []int64{0}}, [][]float64{{1, 2, 2}}, [][]float64{{0, 0.5, 0.5}}},
		{"ReduceL2", 13, nil, [][]float64{{0, 0, 0}}, [][]float64{{0, 0, 0}}},
		{"ReduceProd", 13, nil, [][]float64{{0, 2, 3}}, [][]float64{{6, 0, 0}}},
		{"ReduceProd", 13, nil, [][]float64{{0, 2, 0}}, [][]float64{{0, 0, 0}}},
		{"PRelu", 16, nil, [][]float64{{0, -1, 1}, {0.25}}, [][]float64{{0.25, 0.25, 1}, {-1}}},
		{"Clip", 6, attributes{"min": float32(-1), "max": float32(1)}, [][]float64{{-1, 0, 1}}, [][]float64{{0, 1, 0}}},
		{"Clip", 13, nil, [][]float64{{-1, -3, 0, 1, 2}, {-1}, {1}}, [][]float64{{0, 0, 1, 0, 0}, {2}, {2}}},
		{"Clip", 13, nil, [][]float64{{-1, 3}, {2}, {1}}, [][]float64{{0, 0}, {0}, {2}}},
		{"LeakyRelu", 16, attributes{"alpha": float32(0.5)}, [][]float64{{0}}, [][]float64{{0.5}}},
		{"Elu", 6, attributes{"alpha": float32(2)}, [][]float64{{0}}, [][]float64{{2}}},
		{"HardSwish", 14, nil, [][]float64{{-3, 3}}, [][]float64{{0, 1}}},
		{"HardSigmoid", 6, attributes{"alpha": float32(0.25)}, [][]float64{{-2, 0, 2}}, [][]float64{{0, 0.25, 0}}},
		{"ThresholdedRelu", 10, nil, [][]float64{{1, 1.5}}, [][]float64{{0, 1}}},
		{"Mod", 13, attributes{"fmod": int64(1)}, [][]float64{{-5, 5}, {3, 3}}, [][]float64{{1, 1}, {1, -1}}},
	} {
		for _, machine := range []gradtest.Machine{gradtest.Tape, gradtest.Lisp} {
			t.Run(fmt.Sprint(c.op, c.attrs, c.in, " ", machine), func(t *testing.T) {
				g := G.NewGraph()
				var nodes G.Nodes
				for i, list := range c.in {
					nodes = append(nodes, G.NewVector(g, tensor.Float64, G.WithShape(len(list)), G.WithName(fmt.Sprint(i)), G.WithValue(value(list, len(list)))))
				}
				y, err := builders[c.op](onnx.Node{OpType: c.op, Opset: c.opset, Attributes: c.attrs}, nodes...)
				if err != nil {
					t.Fatal(err)
				}
				run(t, machine, G.Must(G.Sum(y[0])), nodes)
				for i, n := range nodes {
					grad, err := n.Grad()
					if err != nil {
						t.Fatal(err)
					}
					if got := grad.Data(); fmt.Sprint(got) != fmt.Sprint(c.want[i]) {
						t.Errorf("gradient of input %d: %v, want %v", i, got, c.want[i])
					}
				}
			})
		}
	}
}

// TestSequence joins the parts of a sequence again, on both machines, and refuses
// what is no such use of one.
func TestSequence(t *testing.T) {
	at := func(seq, x *G.Node, position int64) (*G.Node, error) {
		out, err := SequenceAt(onnx.Node{Opset: 11}, seq, listNode(x.Graph(), fmt.Sprint("p", position), []int64{position}))
		if err != nil {
			return nil, err
		}
		return out[0], nil
	}
	for name, c := range map[string]struct {
		split []int64
		attrs attributes
		axis  int
		parts int
	}{
		"sizes":          {[]int64{1, 0, 3}, attributes{"axis": int64(-1)}, 1, 3},
		"ones":           {nil, nil, 0, 3},
		"without axis":   {nil, attributes{"axis": int64(1), "keepdims": int64(0)}, 0, 4},
		"sizes, keepdim": {[]int64{2, 1}, attributes{"keepdims": int64(0)}, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			build := func(in []*G.Node) (*G.Node, error) {
				x := in[0]
				seq, err := SplitToSequence(onnx.Node{Opset: 11, Attributes: c.attrs}, x, listNode(x.Graph(), "split", c.split))
				if err != nil {
					return nil, err
				}
				var parts []*G.Node
				for i := range c.parts {
					part, err := at(seq[0], x, int64(i-c.parts))
					if err != nil {
						return nil, err
					}
					parts = append(parts, part)
				}
				if _, err := Add(onnx.Node{Opset: 14}, seq[0], seq[0]); err == nil || !strings.Contains(err.Error(), "is a sequence") {
					t.Errorf("Add of a sequence: %v", err)
				}
				return apply(joining{c.axis}, parts...)
			}
			x := value([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 3, 4)
			got, err := gradtest.Graph([]gradtest.Input{{Value: x, Differentiate: true}}, build, rand.New(rand.NewSource(1)))
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprint(x.Data())
			if name == "without axis" {
				want = "[1 5 9 2 6 10 3 7 11 4 8 12]"
			}
			if fmt.Sprint(got.Output) != want {
				t.Errorf("got %v, want %v", got.Output, want)
			}
		})
	}
	g := G.NewGraph()
	x := f32(5, 2).node(g, "x")
	one := G.NewScalar(g, tensor.Int64, G.WithName("size"), G.WithValue(int64(2)))
	seq, err := SplitToSequence(onnx.Node{Opset: 11}, x, one)
	if err != nil {
		t.Fatal(err)
	}
	last, err := at(seq[0], x, -1)
	if err != nil || last.Shape()[0] != 1 {
		t.Errorf("the last of parts of 2: %v, %v", last, err)
	}
	if _, err := at(seq[0], x, 3); err == nil || !strings.Contains(err.Error(), "position 3 of a sequence of 3 parts") {
		t.Errorf("a position behind the end: %v", err)
	}
	if _, err := at(x, x, 0); err == nil || !strings.Contains(err.Error(), "no sequence that SplitToSequence made") {
		t.Errorf("SequenceAt of a tensor: %v", err)
	}
}

// TestFunctionErrors demands of what is wrong an error that names it.
func TestFunctionErrors(t *testing.T) {
	none := given{}
	for _, c := range []struct {
		op    string
		opset int
		attrs attributes
		in    []given
		want  string // the whole text
	}{
		{"Gelu", 19, nil, []given{f32(2)}, "Gelu: opset 19 is not supported, opsets from 20 on are"},
		{"Gelu", 20, attributes{"approximate": "erf"}, []given{f32(2)}, `Gelu-20: approximate is "erf", none, tanh are allowed`},
		{"Gelu", 20, attributes{"approximate": int64(1)}, []given{f32(2)}, `Gelu-20: attribute "approximate" is a int64, a string is allowed`},
		{"Clip", 13, nil, []given{f32(2), f32(2)}, "Clip-13: Clip, lower true, upper false: a bound of shape (2), a scalar is allowed"},
		{"Clip", 13, nil, []given{f32(2), none, typed(tensor.Float64)}, "Clip-13: Clip, lower false, upper true: input 1 of type double, the first one of type float"},
		{"Clip", 11, nil, []given{typed(tensor.Int64, 2)}, "Clip-11: input 0 of type int64 is not allowed in opset 11, it is since opset 12"},
		{"Clip", 11, attributes{"min": float32(0)}, []given{f32(2)}, `Clip-11: attribute "min" is not allowed in opset 11, it was before opset 11`},
		{"Mod", 13, nil, []given{f32(2), f32(2)}, "Mod-13: fmod is 0, floats need 1 before opset 28"},
		{"And", 13, nil, []given{f32(2), f32(2)}, "And-7: input 0 of type float is not allowed in opset 13, nor in any other"},
		{"ReduceMax", 19, nil, []given{typed(tensor.Bool, 2)}, "ReduceMax-18: input 0 of type bool is not allowed in opset 19, it is since opset 20"},
		{"ReduceL2", 18, nil, []given{typed(tensor.Int64, 2)}, "ReduceL2-18: root of a sum of squares: an input of type int64 is not supported, float and double are"},
		{"ArgMax", 13, nil, []given{f32(0, 2)}, "ArgMax-13: data of shape (0, 2) has no element along axis 0, one is needed"},
		{"ArgMax", 11, attributes{"select_last_index": int64(0)}, []given{f32(2)}, `ArgMax-11: attribute "select_last_index" is not allowed in opset 11, it is since opset 12`},
		{"LayerNormalization", 17, nil, []given{f32(2, 3), f32(2)}, "LayerNormalization-17: input 1 of shape (2) does not broadcast to (2, 3)"},
		{"LayerNormalization", 17, attributes{"stash_type": int64(11)}, []given{f32(2, 3), f32(3)}, "LayerNormalization-17: stash_type is 11, 1 is allowed"},
		{"LayerNormalization", 17, attributes{"axis": int64(2)}, []given{f32(2, 3), f32(3)}, "LayerNormalization-17: axis 2 is not in [-2, 1]"},
		{"InstanceNormalization", 17, nil, []given{f32(2, 3), f32(3), f32(3)}, "InstanceNormalization-6: input of shape (2, 3), ranks of at least 3 are allowed"},
		{"InstanceNormalization", 17, nil, []given{f32(2, 3, 4), f32(4), f32(3)}, "InstanceNormalization-6: input 1 of shape (4), (3) is allowed"},
		{"GroupNormalization", 21, attributes{"num_groups": int64(2)}, []given{f32(2, 3, 4), f32(3), f32(3)}, "GroupNormalization-21: num_groups is 2, X of shape (2, 3, 4) has channels that are no multiple of it"},
		{"GroupNormalization", 21, nil, []given{f32(2, 3, 4), f32(3), f32(3)}, "GroupNormalization-21: num_groups is 0, X of shape (2, 3, 4) has channels that are no multiple of it"},
		{"BatchNormalization", 15, attributes{"training_mode": int64(1)}, []given{f32(2, 3), f32(3), f32(3), f32(3), f32(3)}, "BatchNormalization-15: training_mode is not supported: export the model as it is in eval mode"},
		{"BatchNormalization", 7, attributes{"spatial": int64(0)}, []given{f32(2, 3), f32(3), f32(3), f32(3), f32(3)}, "BatchNormalization-7: spatial is 0, 1 is allowed"},
		{"BatchNormalization", 9, nil, []given{f32(3), f32(3), f32(3), f32(3), f32(3)}, "BatchNormalization-9: X of shape (3), ranks of at least 2 are allowed"},
		{"CumSum", 14, nil, []given{f32(2), longs(0, 1)}, "CumSum-14: axis has 2 elements, one is allowed"},
		{"CumSum", 14, nil, []given{f32(2), typed(tensor.Int64, 1)}, `CumSum-14: axis, x1, must be known when the graph is built: an initializer, a Constant, or what follows from shapes`},
		{"CumSum", 14, nil, []given{f32(2), f32()}, "CumSum-14: axis of type float, int32 and int64 are allowed"},
		{"Trilu", 14, nil, []given{f32(2)}, "Trilu-14: input of shape (2), ranks of at least 2 are allowed"},
		{"CastLike", 15, nil, []given{f32(2), typed(tensor.String, 1)}, "CastLike-15: Cast to string: a conversion of float to string is not supported"},
		{"IsNaN", 13, nil, []given{typed(dense.Float16, 2)}, "IsNaN-13: IsNaN true, IsInf false false: an input of type float16 is not supported, float and double are"},
		{"SplitToSequence", 11, nil, []given{f32(4), longs(1, 2)}, "SplitToSequence-11: split [1 2] sums to 3, the axis has size 4"},
		{"SequenceAt", 11, nil, []given{f32(4), longs(1)}, "SequenceAt-11: input 0 is no sequence that SplitToSequence made, others are not supported"},
	} {
		_, err := use(c.op, c.opset, c.attrs, c.in...)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s %v: got  %v\nwant %s", c.op, c.in, err, c.want)
		}
	}
}
