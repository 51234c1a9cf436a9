package openvino_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/openvino"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A layer as it stands in an IR file, run on tensors.
func ExampleEval() {
	layers, err := openvino.ReadLayers(strings.NewReader(`
		<layer id="3" name="pick" type="GatherND" version="opset8">
			<data batch_dims="1"/>
		</layer>`))
	if err != nil {
		panic(err)
	}
	data := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6}))
	indices := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]int64{2, 0}))
	out, err := openvino.Eval(layers[0], data, indices)
	if err != nil {
		panic(err)
	}
	fmt.Println(out.Shape(), out.Float32s())
	// Output: (2) [3 4]
}

// Gather-8 fills with zeros where an index is out of range. Gather-1 makes it
// an error.
func ExampleEval_versions() {
	data := tensor.New(tensor.WithShape(3), tensor.WithBacking([]float32{1, 2, 3}))
	indices := tensor.New(tensor.WithShape(3), tensor.WithBacking([]int64{0, 7, -1}))
	axis := 0
	for _, version := range []string{"opset8", "opset7", "opset1"} {
		out, err := openvino.Eval(openvino.Layer{Type: "Gather", Version: version, Axis: &axis}, data, indices)
		if err != nil {
			fmt.Println(version, err)
			continue
		}
		fmt.Println(version, out.Float32s())
	}
	// Output:
	// opset8 [1 0 3]
	// opset7 [1 0 0]
	// opset1 Gather-1: Gather: indices[1]: 7 out of range [0, 3) for data axis 0; see WithOutOfRange
}

// Negative indices in GatherND-8 need a release that has them.
func ExampleLayer_release() {
	data := tensor.New(tensor.WithShape(3), tensor.WithBacking([]float32{1, 2, 3}))
	indices := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]int64{0, -1}))
	l := openvino.Layer{Type: "GatherND", Version: "opset8"}
	_, err := openvino.Eval(l, data, indices)
	fmt.Println(err)

	l.Release = "2025.3"
	out, err := openvino.Eval(l, data, indices)
	fmt.Println(out, err)
	// Output:
	// GatherND-8: a negative index is not allowed before release 2025.3: GatherND: indices[1 0]: -1 out of range [0, 3) for data axis 0; see WithOutOfRange
	// [1  3] <nil>
}

// A layer in a graph that trains. The axis is an input, whose value is known.
func ExampleApply() {
	g := gorgonia.NewGraph()
	data := gorgonia.NewVector(g, tensor.Float64, gorgonia.WithShape(4), gorgonia.WithName("data"),
		gorgonia.WithValue(tensor.New(tensor.WithBacking([]float64{2, 3, 4, 6}))))
	indices := gorgonia.NewVector(g, tensor.Int64, gorgonia.WithShape(3), gorgonia.WithName("indices"),
		gorgonia.WithValue(tensor.New(tensor.WithBacking([]int64{1, -1, 1}))))
	updates := gorgonia.NewVector(g, tensor.Float64, gorgonia.WithShape(3), gorgonia.WithName("updates"),
		gorgonia.WithValue(tensor.New(tensor.WithBacking([]float64{5, 8, 10}))))
	axis := gorgonia.NewConstant(int64(0))

	mean := openvino.Layer{Type: "ScatterElementsUpdate", Version: "opset12", Attributes: map[string]string{"reduction": "mean"}}
	out, err := openvino.Apply(mean, data, indices, updates, axis)
	if err != nil {
		panic(err)
	}
	if _, err := gorgonia.Grad(gorgonia.Must(gorgonia.Sum(out)), data, updates); err != nil {
		panic(err)
	}
	machine := gorgonia.NewTapeMachine(g, gorgonia.BindDualValues(data, updates))
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		panic(err)
	}
	fmt.Println("result", out.Value().(*tensor.Dense).Float64s())
	for _, n := range []*gorgonia.Node{data, updates} {
		gradient, err := n.Grad()
		if err != nil {
			panic(err)
		}
		fmt.Printf("gradient of %s %.2f\n", n.Name(), gradient.(*tensor.Dense).Float64s())
	}
	// Output:
	// result [2 6 4 7]
	// gradient of data [1.00 0.33 1.00 0.50]
	// gradient of updates [0.33 0.50 0.33]
}

// All layers of an IR file, with the output shapes of those that this package
// has. Where the axis is an input, its value stands among the weights.
func ExampleReadLayers() {
	file, err := os.Open("testdata/written.xml")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	layers, err := openvino.ReadLayers(file)
	if err != nil {
		panic(err)
	}
	for _, l := range layers {
		if !strings.HasPrefix(l.Type, "GatherND") {
			continue
		}
		shape, err := l.OutputShape()
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(l.Name, l.Attributes, l.Inputs, shape)
	}
	// Output:
	// GatherND-8: indices (-1, 2) has an open dim at axis 0
	// GatherND-8 map[batch_dims:2] [[3 4 5] [3 4 2 1]] (3, 4, 2)
	// GatherND-5 map[batch_dims:2] [[3 4 5] [3 4 2 1]] (12, 2)
}

// From shapes alone: GatherND-5 multiplies its batch dims into one, GatherND-8
// keeps them.
func ExampleLayer_OutputShape() {
	l := openvino.Layer{
		Type:       "GatherND",
		Attributes: map[string]string{"batch_dims": "2"},
		Inputs:     [][]int{{30, 2, 100, 35}, {30, 2, 3, 1}},
	}
	for _, l.Version = range []string{"opset5", "opset8"} {
		shape, err := l.OutputShape()
		fmt.Println(l.Version, shape, err)
	}
	// Output:
	// opset5 (60, 3, 35) <nil>
	// opset8 (30, 2, 3, 35) <nil>
}

// What a version does not allow names the version that does.
func ExampleVersionError() {
	data := tensor.New(tensor.WithShape(3), tensor.WithBacking([]float32{1, 2, 3}))
	indices := tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{0}))
	l := openvino.Layer{Type: "ScatterNDUpdate", Version: "opset4", Attributes: map[string]string{"reduction": "sum"}}
	_, err := openvino.Eval(l, data, indices, data)
	fmt.Println(err)

	var refused *openvino.VersionError
	if errors.As(err, &refused) {
		fmt.Println("use opset", refused.Since)
	}
	// Output:
	// ScatterNDUpdate-3: attribute "reduction" is not allowed in opset4, it is since opset15
	// use opset 15
}
