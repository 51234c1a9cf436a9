package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

const (
	testSymbols = 7
	testSize    = 3
	testBatch   = 5
)

// testNetwork is a small network with its questions filled in. Character 2 is
// looked up many times, character 6 never, and the answers repeat.
func testNetwork(t *testing.T, training bool) (*network, *weights) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 0))
	w := newWeights(rng, testSymbols, testSize)
	for _, bias := range []*tensor.Dense{w.hiddenBias, w.outBias} { // zero would hide a forgotten bias
		for i := range bias.Data().([]float32) {
			bias.Data().([]float32)[i] = float32(rng.NormFloat64())
		}
	}
	for i := range w.outW.Data().([]float32) { // small as it is, nothing much would reach the layers below
		w.outW.Data().([]float32)[i] *= 10
	}
	n, err := newNetwork(w, testBatch, training)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, n.machine.Close()) })
	for i := range n.contexts {
		n.contexts[i] = []int64{2, 5, 2, 0, 4, 3, 2, 1}[i%8]
	}
	copy(n.next, []int64{1, 6, 0, 6, 2})
	return n, w
}

// TestNetworkFollowsTheFormula computes the model in plain loops.
func TestNetworkFollowsTheFormula(t *testing.T) {
	n, w := testNetwork(t, false)
	require.NoError(t, n.run())
	at := func(d *tensor.Dense, row, column int) float64 {
		return float64(d.Data().([]float32)[row*d.Shape()[1]+column])
	}
	for row := range testBatch {
		layer := make([]float64, hidden)
		for h := range layer {
			sum := at(w.hiddenBias, 0, h)
			for place, symbol := range n.contexts[row*window : (row+1)*window] {
				for e := range testSize {
					sum += at(w.embedding, int(symbol), e) * at(w.hiddenW, place*testSize+e, h)
				}
			}
			layer[h] = math.Tanh(sum)
		}
		score := make([]float64, testSymbols)
		var total float64
		for s := range score {
			score[s] = at(w.outBias, 0, s)
			for h := range layer {
				score[s] += layer[h] * at(w.outW, h, s)
			}
			total += math.Exp(score[s])
		}
		want := score[n.next[row]] - math.Log(total)
		assert.InDelta(t, want, n.picked.Data().([]float32)[row], 1e-5, "row %d", row)
		assert.InDelta(t, want, n.logP.Data().([]float32)[row*testSymbols+int(n.next[row])], 1e-5, "row %d", row)
	}
}

// TestGradients compares the gradient of each of some weights with how the loss
// changes when that weight does.
func TestGradients(t *testing.T) {
	n, w := testNetwork(t, true)
	require.NoError(t, n.run())
	loss := func() float64 { // in nats, as the graph has it
		require.NoError(t, n.run())
		return n.bits(testBatch) * math.Ln2
	}
	for i, values := range []*tensor.Dense{w.embedding, w.hiddenW, w.hiddenBias, w.outW, w.outBias} {
		node := n.learnt[i]
		t.Run(node.Name(), func(t *testing.T) {
			// Gradients add up from run to run until a solver's step clears them.
			grad, err := node.Grad()
			require.NoError(t, err)
			grad.(*tensor.Dense).Zero()
			require.NoError(t, n.run())
			gradient := append([]float32{}, grad.Data().([]float32)...)
			weight := values.Data().([]float32)
			require.Len(t, gradient, len(weight))

			var largest float64
			for k := 0; k < len(weight); k += 1 + len(weight)/40 {
				const step = 1e-2 // with float32, smaller steps drown in rounding
				kept := weight[k]
				weight[k] = kept + step
				above := loss()
				weight[k] = kept - step
				below := loss()
				weight[k] = kept
				assert.InDelta(t, (above-below)/(2*step), gradient[k], 3e-4, "weight %d", k)
				largest = max(largest, math.Abs(float64(gradient[k])))
			}
			assert.Greater(t, largest, 0.01, "gradients near zero would pass whatever they are")
		})
	}
}

// TestEmbeddingOfUnusedCharacter: what is not looked up gets no gradient.
func TestEmbeddingOfUnusedCharacter(t *testing.T) {
	n, _ := testNetwork(t, true)
	require.NoError(t, n.run())
	grad, err := n.learnt[0].Grad()
	require.NoError(t, err)
	rows := grad.Data().([]float32)
	assert.Equal(t, make([]float32, testSize), rows[6*testSize:7*testSize])
	assert.NotEqual(t, make([]float32, testSize), rows[2*testSize:3*testSize])
}

// TestSharedWeights: what one network learns, the others know at once.
func TestSharedWeights(t *testing.T) {
	learner, w := testNetwork(t, true)
	judge, err := newNetwork(w, testBatch, false)
	require.NoError(t, err)
	defer judge.machine.Close()
	copy(judge.contexts, learner.contexts)
	copy(judge.next, learner.next)

	require.NoError(t, judge.run())
	before := judge.bits(testBatch)
	solver := G.NewAdamSolver(G.WithLearnRate(0.01))
	for range 20 {
		require.NoError(t, learner.run())
		require.NoError(t, solver.Step(G.NodesToValueGrads(learner.learnt)))
	}
	require.NoError(t, judge.run())
	assert.Less(t, judge.bits(testBatch), before-1, "five questions are soon learnt by heart")
}

func TestMeasureCountsEachExampleOnce(t *testing.T) {
	n, w := testNetwork(t, false)
	names := [][]int{{3, 1, 4, 1, end}, {5, end}, {6, 2, end}} // ten examples: two batches
	whole, err := measure(n, newExamples(names))
	require.NoError(t, err)

	one, err := newNetwork(w, 1, false)
	require.NoError(t, err)
	defer one.machine.Close()
	single, err := measure(one, newExamples(names))
	require.NoError(t, err)
	assert.InDelta(t, single, whole, 1e-6)

	// Seven examples leave three rows of the second batch over.
	whole, err = measure(n, newExamples(names[:2]))
	require.NoError(t, err)
	single, err = measure(one, newExamples(names[:2]))
	require.NoError(t, err)
	assert.InDelta(t, single, whole, 1e-6)
}
