package builders

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// TestRankZero gives every builder, in every version, scalars among its inputs and
// attributes of any length: what a rank of 0 makes of a rule about axes is an error or a
// value, and no panic. EvalWith makes an error of a panic, and says so.
func TestRankZero(t *testing.T) {
	draws := 100
	switch {
	case turns.Every():
		draws = 300
	case testing.Short():
		draws = 50
	}
	lists := []any{[]int64{}, []int64{-1}, []int64{0}, []int64{1}, []int64{0, 0}, []int64{1, 0}, []int64{1, 1, 1}}
	integers := []any{int64(-1), int64(0), int64(1), int64(2)}
	kinds := map[string][]any{
		"axes": lists, "perm": lists, "shape": lists, "pads": lists, "starts": lists, "ends": lists, "split": lists,
		"kernel_shape": lists, "strides": lists, "dilations": lists, "mode": {"constant", "reflect", "edge", "wrap"},
		"direction": {"forward", "reverse", "bidirectional"}, "auto_pad": {"NOTSET", "SAME_UPPER", "VALID"},
		"alpha": {float32(1)}, "beta": {float32(0)}, "epsilon": {float32(1)}, "value": {float32(0)},
	}
	for _, op := range slices.Sorted(maps.Keys(builders)) {
		t.Run(op, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(len(op))))
			for _, v := range versions[op] {
				for range draws {
					n := onnx.Node{OpType: op, Opset: v.since, Attributes: attributes{}, Outputs: slices.Repeat([]string{"y"}, r.IntN(3))}
					for _, name := range v.attributes {
						values := kinds[name]
						if values == nil {
							values = integers
						}
						if r.IntN(2) == 0 {
							n.Attributes[name] = values[r.IntN(len(values))]
						}
					}
					inputs := make([]tensor.Tensor, v.min+r.IntN(min(max(v.max, v.min), 8)-v.min+1))
					of := v.types[r.IntN(len(v.types))]
					for i := range inputs {
						inputs[i] = small(r, of)
					}
					inputs[r.IntN(len(inputs))] = zeros(of)
					if _, err := onnx.EvalWith(builders[op], n, inputs...); err != nil && strings.Contains(err.Error(), "panicked") {
						t.Fatalf("opset %d, %v, inputs %v: %v", n.Opset, n.Attributes, described(inputs), err)
					}
				}
			}
		})
	}
}

// small is a tensor of rank 0 to 3, or a list of integers.
func small(r *rand.Rand, of tensor.Dtype) tensor.Tensor {
	switch r.IntN(6) {
	case 0:
		return nil
	case 1:
		return zeros(tensor.Int64)
	case 2:
		list := make([]int64, r.IntN(3))
		for i := range list {
			list[i] = int64(r.IntN(4) - 1)
		}
		return tensor.New(tensor.WithShape(len(list)), tensor.WithBacking(list))
	case 3:
		return zeros(tensor.Bool)
	}
	shape := make([]int, r.IntN(4))
	for d := range shape {
		shape[d] = r.IntN(3)
	}
	return zeros(of, shape...)
}

func zeros(of tensor.Dtype, shape ...int) tensor.Tensor { return newTensor(operand{of, shape}) }

func described(inputs []tensor.Tensor) []string {
	list := make([]string, len(inputs))
	for i, in := range inputs {
		if list[i] = "left out"; in != nil {
			list[i] = fmt.Sprint(typeName(in.Dtype()), in.Shape())
		}
	}
	return list
}
