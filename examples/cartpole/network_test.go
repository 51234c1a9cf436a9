package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// values is what a tensor of weights holds, to read and to change.
func (w weights) values(i int) []float64 { return w[i].Data().([]float64) }

// reference is Q computed without Gorgonia.
func (w weights) reference(s state) []float64 {
	f := s.features()
	layer := f[:]
	for i := 0; i < len(w); i += 2 {
		next := append([]float64{}, w.values(i+1)...)
		for j := range next {
			for k, v := range layer {
				next[j] += v * w.values(i)[k*len(next)+j]
			}
			if i+2 < len(w) {
				next[j] = math.Tanh(next[j])
			}
		}
		layer = next
	}
	return layer
}

// shake gives the biases values too, which start at 0.
func (w weights) shake(rng *rand.Rand) {
	for i := range w {
		for j := range w.values(i) {
			w.values(i)[j] += 0.3 * rng.NormFloat64()
		}
	}
}

func TestNetwork(t *testing.T) {
	const batch = 5
	rng := rand.New(rand.NewPCG(3, 4))
	w := newWeights(rng, 7)
	w.shake(rng)
	n, err := newNetwork(w, batch, true)
	require.NoError(t, err)
	defer n.machine.Close()

	for run := range 3 { // the second and third with other inputs, and other weights
		w.shake(rng)
		var states []state
		var loss float64
		for row := range batch {
			s := state{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64() / 9, rng.NormFloat64()}
			states = append(states, s)
			n.see(row, s)
			n.actions[row] = int64(rng.IntN(actions))
			n.targets[row] = -rng.Float64()
			miss := w.reference(s)[n.actions[row]] - n.targets[row]
			loss += miss * miss / batch
		}
		require.NoError(t, n.run())
		for row, s := range states {
			want := w.reference(s)
			assert.InDeltaSlice(t, want, n.q.Data().([]float64)[row*actions:(row+1)*actions], 1e-12, "run %d, row %d", run, row)
			assert.InDelta(t, want[n.actions[row]], n.chosen.Data().([]float64)[row], 1e-12, "run %d, row %d", run, row)
			if want[left] > want[right] {
				assert.Equal(t, left, n.best(row))
			} else {
				assert.Equal(t, right, n.best(row))
			}
		}
		assert.InDelta(t, loss, n.loss.Data(), 1e-12)
	}
}

// The gradient of the loss, against (loss(w+h) - loss(w-h)) / 2h for each weight.
func TestGradient(t *testing.T) {
	const batch, h = 3, 1e-5
	rng := rand.New(rand.NewPCG(5, 6))
	w := newWeights(rng, 5)
	w.shake(rng)
	n, err := newNetwork(w, batch, true)
	require.NoError(t, err)
	defer n.machine.Close()
	for row := range batch {
		n.see(row, state{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64() / 9, rng.NormFloat64()})
		n.actions[row], n.targets[row] = []int64{right, left, right}[row], -rng.Float64()
	}
	require.NoError(t, n.run())
	var gradients [][]float64
	for _, node := range n.learnt {
		g, err := node.Grad()
		require.NoError(t, err)
		gradients = append(gradients, append([]float64{}, g.Data().([]float64)...))
	}
	lossAt := func(weight *float64, value float64) float64 {
		old := *weight
		*weight = value
		defer func() { *weight = old }()
		require.NoError(t, n.run())
		return n.loss.Data().(float64)
	}
	for i := range w {
		for j := range w.values(i) {
			weight := &w.values(i)[j]
			slope := (lossAt(weight, *weight+h) - lossAt(weight, *weight-h)) / (2 * h)
			assert.InDelta(t, slope, gradients[i][j], 1e-8, "%v[%d]", n.learnt[i].Name(), j)
		}
	}
}

// An action that was not taken teaches nothing: the weights that only its worth
// depends on get no gradient.
func TestGradientOfTheOtherAction(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	n, err := newNetwork(newWeights(rng, 5), 3, true)
	require.NoError(t, err)
	defer n.machine.Close()
	for row := range 3 {
		n.see(row, start(rng))
		n.actions[row], n.targets[row] = left, -1
	}
	require.NoError(t, n.run())
	for _, node := range n.learnt[len(n.learnt)-2:] {
		g, err := node.Grad()
		require.NoError(t, err)
		for i, v := range g.Data().([]float64) {
			assert.Equal(t, i%actions == right, v == 0, "%v[%d] = %v", node.Name(), i, v)
		}
	}
}
