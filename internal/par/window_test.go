package par

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestWindow passes rows through windows of many sizes, with places, weights and
// partitions, and some that are left out. Each of the others comes once, in order, with
// what belongs to it, no call has too many, and what a loop may read behind is the rows
// that follow, or 0.
func TestWindow(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 7, 600, 3000} {
		for _, width := range []int{0, 4, 8, 16} {
			for _, bytes := range []int{1, 300, 4000, 70000, 2 << 20} {
				for _, of := range []int{1, 3} {
					part := PartitionOf(rng.IntN(of), of, 64)
					offsets := make([]int64, n)
					var want []int64 // the numbers of rows
					for p := range offsets {
						if offsets[p] = int64(p+1) * 64; rng.IntN(9) == 0 {
							offsets[p] = LeftOut
						} else if part.Has(offsets[p]) == 1 {
							want = append(want, int64(p))
						}
					}
					name := fmt.Sprintf("%d rows of %d, weights of %d, partition of %d", n, bytes, width, of)
					testWindow(t, name, offsets, want, bytes, width, part)
				}
			}
		}
	}
}

func testWindow(t *testing.T, name string, offsets, want []int64, bytes, width int, part Partition) {
	t.Helper()
	w := WindowFor(bytes)
	defer w.Release()
	if distance := simd.Distance(bytes); len(offsets) < 600 { // which no distance is
		w.Reset(len(offsets), RowsAtOnce(bytes), distance)
		if few := len(offsets) <= distance; few != (w.Ahead == 0) {
			t.Fatalf("%s: %d rows ahead of %d", name, w.Ahead, distance)
		}
	}
	w.UsePlaces()
	w.UseWeights(width)
	var got []int64
	var rank [windowSize]int64
	for p, n := 0, len(offsets); p < n || w.Len() > 0; {
		from := w.Len()
		free := w.Free(n - p)
		for t := range free {
			free[t], w.Places[from+t] = offsets[p+t], int64(p+t)
			copy(w.Weights()[(from+t)*width:][:width], num.Bytes([]int64{int64(p + t), int64(p + t)}))
		}
		w.Add(len(free))
		w.Keep(from, part, rank[:])
		if rank[0] != 0 || int(rank[len(free)]) != w.Len()-from {
			t.Fatalf("%s: ranks %v of %d rows", name, rank[:len(free)+1], w.Len()-from)
		}
		p += len(free)
		now := w.Ready(p == n)
		if now > 1 && now*bytes > simd.RowBytesAtOnce {
			t.Fatalf("%s: %d rows at once", name, now)
		}
		if p < n && now > 0 && w.Len()-now < w.Ahead {
			t.Fatalf("%s: %d rows stay, not %d", name, w.Len()-now, w.Ahead)
		}
		for i, row := range w.Places[:now] {
			if w.Offsets[i] != offsets[row] {
				t.Fatalf("%s: row %d has offset %d, not %d", name, row, w.Offsets[i], offsets[row])
			}
			if weight := w.Weights()[i*width:][:width]; width > 0 && weight[0] != byte(row) {
				t.Fatalf("%s: row %d has weight %v", name, row, weight)
			}
		}
		for i := w.Len(); i < now+w.Ahead; i++ { // none, unless these are the last
			if w.Offsets[i] != 0 {
				t.Fatalf("%s: offset %d behind the last row", name, w.Offsets[i])
			}
		}
		if got = append(got, w.Places[:now]...); now > 0 {
			w.Drop(now)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s: %d rows, want %d", name, len(got), len(want))
	}
}
