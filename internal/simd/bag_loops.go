package simd

import (
	"math"
	"unsafe"
)

// BagLoop reduces the rows of some bags. The rows of bag b are those of data at
// the offsets behind ends[b-1], up to ends[b]; the result goes to out, whose rows
// are step bytes lineStride. If carry is not 0 the first bag goes on from what out
// holds. The offsets have been checked; assembly reads distance more of them, to
// prefetch what is there. scales has a number for each row or for each bag, as
// the loop needs them.
type BagLoop func(data, out *byte, offsets, ends *int64, scales *byte, bags, bytes, step, distance, carry int)

// ScaledLoop is an addLoop that takes scales[t] times row t of items.
type ScaledLoop func(data, items *byte, offsets, places *int64, scales *byte, n, bytes, step, distance int)

// ShareLoop adds rows of items to the rows of data at offsets, where the rows of
// the table there have the greatest value of their column, or are NaN. items has
// two rows for each place: the greatest values, and what is added.
type ShareLoop func(data, table, items *byte, offsets, places *int64, n, bytes, distance int)

// DotLoop writes to out the dot products of the rows of data at offsets and those
// of items at places.
type DotLoop func(data, items *byte, offsets, places *int64, out *byte, n, bytes, step, distance int)

// BagLoops are an implementation's loops over rows of floats of one kind.
type BagLoops struct {
	Add, AddScaled, Mean, Max BagLoop
	// Ties counts, for each bag, the rows that have in a column what scales, which
	// has a row for each bag, holds there, or NaN. Counts are integers as wide as the
	// floats.
	Ties          BagLoop
	AddScaledRows ScaledLoop
	ShareRows     ShareLoop
	DivideRow     func(to, from, divisor *byte, bytes int)
	DotRows       DotLoop
}

func bagLoopsGo[T float32 | float64]() *BagLoops {
	return &BagLoops{
		Add: addBagsGo[T], AddScaled: addScaledBagsGo[T], Mean: meanBagsGo[T], Max: maxBagsGo[T],
		Ties: countTiesGo[T], AddScaledRows: addScaledRowsGo[T], ShareRows: shareRowsGo[T], DivideRow: divideRowGo[T], DotRows: dotRowsGo[T],
	}
}

// eachBag calls start with the result of each bag, add with that and each row of
// the bag, and finish.
func eachBag[T float32 | float64](data, out *byte, offsets, ends *int64, bags, bytes, step, carry int,
	first T, add func(sum, row []T, t int), finish func(sum []T, b int)) {
	var element T
	length := bytes / int(unsafe.Sizeof(element))
	t := 0
	for b, end := range unsafe.Slice(ends, bags) {
		sum := view[T](byteAt(out, b*step), length)
		if b > 0 || carry == 0 {
			for i := range sum {
				sum[i] = first
			}
		}
		for ; t < int(end); t++ {
			at := *(*int64)(unsafe.Add(unsafe.Pointer(offsets), 8*t))
			add(sum, view[T](byteAt(data, int(at)), length), t)
		}
		if finish != nil {
			finish(sum, b)
		}
	}
}

func addBagsGo[T float32 | float64](data, out *byte, offsets, ends *int64, _ *byte, bags, bytes, step, _, carry int) {
	eachBag(data, out, offsets, ends, bags, bytes, step, carry, 0, func(sum, row []T, _ int) { addRow(sum, row) }, nil)
}

func meanBagsGo[T float32 | float64](data, out *byte, offsets, ends *int64, scales *byte, bags, bytes, step, _, carry int) {
	divisors := view[T](unsafe.Pointer(scales), bags)
	eachBag(data, out, offsets, ends, bags, bytes, step, carry, 0,
		func(sum, row []T, _ int) { addRow(sum, row) },
		func(sum []T, b int) {
			for i := range sum {
				sum[i] /= divisors[b]
			}
		})
}

func addScaledBagsGo[T float32 | float64](data, out *byte, offsets, ends *int64, scales *byte, bags, bytes, step, _, carry int) {
	eachBag(data, out, offsets, ends, bags, bytes, step, carry, 0,
		func(sum, row []T, t int) { addScaledRow(sum, row, view[T](unsafe.Pointer(scales), t+1)[t]) }, nil)
}

func maxBagsGo[T float32 | float64](data, out *byte, offsets, ends *int64, _ *byte, bags, bytes, step, _, carry int) {
	eachBag(data, out, offsets, ends, bags, bytes, step, carry, T(math.Inf(-1)), func(sum, row []T, _ int) { maxRow(sum, row) }, nil)
}

func countTiesGo[T float32 | float64](data, out *byte, offsets, ends *int64, scales *byte, bags, bytes, step, _, carry int) {
	var element T
	length := bytes / int(unsafe.Sizeof(element))
	t := 0
	for b, end := range unsafe.Slice(ends, bags) {
		most, counts := view[T](byteAt(scales, b*bytes), length), byteAt(out, b*step)
		if b > 0 || carry == 0 {
			clear(view[T](counts, length))
		}
		for ; t < int(end); t++ {
			row := view[T](byteAt(data, int(*(*int64)(unsafe.Add(unsafe.Pointer(offsets), 8*t)))), length)
			if unsafe.Sizeof(element) == 4 {
				countRow(view[int32](counts, length), row, most)
			} else {
				countRow(view[int64](counts, length), row, most)
			}
		}
	}
}

