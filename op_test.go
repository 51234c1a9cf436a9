package gather_test

import (
	"math/rand"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/turns"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// shape2357 has four different dims, so that no two axes can be mistaken for
// each other.
var shape2357 = []int{2, 3, 5, 7}

// gatherCalls are all legal axes and batch dims of Gather for data of the given
// shape, each for indices of the least rank and of two more.
func gatherCalls(rng *rand.Rand, s []int) []call {
	var calls []call
	extra := [][]int{{}, {4}, {3, 2}}
	for axis := -len(s); axis < len(s); axis++ {
		a := (axis + len(s)) % len(s)
		for b := 0; b <= a; b++ {
			for _, free := range extra {
				shape := append(append([]int{}, s[:b]...), free...)
				c := call{op: "Gather", axis: axis, batchDims: b}
				c.indices = randomIndices(rng, func([]int) int { return s[a] }, shape...)
				calls = append(calls, c)
				if q := len(shape); b < q {
					// Counted from the rank of the indices.
					c.batchDims = b - q
					calls = append(calls, c)
				}
			}
		}
	}
	return calls
}

// elementsCalls are all axes of GatherElements, with indices that are longer
// than data along the axis, shorter, and smaller elsewhere.
func elementsCalls(rng *rand.Rand, s []int) []call {
	var calls []call
	for axis := -len(s); axis < len(s); axis++ {
		a := (axis + len(s)) % len(s)
		for _, n := range []int{s[a] + 2, s[a] - 1} {
			for _, less := range []int{0, 1} {
				shape := append([]int{}, s...)
				for d := range shape {
					shape[d] -= less
				}
				shape[a] = n
				c := call{op: "GatherElements", axis: axis}
				c.indices = randomIndices(rng, func([]int) int { return s[a] }, shape...)
				calls = append(calls, c)
			}
		}
	}
	return calls
}

// ndCalls are all legal batch dims and tuple lengths of GatherND, each for
// indices of the least rank and of two more; from two batch dims on also fused.
func ndCalls(rng *rand.Rand, s []int) []call {
	var calls []call
	extra := [][]int{{}, {4}, {3, 2}}
	for b := range s {
		for k := 1; k <= len(s)-b; k++ {
			for _, free := range extra {
				shape := append(append(append([]int{}, s[:b]...), free...), k)
				c := call{op: "GatherND", batchDims: b}
				c.indices = randomIndices(rng, func(p []int) int { return s[b+p[len(p)-1]] }, shape...)
				calls = append(calls, c)
				if b > 1 {
					c.fused = true
					calls = append(calls, c)
				}
			}
		}
	}
	return calls
}

func allCalls(rng *rand.Rand, s []int) []call {
	return append(append(gatherCalls(rng, s), elementsCalls(rng, s)...), ndCalls(rng, s)...)
}

// TestOracle compares values and gradients with the oracle, exactly: data,
// cotangents and so all sums are integers.
func TestOracle(t *testing.T) {
	rng := newRand(1)
	data := offsets(shape2357...)
	duplicates, negatives := false, false
	for _, c := range allCalls(rng, shape2357) {
		want, bad := c.forward(data)
		if bad != nil {
			t.Fatal(c, bad)
		}
		u := gradtest.Integers(rng, len(want.Data))
		gradient := c.backward(t, data.Shape, u)
		duplicates = duplicates || repeats(c.indices.Data)
		negatives = negatives || least(c.indices.Data) < 0
		for _, value := range []any{dense(data.Data, data.Shape...), dense(narrow(data.Data), data.Shape...)} {
			for _, m := range machines {
				got, err := gradtest.Backward(m, []gradtest.Input{{Value: value, Differentiate: true}, {Value: c.indexTensor()}}, c.build, u)
				if err != nil {
					t.Fatalf("%v on %v: %+v", c, m, err)
				}
				same(t, c.String()+": shape", got.Shape, want.Shape)
				same(t, c.String()+": values on "+m.String(), got.Output, want.Data)
				same(t, c.String()+": gradient on "+m.String(), got.Grads[0], gradient)
			}
		}
	}
	if !duplicates || !negatives {
		t.Errorf("the cases have duplicates: %v, negatives: %v; both are needed", duplicates, negatives)
	}
}

// TestDifferences compares gradients with finite differences, and the machines
// with each other, on a smaller tensor: each difference runs a graph.
func TestDifferences(t *testing.T) {
	rng := newRand(2)
	s := []int{2, 3, 4}
	data := oracle.From(gradtest.Normals(rng, 24), s...)
	for _, c := range allCalls(rng, s) {
		t.Run(c.String(), func(t *testing.T) {
			_, err := gradtest.Graph([]gradtest.Input{{Value: dense(data.Data, s...), Differentiate: true}, {Value: c.indexTensor()}}, c.build, rng)
			ok(t, err)
		})
	}
}

func repeats(values []int64) bool {
	seen := map[int64]bool{}
	for _, v := range values {
		if seen[v] {
			return true
		}
		seen[v] = true
	}
	return false
}

func least(values []int64) int64 {
	m := int64(0)
	for _, v := range values {
		m = min(m, v)
	}
	return m
}

// TestWhereByIndicesIsWrong picks along the middle axis of a (2, 3, 2) tensor,
// where gorgonia.ByIndices reads other elements and gives other gradients (see
// Example_byIndices), and along that of a (2, 3, 5) one, as it does, too.
func TestWhereByIndicesIsWrong(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) { return gather.Gather(in[0], in[1], 1) }
	for _, c := range []struct {
		name             string
		shape            []int
		indices          any
		values, gradient []float64
	}{
		{"(2, 3, 2)", []int{2, 3, 2}, dense([]int{0, 2, 2, 1}, 4),
			[]float64{0, 1, 4, 5, 4, 5, 2, 3, 6, 7, 10, 11, 10, 11, 8, 9},
			[]float64{1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 2, 2}},
		{"(2, 3, 5)", []int{2, 3, 5}, dense([]int{2, 0}, 2),
			[]float64{10, 11, 12, 13, 14, 0, 1, 2, 3, 4, 25, 26, 27, 28, 29, 15, 16, 17, 18, 19},
			[]float64{1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}},
		{"negative indices", []int{2, 3, 2}, dense([]int{-1}, 1),
			[]float64{4, 5, 10, 11}, []float64{0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1}},
		{"no indices", []int{2, 3, 2}, dense([]int(nil), 0), []float64{}, make([]float64, 12)},
		{"a matrix of indices", []int{2, 3, 2}, dense([]int{1, 1}, 2, 1),
			[]float64{2, 3, 2, 3, 8, 9, 8, 9}, []float64{0, 0, 2, 2, 0, 0, 0, 0, 2, 2, 0, 0}},
		{"a scalar index", []int{2, 3, 2}, 2, []float64{4, 5, 10, 11}, []float64{0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				got, err := gradtest.Backward(m, []gradtest.Input{
					{Value: dense(offsets(c.shape...).Data, c.shape...), Differentiate: true}, {Value: c.indices},
				}, build, ones(len(c.values)))
				ok(t, err)
				same(t, "values", got.Output, c.values)
				same(t, "gradient", got.Grads[0], c.gradient)
			})
		})
	}
}

