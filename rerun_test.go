package gather_test

import (
	"fmt"
	"sync"
	"testing"

	"gorgonia.org/gather"
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
					same(t, "values", elements[float64](t, read), want.Data)
					same(t, "gradient", elements[float64](t, gradient), c.backward(t, data.Shape, ones(len(want.Data))))
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

// TestSharedTensors runs several graphs at once, each on its own TapeMachine.
// They share data and indices, which nobody writes to but Gorgonia, when a
// machine is made: so the machines are made first, one after the other.
func TestSharedTensors(t *testing.T) {
	data := dense(offsets(3, 4).Data, 3, 4)
	var machines []func() error
	for _, c := range rerunCalls {
		indices := c.call.indexTensor()
		want, gradient := sumOf(t, c.call)
		for range 4 {
			g := G.NewGraph()
			dataNode := input(g, "data", data)
			out, err := c.call.apply(dataNode, input(g, "indices", indices))
			ok(t, err)
			grads, err := G.Grad(G.Must(G.Sum(out)), dataNode)
			ok(t, err)
			var value, grad G.Value
			G.Read(out, &value)
			G.Read(grads[0], &grad)
			machine := G.NewTapeMachine(g)
			t.Cleanup(func() { machine.Close() })
			machines = append(machines, func() error {
				defer machine.Reset()
				if err := machine.RunAll(); err != nil {
					return err
				}
				same(t, "values", elements[float64](t, value), want)
				same(t, "gradient", elements[float64](t, grad), gradient)
				return nil
			})
		}
	}
	atOnce(t, machines)
}

// TestLispMachinesAtOnce runs graphs at once that share nothing but what is
// global here: LispMachine writes to its inputs while it runs.
func TestLispMachinesAtOnce(t *testing.T) {
	var machines []func() error
	for _, c := range rerunCalls {
		want, gradient := sumOf(t, c.call)
		for range 4 {
			data, indices := dense(offsets(3, 4).Data, 3, 4), c.call.indexTensor()
			machines = append(machines, func() error {
				got, err := gradtest.Backward(gradtest.Lisp, []gradtest.Input{{Value: data, Differentiate: true}, {Value: indices}}, c.call.build, ones(len(want)))
				if err != nil {
					return err
				}
				same(t, "values", got.Output, want)
				same(t, "gradient", got.Grads[0], gradient)
				return nil
			})
		}
	}
	atOnce(t, machines)
}

// sumOf is the result of a call on a (3, 4) tensor, and the gradient of its
// sum.
func sumOf(t *testing.T, c call) (values, gradient []float64) {
	t.Helper()
	want, bad := c.forward(offsets(3, 4))
	if bad != nil {
		t.Fatal(bad)
	}
	return want.Data, c.backward(t, []int{3, 4}, ones(len(want.Data)))
}

// atOnce starts all runs at once, each of them 20 times.
func atOnce(t *testing.T, runs []func() error) {
	t.Helper()
	var group sync.WaitGroup
	start := make(chan struct{})
	for _, run := range runs {
		group.Add(1)
		go func() {
			defer group.Done()
			<-start
			for range 20 {
				if err := run(); err != nil {
					t.Errorf("%+v", err)
					return
				}
			}
		}()
	}
	close(start)
	group.Wait()
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

// TestScatterRerun runs one TapeMachine with other values each time.
func TestScatterRerun(t *testing.T) {
	g := G.NewGraph()
	x, w := dense([]float64{2, 3}, 2), dense([]float64{5, 7}, 2)
	data, updates := input(g, "data", x), input(g, "updates", w)
	indices := input(g, "indices", dense([]int64{0, 0}, 2))
	out, err := gather.ScatterElements(data, indices, updates, 0, gather.WithReduction(gather.Mul))
	ok(t, err)
	grads, err := G.Grad(G.Must(G.Sum(out)), data, updates)
	ok(t, err)
	var values [3]G.Value
	G.Read(out, &values[0])
	G.Read(grads[0], &values[1])
	G.Read(grads[1], &values[2])
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	for _, run := range []struct {
		at   []int64
		want [3][]float64
	}{
		{[]int64{0, 0}, [3][]float64{{70, 3}, {35, 1}, {14, 10}}},
		{[]int64{1, 0}, [3][]float64{{14, 15}, {7, 5}, {3, 2}}},
		{[]int64{-1, 1}, [3][]float64{{2, 105}, {1, 35}, {21, 15}}},
	} {
		ok(t, G.Let(indices, dense(run.at, 2)))
		ok(t, machine.RunAll())
		for i, want := range run.want {
			same(t, fmt.Sprintf("value %d for %v", i, run.at), values[i].Data().([]float64), want)
		}
		machine.Reset()
	}
}
