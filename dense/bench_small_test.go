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
	updates := tensor.New(tensor.WithBacking([]float32{1, 2, 3, 4}))
	dst := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(4))
	for name, run := range map[string]func() error{
		"Gather": func() error { _, err := dense.Gather(data, idx, 0, dense.WithReuse(dst)); return err },
		"ScatterElements": func() error {
			_, err := dense.ScatterElements(data, idx, updates, 0, dense.WithReuse(data), dense.WithReduction(dense.Add))
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
