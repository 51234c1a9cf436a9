package embedding_test

import (
	"fmt"
	"os"
	"slices"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A program resumes everything: rows, dense layer, what Adam remembers of both, and how
// far it has come.
func ExampleTable_Whole() {
	folder := must(os.MkdirTemp("", "resume"))
	defer os.RemoveAll(folder)
	first := newModel()
	first.train(10)
	check(embedding.Save(folder, first.tables, first.adam))
	first.train(20)

	second := newModel() // in another process, later
	check(embedding.Load(folder, second.tables, second.adam))
	fmt.Println("resumed at step", second.progress[0])
	second.train(20)

	for _, name := range []string{"words", "layer"} {
		a, b := must(first.tables[name].Weights()), must(second.tables[name].Weights())
		fmt.Println(name, "is the same to the bit:", slices.Equal(a.Float32s(), b.Float32s()))
	}
	// Output:
	// resumed at step 10
	// words is the same to the bit: true
	// layer is the same to the bit: true
}

// A model is a table, a dense layer, and all else that changes while they are trained.
type model struct {
	tables   map[string]*embedding.Table
	adam     embedding.Optimizer
	words    *embedding.Lookup
	layer    *embedding.Lookup
	machine  G.VM
	progress []float64 // the steps that were made
}

func newModel() *model {
	words := must(embedding.Make(tensor.Float32, 1000, 8, embedding.Normal(1, 0, 0.1)))
	layer := must(embedding.Make(tensor.Float32, 8, 3, embedding.Normal(2, 0, 0.1)))
	progress := must(embedding.Make(tensor.Float64, 1, 1, embedding.Zeros()))
	g := G.NewGraph()
	m := &model{
		tables:   map[string]*embedding.Table{"words": words, "layer": layer, "progress": progress},
		adam:     must(embedding.NewAdam()),
		words:    must(words.Lookup(g, "words", 16)),
		layer:    must(layer.Whole(g, "layer")),
		progress: must(progress.Weights()).Float64s(),
	}
	loss := G.Must(G.Mean(G.Must(G.Square(G.Must(G.Tanh(G.Must(G.Mul(m.words.Node(), m.layer.Node()))))))))
	must(G.Grad(loss, m.words.Node(), m.layer.Node()))
	m.machine = G.NewTapeMachine(g)
	return m
}

// train makes steps until there are so many.
func (m *model) train(steps float64) {
	for m.progress[0] < steps {
		ids := make([]int64, 16)
		for i := range ids {
			ids[i] = (int64(m.progress[0])*31 + int64(i*i)) % 1000
		}
		check(m.words.Set(tensor.New(tensor.WithBacking(ids))))
		check(m.layer.Set(nil))
		m.machine.Reset()
		check(m.machine.RunAll())
		check(m.adam.Step(m.words, m.layer))
		m.progress[0]++
	}
}
