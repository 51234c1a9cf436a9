//go:build gc && !noasm

package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// Bags of short rows of 16-bit floats. A sum is rounded before the next row is added, and to wait
// for that takes much longer than to add. So the results of several bags are combined as one row
// with one of their first rows, one of their second rows, and so on.

// Rows have up to togetherRow bytes, those of all bags up to togetherBytes.
const togetherRow, togetherBytes = 32, 1024

// together is a BagLoop.
type together struct {
	one, begin *bagLoop // for one bag after the other, and only for what they start from
	fill       func(rows []byte, data *byte, offsets *int64, n int) int
	taken      int // rows that a result starts from
}

// useTogether makes them the loops of a kind.
func (i *Implementation) useTogether(kind num.Kind) {
	loop := func(r num.Reduction, start func([]byte, *byte, *int64, int) int, taken int) BagLoop {
		begin := &bagLoop{start: start, combine: func(_, _ *byte, _, _ *int64, _, _, _, _ int) {}}
		return (&together{combineLoop(&i.Combine[kind][r], 2, start), begin, fromNeutral(num.Neutral(kind, r)), taken}).run
	}
	b := i.Bags[kind]
	b.Add, b.Min, b.Max = loop(num.Add, nil, 0), loop(num.Min, fromFirst, 1), loop(num.Max, fromFirst, 1)
}

func (l *together) run(data, out *byte, offsets, ends *int64, scales *byte, bags, bytes, step, distance, carry int) {
	// An extreme of one row is that row: combined with what changes nothing, a signaling NaN would
	// become a quiet one. A bag that goes on always has another row here, as a window keeps some.
	all, longest, last, alone := unsafe.Slice(ends, bags), 0, 0, bags == 1
	if bytes <= togetherRow && bytes == step && bags*bytes <= togetherBytes {
		for _, end := range all {
			alone = alone || l.taken > 0 && int(end)-last == 1
			longest, last = max(longest, int(end)-last), int(end)
		}
	}
	if alone || longest*bags > 4*last || last == 0 || l.one.takesOne(longest, bytes) {
		l.one.run(data, out, offsets, ends, scales, bags, bytes, step, distance, carry)
		return
	}
	l.begin.run(data, out, offsets, ends, scales, bags, bytes, step, distance, carry)
	buf := OffsetsPool.Get().(*Offsets)
	defer OffsetsPool.Put(buf)
	results, memory := view[byte](unsafe.Pointer(out), bags*bytes), view[byte](unsafe.Pointer(buf), int(unsafe.Sizeof(*buf)))
	wide := (len(results) + 31) &^ 31 // whole vectors
	sums, rows, copyRows := memory[:wide], memory[wide:], CopyLoop(bytes)
	copy(sums, results)
	for atOnce, t := len(rows)/wide, 0; t < longest; t += atOnce {
		n, from := min(atOnce, longest-t), t
		if carry == 0 {
			from += l.taken
		}
		l.fill(rows[:n*wide], nil, nil, 0) // with what changes nothing
		for b, end := range all {
			if m := min(n, int(end)-from); m > 0 {
				copyRows(data, &rows[b*bytes], int64At(offsets, from), m, bytes, wide, 0)
			}
			from = int(end) + t + l.taken
		}
		l.one.combine(&sums[0], &rows[0], &ZeroOffsets[0], &Iota[0], n, wide, wide, 0)
	}
	copy(results, sums)
}
