package gather_test

import (
	"errors"
	"fmt"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestScalarIndices gives Gather a scalar of each type that Gorgonia has, and a
// scalar tensor of one that it does not have. The dim of the axis is gone then.
func TestScalarIndices(t *testing.T) {
	for _, c := range []struct {
		index any
		row   []float64
	}{
		{int(-1), []float64{5, 6}},
		{int64(-2), []float64{3, 4}},
		{int32(1), []float64{3, 4}},
		{uint8(2), []float64{5, 6}},
		{tensor.New(tensor.FromScalar(int64(0))), []float64{1, 2}},
		{tensor.New(tensor.FromScalar(uint16(2))), []float64{5, 6}},
	} {
		t.Run(fmt.Sprintf("%T", c.index), func(t *testing.T) {
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				build := func(in []*G.Node) (*G.Node, error) { return gather.Gather(in[0], in[1], 0) }
				got, err := gradtest.Backward(m, []gradtest.Input{
					{Value: dense([]float64{1, 2, 3, 4, 5, 6}, 3, 2), Differentiate: true}, {Value: c.index},
				}, build, []float64{7, 8})
				ok(t, err)
				same(t, "shape", got.Shape, []int{2})
				same(t, "values", got.Output, c.row)
				row := int(c.row[0]) / 2 // 1, 3, 5 stand in rows 0, 1, 2
				want := make([]float64, 6)
				want[2*row], want[2*row+1] = 7, 8
				same(t, "gradient", got.Grads[0], want)
			})
		})
	}
	for _, index := range []any{float64(1), float32(1), true} {
		t.Run(fmt.Sprintf("%T is no integer", index), func(t *testing.T) {
			g := G.NewGraph()
			_, err := gather.Gather(input(g, "data", dense([]float64{1, 2}, 2)), input(g, "index", index), 0)
			if !errors.Is(err, gather.ErrDtype) {
				t.Errorf("got %v, want ErrDtype", err)
			}
		})
	}
}

// TestScalarResults has results without dims: from a vector with a scalar
// index, and from a tuple that is as long as data has dims. Their gradients are
// Gorgonia scalars on LispMachine.
func TestScalarResults(t *testing.T) {
	vector, matrix := dense([]float64{1, 2, 3}, 3), dense([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	for _, c := range []struct {
		name     string
		data     *tensor.Dense
		indices  any
		build    gradtest.Builder
		want     float64
		gradient []float64
	}{
		{"Gather", vector, int64(-1), func(in []*G.Node) (*G.Node, error) { return gather.Gather(in[0], in[1], 0) }, 3, []float64{0, 0, 4}},
		{"GatherND, q=1, k=r=1", vector, dense([]int64{1}, 1), func(in []*G.Node) (*G.Node, error) { return gather.GatherND(in[0], in[1]) }, 2, []float64{0, 4, 0}},
		{"GatherND, q=1, k=r=2", matrix, dense([]int64{-1, 0}, 2), func(in []*G.Node) (*G.Node, error) { return gather.GatherND(in[0], in[1]) }, 4, []float64{0, 0, 0, 4, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, single := range []bool{false, true} {
				data := c.data
				if single {
					data = dense(narrow(c.data.Float64s()), c.data.Shape()...)
				}
				onMachines(t, func(t *testing.T, m gradtest.Machine) {
					got, err := gradtest.Backward(m, []gradtest.Input{{Value: data, Differentiate: true}, {Value: c.indices}}, c.build, []float64{4})
					ok(t, err)
					same(t, "shape", got.Shape, []int{})
					same(t, "value", got.Output, []float64{c.want})
					same(t, "gradient", got.Grads[0], c.gradient)
				})
			}
		})
	}
}

// TestScalarsInArithmetic goes on with a scalar result in Gorgonia's own
// arithmetic, which takes Gorgonia's scalars only.
func TestScalarsInArithmetic(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		picked, err := gather.GatherND(in[0], in[1])
		if err != nil {
			return nil, err
		}
		return G.Mul(G.Must(G.Square(picked)), picked)
	}
	got, err := gradtest.Graph([]gradtest.Input{
		{Value: dense([]float64{1.5, 2.5, -0.5, 3}, 2, 2), Differentiate: true}, {Value: dense([]int64{0, -1}, 2)},
	}, build, newRand(5))
	ok(t, err)
	same(t, "value", got.Output, []float64{2.5 * 2.5 * 2.5})
}

// TestGradientOfScalarUpdates differentiates a graph in which the result of a
// scalar gather is used twice, so that its gradient is added to.
func TestGradientOfScalarUpdates(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		first, err := gather.GatherND(in[0], in[1])
		if err != nil {
			return nil, err
		}
		second, err := gather.GatherND(in[0], in[2])
		if err != nil {
			return nil, err
		}
		return G.Add(G.Must(G.Mul(first, second)), first)
	}
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		got, err := gradtest.Backward(m, []gradtest.Input{
			{Value: dense([]float64{2, 3, 5, 7}, 2, 2), Differentiate: true}, {Value: dense([]int64{0, 1}, 2)}, {Value: dense([]int64{1, 0}, 2)},
		}, build, []float64{1})
		ok(t, err)
		same(t, "value", got.Output, []float64{3*5 + 3})
		same(t, "gradient", got.Grads[0], []float64{0, 5 + 1, 3, 0})
	})
}
