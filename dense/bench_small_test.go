package dense_test

import (
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// BenchmarkFourElements gathers and scatters as little as a caller may, into memory that is there.
func BenchmarkFourElements(b *testing.B) {
	data := tensor.New(tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6}))
	idx := tensor.New(tensor.WithBacking([]int64{0, 5, 2, 2}))
	tuples := tensor.New(tensor.WithShape(4, 1), tensor.WithBacking([]int64{0, 5, 2, 2}))
	updates := tensor.New(tensor.WithBacking([]float32{1, 2, 3, 4}))
	dst := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(4))
	for _, bench := range []struct {
		name string
		run  func() error
	}{
		{"Gather", func() error { _, err := dense.Gather(data, idx, 0, dense.WithReuse(dst)); return err }},
		{"GatherElements", func() error { _, err := dense.GatherElements(data, idx, 0, dense.WithReuse(dst)); return err }},
		{"GatherND", func() error { _, err := dense.GatherND(data, tuples, dense.WithReuse(dst)); return err }},
		{"ScatterElements", func() error {
			_, err := dense.ScatterElements(data, idx, updates, 0, dense.WithReuse(data), dense.WithReduction(dense.Add))
			return err
		}},
		{"ScatterND", func() error {
			_, err := dense.ScatterND(data, tuples, updates, dense.WithReuse(data), dense.WithReduction(dense.Add))
			return err
		}},
		{"AddGather", func() error { return dense.AddGather(data, updates, idx, 0) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if err := bench.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
