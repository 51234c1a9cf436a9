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
// rows in order if Idx is nil. Bag b has those up to Ends[b]; Ends are ascending.
type ShortBags struct {
	Data, Idx            *byte
	Columns, Stride      int // the next row begins Stride bytes after the start of one: to all loops but Apart and CheckedSums rows are contiguous
	Ends                 []int64
	Size, NegativeOffset uint64
	Empty                *byte // what a bag without rows has
	// What Magnitude points to gets all bits that any number has, with Bias added to it: of CheckedSums.
	Bias      uint64
	Magnitude *uint64
}

// ShortBagLoops are an implementation's loops: for no indices, for int32 and for int64.
type ShortBagLoops struct {
	// Bags write the results to out. They return the first bad index, or -1. Long are for bags of many rows, Again if the
	// table has few, and Apart for rows that are not contiguous.
	Bags, Long, Again, Apart [3]func(b *ShortBags, out *byte) int
	// Items combine rows in order with those that indices address, in ascending order. stride is the size of a row. If step is
	// not 0 the first row of each index is copied. That, and rows longer than ShortColumns, are for extremes alone.
	Items ItemLoops
}

// ShortLoops are for numbers that Go computes with, as the ranks of 16-bit floats are.
var ShortLoops = [num.Kinds][num.Reductions]*ShortBagLoops{
	num.Int8: shortLoops[int8](num.Int8), num.Int16: shortLoops[int16](num.Int16), num.Int32: shortLoops[int32](num.Int32), num.Int64: shortLoops[int64](num.Int64),
	num.Uint8: shortLoops[uint8](num.Uint8), num.Uint16: shortLoops[uint16](num.Uint16), num.Uint32: shortLoops[uint32](num.Uint32), num.Uint64: shortLoops[uint64](num.Uint64),
	num.Float32: shortLoops[float32](num.Float32), num.Float64: shortLoops[float64](num.Float64),
	num.Float16:  {num.Min: shortLoopsOf[least, binary16, int16](num.Float16, num.Min), num.Max: shortLoopsOf[most, binary16, int16](num.Float16, num.Max)},
	num.BFloat16: {num.Min: shortLoopsOf[least, brain16, int16](num.BFloat16, num.Min), num.Max: shortLoopsOf[most, brain16, int16](num.BFloat16, num.Max)},
}

func shortLoops[T num.Real](kind num.Kind) [num.Reductions]*ShortBagLoops {
	return [num.Reductions]*ShortBagLoops{
		num.Add: shortLoopsOf[add, exact, T](kind, num.Add), num.Mul: shortLoopsOf[mul, exact, T](kind, num.Mul),
		num.Min: shortLoopsOf[least, exact, T](kind, num.Min), num.Max: shortLoopsOf[most, exact, T](kind, num.Max),
	}
}

func shortLoopsOf[R reduction, F format, T num.Real](kind num.Kind, r num.Reduction) *ShortBagLoops {
	start := num.As[T](num.Neutral(kind, r))[0]
	return &ShortBagLoops{
		Bags: shortBagsFrom[R, F, short](start),
		Long: shortBagsFrom[R, F, long](start), Again: shortBagsFrom[R, F, again](start), Apart: shortBagsFrom[R, F, strided](start),
		Items: ItemLoops{shortItems[R, F, T, int32], shortItems[R, F, T, int64]},
	}
}

// none is the type of indices where there are none: row p is that of position p.
type none int16

func shortBagsFrom[R reduction, F format, L length, T num.Real](start T) [3]func(b *ShortBags, out *byte) int {
	return [...]func(b *ShortBags, out *byte) int{
		func(b *ShortBags, out *byte) int { return shortBags[R, F, L, T, none](b, out, start) },
		func(b *ShortBags, out *byte) int { return shortBags[R, F, L, T, int32](b, out, start) },
		func(b *ShortBags, out *byte) int { return shortBags[R, F, L, T, int64](b, out, start) },
	}
}

