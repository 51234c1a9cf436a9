package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"github.com/pkg/errors"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/examples/console"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// nearPerWord is how many words near each one are drawn, and sharedNegatives how many
// random words a batch has.
const (
	nearPerWord     = 4
	sharedNegatives = 20
)

// model is the two tables, and the graph of a batch. Every word has two vectors: one
// as a word, and one as a neighbour.
type model struct {
	settings
	words, neighbours *embedding.Table
	centre, noise     *embedding.Lookup // a word of the batch, and the random ones
	word, near        *embedding.Lookup // the word again, beside each of the words near it
	optimizer         embedding.Optimizer
	loss              *G.Node
	machine           G.VM

	centreIDs, noiseIDs, wordIDs, nearIDs *tensor.Dense
}

func newModel(s settings, words int) (m *model, err error) {
	m = &model{settings: s}
	half := 0.5 / float64(s.dim)
	if m.words, err = embedding.Make(tensor.Float32, words, s.dim, embedding.Uniform(s.seed, -half, half)); err != nil {
		return nil, err
	}
	if m.neighbours, err = embedding.Make(tensor.Float32, words, s.dim, embedding.Zeros()); err != nil {
		return nil, err
	}
	if m.optimizer, err = embedding.NewAdagrad(embedding.WithLearnRate(s.rate), embedding.WithInitialAccumulator(0.1)); err != nil {
		return nil, err
	}
	g := G.NewGraph()
	if m.centre, err = m.words.Lookup(g, "centre", s.batch); err != nil {
		return nil, err
	}
	if m.word, err = m.words.Lookup(g, "word", s.batch*nearPerWord); err != nil {
		return nil, err
	}
	if m.near, err = m.neighbours.Lookup(g, "near", s.batch*nearPerWord); err != nil {
		return nil, err
	}
	if m.noise, err = m.neighbours.Lookup(g, "noise", sharedNegatives); err != nil {
		return nil, err
	}
	if err := m.build(g); err != nil {
		return nil, errors.Wrap(err, "building the graph")
	}
	ids := func(n int) *tensor.Dense {
		return tensor.New(tensor.WithShape(n), tensor.WithBacking(make([]int64, n)))
	}
	m.centreIDs, m.noiseIDs = ids(s.batch), ids(sharedNegatives)
	m.wordIDs, m.nearIDs = ids(s.batch*nearPerWord), ids(s.batch*nearPerWord)
	return m, nil
}

// build makes the loss of a pair, which is
//
//	softplus(-word·near) + negatives · the mean of softplus(word·noise)
//
// where softplus(x) = log(1 + eˣ), and the sum of it over the batch. The second part
// is the same for all pairs of a word: it is computed once.
func (m *model) build(g *G.ExprGraph) error {
	products, err := G.HadamardProd(m.word.Node(), m.near.Node())
	if err != nil {
		return err
	}
	true1, err := G.Sum(products, 1) // (batch·nearPerWord)
	if err != nil {
		return err
	}
	columns, err := G.Transpose(m.noise.Node())
	if err != nil {
		return err
	}
	random, err := G.Mul(m.centre.Node(), columns) // (batch, sharedNegatives)
	if err != nil {
		return err
	}
	sumOf := func(n *G.Node) (*G.Node, error) {
		n, err := G.Softplus(n)
		if err != nil {
			return nil, err
		}
		return G.Sum(n)
	}
	minus, err := G.Neg(true1)
	if err != nil {
		return err
	}
	first, err := sumOf(minus)
	if err != nil {
		return err
	}
	second, err := sumOf(random)
	if err != nil {
		return err
	}
	share := G.NewConstant(float32(m.negatives) * nearPerWord / sharedNegatives)
	if second, err = G.Mul(second, share); err != nil {
		return err
	}
	if m.loss, err = G.Add(first, second); err != nil {
		return err
	}
	if _, err = G.Grad(m.loss, m.centre.Node(), m.word.Node(), m.near.Node(), m.noise.Node()); err != nil {
		return err
	}
	m.machine = G.NewTapeMachine(g)
	return nil
}

