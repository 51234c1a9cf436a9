package gathergonnx_test

import (
	"fmt"

	"github.com/advancedclimatesystems/gonnx"
	pb "github.com/advancedclimatesystems/gonnx/onnx"
	"github.com/advancedclimatesystems/gonnx/ops/opset13"
	gathergonnx "gorgonia.org/gather/gonnx"
	"gorgonia.org/tensor"
)

func ExampleLoadFile() {
	model, err := gathergonnx.LoadFile("../onnx/testdata/embedding.onnx")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("opset", model.Opset(), model.Inputs())
	out, err := model.Run(gonnx.Tensors{
		"words": tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]int64{3, -4})),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out["embedded"].Shape(), out["embedded"].(*tensor.Dense).Float32s())
	// Output:
	// opset 13 [words int64 (sentences, 2)]
	// (1, 2, 3) [4.5 5 5.5 0 0.5 1]
}

// A node of opset 18, whose reduction gonnx's opset 13 does not have.
func ExampleOperators() {
	get := gathergonnx.Operators(opset13.GetOperator, 18)
	op, err := get("ScatterND")
	if err != nil {
		fmt.Println(err)
		return
	}
	err = op.Init(&pb.NodeProto{
		OpType: "ScatterND", Output: []string{"y"},
		Attribute: []*pb.AttributeProto{{Name: "reduction", Type: pb.AttributeProto_STRING, S: []byte("max")}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := op.Apply([]tensor.Tensor{
		tensor.New(tensor.WithShape(3), tensor.WithBacking([]float32{1, 2, 3})),
		tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]int64{0, 2})),
		tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{9, 1})),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out[0])
	// Output: [9  2  3]
}