// TestByIndicesPastTheEnd demands an error where gorgonia.ByIndices silently
// reads row 0.
func TestByIndicesPastTheEnd(t *testing.T) {
	g := G.NewGraph()
	_, err := gather.Gather(input(g, "data", dense([]float64{1, 2, 3}, 3)), input(g, "indices", tensor.New(tensor.WithBacking([]int{3}))), 0)
	ok(t, err)
	if bad, found := gather.AsIndexError(runForward(gradtest.Tape, g)); !found || bad.Index != 3 || bad.Size != 3 {
		t.Errorf("got %v, want an IndexError", bad)
	}
}

// TestScatter compares values and gradients on both machines with the oracle,
// on integers from a small range: they tie, some are zero, and no product or sum
// is rounded.
func TestScatter(t *testing.T) {
	eachScatter(t, func(t *testing.T, c scatterCall) {
		rng := newRand(1)
		for number := range 4 {
			if !turns.Case(2, number) {
				continue
			}
			x, w := gradtest.Integers(rng, tensor.ProdInts(c.Data)), gradtest.Integers(rng, tensor.ProdInts(c.Updates))
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
		_, err := gradtest.Graph(c.inputs(dense(gradtest.Normals(rng, tensor.ProdInts(c.Data)), c.Data...), dense(gradtest.Normals(rng, tensor.ProdInts(c.Updates)), c.Updates...)), c.build, rng)
		ok(t, err)
	})
}

// TestScatterFloat32 does the same in the other type in which Grad can start.
func TestScatterFloat32(t *testing.T) {
	eachScatter(t, func(t *testing.T, c scatterCall) {
		rng := newRand(3)
		x, w := gradtest.Integers(rng, tensor.ProdInts(c.Data)), gradtest.Integers(rng, tensor.ProdInts(c.Updates))
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