// countRow adds one where the row has the greatest value: if that is NaN the row
// has NaN there, and only then can it have NaN.
func countRow[N int32 | int64, T float32 | float64](counts []N, row, most []T) {
	counts, most = counts[:len(row)], most[:len(row)]
	for i, x := range row {
		var one N
		if x == most[i] {
			one = 1
		}
		if x != x {
			one = 1
		}
		counts[i] += one
	}
}

func shareRowsGo[T float32 | float64](data, table, items *byte, offsets, places *int64, n, bytes, _ int) {
	var element T
	length := bytes / int(unsafe.Sizeof(element))
	place := unsafe.Slice(places, n)
	for t, at := range unsafe.Slice(offsets, n) {
		targets, row := view[T](byteAt(data, int(at)), length), view[T](byteAt(table, int(at)), length)
		most := view[T](byteAt(items, 2*int(place[t])*bytes), 2*length)
		share := most[length:]
		for i, x := range row {
			if x == most[i] || x != x {
				targets[i] += share[i]
			}
		}
	}
}

// addRow adds a row to a sum that is as long.
func addRow[T float32 | float64](sum, row []T) {
	for len(row) >= 8 && len(sum) >= 8 {
		s, r := (*[8]T)(sum), (*[8]T)(row)
		s[0] += r[0]
		s[1] += r[1]
		s[2] += r[2]
		s[3] += r[3]
		s[4] += r[4]
		s[5] += r[5]
		s[6] += r[6]
		s[7] += r[7]
		sum, row = sum[8:], row[8:]
	}
	for i := range row {
		// As those above: where both are NaN, the sum's payload is wanted.
		s, r := (*[1]T)(sum[i:]), (*[1]T)(row[i:])
		s[0] += r[0]
	}
}

// addScaledRow adds a row times a number. The product is rounded before it is
// added: without the conversion a processor that can would not do that. Where sum
// and product are NaN the compiler takes the payload of the product, as long as it
// reads the sum in the addition: the assembly does the same.
func addScaledRow[T float32 | float64](sum, row []T, scale T) {
	for len(row) >= 4 && len(sum) >= 4 {
		s, r := (*[4]T)(sum), (*[4]T)(row)
		s[0] += T(scale * r[0])
		s[1] += T(scale * r[1])
		s[2] += T(scale * r[2])
		s[3] += T(scale * r[3])
		sum, row = sum[4:], row[4:]
	}
	for i := range row {
		s, r := (*[1]T)(sum[i:]), (*[1]T)(row[i:])
		s[0] += T(scale * r[0])
	}
}

func maxRow[T float32 | float64](most, row []T) {
	most = most[:len(row)]
	for i, x := range row {
		most[i] = Greater(most[i], x)
	}
}

// Greater is the greater number, NaN if either is, and 0 of 0 and -0: what Go's
// max is, but that a NaN keeps its payload, the last one of several.
func Greater[T float32 | float64](most, x T) T {
	switch {
	case x > most || x != x:
		return x
	case x == 0 && most == 0:
		return most + x
	}
	return most
}

func addScaledRowsGo[T float32 | float64](data, items *byte, offsets, places *int64, scales *byte, n, bytes, step, _ int) {
	var element T
	length := bytes / int(unsafe.Sizeof(element))
	place, scale := unsafe.Slice(places, n), view[T](unsafe.Pointer(scales), n)
	for t, at := range unsafe.Slice(offsets, n) {
		addScaledRow(view[T](byteAt(data, int(at)), length), view[T](byteAt(items, int(place[t])*step), length), scale[t])
	}
}

func divideRowGo[T float32 | float64](to, from, divisor *byte, bytes int) {
	var element T
	length := bytes / int(unsafe.Sizeof(element))
	out, by := view[T](unsafe.Pointer(to), length), *(*T)(unsafe.Pointer(divisor))
	for i, x := range view[T](unsafe.Pointer(from), length) {
		out[i] = x / by
	}
}

func dotRowsGo[T float32 | float64](data, items *byte, offsets, places *int64, out *byte, n, bytes, step, _ int) {
	var element T
	length := bytes / int(unsafe.Sizeof(element))
	place, to := unsafe.Slice(places, n), view[T](unsafe.Pointer(out), n)
	for t, at := range unsafe.Slice(offsets, n) {
		to[t] = dot(view[T](byteAt(data, int(at)), length), view[T](byteAt(items, int(place[t])*step), length))
	}
}

// dot is the dot product of two rows, in sixteen sums.
func dot[T float32 | float64](a, b []T) T {
	var sums sixteen[T]
	for len(a) >= len(sums) && len(b) >= len(sums) {
		x, y := (*[16]T)(a), (*[16]T)(b)
		for i := range sums {
			sums[i] += T(x[i] * y[i])
		}
		a, b = a[len(sums):], b[len(sums):]
	}
	b = b[:len(a)]
	for i, x := range a {
		sums[i%len(sums)] += T(x * b[i])
	}
	return sums.total()
}

// sixteen is the sums that a sum over a row is made in: column c goes into sum
// c%16. So vectors of several widths make the same sums, and the same bits.
type sixteen[T float32 | float64] [16]T

// total adds the second half to the first, until one sum is left.
func (s *sixteen[T]) total() T {
	for half := len(s) / 2; half > 0; half /= 2 {
		for i := range half {
			s[i] += s[half+i]
		}
	}
	return s[0]
}