func (m *model) close() { _ = m.machine.Close() } // of a TapeMachine without a GPU it is always nil

// step learns from the words that are in the ids, and returns the mean loss of a pair.
func (m *model) step(c *corpus, rng *rand.Rand) (loss float64, err error) {
	noise := m.noiseIDs.Int64s()
	for i := range noise {
		noise[i] = c.random(rng)
	}
	for i, w := range m.centreIDs.Int64s() {
		for k := range nearPerWord {
			m.wordIDs.Int64s()[i*nearPerWord+k] = w
		}
	}
	for _, set := range []struct {
		lookup *embedding.Lookup
		ids    *tensor.Dense
	}{{m.centre, m.centreIDs}, {m.noise, m.noiseIDs}, {m.word, m.wordIDs}, {m.near, m.nearIDs}} {
		if err := set.lookup.Set(set.ids); err != nil {
			return 0, err
		}
	}
	m.machine.Reset()
	if err := m.machine.RunAll(); err != nil {
		return 0, err
	}
	if err := m.optimizer.Step(m.centre, m.noise, m.word, m.near); err != nil {
		return 0, err
	}
	return float64(m.loss.Value().Data().(float32)) / float64(m.batch*nearPerWord), nil
}

// train goes through the text until the epochs are done, the time is over or ctx
// ends. It takes one step in any case.
func (m *model) train(ctx context.Context, c *corpus, rng *rand.Rand, stdout io.Writer) (seen, pairs int, err error) {
	ctx, stop := context.WithTimeout(ctx, m.time)
	defer stop()
	const ticks = 1000 // of the progress
	all := m.epochs * len(c.text)
	bar, ticked, have, start := console.NewProgress(stdout, ticks), 0, 0, time.Now()
	loss := math.NaN()
	show := func(epoch int, done float64) {
		for ; ticked < int(ticks*done); ticked++ {
			bar.Step(fmt.Sprintf("epoch %d/%d", epoch+1, m.epochs), fmt.Sprintf("loss %.3f", loss))
		}
	}
	for epoch := range m.epochs {
		c.each(rng, m.window, func(word int32, near []int32, read int) bool {
			m.centreIDs.Int64s()[have] = int64(word)
			for k, w := range near {
				m.nearIDs.Int64s()[have*nearPerWord+k] = int64(w)
			}
			if have++; have < m.batch {
				return true
			}
			have, seen, pairs = 0, epoch*len(c.text)+read, pairs+m.batch*nearPerWord
			var now float64
			if now, err = m.step(c, rng); err != nil {
				return false
			}
			if loss = 0.99*loss + 0.01*now; math.IsNaN(loss) {
				loss = now
			}
			if math.IsNaN(now) || math.IsInf(now, 0) {
				err = errors.Errorf("the loss stopped being a number; try a -rate below %g", m.rate)
				return false
			}
			// Whatever ends first, the words or the time, is what the progress is of.
			done := max(float64(seen)/float64(all), time.Since(start).Seconds()/m.time.Seconds())
			show(epoch, min(done, 1))
			return ctx.Err() == nil
		})
		if err != nil || ctx.Err() != nil {
			break
		}
	}
	if pairs == 0 && err == nil {
		err = errors.Errorf("the text has fewer than %d words: try a smaller -batch", m.batch)
	}
	if err == nil {
		if ctx.Err() == nil {
			seen = all // what is left is less than a batch
			show(m.epochs-1, 1)
		}
		bar.Finish()
	}
	return seen, pairs, err
}

// vectors is those of the words, as they are.
func (m *model) vectors() ([]float32, error) {
	weights, err := m.words.Weights()
	if err != nil {
		return nil, err
	}
	return weights.Float32s(), nil
}
