package bag

import (
	"slices"
	"testing"

	"gorgonia.org/gather/internal/num"
)

// TestEmptyLastBag: behind the last index is memory of others, of which not even an address may be made. The
// race detector's checks of pointers see that if the indices fill a size class of Go's allocator.
func TestEmptyLastBag(t *testing.T) {
	for n := 1; n <= 16; n++ {
		for columns := 1; columns <= 4; columns++ {
			for _, r := range []num.Reduction{num.Add, num.Max} {
				table, idx, out := make([]float32, 2*columns), make([]int64, n), make([]float32, 2*columns)
				for i := range table {
					table[i] = 1
				}
				d := Description{
					Kind: num.Float32, Reduction: r, Table: num.Bytes(table), Rows: 2, Inner: columns, Idx: num.Bytes(idx),
					Borders: Borders{Bags: 2, Offsets: num.Bytes([]int64{0, int64(n)})}, Default: -1,
				}
				want := float32(1)
				if r == num.Add {
					want = float32(n)
				}
				if bad := d.Reduce(num.Bytes(out)); bad >= 0 || !slices.Equal(out, append(slices.Repeat([]float32{want}, columns), make([]float32, columns)...)) {
					t.Fatalf("%v of %d rows of %d, and of none: %v, index %d is bad", r, n, columns, out, bad)
				}
			}
		}
	}
}
