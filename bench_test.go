package gather_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/race"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// benchmark is a call of an operator on data of a shape. size is that of the
// axis that each position of the indices addresses.
type benchmark struct {
	name          string
	data, indices []int
	size          func(position []int) int
	apply         func(data, indices *G.Node) (*G.Node, error)
}

func along(axis int, data, indices []int, apply func(_, _ *G.Node, _ int, _ ...gather.Option) (*G.Node, error)) benchmark {
	return benchmark{
		fmt.Sprintf("f32/axis=%d/data=%s/indices=%s", axis, times(data), times(indices)), data, indices,
		func([]int) int { return data[axis] },
		func(d, i *G.Node) (*G.Node, error) { return apply(d, i, axis) },
	}
}

func tuples(batchDims int, data, indices []int) benchmark {
	return benchmark{
		fmt.Sprintf("f32/batch_dims=%d/data=%s/indices=%s", batchDims, times(data), times(indices)), data, indices,
		func(p []int) int { return data[batchDims+p[len(p)-1]] },
		func(d, i *G.Node) (*G.Node, error) { return gather.GatherND(d, i, gather.WithBatchDims(batchDims)) },
	}
}

// times writes a shape without spaces and brackets, for the names.
func times(shape []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]")
}

func BenchmarkGather(b *testing.B) {
	run(b,
		along(0, []int{4, 3}, []int{4}, gather.Gather),
		along(0, []int{50000, 64}, []int{4096}, gather.Gather),
		along(0, []int{50000, 384}, []int{4096}, gather.Gather),
		along(1, []int{64, 1024, 16}, []int{256}, gather.Gather),
		along(1, []int{256, 1024}, []int{1024}, gather.Gather),
	)
}

func BenchmarkGatherElements(b *testing.B) {
	run(b,
		along(1, []int{4, 3}, []int{4, 1}, gather.GatherElements),
		along(0, []int{1024, 256}, []int{1024, 256}, gather.GatherElements),
		along(1, []int{256, 1024}, []int{256, 1024}, gather.GatherElements),
	)
}

func BenchmarkGatherND(b *testing.B) {
	run(b,
		tuples(0, []int{4, 3}, []int{4, 2}),
		tuples(0, []int{256, 256, 64}, []int{4096, 2}),
		tuples(1, []int{64, 1024, 16}, []int{64, 256, 1}),
	)
}

