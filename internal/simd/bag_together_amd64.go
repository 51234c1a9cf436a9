//go:build gc && !noasm

package simd

import (
	"math"
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// Bags of short rows of 16-bit floats. A sum is rounded before the next row is added, and to wait
// for that takes much longer than to add. So the results of several bags are combined as one row
// with one of their first rows, one of their second rows, and so on.

// Rows have up to togetherRow bytes, those of all bags up to togetherBytes.
const togetherRow, togetherBytes = 32, 2048

// together is a BagLoop.
type together struct {
	one     *bagLoop // for one bag after the other
	neutral []byte
}

// useTogether makes them the loops of a kind.
func (i *Implementation) useTogether(kind num.Kind) {
	loop := func(r num.Reduction, start func([]byte, *byte, *int64, int) int) BagLoop {
		return together{combineLoop(&i.Combine[kind][r], 2, start), num.Neutral(kind, r)}.run
	}
	b := i.Bags[kind]
	b.Add, b.Min, b.Max = loop(num.Add, nil), loop(num.Min, fromFirst), loop(num.Max, fromFirst)
}

func (l together) run(data, out *byte, offsets, ends *int64, scales *byte, bags, bytes, step, distance, carry int) {
	all, longest, shortest, last := unsafe.Slice(ends, bags), 0, math.MaxInt, 0
	if bags > 1 && (carry == 0 || all[0] > 0) && bytes <= togetherRow && bytes == step && bags*bytes <= togetherBytes {
		for _, end := range all {
			longest, shortest, last = max(longest, int(end)-last), min(shortest, int(end)-last), int(end)
		}
	}
	if longest*bags > 4*last || last == 0 || l.one.takesOne(longest, bytes) {
		l.one.run(data, out, offsets, ends, scales, bags, bytes, step, distance, carry)
		return
	}
	buf := OffsetsPool.Get().(*Offsets)
	defer OffsetsPool.Put(buf)
	results, memory := view[byte](unsafe.Pointer(out), bags*bytes), view[byte](unsafe.Pointer(buf), int(unsafe.Sizeof(*buf)))
	wide := (len(results) + 31) &^ 31 // whole vectors
	sums, rows, copyRows := memory[:wide], memory[wide:], CopyLoop(bytes)
	fill(sums, l.neutral)
	if carry != 0 {
		copy(sums, results[:bytes])
	}
	for atOnce, t := len(rows)/wide, 0; t < longest; t += atOnce {
		n, from := min(atOnce, longest-t), t
		fill(rows[min(max(shortest-t, 0), n)*wide:n*wide], l.neutral) // a bag without another row stays as it is
		for b, end := range all {
			if m := min(n, int(end)-from); m > 0 {
				copyRows(data, &rows[b*bytes], int64At(offsets, from), m, bytes, wide, 0)
			}
			from = int(end) + t
		}
		l.one.combine(&sums[0], &rows[0], &ZeroOffsets[0], &Iota[0], n, wide, wide, 0)
	}
	copy(results, sums)
	last = 0
	for b, end := range all {
		if int(end) == last {
			clear(results[b*bytes:][:bytes])
		}
		last = int(end)
	}
}
