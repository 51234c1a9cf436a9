package builders_test

import (
	"fmt"
	"log"
	"os"

	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A classifier that PyTorch exported is read, built and trained for some steps.
func ExampleAll() {
	f, err := os.Open("testdata/torch/classifier.onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	model, err := onnx.ReadModel(f)
	if err != nil {
		log.Fatal(err)
	}
	g := gorgonia.NewGraph()
	built, err := model.Build(g, builders.All())
	if err != nil {
		log.Fatal(err)
	}
	words := tensor.New(tensor.WithShape(3, 5), tensor.WithBacking([]int64{0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 6, 5, 4, 3, 2}))
	if err := built.Let("words", words); err != nil {
		log.Fatal(err)
	}
	// The negative log-likelihood of classes 0, 1 and 2.
	picks := gorgonia.NodeFromAny(g, tensor.New(tensor.WithShape(3, 1), tensor.WithBacking([]int64{0, 1, 2})), gorgonia.WithName("picks"))
	likely, err := onnx.Apply(onnx.Node{OpType: "GatherElements", Opset: 13, Attributes: map[string]any{"axis": 1}}, built.Output("y"), picks)
	if err != nil {
		log.Fatal(err)
	}
	loss := gorgonia.Must(gorgonia.Neg(gorgonia.Must(gorgonia.Mean(likely))))
	weights := built.Trainable()
	if _, err := gorgonia.Grad(loss, weights...); err != nil {
		log.Fatal(err)
	}
	machine := gorgonia.NewTapeMachine(g, gorgonia.BindDualValues(weights...))
	defer machine.Close()
	solver := gorgonia.NewVanillaSolver(gorgonia.WithLearnRate(0.5))
	for range 3 {
		if err := machine.RunAll(); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.3f\n", loss.Value())
		if err := solver.Step(gorgonia.NodesToValueGrads(weights)); err != nil {
			log.Fatal(err)
		}
		machine.Reset()
	}
	// Output:
	// 1.119
	// 1.085
	// 1.065
}

// A function of this package without a model.
func ExampleGemm() {
	g := gorgonia.NewGraph()
	a := gorgonia.NewMatrix(g, tensor.Float64, gorgonia.WithShape(2, 2), gorgonia.WithName("a"),
		gorgonia.WithValue(tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 2, 3, 4}))))
	b := gorgonia.NewVector(g, tensor.Float64, gorgonia.WithShape(2), gorgonia.WithName("b"),
		gorgonia.WithValue(tensor.New(tensor.WithBacking([]float64{10, 20}))))
	out, err := builders.Gemm(onnx.Node{Opset: 13, Attributes: map[string]any{"transB": 1}}, a, a, b)
	if err != nil {
		log.Fatal(err)
	}
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0].Value().(*tensor.Dense).Float64s())
	// Output:
	// [15 31 21 45]
}
