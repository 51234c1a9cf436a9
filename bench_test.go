package gather_test

import (
	"fmt"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
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
