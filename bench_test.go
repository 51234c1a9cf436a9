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
