package nn_test

import (
	"math/rand"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// BenchmarkCrossEntropy is the loss of 3200 words of a vocabulary of 20000 and the gradient of
// its scores, as one operator, and as a chain of operators.
func BenchmarkCrossEntropy(b *testing.B) {
	const examples, vocabulary = 3200, 20000
	rng := rand.New(rand.NewSource(1))
	scores := make([]float32, examples*vocabulary)
	for i := range scores {
		scores[i] = float32(rng.NormFloat64())
	}
	classes := make([]int64, examples)
	for i := range classes {
		classes[i] = rng.Int63n(vocabulary)
	}
	for name, build := range map[string]func(scores, classes *G.Node) *G.Node{
		"fused": func(scores, classes *G.Node) *G.Node { return G.Must(nn.CrossEntropy(scores, classes)) },
		"chain": func(scores, classes *G.Node) *G.Node {
			logs := G.Must(nn.LogSoftmax(scores, 1))
			picked := G.Must(gather.GatherElements(logs, G.Must(nn.Unsqueeze(classes, 1)), 1))
			return G.Must(nn.Neg(G.Must(nn.Mean(picked))))
		},
	} {
		b.Run(name, func(b *testing.B) {
			g := G.NewGraph()
			x := G.NewMatrix(g, tensor.Float32, G.WithShape(examples, vocabulary), G.WithName("scores"),
				G.WithValue(tensor.New(tensor.WithShape(examples, vocabulary), tensor.WithBacking(scores))))
			ids := G.NewVector(g, tensor.Int64, G.WithShape(examples), G.WithName("classes"), G.WithValue(tensor.New(tensor.WithBacking(classes))))
			if _, err := G.Grad(build(x, ids), x); err != nil {
				b.Fatal(err)
			}
			machine := G.NewTapeMachine(g)
			defer machine.Close()
			for b.Loop() {
				if err := machine.RunAll(); err != nil {
					b.Fatal(err)
				}
				machine.Reset()
			}
		})
	}
}