// run measures each call through a TapeMachine, alone, into a given value, and its
// gradient into a given value. The bytes are those of the result.
func run(b *testing.B, all ...benchmark) {
	for _, c := range all {
		g := G.NewGraph()
		data := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(c.data...))
		for i := range data.Float32s() {
			data.Float32s()[i] = float32(i)
		}
		drawn := randomIndices(newRand(12), c.size, c.indices...)
		indices := dense(drawn.Data, drawn.Shape...)
		indexNode := input(g, "indices", indices)
		out, err := c.apply(input(g, "data", data), indexNode)
		ok(b, err)
		updates := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(out.Shape()...))
		result := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(out.Shape()...))
		gradient := data.Clone().(*tensor.Dense)
		machine := G.NewTapeMachine(g)
		b.Cleanup(func() { machine.Close() })
		bytes := int64(4 * out.Shape().TotalSize())

		// Of the gradient operator no node is wanted, which the machine would run.
		elsewhere := G.NewGraph()
		added, err := diff.ScatterAdd(out.Op(), input(elsewhere, "updates", updates), input(elsewhere, "indices", indices), c.data)
		ok(b, err)

		measure := func(way string, f func() error) {
			b.Run(c.name+"/"+way, func(b *testing.B) {
				b.SetBytes(bytes)
				b.ReportAllocs()
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		measure("machine", func() error {
			defer machine.Reset()
			return machine.RunAll()
		})
		measureInto := func(way string, op G.Op, into G.Value, inputs ...G.Value) {
			measure(way, func() error {
				_, err := op.(G.UsePreallocDoer).UsePreallocDo(into, inputs...)
				return err
			})
		}
		measure("do", func() error {
			_, err := out.Op().Do(data, indices)
			return err
		})
		measureInto("prealloc", out.Op(), result, data, indices)
		measureInto("gradient", added.Op(), gradient, updates, indices)
	}
}

// BenchmarkScatterElements measures small calls of a scatter and of its gradients,
// alone and into given values, where the way to the loop costs the most.
func BenchmarkScatterElements(b *testing.B) {
	g := G.NewGraph()
	data, updates := dense([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 4, 3), dense([]float64{5, 6, 7, 8}, 4, 1)
	indices := dense([]int64{2, -3, 1, 2}, 4, 1)
	x, i, w := input(g, "data", data), input(g, "indices", indices), input(g, "updates", updates)
	out, err := gather.ScatterElements(x, i, w, 1, gather.WithReduction(gather.Add))
	ok(b, err)
	ofData, err := diff.ScatterGradData(out.Op(), x, x, i, w)
	ok(b, err)
	ofUpdates, err := diff.ScatterGradUpdates(out.Op(), x, x, i, w)
	ok(b, err)
	for _, c := range []struct {
		name   string
		op     G.Op
		into   *tensor.Dense
		inputs []G.Value
	}{
		{"scatter", out.Op(), data, []G.Value{data, indices, updates}},
		{"gradient of data", ofData.Op(), data, []G.Value{data, data, indices, updates}},
		{"gradient of updates", ofUpdates.Op(), updates, []G.Value{data, data, indices, updates}},
	} {
		into := c.into.Clone().(*tensor.Dense)
		for way, f := range map[string]func() (G.Value, error){
			"do":       func() (G.Value, error) { return c.op.Do(c.inputs...) },
			"prealloc": func() (G.Value, error) { return c.op.(G.UsePreallocDoer).UsePreallocDo(into, c.inputs...) },
		} {
			b.Run("f64/axis=1/data=4x3/indices=4x1/"+c.name+"/"+way, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkBuild measures how long it takes to make the nodes of a graph, without a
// machine for it.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("gathers=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g := G.NewGraph()
				x := G.NewVector(g, tensor.Float64, G.WithShape(2), G.WithName("x"))
				swap := G.NewVector(g, tensor.Int64, G.WithShape(2), G.WithName("swap"))
				for range n {
					x = G.Must(gather.Gather(x, swap, 0))
				}
			}
		})
	}
}

// allocCalls have indices of an ordinary dtype, of one that is widened, and
// scalars on both sides.
var allocCalls = []struct {
	name    string
	call    call
	indices G.Value
}{

	{"Gather", call{op: "Gather", axis: 1, indices: oracle.From([]int64{3, 3, 0, -1}, 4)}, dense([]int64{3, 3, 0, -1}, 4)},
	{"Gather, batch dims", call{op: "Gather", axis: 1, batchDims: 1, indices: oracle.From([]int64{3, 3, 0}, 3)}, dense([]int64{3, 3, 0}, 3)},
	{"Gather, scalar index", call{op: "Gather", indices: oracle.From([]int64{2})}, G.NewI64(2)},
	{"GatherElements", call{op: "GatherElements", indices: oracle.From([]int64{0, 2, -1, 1}, 1, 4)}, dense([]int64{0, 2, -1, 1}, 1, 4)},
	{"GatherND", call{op: "GatherND", indices: oracle.From([]int64{0, 3, 2, 3}, 2, 2)}, dense([]int64{0, 3, 2, 3}, 2, 2)},
	{"GatherND, small index dtype", call{op: "GatherND", indices: oracle.From([]int64{0, 3, 2, 3}, 2, 2)}, dense([]int8{0, 3, 2, 3}, 2, 2)},
	{"GatherND, scalar result", call{op: "GatherND", indices: oracle.From([]int64{1, 3}, 2)}, dense([]int64{1, 3}, 2)},
}

// allocated is an operator with the values of its inputs. They are in a slice,
// as a machine keeps them: arguments one by one would be put into a new slice
// for every call of an interface's method.
type allocated struct {
	op     G.Op
	inputs []G.Value
	want   []float64
	shape  []int
}

func newAllocated(t *testing.T, c call, indices G.Value) allocated {
	t.Helper()
	g := G.NewGraph()
	data := dense(offsets(3, 4).Data, 3, 4)
	out, err := c.apply(input(g, "data", data), input(g, "indices", indices))
	ok(t, err)
	want, bad := c.forward(offsets(3, 4))
	if bad != nil {
		t.Fatal(bad)
	}
	return allocated{out.Op(), []G.Value{data, indices}, want.Data, want.Shape}
}

// preallocated is a value that fits a result of the shape, and holds -1.
func preallocated(shape []int) G.Value {
	if len(shape) == 0 {
		return G.NewF64(-1)
	}
	d := tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(shape...))
	for i := range d.Float64s() {
		d.Float64s()[i] = -1
	}
	return d
}

