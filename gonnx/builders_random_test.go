//go:build cgo

package gathergonnx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/gonnx/internal/ortest"
	"gorgonia.org/gather/gonnx/internal/protos"
	"gorgonia.org/tensor"
)

// drawShape draws dims that mostly differ, now and then one of 0 or 1.
func drawShape(rng *rand.Rand, rank int) []int {
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = []int{0, 1, 1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7, 8, 2, 3, 4, 5, 6}[rng.IntN(21)]
	}
	return shape
}

// shrunk is a shape that can be broadcast to another.
func shrunk(rng *rand.Rand, shape []int) []int {
	small := append([]int{}, shape[rng.IntN(len(shape)+1):]...)
	for i := range small {
		if rng.IntN(3) == 0 {
			small[i] = 1
		}
	}
	return small
}

// draw makes a tensor of numbers from -8 to 8, quarters for floats, now and then
// infinite or NaN.
func draw(rng *rand.Rand, dt tensor.Dtype, shape []int, wild bool) *tensor.Dense {
	values := make([]int, size(shape))
	for i := range values {
		values[i] = rng.IntN(65) - 32
	}
	d := small(dt, values, shape...)
	if dt != tensor.Float32 {
		return d
	}
	for i, x := range elements[float32](d) {
		elements[float32](d)[i] = x / 4
		if wild && rng.IntN(20) == 0 {
			elements[float32](d)[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32}[rng.IntN(4)]
		}
	}
	return d
}

// drawUse draws a node, and the dtype of its first output.
func drawUse(rng *rand.Rand) (u use, dt tensor.Dtype) {
	pick := func(of ...tensor.Dtype) tensor.Dtype { return of[rng.IntN(len(of))] }
	shape := drawShape(rng, rng.IntN(5))
	switch rng.IntN(8) {
	case 0:
		u = use{opType: "Clip", opset: []int{7, 11, 12, 13, 18}[rng.IntN(5)]}
		dt = tensor.Float32
		if u.opset >= 12 {
			dt = pick(tensor.Float32, tensor.Float64, tensor.Int8, tensor.Uint8, tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64)
		}
		if u.opset < 11 {
			low := rng.IntN(8) - 6
			u.attributes = protos.Attributes{"min": float32(low)}
			if rng.IntN(2) == 0 { // ONNX Runtime refuses a max below min here, and takes it from opset 11 on
				u.attributes["max"] = float32(low + rng.IntN(8))
			}
			u.inputs = []tensor.Tensor{draw(rng, dt, shape, true)}
			return u, dt
		}
		u.inputs = []tensor.Tensor{draw(rng, dt, shape, true), draw(rng, dt, nil, false), draw(rng, dt, nil, false)}
		if k := rng.IntN(4); k == 0 {
			u.inputs[1] = nil
		} else if k == 1 {
			u.inputs = u.inputs[:2]
		}
	case 1:
		dt = tensor.Float32
		u = use{opType: "Erf", opset: 9 + rng.IntN(10), inputs: []tensor.Tensor{draw(rng, dt, shape, true)}}
	case 2:
		dt = pick(tensor.Float32, tensor.Float64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Bool, tensor.String)
		to := list(int64sOf(shrunk(rng, shape))...)
		if rng.IntN(2) == 0 {
			to = list(int64sOf(shape)...)
			shape = shrunk(rng, shape)
		}
		u = use{opType: "Expand", opset: 8 + rng.IntN(10), inputs: []tensor.Tensor{draw(rng, dt, shape, true), to}}
	case 3:
		dt = pick(tensor.Float32, tensor.Float64, tensor.Int16, tensor.Int64, tensor.Bool, tensor.String, tensor.Uint8)
		u = use{opType: "Identity", opset: 7 + rng.IntN(14), inputs: []tensor.Tensor{draw(rng, dt, shape, true)}}
	case 4:
		dt = pick(tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64)
		u = use{opType: "ReduceSum", opset: 7 + rng.IntN(12), attributes: protos.Attributes{"keepdims": rng.IntN(2)}}
		u.inputs = []tensor.Tensor{draw(rng, dt, shape, false)}
		var axes []int64
		for i := range shape {
			if rng.IntN(2) == 0 {
				continue
			}
			axes = append(axes, int64(i))
			// Of an empty tensor, ONNX Runtime 1.30 takes no notice of negative axes.
			if u.opset >= 11 && size(shape) > 0 && rng.IntN(2) == 0 {
				axes[len(axes)-1] -= int64(len(shape))
			}
		}
		switch {
		case u.opset < 13 && len(axes) > 0:
			u.attributes["axes"] = axes
		case u.opset >= 13:
			u.attributes["noop_with_empty_axes"] = rng.IntN(2)
			if len(axes) > 0 || rng.IntN(2) == 0 {
				u.inputs = append(u.inputs, of(append([]int64{}, axes...), len(axes)))
			}
		}
	case 5:
		dt = pick(tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.String)
		bools := make([]bool, size(shape))
		for i := range bools {
			bools[i] = rng.IntN(2) == 0
		}
		u = use{opType: "Where", opset: 9 + rng.IntN(10), inputs: []tensor.Tensor{of(bools, shape...), draw(rng, dt, shrunk(rng, shape), true), draw(rng, dt, shrunk(rng, shape), true)}}
	case 7:
		dt = pick(tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64)
		u = use{opType: "MatMul", opset: 9 + rng.IntN(10)}
		k := 1 + rng.IntN(8)
		for i := range shape {
			shape[i] = max(shape[i], 1) // ONNX Runtime refuses some products of nothing
		}
		a, b := []int{k}, []int{k}
		if rng.IntN(5) > 0 {
			a = append(shrunk(rng, shape), 1+rng.IntN(8), k)
		}
		if rng.IntN(5) > 0 {
			b = append(shrunk(rng, shape), k, 1+rng.IntN(8))
		}
		u.inputs = []tensor.Tensor{draw(rng, dt, a, false), draw(rng, dt, b, false)}
	case 6:
		dt = pick(tensor.Float32, tensor.Float64)
		shape = append(shape, 1+rng.IntN(9))
		axis := rng.IntN(len(shape))
		u = use{opType: "LayerNormalization", opset: 17 + rng.IntN(2), outputs: 1 + 2*rng.IntN(2), attributes: protos.Attributes{"axis": axis, "epsilon": float32(0.1)}}
		scale := shape[axis:]
		for i := range scale {
			scale[i] = max(scale[i], 1) // ONNX Runtime normalises no empty slices
		}
		u.inputs = []tensor.Tensor{draw(rng, dt, shape, false), draw(rng, dt, scale, false)}
		if rng.IntN(2) == 0 {
			u.inputs = append(u.inputs, draw(rng, dt, scale, false))
		}
		if dt == tensor.Float64 {
			u.outputs = 1 // ONNX Runtime gives Mean as double there, stash_type says float
		}
	}
	return u, dt
}

