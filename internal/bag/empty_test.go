package bag

import (
	"bytes"
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

// TestNoRows: a table without rows has no bytes where the second part of its columns would begin, and so has a
// gradient without bags.
func TestNoRows(t *testing.T) {
	for _, kind := range []num.Kind{num.Float32, num.Float16, num.Int32, num.Uint64} {
		for _, r := range []num.Reduction{num.Add, num.Mean, num.Mul, num.Min, num.Max, num.SqrtN} {
			if r == num.SqrtN && kind.IsInteger() {
				continue
			}
			for _, columns := range []int{1, 600, 50000} {
				for _, bags := range []int{0, 3} {
					d := Description{
						Kind: kind, Reduction: r, Inner: columns, Idx: num.Bytes([]int64{0, -1, 5}), SkipBad: true,
						Borders: Borders{Bags: bags, Offsets: num.Bytes(make([]int64, bags))}, Default: -1,
					}
					out := slices.Repeat([]byte{7}, bags*d.rowBytes())
					if bad := d.Reduce(out); bad >= 0 || len(bytes.Trim(out, "\x00")) > 0 {
						t.Fatalf("%v of kind %d, %d bags of %d columns: index %d is bad, or the result is not zeros", r, kind, bags, columns, bad)
					}
					if r == num.Add || (r == num.Mean || r == num.Max) && !kind.IsInteger() {
						if bad := d.AddGradient(nil, out); bad >= 0 {
							t.Fatalf("gradient of %v of kind %d, %d bags of %d columns: index %d is bad", r, kind, bags, columns, bad)
						}
					}
					d.SkipBad = false
					if bad := d.Reduce(out); bad != 0 {
						t.Fatalf("%v of kind %d, %d bags of %d columns: index %d is bad, not 0", r, kind, bags, columns, bad)
					}
				}
			}
		}
	}
}
