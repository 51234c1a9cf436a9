package dense_test

import (
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

func BenchmarkZZ(b *testing.B) {
	data := tensor.New(tensor.WithShape(34, 800), tensor.WithBacking(make([]float32, 34*800)))
	idx := tensor.New(tensor.WithShape(3), tensor.WithBacking([]int64{3, 1, 2}))
	out := tensor.New(tensor.WithShape(3, 800), tensor.WithBacking(make([]float32, 3*800)))
	small := tensor.New(tensor.WithShape(10), tensor.WithBacking(make([]float32, 10)))
	smallOut := tensor.New(tensor.WithShape(10), tensor.WithBacking(make([]float32, 10)))
	i10 := tensor.New(tensor.WithShape(10), tensor.WithBacking([]int64{3, 1, 2, 4, 5, 6, 7, 8, 9, 0}))
	rows := tensor.New(tensor.WithShape(10, 5), tensor.WithBacking(make([]float32, 50)))
	rowsOut := tensor.New(tensor.WithShape(10, 5), tensor.WithBacking(make([]float32, 50)))
	b.Run("rows3", func(b *testing.B) { for range b.N { dense.Gather(data, idx, 0, dense.WithReuse(out)) } })
	b.Run("ten", func(b *testing.B) { for range b.N { dense.Gather(small, i10, 0, dense.WithReuse(smallOut)) } })
	b.Run("tenrows", func(b *testing.B) { for range b.N { dense.Gather(rows, i10, 0, dense.WithReuse(rowsOut)) } })
	b.Run("tenscatter", func(b *testing.B) { for range b.N { dense.ScatterElements(small, i10, smallOut, 0, dense.WithReuse(small)) } })
	b.Run("tenadd", func(b *testing.B) { for range b.N { dense.AddGather(rows, rowsOut, i10, 0) } })
}
