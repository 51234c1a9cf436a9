package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// Loops over bags of rows of one, two or three elements, which are too short for vectors:
// the results are in registers. To resolve the indices first takes as long as all else.

// ShortColumns are the longest rows that have such loops.
const ShortColumns = 3

// ShortBags are bags of rows of so many columns of data, which indices address, or of all
// rows in order if Idx is nil. Bag b has those up to Ends[b].
type ShortBags struct {
	Data, Idx            *byte
	Columns              int
	Ends                 []int64
	Size, NegativeOffset uint64
	SkipBad              bool // an index that is out of range is left out
}

// ShortBagLoop writes the results to out, and to counts how many rows each bag has. The
// result of a bag without rows may be anything. It returns the first bad index, or -1.
type ShortBagLoop func(b *ShortBags, out *byte, counts []int32) int

// ShortBagLoops are for int32 and for int64 indices, for numbers that Go computes with.
var ShortBagLoops = [num.Kinds][num.Reductions][2]ShortBagLoop{
	num.Int8: shortBagLoops[int8](num.Int8), num.Int16: shortBagLoops[int16](num.Int16), num.Int32: shortBagLoops[int32](num.Int32), num.Int64: shortBagLoops[int64](num.Int64),
	num.Uint8: shortBagLoops[uint8](num.Uint8), num.Uint16: shortBagLoops[uint16](num.Uint16), num.Uint32: shortBagLoops[uint32](num.Uint32), num.Uint64: shortBagLoops[uint64](num.Uint64),
	num.Float32: shortBagLoops[float32](num.Float32), num.Float64: shortBagLoops[float64](num.Float64),
}

func shortBagLoops[T num.Real](kind num.Kind) [num.Reductions][2]ShortBagLoop {
	return [num.Reductions][2]ShortBagLoop{
		num.Add: {shortBagLoop[add, T, int32](kind, num.Add), shortBagLoop[add, T, int64](kind, num.Add)},
		num.Mul: {shortBagLoop[mul, T, int32](kind, num.Mul), shortBagLoop[mul, T, int64](kind, num.Mul)},
		num.Min: {shortBagLoop[least, T, int32](kind, num.Min), shortBagLoop[least, T, int64](kind, num.Min)},
		num.Max: {shortBagLoop[most, T, int32](kind, num.Max), shortBagLoop[most, T, int64](kind, num.Max)},
	}
}

func shortBagLoop[R reduction, T num.Real, I Index](kind num.Kind, r num.Reduction) ShortBagLoop {
	start := num.As[T](num.Neutral(kind, r))[0]
	return func(b *ShortBags, out *byte, counts []int32) int { return shortBags[R, T, I](b, out, counts, start) }
}

func shortBags[R reduction, T num.Real, I Index](b *ShortBags, out *byte, counts []int32, start T) int {
	columns, t := b.Columns, 0
	results := view[T](unsafe.Pointer(out), columns*len(b.Ends))
	for bag, end := range b.Ends {
		x, y, z, leftOut, first := start, start, start, 0, t
		for t < int(end) {
			n, size, data, idx := int(end)-t, int(b.Size), b.Data, unsafe.Pointer(&InOrder[0])
			if b.Idx != nil {
				idx = byteAt(b.Idx, t*int(unsafe.Sizeof(I(0))))
			} else { // I is int64
				n = min(n, OffsetsAtOnce)
				size, data = n, (*byte)(byteAt(data, t*columns*int(unsafe.Sizeof(x))))
			}
			more, bad := 0, 0
			if columns == 1 {
				x, more, bad = reduceNumbers[R](x, view[T](unsafe.Pointer(data), size), view[I](idx, n), b.NegativeOffset, b.SkipBad)
			} else {
				x, y, z, more, bad = reduceRows[R](x, y, z, data, uint64(size), columns, view[I](idx, n), b.NegativeOffset, b.SkipBad)
			}
			if bad >= 0 {
				return t + bad
			}
			t += n
			leftOut += more
		}
		result := results[bag*columns:][:columns]
		result[columns-1], result[columns/2], result[0] = z, y, x // of one column the first comes last
		counts[bag] = int32(t - first - leftOut)
	}
	return -1
}

// An extreme seldom changes, and then to the later element: branches that a processor
// predicts are faster than the rest of combine, which is for zeros and NaN, and no element
// waits for what the one before has stored.

