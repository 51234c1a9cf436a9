package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"

	"gorgonia.org/gather/nn"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// classifier is the model that classifier.py has trained and written.
//
//go:embed classifier.onnx
var classifier []byte

// readClassifier reads the model and opens it for so many names at a time.
func readClassifier(names int) (*onnx.Model, error) {
	m, err := onnx.ReadModel(bytes.NewReader(classifier))
	if err != nil {
		return nil, err
	}
	if err := m.SetInputShape("grams", names, grams); err != nil {
		return nil, err
	}
	return m, m.SetInputShape("mask", names, grams, 1)
}

// A network is the model in a graph, for so many names at a time.
type network struct {
	model *onnx.Model
	graph *gorgonia.ExprGraph
	built *onnx.Graph
	names int
	grams []int64
	mask  []float32
}

func newNetwork(names int) (*network, error) {
	m, err := readClassifier(names)
	if err != nil {
		return nil, err
	}
	n := &network{
		model: m, graph: gorgonia.NewGraph(), names: names,
		grams: make([]int64, names*grams), mask: make([]float32, names*grams),
	}
	if n.built, err = m.Build(n.graph, builders.All()); err != nil {
		return nil, err
	}
	// The inputs share the memory of grams and mask, which let refills.
	if err := n.built.Let("grams", tensor.New(tensor.WithShape(names, grams), tensor.WithBacking(n.grams))); err != nil {
		return nil, err
	}
	return n, n.built.Let("mask", tensor.New(tensor.WithShape(names, grams, 1), tensor.WithBacking(n.mask)))
}

// printWeights prints what is trained, and what is not trained as in PyTorch.
func (n *network) printWeights(w io.Writer) {
	fmt.Fprint(w, "trained:")
	for _, weight := range n.built.Trainable() {
		fmt.Fprintf(w, " %s", weight.Name())
	}
	fmt.Fprintln(w)
	for _, u := range n.built.Untrained() {
		fmt.Fprintf(w, "not trained as in PyTorch: %v\n", u)
	}
}

// let makes names the next batch.
func (n *network) let(names []name) {
	clear(n.mask)
	for i, name := range names {
		list, count := encode(name.text)
		copy(n.grams[i*grams:], list[:])
		for j := range count {
			n.mask[i*grams+j] = 1
		}
	}
}

// share lets the network compute with another one's weights.
func (n *network) share(from *network) error {
	weights, err := from.built.Weights()
	if err != nil {
		return err
	}
	for name, w := range weights {
		if w.Dtype() == tensor.Float32 {
			if err := n.built.Let(name, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// write writes the model with the weights that the network has now.
func (n *network) write(w io.Writer) error {
	weights, err := n.built.Weights()
	if err != nil {
		return err
	}
	return n.model.Write(w, weights)
}

// A judge guesses the languages of names, all at once.
type judge struct {
	*network
	machine gorgonia.VM
	truth   []int
}

func newJudge(names []name) (*judge, error) {
	n, err := newNetwork(len(names))
	if err != nil {
		return nil, err
	}
	n.let(names)
	j := &judge{network: n, machine: gorgonia.NewTapeMachine(n.graph)}
	for _, name := range names {
		j.truth = append(j.truth, name.language)
	}
	return j, nil
}

// guess is a guess for every name, with the weights of another network.
func (j *judge) guess(from *network) ([]int, error) {
	if err := j.share(from); err != nil {
		return nil, err
	}
	j.machine.Reset()
	if err := j.machine.RunAll(); err != nil {
		return nil, err
	}
	scores, err := j.built.Value("scores")
	if err != nil {
		return nil, err
	}
	guesses := make([]int, j.names)
	for i, row := range slices.Collect(slices.Chunk(scores.Float32s(), len(languages))) {
		best := float32(math.Inf(-1))
		for l, score := range row {
			if score > best {
				best, guesses[i] = score, l
			}
		}
	}
	return guesses, nil
}

// loss adds the cross-entropy of the languages in targets, an input node, and says how to
// set them.
func (n *network) loss() (*gorgonia.Node, []int64, error) {
	backing := make([]int64, n.names)
	targets := gorgonia.NodeFromAny(n.graph, tensor.New(tensor.WithShape(n.names), tensor.WithBacking(backing)), gorgonia.WithName("targets"))
	loss, err := nn.CrossEntropy(n.built.Output("scores"), targets)
	return loss, backing, err
}
