// Command text learns which part of Go's library a sentence of its comments is from, by the
// mean of its words' vectors. docs/model.md explains it; -h lists the flags.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gather/internal/examples/picture"
	"gorgonia.org/gather/internal/examples/sentences"
	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

const batch, columns, patience = 64, 32, 2

func main() { console.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s console.Training
	flags := flag.NewFlagSet("text", flag.ContinueOnError)
	epochs := flags.Int("epochs", 30, "epochs, if the held-out loss falls so long")
	s.Flags(flags, 0.003, "", "weights and order", "the trained tables and the picture")
	return console.Job{Flags: flags, Out: &s.Out,
		About: "Learns which part of Go's library a sentence of its comments is from. Draws the loss.",
		Check: func() error { return console.First(console.Within("epochs", *epochs, 1, 1_000_000), s.Check()) },
		Work:  func() error { return learn(ctx, s, *epochs, stdout) },
	}.Run(args, stdout, stderr)
}

// A model is a graph for n sentences. Several models share their tables.
type model struct {
	words, weight *embedding.Lookup
	classes       *G.Node
	loss, right   G.Value
	machine       G.VM
	adam          embedding.Optimizer // nil: the model does not learn
}

func newModel(words, weight *embedding.Table, n int, adam embedding.Optimizer) *model {
	g, must := G.NewGraph(), G.Must
	m := &model{words: console.Must(words.Bag(g, "words", n, embedding.Mean)), weight: console.Must(weight.Whole(g, "weight")), adam: adam}
	m.classes = G.NewVector(g, tensor.Int64, G.WithShape(n), G.WithName("classes"))
	scores := must(nn.Linear(m.words.Node(), m.weight.Node(), nil)) // (n, columns) to (n, topics)
	loss := must(nn.CrossEntropy(scores, m.classes))
	G.Read(loss, &m.loss)
	G.Read(must(nn.Accuracy(scores, m.classes)), &m.right)
	if adam != nil {
		console.Must(G.Grad(loss, m.words.Node(), m.weight.Node()))
	}
	m.machine = G.NewTapeMachine(g)
	return m
}

// run computes the loss of n sentences and the share that is right, and learns from them.
func (m *model) run(list []sentences.Sentence, ids map[string]int64) (loss, right float64, err error) {
	words, offsets, classes := sentences.Batch(list, ids)
	m.machine.Reset()
	if err = console.First(m.words.SetBags(words, offsets, nil), m.weight.Set(nil), G.Let(m.classes, classes)); err == nil {
		err = m.machine.RunAll()
	}
	if err == nil && m.adam != nil {
		err = m.adam.Step(m.words, m.weight)
	}
	if err != nil {
		return 0, 0, err
	}
	return float64(*m.loss.(*G.F32)), float64(*m.right.(*G.F32)), nil
}

func learn(ctx context.Context, s console.Training, epochs int, stdout io.Writer) error {
	train, held, ids, err := sentences.Library(s.Seed)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d sentences, %d held out, %d words\n", len(train), len(held), len(ids))
	words := console.Must(embedding.Make(tensor.Float32, len(ids)+1, columns, embedding.Normal(s.Seed, 0, 0.1)))
	weight := console.Must(embedding.Make(tensor.Float32, len(sentences.Topics), columns, embedding.Normal(s.Seed+1, 0, 0.1)))
	tables, checkpoint := map[string]*embedding.Table{"words": words, "weight": weight}, filepath.Join(s.Out, "checkpoint")
	adam, rng := console.Must(embedding.NewAdam(embedding.WithLearnRate(s.Rate))), rand.New(rand.NewPCG(s.Seed, 2))
	learner, judge := newModel(words, weight, batch, adam), newModel(words, weight, len(held), nil)
	bar, losses, heldLosses := console.NewProgress(stdout, epochs), []float64{}, []float64{}
	for epoch, best := 0, 0; epoch < epochs && epoch-best <= patience && (epoch == 0 || ctx.Err() == nil); epoch++ {
		rng.Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
		sum, batches := 0.0, len(train)/batch
		for b := range batches {
			loss, _, err := learner.run(train[b*batch:(b+1)*batch], ids)
			if err != nil {
				return err
			}
			sum += loss
		}
		loss, right, err := judge.run(held, ids)
		losses, heldLosses = append(losses, sum/float64(batches)), append(heldLosses, loss)
		if err == nil && loss <= heldLosses[best] { // the best tables so far are kept
			best, err = epoch, embedding.Save(checkpoint, tables, adam)
		}
		if err != nil {
			return err
		}
		bar.Step(fmt.Sprintf("loss %.3f", loss), fmt.Sprintf("%.1f %% right", 100*right))
	}
	bar.Finish()
	if err := embedding.Load(checkpoint, tables, adam); err != nil {
		return err
	}
	small := console.Must(words.Quantize(embedding.Int8)) // for a program that serves
	_, right, err := newModel(small, weight, len(held), nil).run(held, ids)
	fmt.Fprintf(stdout, "%.1f %% of the held-out sentences are right, the words in Int8\n", 100*right)
	return console.First(err, embedding.Save(filepath.Join(s.Out, "int8"), map[string]*embedding.Table{"words": small, "weight": weight}, nil),
		picture.New("Which part of Go's library is this sentence from?", "Lower is better. It stops when the held-out loss falls no more.", "epoch", "cross-entropy").
			Curves(filepath.Join(s.Out, "loss.png"), picture.Curve{Label: "training", Values: losses, Color: picture.Blue}, picture.Curve{Label: "held out", Values: heldLosses, Color: picture.Orange}))
}
