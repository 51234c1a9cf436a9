package gather_test

import (
	"fmt"
	"sync"
	"testing"

	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// rerunCalls are one call of each operator on a (3, 4) tensor, each with two
// other sets of indices.
var rerunCalls = []struct {
	call call
	next [][]int64
}{
	{call{op: "Gather", axis: 1, indices: oracle.From([]int64{3, 3, 0, -1}, 2, 2)}, [][]int64{{0, 1, 2, 3}, {-4, -4, -4, 2}}},
	{call{op: "GatherElements", axis: 0, indices: oracle.From([]int64{0, 2, -1, 1}, 1, 4)}, [][]int64{{1, 1, 1, 1}, {-3, 2, 0, 0}}},
	{call{op: "GatherND", indices: oracle.From([]int64{0, 3, 0, 3}, 2, 2)}, [][]int64{{2, -1, -3, 0}, {1, 1, 2, 2}}},
}

// TestRerun runs a graph three times, with the indices and data replaced by Let
// in between. A TapeMachine needs Reset for that; of a LispMachine a new one is
// needed for each run.
func TestRerun(t *testing.T) {
	for _, c := range rerunCalls {
		t.Run(c.call.op, func(t *testing.T) {
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				g := G.NewGraph()
				data := input(g, "data", dense(offsets(3, 4).Data, 3, 4))
				indices := input(g, "indices", c.call.indexTensor())
				out, err := c.call.apply(data, indices)
				ok(t, err)
				var read, gradient G.Value
				G.Read(out, &read)
				cost := G.Must(G.Sum(out))

				run := func() error {
					vm := G.NewLispMachine(g)
					defer vm.Close()
					for _, n := range []*G.Node{data, indices} {
						// LispMachine does not set gradients of an earlier run to zero.
						if grad, err := n.Grad(); err == nil {
							grad.(*tensor.Dense).Zero()
						}
					}
					err := vm.RunAll()
					gradient, _ = data.Grad()
					return err
				}
				if m == gradtest.Tape {
					grads, err := G.Grad(cost, data)
					ok(t, err)
					G.Read(grads[0], &gradient)
					vm := G.NewTapeMachine(g)
					defer vm.Close()
					run = func() error {
						defer vm.Reset()
						return vm.RunAll()
					}
				}
				check := func(data oracle.Array[float64], c call) {
					t.Helper()
					want, _ := c.forward(data)
					ones := make([]float64, len(want.Data))
					for i := range ones {
						ones[i] = 1
					}
					same(t, "values", elements[float64](t, read), want.Data)
					same(t, "gradient", elements[float64](t, gradient), c.backward(t, data.Shape, ones))
				}
				ok(t, run())
				check(offsets(3, 4), c.call)
				for i, next := range c.next {
					later := c.call
					later.indices = oracle.From(next, c.call.indices.Shape...)
					values := offsets(3, 4)
					for j := range values.Data {
						values.Data[j] *= float64(10 * (i + 1))
					}
					ok(t, G.Let(indices, later.indexTensor()))
					ok(t, G.Let(data, dense(values.Data, 3, 4)))
					ok(t, run())
					check(values, later)
				}
			})
		})
	}
}

// TestSharedTensors runs several graphs at once, each on its own machine. They
// share data and indices, which nobody writes to.
func TestSharedTensors(t *testing.T) {
	data := dense(offsets(3, 4).Data, 3, 4)
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		var group sync.WaitGroup
		for _, c := range rerunCalls {
			indices := c.call.indexTensor()
			want, _ := c.call.forward(offsets(3, 4))
			u := gradtest.Integers(newRand(9), len(want.Data))
			gradient := c.call.backward(t, []int{3, 4}, u)
			for range 4 {
				group.Add(1)
				go func() {
					defer group.Done()
					got, err := gradtest.Backward(m, []gradtest.Input{{Value: data, Differentiate: true}, {Value: indices}}, c.call.build, u)
					if err != nil {
						t.Errorf("%v: %+v", c.call, err)
						return
					}
					same(t, "values", got.Output, want.Data)
					same(t, "gradient", got.Grads[0], gradient)
				}()
			}
		}
		group.Wait()
	})
}

// TestClonedGraph runs a clone and its original at once. The two share the
// operators, which therefore must hold no state.
func TestClonedGraph(t *testing.T) {
	g := G.NewGraph()
	data := input(g, "data", dense(offsets(3, 4).Data, 3, 4))
	for i, c := range rerunCalls {
		_, err := c.call.apply(data, input(g, fmt.Sprint("indices", i), c.call.indexTensor()))
		ok(t, err)
	}
	clone := g.Clone().(*G.ExprGraph)
	var group sync.WaitGroup
	for _, graph := range []*G.ExprGraph{g, clone} {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := runForward(gradtest.Tape, graph); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
	for i, n := range clone.AllNodes() {
		if n.Op() == nil {
			continue
		}
		same(t, fmt.Sprint("values of ", n), elements[float64](t, n.Value()), elements[float64](t, g.AllNodes()[i].Value()))
	}
}