func shortBags[R reduction, F format, L length, T num.Real, I Index | none](b *ShortBags, out *byte, start T) int {
	begin, results := [2]T{inOrder[R, F](*(*T)(unsafe.Pointer(b.Empty))), inOrder[R, F](start)}, view[T](unsafe.Pointer(out), b.Columns*len(b.Ends))
	if b.Columns > 1 {
		return rowBags[R, F, L, T, I](b, results, &begin)
	}
	return numberBags[R, F, L, T, I](results, b.Data, b.Idx, b.Ends, b.Size, b.NegativeOffset, b.Stride, &begin)
}

// length is whether bags have few or many rows. The extreme of a long bag rarely changes: a
// branch that a processor predicts is faster than combine, which is for zeros and NaN, too. In a
// short one nothing is to be predicted. Where a table has few rows the extreme is met again. Bags of
// rows that are not contiguous, strided, count as short.
type length interface{ strided | short | long | again }

type (
	strided [0]byte
	short   [1]byte
	long    [2]byte
	again   [3]byte
)

// between is the distance from the start of a row to that of the next: apart in loops over rows that are not contiguous, and in the others the
// known one, which is a constant there.
func between[L length](known, apart int) int {
	var l L
	if len(l) == len(strided{}) {
		return apart
	}
	return known
}

// keeps reports whether an extreme is known to stay as it is. An equal number is the same one,
// but for zeros of different sign.
func keeps[R reduction, L length, T num.Real](result, x T) bool {
	var r R
	var l L
	integer := T(1)/2 == 0
	switch {
	case len(l) <= len(short{}):
		return false
	case len(l) == len(long{}) && !integer:
		return len(r) == len(least{}) && x > result || len(r) == len(most{}) && x < result
	}
	return (len(r) == len(least{}) && x >= result || len(r) == len(most{}) && x <= result) && (integer || result != 0)
}

// numberBags has bags of single elements. With one more value, or a slice of the indices, the loop would
// have too few registers. The branch on a bag that has none stays: without it a processor learns the
// ends in some builds only, by where the compiler puts the loop.
func numberBags[R reduction, F format, L length, T num.Real, I Index | none](results []T, data, idx *byte, ends []int64, size, negativeOffset uint64, apart int, begin *[2]T) int {
	t, stride := 0, between[L](int(unsafe.Sizeof(begin[0])), apart)
	for bag, end := range ends {
		x := begin[0]
		if t < int(end) {
			x = begin[1]
		}
		for ; t < int(end); t++ {
			j := uint64(t)
			if unsafe.Sizeof(I(0)) > unsafe.Sizeof(none(0)) {
				if j = uint64(*(*I)(byteAt(idx, t*int(unsafe.Sizeof(I(0)))))); j >= size {
					if j += negativeOffset; j >= size {
						return t
					}
				}
			}
			if u := inOrder[R, F](*(*T)(byteAt(data, int(j)*stride))); !keeps[R, L](x, u) {
				x = combine[R](x, u)
			}
		}
		results[bag] = fromOrder[R, F](x)
	}
	return -1
}

// rowBags has bags of rows of two and three elements.
func rowBags[R reduction, F format, L length, T num.Real, I Index | none](b *ShortBags, results []T, begin *[2]T) int {
	var r R
	columns, t, width := b.Columns, 0, int(unsafe.Sizeof(begin[0]))
	data, idx, size, pitch := b.Data, b.Idx, b.Size, between[L](columns, b.Stride/width)
	for bag, end := range b.Ends {
		x := begin[uint64(int64(t)-end)>>63] // begin[1] if there are rows: a branch would have to be predicted
		y, z := x, x
		for ; t < int(end); t++ {
			j := uint64(t)
			if unsafe.Sizeof(I(0)) > unsafe.Sizeof(none(0)) {
				if j = uint64(*(*I)(byteAt(idx, t*int(unsafe.Sizeof(I(0)))))); j >= size {
					if j += b.NegativeOffset; j >= size {
						return t
					}
				}
			}
			at := int(j) * pitch
			row := (*[2]T)(byteAt(data, at*width))
			if u := inOrder[R, F](row[0]); !keeps[R, L](x, u) {
				x = combine[R](x, u)
			}
			if u := inOrder[R, F](row[1]); !keeps[R, L](y, u) {
				y = combine[R](y, u)
			}
			if len(r) < len(least{}) || columns > 2 { // for sums a branch would take longer
				if u := inOrder[R, F](*(*T)(byteAt(data, (at+columns-1)*width))); !keeps[R, L](z, u) {
					z = combine[R](z, u)
				}
			}
		}
		result := results[bag*columns:][:columns]
		result[columns-1], result[1], result[0] = fromOrder[R, F](z), fromOrder[R, F](y), fromOrder[R, F](x) // of two columns z is y
	}
	return -1
}