// keeps reports whether an extreme stays as it is.
func keeps[R reduction, T num.Real](result, x T) bool {
	var r R
	return len(r) == len(least{}) && x > result || len(r) == len(most{}) && x < result
}

// changes reports whether an extreme changes to the later element.
func changes[R reduction, T num.Real](result, x T) bool {
	var r R
	return len(r) == len(least{}) && x < result || len(r) == len(most{}) && x > result
}

// reduceNumbers and reduceRows reduce the elements of one bag, and those of its rows: y and
// z are the same of rows of two. They return how many are left out, and the first bad
// index, or -1. In shortBags their loops would have too few registers.
func reduceNumbers[R reduction, T num.Real, I Index](x T, data []T, idx []I, negativeOffset uint64, skipBad bool) (_ T, leftOut, bad int) {
	for i, v := range idx {
		// Without a branch for the sign, which indices may have at random.
		j := uint64(v) + negativeOffset&uint64(int64(v)>>63)
		if j >= uint64(len(data)) {
			if !skipBad {
				return x, leftOut, i
			}
			leftOut++
			continue
		}
		if u := data[j]; !keeps[R](x, u) {
			if changes[R](x, u) {
				x = u
			} else {
				x = combine[R](x, u)
			}
		}
	}
	return x, leftOut, -1
}

func reduceRows[R reduction, T num.Real, I Index](x, y, z T, data *byte, size uint64, columns int, idx []I, negativeOffset uint64, skipBad bool) (_, _, _ T, leftOut, bad int) {
	bytes := columns * int(unsafe.Sizeof(x))
	for i, v := range idx {
		j := uint64(v) + negativeOffset&uint64(int64(v)>>63)
		if j >= size {
			if !skipBad {
				return x, y, z, leftOut, i
			}
			leftOut++
			continue
		}
		at := int(j) * bytes
		row := (*[2]T)(byteAt(data, at))
		if u := row[0]; !keeps[R](x, u) {
			if changes[R](x, u) {
				x = u
			} else {
				x = combine[R](x, u)
			}
		}
		if u := row[1]; !keeps[R](y, u) {
			if changes[R](y, u) {
				y = u
			} else {
				y = combine[R](y, u)
			}
		}
		if u := *(*T)(byteAt(data, at+bytes-int(unsafe.Sizeof(x)))); !keeps[R](z, u) {
			if changes[R](z, u) {
				z = u
			} else {
				z = combine[R](z, u)
			}
		}
	}
	return x, y, z, leftOut, -1
}

// AddShortItems are loops that add rows of one, two or three elements, in order, to those
// that indices address. stride is the size of a row. It is the same for signed integers.
var AddShortItems = [num.Kinds]ItemLoops{
	num.Int8: addShortItems[int8](), num.Int16: addShortItems[int16](), num.Int32: addShortItems[int32](), num.Int64: addShortItems[int64](),
	num.Uint8: addShortItems[int8](), num.Uint16: addShortItems[int16](), num.Uint32: addShortItems[int32](), num.Uint64: addShortItems[int64](),
	num.Float32: addShortItems[float32](), num.Float64: addShortItems[float64](),
}

func addShortItems[T num.Real]() ItemLoops {
	return ItemLoops{addShortItemsGo[T, int32], addShortItemsGo[T, int64]}
}

func addShortItemsGo[T num.Real, I Index](data, items, idx *byte, n, size, _, stride, _ int) int {
	var element T
	ids := unsafe.Slice((*I)(unsafe.Pointer(idx)), n)
	switch stride / int(unsafe.Sizeof(element)) {
	case 1:
		results := view[T](unsafe.Pointer(data), size)
		for t, x := range view[T](unsafe.Pointer(items), n) {
			j := uint64(ids[t])
			if j >= uint64(len(results)) {
				return t
			}
			results[j] += x
		}
	case 2:
		results := view[[2]T](unsafe.Pointer(data), size)
		for t, id := range ids {
			j := uint64(id)
			if j >= uint64(len(results)) {
				return t
			}
			r, u := &results[j], (*[2]T)(byteAt(items, t*stride))
			r[0] += u[0]
			r[1] += u[1]
		}
	case 3:
		results := view[[3]T](unsafe.Pointer(data), size)
		for t, id := range ids {
			j := uint64(id)
			if j >= uint64(len(results)) {
				return t
			}
			r, u := &results[j], (*[3]T)(byteAt(items, t*stride))
			r[0] += u[0]
			r[1] += u[1]
			r[2] += u[2]
		}
	}
	return n
}
