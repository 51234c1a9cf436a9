package gather_test

import (
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
)

// TestScatter compares values and gradients on both machines with the oracle,
// on integers from a small range: they tie, some are zero, and no product or sum
// is rounded.
func TestScatter(t *testing.T) {
	eachScatter(t, func(t *testing.T, c scatterCall) {
		rng := newRand(1)
		for range 4 {
			x, w := gradtest.Integers(rng, product(c.Data)), gradtest.Integers(rng, product(c.Updates))
			for i := range w {
				w[i] = float64(int(w[i]) % 3)
			}
			u := gradtest.Integers(rng, len(x))
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				got, err := gradtest.Backward(m, c.inputs(dense(x, c.Data...), dense(w, c.Updates...)), c.build, u)
				ok(t, err)
				c.check(t, got, u, x, w)
			})
		}
	})
}

// TestScatterDifferences compares the gradients with differences, on values that
// do not tie.
func TestScatterDifferences(t *testing.T) {
	eachScatter(t, func(t *testing.T, c scatterCall) {
		rng := newRand(2)
		_, err := gradtest.Graph(c.inputs(dense(gradtest.Normals(rng, product(c.Data)), c.Data...), dense(gradtest.Normals(rng, product(c.Updates)), c.Updates...)), c.build, rng)
		ok(t, err)
	})
}

// TestScatterFloat32 does the same in the other type in which Grad can start.
func TestScatterFloat32(t *testing.T) {
	eachScatter(t, func(t *testing.T, c scatterCall) {
		rng := newRand(3)
		x, w := gradtest.Integers(rng, product(c.Data)), gradtest.Integers(rng, product(c.Updates))
		for i := range w {
			w[i] = float64(int(w[i]) % 3)
		}
		if c.Rule.Reduction == oracle.Mean { // quotients are rounded
			return
		}
		if c.Rule.Reduction >= oracle.Min { // thirds, too
			copy(x, offsets(c.Data...).Data)
			copy(w, offsets(c.Updates...).Data)
		}
		u := gradtest.Integers(rng, len(x))
		onMachines(t, func(t *testing.T, m gradtest.Machine) {
			got, err := gradtest.Backward(m, c.inputs(dense(narrow(x), c.Data...), dense(narrow(w), c.Updates...)), c.build, u)
			ok(t, err)
			c.check(t, got, u, x, w)
		})
	})
}

// TestScatterOfItself uses one node as data and as updates, and its indices
// twice.
func TestScatterOfItself(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		turned, err := gather.ScatterElements(in[0], in[1], in[0], 0, gather.WithReduction(gather.Mul))
		if err != nil {
			return nil, err
		}
		return gather.ScatterElements(turned, in[1], in[0], 0, gather.WithReduction(gather.Sub))
	}
	rng := newRand(7)
	_, err := gradtest.Graph([]gradtest.Input{
		{Value: dense(gradtest.Normals(rng, 6), 3, 2), Differentiate: true}, {Value: dense([]int32{1, 0, -2, -3, 2, 0}, 3, 2)},
	}, build, rng)
	ok(t, err)
}

// TestScatterGatherBack is the inverse law as a function: what has been written
// to places that differ is read back, and the gradient finds its way.
func TestScatterGatherBack(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		y, err := gather.ScatterElements(in[0], in[2], in[1], 1)
		if err != nil {
			return nil, err
		}
		return gather.GatherElements(y, in[2], 1)
	}
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		w, u := []float64{10, 20, 30, 40}, []float64{1, 2, 3, 4}
		got, err := gradtest.Backward(m, []gradtest.Input{
			{Value: dense(offsets(2, 3).Data, 2, 3), Differentiate: true}, {Value: dense(w, 2, 2), Differentiate: true},
			{Value: dense([]int64{2, 0, -2, -1}, 2, 2)},
		}, build, u)
		ok(t, err)
		same(t, "values", got.Output, w)
		same(t, "gradient of data", got.Grads[0], make([]float64, 6))
		same(t, "gradient of updates", got.Grads[1], u)
	})
}

// TestScatterIntoConstant sums into zeros that are a constant, which has no
// gradient to be asked for, but may be given one on the way.
func TestScatterIntoConstant(t *testing.T) {
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		got, err := gradtest.Backward(m, []gradtest.Input{
			{Value: dense([]float64{1, 2, 3, 4}, 2, 2), Differentiate: true}, {Value: dense([]int64{2, 2}, 2, 1)},
		}, func(in []*G.Node) (*G.Node, error) {
			zeros := in[0].Graph().AddNode(G.NewConstant(dense(make([]float64, 6), 3, 2), G.WithName("zeros")))
			return gather.ScatterND(zeros, in[1], in[0], gather.WithReduction(gather.Add))
		}, []float64{1, 2, 3, 4, 5, 6})
		ok(t, err)
		same(t, "values", got.Output, []float64{0, 0, 0, 0, 4, 6})
		same(t, "gradient", got.Grads[0], []float64{5, 6, 5, 6})
	})
}

// TestScatterOfIndices makes the indices of a gather by a scatter of integers,
// which has no gradient and must let the gather have its own.
func TestScatterOfIndices(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		at, err := gather.ScatterElements(in[1], in[2], in[3], 0, gather.WithReduction(gather.Add))
		if err != nil {
			return nil, err
		}
		return gather.Gather(in[0], at, 0)
	}
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		got, err := gradtest.Backward(m, []gradtest.Input{
			{Value: dense([]float64{10, 20, 30}, 3), Differentiate: true},
			{Value: dense([]int64{0, 1, 1, -1}, 4)}, {Value: dense([]int64{3, 0, 3}, 3)}, {Value: dense([]int64{1, 2, 1}, 3)},
		}, build, []float64{1, 2, 3, 4})
		ok(t, err)
		same(t, "values", got.Output, []float64{30, 20, 20, 20})
		same(t, "gradient", got.Grads[0], []float64{0, 9, 1})
	})
}