// shortItems ends at an index that is out of range, and returns its position, or n.
func shortItems[R reduction, F format, T num.Real, I Index](data, items, idx *byte, n, size, _, stride, step int) int {
	last, width, anew := uint64(size), int(unsafe.Sizeof(T(0))), step != 0
	ids := unsafe.Slice((*I)(unsafe.Pointer(idx)), n)
	switch stride / width {
	case 1:
		results := view[T](unsafe.Pointer(data), size)
		for t, u := range view[T](unsafe.Pointer(items), n) {
			j := uint64(ids[t])
			if j >= uint64(len(results)) {
				return t
			}
			if anew && j != last {
				results[j], last = u, j
				continue
			}
			results[j] = fromOrder[R, F](combine[R](inOrder[R, F](results[j]), inOrder[R, F](u)))
		}
	case 2, 3:
		for t, id := range ids {
			j := uint64(id)
			if j >= uint64(size) {
				return t
			}
			result, row := (*byte)(byteAt(data, int(j)*stride)), (*byte)(byteAt(items, t*stride))
			r, u := (*[2]T)(unsafe.Pointer(result)), (*[2]T)(unsafe.Pointer(row))
			z, v := (*T)(byteAt(result, stride-width)), (*T)(byteAt(row, stride-width)) // of two columns the second again
			if anew && j != last {
				r[0], r[1], *z, last = u[0], u[1], *v, j
				continue
			}
			r[0] = fromOrder[R, F](combine[R](inOrder[R, F](r[0]), inOrder[R, F](u[0])))
			r[1] = fromOrder[R, F](combine[R](inOrder[R, F](r[1]), inOrder[R, F](u[1])))
			if stride > 2*width {
				*z = fromOrder[R, F](combine[R](inOrder[R, F](*z), inOrder[R, F](*v)))
			}
		}
	default:
		return rowItems[R, F, T](data, items, ids, uint64(size), stride, anew)
	}
	return n
}

// rowItems is shortItems for longer rows. In one function with it the other loops take longer. A call of combineRow for
// each row would, too, so its loops for integers stand here again.
func rowItems[R reduction, F format, T num.Real, I Index](data, items *byte, ids []I, size uint64, stride int, anew bool) int {
	last, width := size, int(unsafe.Sizeof(T(0)))
	for t, id := range ids {
		j := uint64(id)
		if j >= size {
			return t
		}
		result, row := (*byte)(byteAt(data, int(j)*stride)), (*byte)(byteAt(items, t*stride))
		if anew && j != last {
			last = j
			copy(view[byte](unsafe.Pointer(result), stride), view[byte](unsafe.Pointer(row), stride))
		} else {
			c := 0
			for ; c+4*width <= stride; c += 4 * width {
				r, u := (*[4]T)(byteAt(result, c)), (*[4]T)(byteAt(row, c))
				r[0] = fromOrder[R, F](combine[R](inOrder[R, F](r[0]), inOrder[R, F](u[0])))
				r[1] = fromOrder[R, F](combine[R](inOrder[R, F](r[1]), inOrder[R, F](u[1])))
				r[2] = fromOrder[R, F](combine[R](inOrder[R, F](r[2]), inOrder[R, F](u[2])))
				r[3] = fromOrder[R, F](combine[R](inOrder[R, F](r[3]), inOrder[R, F](u[3])))
			}
			for ; c < stride; c += width {
				r, u := (*[1]T)(byteAt(result, c)), (*[1]T)(byteAt(row, c))
				r[0] = fromOrder[R, F](combine[R](inOrder[R, F](r[0]), inOrder[R, F](u[0])))
			}
		}
	}
	return len(ids)
}
