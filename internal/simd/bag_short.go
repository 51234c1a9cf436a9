package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// Loops over bags of rows that are too short for vectors: the results are in registers.

// NumberBags are bags of single elements of data, which n indices address, or all elements
// in order if Idx is nil. Bag b has those up to Ends[b].
type NumberBags struct {
	Data, Idx, Empty     *byte // an element that is the result of a bag without indices
	Ends                 []int64
	Size, NegativeOffset uint64
	SkipBad              bool // an index that is out of range is left out
}

// NumberLoop writes the results to out, and to counts how many elements each bag has. It
// returns the first bad index, or -1.
type NumberLoop func(b *NumberBags, out *byte, counts []int32) int

// ShortBagLoops are loops over bags of rows of one kind: of single elements, by int32 and by
// int64, and of rows of two or three.
type ShortBagLoops struct {
	Numbers [2]NumberLoop
	Rows    BagLoop
	// Items combine rows of one, two or three elements in order with those that indices
	// address. stride is the size of a row.
	Items ItemLoops
}

// ShortBags are for numbers that Go computes with.
var ShortBags = [num.Kinds][num.Reductions]ShortBagLoops{
	num.Int8: shortBagsGo[int8](num.Int8), num.Int16: shortBagsGo[int16](num.Int16), num.Int32: shortBagsGo[int32](num.Int32), num.Int64: shortBagsGo[int64](num.Int64),
	num.Uint8: shortBagsGo[uint8](num.Uint8), num.Uint16: shortBagsGo[uint16](num.Uint16), num.Uint32: shortBagsGo[uint32](num.Uint32), num.Uint64: shortBagsGo[uint64](num.Uint64),
	num.Float32: shortBagsGo[float32](num.Float32), num.Float64: shortBagsGo[float64](num.Float64),
}

func shortBagsGo[T num.Real](kind num.Kind) [num.Reductions]ShortBagLoops {
	return [num.Reductions]ShortBagLoops{
		num.Add: shortBagGo[add, T](kind, num.Add),
		num.Mul: shortBagGo[mul, T](kind, num.Mul),
		num.Min: shortBagGo[least, T](kind, num.Min),
		num.Max: shortBagGo[most, T](kind, num.Max),
	}
}

func shortBagGo[R reduction, T num.Real](kind num.Kind, r num.Reduction) ShortBagLoops {
	start := num.As[T](num.Neutral(kind, r))[0]
	return ShortBagLoops{
		[2]NumberLoop{
			func(b *NumberBags, out *byte, counts []int32) int {
				return numberBags[R, T, int32](b, out, counts, start)
			},
			func(b *NumberBags, out *byte, counts []int32) int {
				return numberBags[R, T, int64](b, out, counts, start)
			},
		},
		func(data, out *byte, offsets, ends *int64, _ *byte, bags, bytes, step, _, carry int) {
			rowBags[R](data, out, offsets, unsafe.Slice(ends, bags), bytes, step, carry, start)
		},
		&[2]ItemLoop{combineShortItemsGo[R, T, int32], combineShortItemsGo[R, T, int64]},
	}
}

// keeps reports whether an extreme stays as it is, which is so of most: a branch that a
// processor predicts is faster than the rest of combine.
func keeps[R reduction, T num.Real](result, x T) bool {
	var r R
	return len(r) == len(least{}) && x > result || len(r) == len(most{}) && x < result
}

func numberBags[R reduction, T num.Real, I Index](b *NumberBags, out *byte, counts []int32, start T) int {
	if len(b.Ends) == 0 {
		return -1
	}
	negativeOffset, skipBad, empty := b.NegativeOffset, b.SkipBad, *(*T)(unsafe.Pointer(b.Empty))
	n := b.Ends[len(b.Ends)-1]
	var idx []I
	var data []T
	if b.Idx == nil {
		data = unsafe.Slice((*T)(unsafe.Pointer(b.Data)), n)
	} else {
		idx, data = unsafe.Slice((*I)(unsafe.Pointer(b.Idx)), n), unsafe.Slice((*T)(unsafe.Pointer(b.Data)), b.Size)
	}
	results := view[T](unsafe.Pointer(out), len(b.Ends))
	counts = counts[:len(results)]
	t := 0
	for bag, end := range b.Ends {
		result, count := start, int(end)-t
		if idx == nil {
			for _, x := range data[t:end] {
				if !keeps[R](result, x) {
					result = combine[R](result, x)
				}
			}
		} else {
			leftOut, bad := 0, -1
			if result, leftOut, bad = reduceIndexed[R](result, data, idx[t:end], negativeOffset, skipBad); bad >= 0 {
				return t + bad
			}
			count -= leftOut
		}
		if t = int(end); count == 0 {
			result = empty
		}
		results[bag], counts[bag] = result, int32(count)
	}
	return -1
}