func int64sOf(shape []int) []int64 {
	list := make([]int64, len(shape))
	for i, n := range shape {
		list[i] = int64(n)
	}
	return list
}

// model is the use as a model, and its inputs by name.
func (u use) model(dtypes []tensor.Dtype) (*pb.ModelProto, map[string]*tensor.Dense) {
	n := u.node()
	g := &pb.GraphProto{Node: []*pb.NodeProto{n}}
	inputs := map[string]*tensor.Dense{}
	for i, name := range n.Input {
		if name == "" {
			continue
		}
		d := u.inputs[i].(*tensor.Dense)
		g.Input = append(g.Input, protos.Value(name, d.Dtype(), d.Shape()...))
		inputs[name] = d
	}
	for i, name := range n.Output {
		g.Output = append(g.Output, protos.Value(name, dtypes[i]))
		g.Output[i].Type.GetTensorType().Shape = nil
	}
	return protos.Model(u.opset, g), inputs
}

// TestONNXRuntime compares random nodes with what ONNX Runtime makes of them.
func TestBuiltRandom(t *testing.T) {
	r := ortest.Open(t)
	rng := rand.New(rand.NewPCG(17, 1))
	compared := map[string]int{}
	for i := range 4000 {
		u, dt := drawUse(rng)
		what := fmt.Sprintf("case %d: %s opset %d %v %v", i, u.opType, u.opset, u.attributes, describe(u.inputs))
		dtypes := []tensor.Dtype{dt, tensor.Float32, tensor.Float32}[:max(1, u.outputs)]
		m, inputs := u.model(dtypes)
		want, theirs := r.Run(t, m, inputs, dtypes)
		got, err := u.run()
		if theirs != nil && strings.Contains(theirs.Error(), "NOT_IMPLEMENTED") {
			compared["not in ONNX Runtime"]++
			continue
		}
		if theirs != nil {
			compared["an error"]++
			require.Error(t, err, "%s\nONNX Runtime: %v", what, theirs)
			continue
		}
		require.NoError(t, err, what)
		require.Len(t, got, len(want), what)
		for j := range want {
			if y := got[j].(*tensor.Dense); !agree(want[j], y) {
				t.Fatalf("%s\noutput %d\n ours %v %v\n ONNX Runtime %v %v", what, j, y.Shape(), numbersOf(y), want[j].Shape(), numbersOf(want[j]))
			}
		}
		compared[u.opType]++
	}
	t.Log(compared)
	for _, opType := range []string{"Clip", "Erf", "Expand", "Identity", "LayerNormalization", "MatMul", "ReduceSum", "Where"} {
		require.Greater(t, compared[opType], 200, opType)
	}
}

func describe(in []tensor.Tensor) string {
	var b strings.Builder
	for _, t := range in {
		if t == nil {
			b.WriteString(" nil")
			continue
		}
		fmt.Fprintf(&b, " %v%v", t.Dtype(), t.Shape())
	}
	return b.String()
}

// agree compares shapes exactly and floats to five digits.
func agree(want, got *tensor.Dense) bool {
	if fmt.Sprint([]int(want.Shape())) != fmt.Sprint([]int(got.Shape())) || want.Dtype() != got.Dtype() {
		return false
	}
	w, g := numbersOf(want), numbersOf(got)
	for i := range w {
		x, isFloat := w[i].(float64)
		y, _ := g[i].(float64)
		switch {
		case !isFloat && w[i] != g[i]:
			return false
		case isFloat && x != y && !(x != x && y != y) && !(math.Abs(x-y) <= 1e-5*max(1, math.Abs(x))):
			return false
		}
	}
	return true
}
