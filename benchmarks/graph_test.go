package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// smallScatters have each reduction, with and without the old value.
func smallScatters(mode Mode) []Case {
	var all []Case
	for _, r := range []Reduction{None, Add, Mul, Min, Max, Mean} {
		for _, without := range []bool{false, true} {
			all = append(all,
				Case{Op: "ScatterElements", Data: []int{4, 6}, Indices: []int{4, 6}, Axis: 1, Reduction: r, WithoutOld: without, Mode: mode},
				Case{Op: "ScatterND", Data: []int{7, 3}, Indices: []int{9, 1}, Reduction: r, WithoutOld: without, Mode: mode},
			)
		}
	}
	for i := range all {
		all[i] = all[i].named("small")
	}
	return all
}

// result runs a case once, with its second index set.
func result(t *testing.T, p *Problem) Values {
	r, err := newOurs(Ours, p)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	ours := r.(*inProcess)
	require.NoError(t, ours.run(0))
	require.NoError(t, ours.run(1))
	return ours.result()
}

// The gradients alone and those of a whole step are the same, and those of a
// difference quotient.
func TestBackwardAndStep(t *testing.T) {
	for _, c := range smallScatters(Backward) {
		t.Run(c.Name, func(t *testing.T) {
			alone := problem(t, c)
			got := result(t, alone)
			require.Len(t, got.memory, 4*(size(c.Data)+size(c.updatesShape())))
			step := *alone
			step.Mode = Step
			assert.True(t, agree(result(t, &step), got), "step")
			at := 0
			for _, x := range []*tensor.Dense{alone.data, alone.updates} {
				for i := range x.Float32s() {
					assert.InDelta(t, quotient(t, alone, x.Float32s(), i), got.kind.float(got.memory[4*at:]), 2e-2)
					at++
				}
			}
		})
	}
}

// quotient is how fast the weighted sum of the scatter's result changes with a
// value.
func quotient(t *testing.T, p *Problem, values []float32, i int) float64 {
	const h = 1.0 / 1024
	was := values[i]
	sum := func(value float32) (s float64) {
		values[i] = value
		forward := *p
		forward.Mode = Copy
		out := result(t, &forward)
		for k, w := range p.weights.Float32s() {
			s += float64(w) * out.kind.float(out.memory[4*k:])
		}
		return s
	}
	change := sum(was+h) - sum(was-h)
	values[i] = was
	return change / (2 * h)
}

func TestStepOfGather(t *testing.T) {
	p := problem(t, Case{Name: "small", Op: "Gather", Mode: Step, Data: []int{5, 3}, Indices: []int{8}})
	want := make([]float32, 15)
	for _, x := range p.indices[1].Int64s() {
		for j := range 3 {
			want[3*x+int64(j)] += 2 * p.data.Float32s()[3*x+int64(j)]
		}
	}
	got := tensor.New(tensor.WithShape(5, 3), tensor.WithBacking(want))
	assert.True(t, agree(result(t, p), valuesOf(p.kind(), got)))
}

func TestOurShare(t *testing.T) {
	p := problem(t, smallScatters(Step)[0])
	share, err := ourShare(p)
	require.NoError(t, err)
	assert.Greater(t, share, 0.01)
	assert.Less(t, share, 0.99)
}

func TestStopwatch(t *testing.T) {
	const wait = 20 * time.Millisecond
	w := &stopwatch{ours: map[string]bool{nodeText(0x1f): true}}
	line := func(text string) {
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		time.Sleep(wait)
	}
	line("PC 0\n")
	line("Executing + false. Node is: 1e\n")
	assert.Zero(t, w.spent, "nothing of ours has run")
	line("PC 1\n")
	line("\tExecuting Gather false. Node is: 1f\n")
	line("PC 2\n")
	assert.GreaterOrEqual(t, w.spent, wait)
	assert.Less(t, w.spent, 2*wait, "the next line ends it")
}

func TestIsOurs(t *testing.T) {
	p := problem(t, smallScatters(Step)[0])
	s, err := makeStep(p)
	require.NoError(t, err)
	defer s.machine.Close()
	ours, others := 0, 0
	for _, n := range s.graph.AllNodes() {
		switch {
		case n.Op() == nil:
		case isOurs(n.Op()):
			ours++
		default:
			others++
		}
	}
	assert.Equal(t, 3, ours, "the scatter and its two gradients")
	assert.Positive(t, others)
}

func TestTapeNeedsValues(t *testing.T) {
	g := G.NewGraph()
	var tape tape
	_, err := tape.add(g, G.NewMatrix(g, tensor.Float32, G.WithShape(2, 3), G.WithName("empty")))
	assert.ErrorContains(t, err, "has no value")
}
