package onnx_test

import (
	"fmt"
	"log"
	"os"

	"github.com/pkg/errors"
	"gorgonia.org/gather"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Gather-11 on plain tensors: opset 12 means version 11, and a negative index
// counts from the end.
func ExampleEval() {
	data := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float32{1, 1.2, 2.3, 3.4, 4.5, 5.7}))
	indices := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]int64{0, 1, 1, -1}))
	out, err := onnx.Eval(onnx.Node{OpType: "Gather", Opset: 12}, data, indices)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Shape())
	fmt.Println(out.Float32s())
	// Output:
	// (2, 2, 2)
	// [1 1.2 2.3 3.4 2.3 3.4 4.5 5.7]
}

// A node becomes part of a graph, with gradients.
func ExampleApply() {
	g := gorgonia.NewGraph()
	data := gorgonia.NewVector(g, tensor.Float64, gorgonia.WithShape(4), gorgonia.WithName("data"))
	indices := gorgonia.NewVector(g, tensor.Int64, gorgonia.WithShape(3), gorgonia.WithName("indices"))
	updates := gorgonia.NewVector(g, tensor.Float64, gorgonia.WithShape(3), gorgonia.WithName("updates"))
	out, err := onnx.Apply(onnx.Node{
		OpType:     "ScatterElements",
		Opset:      18,
		Attributes: map[string]any{"axis": int64(0), "reduction": "max"},
	}, data, indices, updates)
	if err != nil {
		log.Fatal(err)
	}
	grads, err := gorgonia.Grad(gorgonia.Must(gorgonia.Sum(out)), data, updates)
	if err != nil {
		log.Fatal(err)
	}
	for n, v := range map[*gorgonia.Node]any{
		data: []float64{1, 2, 3, 4}, indices: []int64{0, 0, -1}, updates: []float64{5, 7, 2},
	} {
		if err := gorgonia.Let(n, tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(v))); err != nil {
			log.Fatal(err)
		}
	}
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Value().(*tensor.Dense).Float64s(), grads[0].Value().(*tensor.Dense).Float64s(), grads[1].Value().(*tensor.Dense).Float64s())
	// Output:
	// [7 2 3 4] [0 1 1 1] [0 1 0]
}

// The key-value cache of a transformer: each of two sequences gets one new
// position, the second one starts over at the front of its ring.
func ExampleEval_tensorScatter() {
	cache := tensor.New(tensor.WithShape(2, 4, 1), tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6, 7, 8}))
	update := tensor.New(tensor.WithShape(2, 1, 1), tensor.WithBacking([]float32{-1, -2}))
	at := tensor.New(tensor.WithShape(2), tensor.WithBacking([]int64{2, 4}))
	out, err := onnx.Eval(onnx.Node{
		OpType:     "TensorScatter",
		Opset:      24,
		Attributes: map[string]any{"mode": "circular"},
	}, cache, update, at)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Float32s())
	// Output:
	// [1 2 -1 4 -2 6 7 8]
}

// A model file is built into a graph, given its inputs, and run.
func ExampleReadModel() {
	f, err := os.Open("testdata/embedding.onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	model, err := onnx.ReadModel(f)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Inputs())

	// The number of sentences is open in the model and fixed in a graph.
	if err := model.SetInputShape("words", 1, 2); err != nil {
		log.Fatal(err)
	}
	g := gorgonia.NewGraph()
	built, err := model.Build(g)
	if err != nil {
		log.Fatal(err)
	}
	words := tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]int64{3, 0}))
	if err := built.Let("words", words); err != nil {
		log.Fatal(err)
	}
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	embedded, err := built.Value("embedded")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(embedded.Float32s())
	// Output:
	// [words int64 (sentences, 2)]
	// [4.5 5 5.5 0 0.5 1]
}