// TestPrealloc runs operators and gradient operators into given values, which
// hold something else before.
func TestPrealloc(t *testing.T) {
	for _, c := range allocCalls {
		t.Run(c.name, func(t *testing.T) {
			a := newAllocated(t, c.call, c.indices)
			op := a.op.(G.UsePreallocDoer)
			into := preallocated(a.shape)
			out, err := op.UsePreallocDo(into, a.inputs...)
			ok(t, err)
			if out != into {
				t.Errorf("the result is %p, not the value given, %p", out, into)
			}
			same(t, "values", elements[float64](t, out), a.want)
			fresh, err := a.op.Do(a.inputs...)
			ok(t, err)
			same(t, "values of Do", elements[float64](t, fresh), a.want)
			noAllocations(t, func() { _, err = op.UsePreallocDo(into, a.inputs...) })
			ok(t, err)
		})
	}
}

// TestPreallocOfGradients does the same with the gradient operators.
func TestPreallocOfGradients(t *testing.T) {
	for _, c := range allocCalls {
		t.Run(c.name, func(t *testing.T) {
			a := newAllocated(t, c.call, c.indices)
			u := gradtest.Integers(newRand(10), len(a.want))
			updates := G.Value(G.NewF64(u[0]))
			if len(a.shape) > 0 {
				updates = dense(u, a.shape...)
			}
			op := scatterAddOf(t, a.op, updates, a.inputs[1], 3, 4).(G.UsePreallocDoer)
			inputs := []G.Value{updates, a.inputs[1]}
			into := preallocated([]int{3, 4})
			out, err := op.UsePreallocDo(into, inputs...)
			ok(t, err)
			same(t, "values", elements[float64](t, out), c.call.backward(t, []int{3, 4}, u))
			noAllocations(t, func() { _, err = op.UsePreallocDo(into, inputs...) })
			ok(t, err)
		})
	}
}

// scatterAddOf is the gradient operator of a gather with data of the shape.
func scatterAddOf(t *testing.T, gathered G.Op, updates, indices G.Value, shape ...int) G.Op {
	t.Helper()
	g := G.NewGraph()
	n, err := diff.ScatterAdd(gathered, input(g, "updates", updates), input(g, "indices", indices), shape)
	ok(t, err)
	return n.Op()
}

func noAllocations(t *testing.T, f func()) {
	t.Helper()
	if race.Enabled {
		return
	}
	if n := testing.AllocsPerRun(100, f); n != 0 {
		t.Errorf("%v allocations a run, none is needed", n)
	}
}