// reduceIndexed reduces the elements that indices address. It returns how many are left
// out, and the first bad index, or -1. In numberBags its loop would have too few registers.
func reduceIndexed[R reduction, T num.Real, I Index](result T, data []T, idx []I, negativeOffset uint64, skipBad bool) (_ T, leftOut, bad int) {
	for i, v := range idx {
		// Without a branch for the sign, which indices may have at random.
		j := uint64(v) + negativeOffset&uint64(int64(v)>>63)
		if j >= uint64(len(data)) {
			if !skipBad {
				return result, leftOut, i
			}
			leftOut++
			continue
		}
		if x := data[j]; !keeps[R](result, x) {
			result = combine[R](result, x)
		}
	}
	return result, leftOut, -1
}

func rowBags[R reduction, T num.Real](data, out *byte, offsets *int64, ends []int64, bytes, step, carry int, start T) {
	t, columns := 0, bytes/int(unsafe.Sizeof(start))
	for bag, end := range ends {
		result := view[T](byteAt(out, bag*step), columns)
		x, y, z := start, start, start
		if bag == 0 && carry != 0 {
			x, y, z = result[0], result[1], result[columns-1]
		}
		x, y, z = reduceRows[R](x, y, z, data, unsafe.Slice(offsets, end)[t:], bytes-int(unsafe.Sizeof(z)))
		t = int(end)
		result[columns-1] = z
		result[0], result[1] = x, y
	}
}

// reduceRows reduces rows of three elements, the last of which is at a byte of the row: of
// two it is the second once more. In rowBags its loop would have too few registers.
func reduceRows[R reduction, T num.Real](x, y, z T, data *byte, offsets []int64, last int) (_, _, _ T) {
	for _, at := range offsets {
		row := (*[2]T)(byteAt(data, int(at)))
		if !keeps[R](x, row[0]) {
			x = combine[R](x, row[0])
		}
		if !keeps[R](y, row[1]) {
			y = combine[R](y, row[1])
		}
		if u := *(*T)(byteAt(data, int(at)+last)); !keeps[R](z, u) {
			z = combine[R](z, u)
		}
	}
	return x, y, z
}

// combineShortItemsGo is combineItemsGo for rows of one, two or three elements, which are
// stride bytes apart in data and in items.
func combineShortItemsGo[R reduction, T num.Real, I Index](data, items, idx *byte, n, size, _, stride, _ int) int {
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
			results[j] = combine[R](results[j], x)
		}
	case 2:
		results := view[[2]T](unsafe.Pointer(data), size)
		for t, id := range ids {
			j := uint64(id)
			if j >= uint64(len(results)) {
				return t
			}
			r, u := &results[j], (*[2]T)(byteAt(items, t*stride))
			r[0] = combine[R](r[0], u[0])
			r[1] = combine[R](r[1], u[1])
		}
	case 3:
		results := view[[3]T](unsafe.Pointer(data), size)
		for t, id := range ids {
			j := uint64(id)
			if j >= uint64(len(results)) {
				return t
			}
			r, u := &results[j], (*[3]T)(byteAt(items, t*stride))
			r[0] = combine[R](r[0], u[0])
			r[1] = combine[R](r[1], u[1])
			r[2] = combine[R](r[2], u[2])
		}
	}
	return n
}

// SetShortItems chooses the loop that sets rows of so many bytes, which indices address, to
// a row: of one, two or three elements.
func SetShortItems(bytes int) ItemLoops {
	switch bytes {
	case 3:
		return setThreeBytes
	case 6:
		return setSixBytes
	case 12:
		return setTwelveBytes
	case 24:
		return setTwentyFourBytes
	}
	return active.FillItems[Log2(bytes)]
}

var (
	setThreeBytes      = fillItemLoopsGo[[3]byte]()
	setSixBytes        = fillItemLoopsGo[[6]byte]()
	setTwelveBytes     = fillItemLoopsGo[[12]byte]()
	setTwentyFourBytes = fillItemLoopsGo[[24]byte]()
)