// A builder of the caller's own, tried on a tensor. The same builder serves a model:
// model.Build(g, onnx.WithOperator("com.example.Square", square)).
func ExampleEvalWith() {
	square := func(n onnx.Node, inputs ...*gorgonia.Node) ([]*gorgonia.Node, error) {
		y, err := gorgonia.Square(inputs[0])
		return []*gorgonia.Node{y}, err
	}
	x := tensor.New(tensor.WithShape(3), tensor.WithBacking([]float32{1, -2, 3}))
	out, err := onnx.EvalWith(square, onnx.Node{OpType: "Square", Domain: "com.example", Opset: 1}, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0].Float32s())
	// Output: [1 4 9]
}

// The model's Gather reads zeros for words that are not in its table. ONNX's own
// Gather makes them an error.
func ExampleWithOperator() {
	zeros := func(n onnx.Node, inputs ...*gorgonia.Node) ([]*gorgonia.Node, error) {
		y, err := gather.Gather(inputs[0], inputs[1], 0, gather.WithOutOfRange(gather.ZeroFill))
		return []*gorgonia.Node{y}, err
	}
	f, err := os.Open("testdata/embedding.onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	model, err := onnx.ReadModel(f)
	if err != nil {
		log.Fatal(err)
	}
	if err := model.SetInputShape("words", 1, 2); err != nil {
		log.Fatal(err)
	}
	g := gorgonia.NewGraph()
	built, err := model.Build(g, onnx.WithOperator("Gather", zeros))
	if err != nil {
		log.Fatal(err)
	}
	words := tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]int64{3, 100}))
	if err := built.Let("words", words); err != nil {
		log.Fatal(err)
	}
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	embedded, err := built.Value("embedded")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(embedded.Float32s())
	// Output: [4.5 5 5.5 0 0 0]
}

// A model with operators of other kinds is refused with all of them.
func ExampleModel_Build() {
	f, err := os.Open("testdata/unsupported.onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	model, err := onnx.ReadModel(f)
	if err != nil {
		log.Fatal(err)
	}
	_, err = model.Build(gorgonia.NewGraph())
	fmt.Println(err)
	// Output:
	// onnx: the model needs 3 operators that are not supported: Conv, Relu, ai.onnx.ml.Binarizer; builders.All() of package onnx/builders, given to Build, has many
}

// The values of a model may take any amount of memory, however small its file is.
// The limit is checked before anything is allocated.
func ExampleWithMaxBytes() {
	f, err := os.Open("testdata/embedding.onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	model, err := onnx.ReadModel(f, onnx.WithMaxBytes(1<<20))
	if err != nil {
		log.Fatal(err)
	}
	if err := model.SetInputShape("words", 50_000, 2); err != nil {
		log.Fatal(err)
	}
	_, err = model.Build(gorgonia.NewGraph())
	fmt.Println(errors.Is(err, onnx.ErrMaxBytes))
	fmt.Println(err)
	// Output:
	// true
	// onnx: node 0 (Gather lookup): float (50000, 2, 3) takes 1200000 bytes, WithMaxBytes allows 1048576, of which 810736 are taken
}

func ExampleReadTensor() {
	f, err := os.Open("testdata/words.pb")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	words, err := onnx.ReadTensor(f)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(words.Dtype(), words.Shape(), words.Int64s())
	// Output:
	// int64 (2, 2) [0 3 -1 2]
}

// The error of a node that is ahead of its opset says which opset it needs.
func ExampleVersionError() {
	data := tensor.New(tensor.WithShape(3), tensor.WithBacking([]float32{1, 2, 3}))
	indices := tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]int64{0}))
	updates := tensor.New(tensor.WithShape(1), tensor.WithBacking([]float32{5}))
	_, err := onnx.Eval(onnx.Node{
		OpType:     "ScatterND",
		Opset:      17,
		Attributes: map[string]any{"reduction": "max"},
	}, data, indices, updates)
	fmt.Println(err)

	var bad *onnx.VersionError
	if errors.As(err, &bad) {
		fmt.Println(bad.Since)
	}
	// Output:
	// ScatterND-16: reduction "max" is not allowed in opset 17, it is since opset 18
	// 18
}
