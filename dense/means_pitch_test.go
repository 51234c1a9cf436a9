package dense_test

import (
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// TestMeansOfRowsAtAPitch: means of integers of 64 bits whose sums overflow, of rows that lie apart, or share elements, are those
// of a packed table. The numbers that overflow are in the last rows, and what lies between rows is 0.
func TestMeansOfRowsAtAPitch(t *testing.T) {
	const rows, n, bags = 40, 60, 4
	for _, inner := range []int{1, 2, 3, 4, 5, 9} {
		for _, pitch := range []int{inner + 1, 3 * inner, max(1, inner-1)} {
			for _, big := range []int64{1000, 1<<62 + 12345} {
				memory := make([]int64, (rows-1)*pitch+inner)
				at := func(r, c int) *int64 { return &memory[r*pitch+c] }
				for r := range rows {
					for c := range inner {
						if *at(r, c) = int64(r*inner + c); r >= rows-8 {
							*at(r, c) = big - int64(r+c)
						}
					}
				}
				all := make([]int64, 0, rows*inner)
				for r := range rows {
					for c := range inner {
						all = append(all, *at(r, c))
					}
				}
				places := make([]int64, n)
				for p := range places {
					places[p] = int64(rows - 1 - p*p%rows)
				}
				apart := bent(tensor.New(tensor.WithShape(len(memory)), tensor.WithBacking(memory)), []int{rows, inner}, []int{pitch, 1})
				for _, opts := range [][]dense.Option{nil, {dense.WithOutOfRange(dense.ZeroFill)}} {
					opts = append(opts, dense.WithReduction(dense.Mean))
					mean := func(table *tensor.Dense) []int64 {
						got, err := dense.EmbeddingBagPacked(table, values(dims{bags, n / bags}, places...), nil, opts...)
						if err != nil {
							t.Fatal(err)
						}
						return got.Int64s()
					}
					if got, want := mean(apart), mean(values(dims{rows, inner}, all...)); !slices.Equal(got, want) {
						t.Errorf("rows of %d, %d apart, numbers up to %d, %v: %v, want %v", inner, pitch, big, opts, got, want)
					}
				}
			}
		}
	}
}
