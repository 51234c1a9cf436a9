//go:build gc && !noasm

package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// Bags of short rows of 16-bit floats, which all have as many. A sum is rounded before the next row is added, and to wait
// for that takes much longer than to add. So the results of several bags are combined as one row
// with their first rows, then with their second rows, and so on.
// Where there are many bags of a few rows each, one call copies all first rows.

// Rows have up to togetherSums bytes, or togetherExtremes, for which there is no loop over bags in assembly, those of all
// bags up to togetherBytes, and there are fewTogether bags at least. See togetherSums in benchmarks/results/thresholds.md.
const togetherSums, togetherExtremes, togetherBytes, fewTogether = 16, 32, 2048, 4

// together is a BagLoop.
type together struct {
	each    BagLoop // for all other bags
	combine ScatterLoop
	neutral []byte
	longest int // row
}

// useTogether makes them the loops of a kind.
func (i *Implementation) useTogether(kind num.Kind) {
	b, c := i.Bags[kind], &i.Combine[kind]
	c[num.Add].Same = oneBag(b.Add)
	b.Add = together{b.Add, c[num.Add].Rows, num.Neutral(kind, num.Add), togetherSums}.run
	b.Min = together{b.Min, c[num.Min].Rows, num.Neutral(kind, num.Min), togetherExtremes}.run
	b.Max = together{b.Max, c[num.Max].Rows, num.Neutral(kind, num.Max), togetherExtremes}.run
}

func (l together) run(data, out *byte, offsets, ends *int64, scales *byte, bags, bytes, step, distance, carry int) {
	all := unsafe.Slice(ends, bags)
	if bags < fewTogether || bytes > l.longest || bytes != step || carry != 0 || !equalBags(all) {
		l.each(data, out, offsets, ends, scales, bags, bytes, step, distance, carry)
		return
	}
	n := int(all[0])
	results := view[byte](unsafe.Pointer(out), bags*bytes)
	for len(results) > 0 {
		some := results[:min(len(results), togetherBytes/bytes*bytes)]
		l.some(data, some, offsets, len(some)/bytes, n)
		results, offsets = results[len(some):], int64At(offsets, len(some)/bytes*n)
	}
}

// oneBag is CombineLoops.Same as a bag that goes on from the target.
func oneBag(loop BagLoop) ScatterLoop {
	return func(data, items *byte, _, places *int64, n, bytes, step, _ int) {
		offsets := OffsetsPool.Get().(*Offsets)
		for i, place := range unsafe.Slice(places, n) {
			offsets[i] = place * int64(step)
		}
		offsets[n] = int64(n) // where the bag ends
		loop(items, data, &offsets[0], &offsets[n], nil, 1, bytes, bytes, 0, 1)
		OffsetsPool.Put(offsets)
	}
}

// equalBags reports whether all bags that end there have as many rows, and not none.
func equalBags(ends []int64) bool {
	for b, end := range ends {
		if end != int64(b+1)*ends[0] {
			return false
		}
	}
	return ends[0] > 0
}

// some combines the rows of some bags, n of each.
func (l together) some(data *byte, results []byte, offsets *int64, bags, n int) {
	buf, ranks := OffsetsPool.Get().(*Offsets), OffsetsPool.Get().(*Offsets)
	defer OffsetsPool.Put(buf)
	defer OffsetsPool.Put(ranks)
	memory, bytes, wide := view[byte](unsafe.Pointer(buf), int(unsafe.Sizeof(*buf))), len(results)/bags, (len(results)+31)&^31 // whole vectors
	sums, rows, copyRows := memory[:wide], memory[wide:], CopyLoop(bytes)
	fill(sums, l.neutral)
	for t, atOnce := 0, 0; t < n; t += atOnce {
		atOnce = min(len(rows)/wide, n-t)
		if 4*n <= bags { // one call for the rows of each rank
			for r := range atOnce {
				at := int64At(offsets, t+r)
				for b := range ranks[:bags] {
					ranks[b], at = *at, int64At(at, n)
				}
				copyRows(data, &rows[r*wide], &ranks[0], bags, bytes, bytes, 0)
			}
		} else {
			for b := range bags {
				copyRows(data, &rows[b*bytes], int64At(offsets, b*n+t), atOnce, bytes, wide, 0)
			}
		}
		l.combine(&sums[0], &rows[0], &ZeroOffsets[0], &Iota[0], atOnce, wide, wide, 0)
	}
	copy(results, sums)
}
