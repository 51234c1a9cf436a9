package transformer_test

import (
	"fmt"

	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops/opset13"
	"gorgonia.org/gather/gonnx/transformer"
	"gorgonia.org/tensor"
)

func ExampleOperators() {
	op, err := transformer.Operators(opset13.GetOperator, 17)("LayerNormalization")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := op.Init(&pb.NodeProto{OpType: "LayerNormalization", Output: []string{"y"}}); err != nil {
		fmt.Println(err)
		return
	}
	out, err := op.Apply([]tensor.Tensor{
		tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 3, 20, 40})),
		tensor.New(tensor.WithShape(2), tensor.WithBacking([]float64{1, 10})),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", out[0].(*tensor.Dense).Float64s())
	// Output: [-1.000 10.000 -1.000 10.000]
}
