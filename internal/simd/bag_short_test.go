package simd_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestShortBags compares the loops over bags of short rows with reductions number by
// number: with indices of either width, with a bad one, without any, and with bags longer
// than are done at once.
func TestShortBags(t *testing.T) {
	skipRaces(t)
	for columns := 1; columns <= simd.ShortColumns; columns++ {
		shortBags(t, plainInteger[int8](num.Int8), columns)
		shortBags(t, plainInteger[int16](num.Int16), columns)
		shortBags(t, plainInteger[int32](num.Int32), columns)
		shortBags(t, plainInteger[int64](num.Int64), columns)
		shortBags(t, plainInteger[uint8](num.Uint8), columns)
		shortBags(t, plainInteger[uint16](num.Uint16), columns)
		shortBags(t, plainInteger[uint32](num.Uint32), columns)
		shortBags(t, plainInteger[uint64](num.Uint64), columns)
		shortBags(t, plainFloat[float32](num.Float32), columns)
		shortBags(t, plainFloat[float64](num.Float64), columns)
	}
}

func shortBags[T num.Real](t *testing.T, k plain[T], columns int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(27, uint64(k.kind)))
	for r, loops := range simd.ShortLoops[k.kind] {
		if loops == nil {
			continue
		}
		for _, most := range []int{0, 4, 2 * simd.OffsetsAtOnce} {
			for i, runs := range [][3]func(b *simd.ShortBags, out *byte) int{loops.Bags, loops.Long, loops.Again, loops.Apart} {
				apart := 0
				if i == 3 {
					apart = 2
				}
				for width, run := range runs {
					for _, bad := range []bool{false, width > 0} {
						k.shortBags(t, rng, fmt.Sprintf("kind %d, reduction %d, columns %d, loop %d, indices %d, bad %v", k.kind, r, columns, i, width, bad), run, r, columns, apart, most, width == 1, width > 0, bad)
					}
				}
			}
			for i, loop := range loops.Items {
				for kind := range 4 { // of anew, as extremes are, or not, and with a bad index or not
					anew := kind%2 > 0 && (num.Reduction(r) == num.Min || num.Reduction(r) == num.Max)
					k.shortItems(t, rng, fmt.Sprintf("kind %d, reduction %d, columns %d, items %d", k.kind, r, columns, i), loop, r, columns, most, i == 0, anew, kind > 1)
				}
			}
		}
	}
}

// packedIndices are indices as they are stored.
func packedIndices(idx []int64, narrow bool) []byte {
	if !narrow {
		return num.Bytes(idx)
	}
	short := make([]int32, len(idx))
	for i, j := range idx {
		short[i] = int32(j)
	}
	return num.Bytes(short)
}

// shortBags runs a loop over bags of up to so many rows, with so many numbers between them.
func (k plain[T]) shortBags(t *testing.T, rng *rand.Rand, what string, loop func(b *simd.ShortBags, out *byte) int, r, columns, apart, most int, narrow, indexed, bad bool) {
	t.Helper()
	const bags = 7
	var ends []int64
	n := 0
	for range bags {
		n += rng.IntN(most + 1)
		ends = append(ends, int64(n))
	}
	rows := 11
	if !indexed {
		rows = n
	}
	pitch := columns + apart
	table := k.draws(rng, max(0, rows*pitch-apart))
	idx, picked := make([]int64, n), make([]int, n)
	for i := range idx {
		if picked[i] = i; indexed {
			picked[i] = rng.IntN(rows)
		}
		idx[i] = int64(picked[i] - rows*rng.IntN(2))
	}
	wrong := -1
	if bad && n > 0 {
		wrong = rng.IntN(n)
		idx[wrong], idx[n-1] = []int64{int64(rows), int64(-rows - 1)}[rng.IntN(2)], int64(rows)
	}
	empty, start := k.draws(rng, 1), num.As[T](num.Neutral(k.kind, num.Reduction(r)))[:1]
	var want []T
	from := 0
	for b, end := range ends {
		begin := start
		if from == int(end) {
			begin = empty
		}
		want = append(want, slices.Repeat(begin, columns)...)
		for ; from < int(end); from++ {
			for c := range columns {
				want[b*columns+c] = k.reduce[r](want[b*columns+c], table[picked[from]*pitch+c])
			}
		}
	}
	data, out := memtest.Copy(table, rng), memtest.Copy(k.draws(rng, bags*columns), rng)
	b := simd.ShortBags{Data: num.Pointer(data.Mem), Columns: columns, Stride: pitch * k.kind.Width(), Ends: ends, Size: uint64(rows), NegativeOffset: uint64(rows), Empty: num.Pointer(num.Bytes(empty))}
	if indexed {
		b.Idx = num.Pointer(packedIndices(append(idx, 0), narrow))
	}
	if got := loop(&b, num.Pointer(out.Mem)); got != wrong {
		t.Fatalf("%s: the first bad index is at %d, want %d", what, got, wrong)
	}
	if wrong < 0 {
		k.same(t, fmt.Sprint(what, ", bags that end at ", ends), out, want)
	}
	out.Check(t, what)
}

// shortItems runs a loop over rows in order, for indices that ascend.
func (k plain[T]) shortItems(t *testing.T, rng *rand.Rand, what string, loop func(data, items, idx *byte, n, size, negativeOffset, stride, step int) int, r, columns, most int, narrow, anew, bad bool) {
	t.Helper()
	const rows = 9
	n := rng.IntN(most + 1)
	idx := make([]int64, n)
	for i := range idx {
		idx[i] = rng.Int64N(rows)
	}
	slices.Sort(idx)
	did := n
	if bad && n > 0 {
		did = rng.IntN(n)
		idx[did] = []int64{rows, -1}[rng.IntN(2)]
	}
	want, items := k.draws(rng, rows*columns), k.draws(rng, n*columns)
	data, from := memtest.Copy(want, rng), memtest.Copy(items, rng)
	for i, j := range idx[:did] {
		for c, x := range items[i*columns:][:columns] {
			to := &want[int(j)*columns+c]
			if anew && (i == 0 || idx[i-1] != j) {
				*to = x
			} else {
				*to = k.reduce[r](*to, x)
			}
		}
	}
	step := 0
	if anew {
		step = 1
	}
	if got := loop(num.Pointer(data.Mem), num.Pointer(from.Mem), num.Pointer(packedIndices(append(idx, 0), narrow)), n, rows, 0, columns*k.width(), step); got != did {
		t.Fatalf("%s: did %d of %d, want %d", what, got, n, did)
	}
	k.same(t, fmt.Sprint(what, ", indices ", idx, ", anew ", anew), data, want)
}
