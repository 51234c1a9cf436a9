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
// Where there are many bags of a few rows each, as many in all, one call copies all first rows.

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
	if bags > 1 && (carry == 0 || all[0] > 0) && bytes <= togetherRow && bytes == step {
		for _, end := range all {
			longest, shortest, last = max(longest, int(end)-last), min(shortest, int(end)-last), int(end)
		}
	}
	if longest*bags > 4*last || last == 0 || l.one.takesOne(longest, bytes) {
		l.one.run(data, out, offsets, ends, scales, bags, bytes, step, distance, carry)
		return
	}
	results, start := view[byte](unsafe.Pointer(out), bags*bytes), 0
	for n := 0; len(all) > 0; all, results, carry = all[n:], results[n*bytes:], 0 {
		n = min(len(all), togetherBytes/bytes)
		l.some(data, results[:n*bytes], offsets, all[:n], start, longest, shortest, carry)
		start = int(all[n-1])
	}
}

// some combines the rows of some bags, the first of which begins at start. They have from shortest to longest rows.
func (l together) some(data *byte, results []byte, offsets *int64, ends []int64, start, longest, shortest, carry int) {
	buf, ranks := OffsetsPool.Get().(*Offsets), OffsetsPool.Get().(*Offsets)
	defer OffsetsPool.Put(buf)
	defer OffsetsPool.Put(ranks)
	memory, bytes, wide := view[byte](unsafe.Pointer(buf), int(unsafe.Sizeof(*buf))), len(results)/len(ends), (len(results)+31)&^31 // whole vectors
	sums, rows, copyRows := memory[:wide], memory[wide:], CopyLoop(bytes)
	fill(sums, l.neutral)
	if carry != 0 {
		copy(sums, results[:bytes])
	}
	for atOnce, t := len(rows)/wide, 0; t < longest; t += atOnce {
		n, from := min(atOnce, longest-t), start+t
		if longest == shortest && 4*longest <= len(ends) { // one call for the rows of each rank
			for r := range n {
				at := int64At(offsets, from+r)
				for b := range ranks[:len(ends)] {
					ranks[b], at = *at, int64At(at, longest)
				}
				copyRows(data, &rows[r*wide], &ranks[0], len(ends), bytes, bytes, 0)
			}
		} else {
			fill(rows[min(max(shortest-t, 0), n)*wide:n*wide], l.neutral) // a bag without another row stays as it is
			for b, end := range ends {
				if m := min(n, int(end)-from); m > 0 {
					copyRows(data, &rows[b*bytes], int64At(offsets, from), m, bytes, wide, 0)
				}
				from = int(end) + t
			}
		}
		l.one.combine(&sums[0], &rows[0], &ZeroOffsets[0], &Iota[0], n, wide, wide, 0)
	}
	copy(results, sums)
	for b := 0; shortest == 0 && b < len(ends); b++ {
		if int(ends[b]) == start {
			clear(results[b*bytes:][:bytes])
		}
		start = int(ends[b])
	}
}
