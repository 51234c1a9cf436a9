package simd_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestCheckedSums compares sums with those of package big, of numbers whose sums are in range, and the magnitude with the
// bits of the numbers that bags have, of which some rows are in none.
func TestCheckedSums(t *testing.T) {
	for _, kind := range []num.Kind{num.Int64, num.Uint64} {
		for columns := 1; columns < 32; columns++ {
			for _, narrow := range []bool{true, false} {
				for _, bad := range []bool{true, false} {
					checkedSums(t, rand.New(rand.NewPCG(51, uint64(columns))), kind, columns, narrow, bad)
				}
			}
		}
	}
}

func checkedSums(t *testing.T, rng *rand.Rand, kind num.Kind, columns int, narrow, bad bool) {
	t.Helper()
	const rows, bags, bias, empty = 13, 40, 1 << 52, 77
	table := make([]int64, rows*columns)
	for i := range table {
		if table[i] = rng.Int64N(bias) >> rng.IntN(52); kind == num.Int64 && i%2 == 1 {
			table[i] = -table[i]
		}
	}
	var ends, idx []int64
	want, magnitude := make([]int64, bags*columns), uint64(0)
	for b := range bags {
		n := rng.IntN(4) * rng.IntN(9)
		for range n {
			idx = append(idx, rng.Int64N(2*rows-2)-rows)
		}
		ends = append(ends, int64(len(idx)))
		for c := range columns {
			sum := new(big.Int)
			for _, j := range idx[len(idx)-n:] {
				x := table[int(j+rows)%rows*columns+c]
				sum.Add(sum, big.NewInt(x))
				magnitude |= uint64(x) + bias
			}
			if want[b*columns+c] = empty; n > 0 {
				want[b*columns+c] = sum.Int64()
			}
		}
	}
	wrong := -1
	if bad {
		wrong = rng.IntN(len(idx))
		idx[wrong] = []int64{rows, -rows - 1}[rng.IntN(2)]
	}
	data, out := memtest.Copy(table, rng), memtest.Copy(make([]int64, len(want)), rng)
	bits := new(uint64)
	b := simd.ShortBags{
		Data: num.Pointer(data.Mem), Idx: num.Pointer(packedIndices(idx, narrow)), Columns: columns, Stride: 8 * columns, Ends: ends, Size: rows, NegativeOffset: rows,
		Empty: num.Pointer(num.Bytes([]int64{empty})), Bias: bias, Magnitude: bits,
	}
	loops := simd.CheckedSums.Bags
	if got := loops[len(packedIndices([]int64{0}, narrow))/4](&b, num.Pointer(out.Mem)); got != wrong {
		t.Fatalf("kind %d, %d columns: the first bad index is at %d, want %d", kind, columns, got, wrong)
	}
	out.Check(t, "sums")
	for i, got := range num.As[int64](out.Mem) {
		if !bad && got != want[i] {
			t.Fatalf("kind %d, %d columns, bags that end at %d: sum %d is %d, want %d", kind, columns, ends, i, got, want[i])
		}
	}
	if !bad && *bits != magnitude {
		t.Errorf("kind %d, %d columns: the bits of all numbers are %x, want %x", kind, columns, *bits, magnitude)
	}
}

// TestMagnitudeOfEach has bags of zeros but for one number, at each place, before and behind which there is another bag.
func TestMagnitudeOfEach(t *testing.T) {
	const most, large, bias = 9, 1 << 60, 1 << 50
	for columns := 1; columns <= most; columns++ {
		for rows := 1; rows <= most; rows++ {
			table, idx := make([]int64, rows*columns), make([]int64, rows)
			for i := range idx {
				idx[i] = int64(rows - 1 - i)
			}
			for place := range table {
				table[place] = large
				out := make([]int64, 3*columns)
				for i := range out {
					out[i] = 77 // what is there before is no part of a sum
				}
				bits := new(uint64)
				b := simd.ShortBags{
					Data: num.Pointer(num.Bytes(table)), Idx: num.Pointer(num.Bytes(append(idx, idx...))), Columns: columns, Stride: 8 * columns,
					Ends: []int64{int64(rows) - 1, int64(rows), int64(2*rows) - 1}, Size: uint64(rows), Empty: num.Pointer(num.Bytes([]int64{0})), Bias: bias, Magnitude: bits,
				}
				bad := simd.CheckedSums.Bags[2](&b, num.Pointer(num.Bytes(out)))
				sum, others := int64(0), 0
				for i, x := range out {
					if sum += x; x != 0 && i%columns != place%columns {
						others++
					}
				}
				wantSum := int64(2 * large)
				if place < columns {
					wantSum = large // the last index, of row 0, is in no bag
				}
				if bad >= 0 || *bits != large+bias|bias || sum != wantSum || others > 0 {
					t.Fatalf("%d rows of %d columns, one number at %d: the sums are %v, the bits of all numbers %x", rows, columns, place, out, *bits)
				}
				table[place] = 0
			}
		}
	}
}
