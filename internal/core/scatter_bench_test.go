package core_test

import (
	"fmt"
	"math/rand"
	"testing"

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// BenchmarkScatter runs a scatter with the old value and each of its gradients, to
// given memory.
func BenchmarkScatter(b *testing.B) {
	rng := rand.New(rand.NewSource(1))
	floats := func(shape ...int) *tensor.Dense {
		v := make([]float32, tensor.ProdInts(shape))
		for i := range v {
			v[i] = rng.Float32() + .5
		}
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
	}
	for _, bench := range []struct {
		name          string
		op            plan.Op
		axis          int
		data, indices []int
		updates       []int
	}{
		{"last axis", plan.ScatterElements, 1, []int{1024, 1024}, []int{1024, 1024}, []int{1024, 1024}},
		{"axis 0", plan.ScatterElements, 0, []int{1024, 1024}, []int{1024, 1024}, []int{1024, 1024}},
		{"short lines", plan.ScatterElements, 1, []int{100000, 4}, []int{100000, 1}, []int{100000, 1}},
		{"rows", plan.ScatterND, 0, []int{50000, 128}, []int{4096, 1}, []int{4096, 128}},
		{"elements", plan.ScatterND, 0, []int{256, 256, 64}, []int{262144, 3}, []int{262144}},
	} {
		data, updates, grad := floats(bench.data...), floats(bench.updates...), floats(bench.data...)
		at := make([]int64, tensor.ProdInts(bench.indices))
		for i := range at {
			axis := bench.axis
			if bench.op == plan.ScatterND {
				axis = i % bench.indices[len(bench.indices)-1]
			}
			at[i] = rng.Int63n(int64(bench.data[axis]))
		}
		indices := tensor.New(tensor.WithShape(bench.indices...), tensor.WithBacking(at))
		likeData, likeUpdates := floats(bench.data...), floats(bench.updates...)
		for r := num.None; r <= num.Mean; r++ {
			p := plan.Params{Op: bench.op, Axis: bench.axis}
			p.Reduction = r
			for _, run := range []struct {
				name string
				call func() (*tensor.Dense, error)
			}{
				{"forward", func() (*tensor.Dense, error) { return core.Scatter(&p, likeData, data, indices, updates) }},
				{"data", func() (*tensor.Dense, error) {
					return core.VJPData.Apply(p, likeData, grad, data, indices, updates)
				}},
				{"updates", func() (*tensor.Dense, error) {
					return core.VJPUpdates.Apply(p, likeUpdates, grad, data, indices, updates)
				}},
			} {
				b.Run(fmt.Sprintf("%s/%v/%s", bench.name, r, run.name), func(b *testing.B) {
					for b.Loop() {
						if _, err := run.call(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
