package kernel

import (
	"math"
	"math/bits"
	"testing"
)

// TestRowNumber compares with a division: at both ends of rows that lie side by side, and
// with blocks so long that the multiplication would be wrong.
func TestRowNumber(t *testing.T) {
	for _, row := range []int{1, 2, 3, 4, 7, 12, 64, 140, 1200, 1204, 65535, 65536, 1<<20 - 35} {
		for _, block := range []int{row, 1000 * row, math.MaxInt32 / row * row, math.MaxInt - 1} {
			n := rowNumberOf(row, block)
			if high, _ := bits.Mul64(uint64(row), uint64(block)); high > 0 && n.inverse != 0 {
				t.Errorf("rows of %d in %d bytes are multiplied", row, block)
			}
			for _, at := range []int{0, 1, row - 1, row, row + 1, block / 3, block / row / 2 * row, block/row/2*row - 1, block - row, block - 1} {
				if at >= 0 && n.of(int64(at)) != at/row {
					t.Errorf("rows of %d in %d bytes: number %d at %d, want %d", row, block, n.of(int64(at)), at, at/row)
				}
			}
		}
	}
}