// TestUnfittingPrealloc gives values that cannot hold the result.
func TestUnfittingPrealloc(t *testing.T) {
	c := call{op: "Gather", axis: 1, indices: oracle.From([]int64{3, 0}, 2)}
	gathered := newAllocated(t, c, c.indexTensor())
	updates := dense([]float64{1, 2, 3, 4, 5, 6}, 3, 2)
	added := allocated{
		op:     scatterAddOf(t, gathered.op, updates, gathered.inputs[1], 3, 4),
		inputs: []G.Value{updates, gathered.inputs[1]},
	}

	for _, c := range []struct {
		name string
		a    allocated
		into G.Value
		want error
	}{
		{"shape", gathered, preallocated([]int{2, 3}), gather.ErrShape},
		{"rank", gathered, preallocated([]int{6}), gather.ErrShape},
		{"dtype", gathered, dense(make([]float32, 6), 3, 2), gather.ErrDtype},
		{"scalar", gathered, G.NewF64(0), gather.ErrShape},
		{"nothing", gathered, nil, nil},
		{"a value of another shape: data", gathered, gathered.inputs[0], gather.ErrShape},
		{"gradient, shape", added, preallocated([]int{4, 3}), gather.ErrShape},
		{"gradient, dtype", added, dense(make([]float32, 12), 3, 4), gather.ErrDtype},
		{"gradient, scalar", added, G.NewF64(0), nil},
		{"gradient, nothing", added, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := c.a.op.(G.UsePreallocDoer).UsePreallocDo(c.into, c.a.inputs...)
			if err == nil {
				t.Fatalf("no error, but the result %v", out)
			}
			if c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	t.Run("data itself, of the shape that fits", func(t *testing.T) {
		identity := call{op: "Gather", indices: oracle.From([]int64{2, 1, 0}, 3)}
		a := newAllocated(t, identity, identity.indexTensor())
		if _, err := a.op.(G.UsePreallocDoer).UsePreallocDo(a.inputs[0], a.inputs...); !errors.Is(err, gather.ErrLayout) {
			t.Errorf("got %v, want ErrLayout", err)
		}
		same(t, "data", elements[float64](t, a.inputs[0]), offsets(3, 4).Data)
	})
	t.Run("strings", func(t *testing.T) {
		g := G.NewGraph()
		data, indices := dense([]string{"a", "b"}, 2), dense([]int64{1, 0}, 2)
		n, err := gather.Gather(input(g, "data", data), input(g, "indices", indices), 0)
		ok(t, err)
		into := dense([]string{"", ""}, 2)
		if _, err := n.Op().(G.UsePreallocDoer).UsePreallocDo(into, data, indices); !errors.Is(err, gather.ErrDtype) {
			t.Errorf("got %v, want ErrDtype", err)
		}
	})
}

// TestDoAllocations demands that Do allocates its result and nothing else.
func TestDoAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool forgets under the race detector")
	}
	for _, c := range allocCalls {
		t.Run(c.name, func(t *testing.T) {
			a := newAllocated(t, c.call, c.indices)
			var err error
			do := testing.AllocsPerRun(100, func() { _, err = a.op.Do(a.inputs...) })
			ok(t, err)
			result := testing.AllocsPerRun(100, func() {
				sink = tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(slices.Clone(a.shape)...))
			})
			if len(a.shape) == 0 {
				result++ // the Gorgonia scalar that is made of the tensor
			}
			if do > result {
				t.Errorf("Do allocates %v times, its result alone %v times", do, result)
			}
		})
	}
}

// sink keeps the compiler from leaving a tensor on the stack.
var sink any

// TestScatterPrealloc runs operators into given values.
func TestScatterPrealloc(t *testing.T) {
	eachScatter(t, func(t *testing.T, c scatterCall) {
		x, w := offsets(c.Data...).Data, offsets(c.Updates...).Data
		g := G.NewGraph()
		data, updates := dense(x, c.Data...), G.Value(dense(w, c.Updates...))
		if len(c.Updates) == 0 {
			updates = G.NewF64(w[0])
		}
		out, err := c.apply(input(g, "data", data), input(g, "indices", c.indexTensor()), input(g, "updates", updates))
		ok(t, err)
		op, inputs := out.Op().(G.UsePreallocDoer), []G.Value{data, c.indexTensor(), updates}
		into := preallocated(c.Data)
		got, err := op.UsePreallocDo(into, inputs...)
		ok(t, err)
		if got != into {
			t.Error("the result is not the value given")
		}
		same(t, "values", got.Data().([]float64), c.forward(x, w))
		if c.Rule.Reduction != oracle.Mean && !c.Rule.Skip { // which count, and look for what is left
			noAllocations(t, func() { _, err = op.UsePreallocDo(into, inputs...) })
			ok(t, err)
		}
		for name, into := range map[string]G.Value{
			"data itself": data, "a scalar": G.NewF64(0), "another dtype": dense(make([]float32, len(x)), c.Data...), "another shape": preallocated([]int{1, 1, 1}),
		} {
			if _, err := op.UsePreallocDo(into, inputs...); err == nil {
				t.Errorf("%s is written to", name)
			}
		}
		same(t, "data", data.Data().([]float64), x)
	})
}
