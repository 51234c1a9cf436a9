package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// BagLoop reduces the rows of some bags. The rows of bag b are those of data at
// the offsets behind ends[b-1], up to ends[b]; the result goes to out, whose rows
// are step bytes apart. If carry is not 0 the first bag goes on from what out
// holds. The offsets have been checked; assembly reads distance more of them, to
// prefetch what is there. scales has a number for each row or for each bag, as
// the loop needs them.
type BagLoop func(data, out *byte, offsets, ends *int64, scales *byte, bags, bytes, step, distance, carry int)

// ScaledLoop is a ScatterLoop that takes scales[t] times row t of items.
type ScaledLoop func(data, items *byte, offsets, places *int64, scales *byte, n, bytes, step, distance int)

// DotLoop writes to out the dot products of the rows of data at offsets and those
// of items at places.
type DotLoop func(data, items *byte, offsets, places *int64, out *byte, n, bytes, step, distance int)

// BagLoops are an implementation's loops over the rows of bags, of one kind.
type BagLoops struct {
	Add, AddScaled BagLoop
	// Min, Max and MaxOfFew, which is Max for bags of few rows, are nil for complex numbers. Of a bag without rows all write
	// zeros. Min and MaxOfFew copy a bag's first row.
	Mul, Min, Max, MaxOfFew BagLoop
	// AddScaledRows takes the conjugates of complex scales, and DotRows those of data.
	AddScaledRows ScaledLoop
	DotRows       DotLoop
}

// bagLoopsOfKinds are for all kinds but bool, made of loops that combine rows.
func bagLoopsOfKinds(combine [num.Kinds][num.Reductions]CombineLoops) (all [num.Kinds]*BagLoops) {
	all[num.Int8], all[num.Int16] = bagLoops(combine[num.Int8], realRows[int8]()), bagLoops(combine[num.Int16], realRows[int16]())
	all[num.Int32], all[num.Int64] = bagLoops(combine[num.Int32], realRows[int32]()), bagLoops(combine[num.Int64], realRows[int64]())
	all[num.Uint8], all[num.Uint16] = bagLoops(combine[num.Uint8], realRows[uint8]()), bagLoops(combine[num.Uint16], realRows[uint16]())
	all[num.Uint32], all[num.Uint64] = bagLoops(combine[num.Uint32], realRows[uint32]()), bagLoops(combine[num.Uint64], realRows[uint64]())
	all[num.Float32], all[num.Float64] = bagLoops(combine[num.Float32], realRows[float32]()), bagLoops(combine[num.Float64], realRows[float64]())
	all[num.Float16] = bagLoops(combine[num.Float16], halfRows(num.Float16To32, num.Float16From32))
	all[num.BFloat16] = bagLoops(combine[num.BFloat16], halfRows(num.BFloat16To32, num.BFloat16From32))
	all[num.Complex64] = bagLoops(combine[num.Complex64], complexRows(timesComplex64, func(x complex64) complex64 { return complex(real(x), -imag(x)) }))
	all[num.Complex128] = bagLoops(combine[num.Complex128], complexRows(timesComplex128, func(x complex128) complex128 { return complex(real(x), -imag(x)) }))
	for kind, l := range all {
		if l != nil {
			neutral := num.Neutral(num.Kind(kind), num.Mul) // fromFirst would be wrong for complex products of infinities and NaN
			l.Mul = bagLoop(&combine[kind][num.Mul], nil, num.Kind(kind).Width(), func(result []byte, _ *byte, _ *int64, _ int) int {
				fill(result, neutral)
				return 0
			})
		}
	}
	return all
}

// rowArithmetic is what bags need of a kind beside the loops that combine rows. It works
// on rows of equal length.
type rowArithmetic[T any] struct {
	addScaled func(sum, row []T, scale T)
	conj      func(x T) T
	dot       func(row, items []T) T
}

func realRows[T num.Real]() rowArithmetic[T] {
	return rowArithmetic[T]{addScaledRow[T], func(x T) T { return x }, dot[T]}
}

// halfRows rounds after each step.
func halfRows(to func(uint16) float32, from func(float32) uint16) rowArithmetic[uint16] {
	times := func(a, b uint16) uint16 { return from(to(a) * to(b)) }
	plus := func(a, b uint16) uint16 { return from(to(a) + to(b)) }
	return rowArithmetic[uint16]{
		addScaled: func(sum, row []uint16, scale uint16) {
			for i, x := range row {
				sum[i] = plus(sum[i], times(scale, x))
			}
		},
		conj: func(x uint16) uint16 { return x },
		dot:  func(row, items []uint16) uint16 { return dotOf(row, items, times, plus) },
	}
}

func complexRows[T complex64 | complex128](times func(a, b T) T, conj func(x T) T) rowArithmetic[T] {
	return rowArithmetic[T]{
		addScaled: func(sum, row []T, scale T) {
			for i, x := range row {
				sum[i] += times(scale, x)
			}
		},
		conj: conj,
		dot:  func(row, items []T) T { return dotOf(row, items, func(a, b T) T { return times(conj(a), b) }, plus[T]) },
	}
}

// timesComplex64 is Go's product. Go computes it in float64, where products of float32
// are exact.
func timesComplex64(a, b complex64) complex64 { return a * b }

// timesComplex128 rounds each product of parts: Go's own product is fused on some
// processors, and its bits then depend on what is around it.
func timesComplex128(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// bagLoops are made of the loops that combine the rows of a kind.
func bagLoops[T any](combine [num.Reductions]CombineLoops, a rowArithmetic[T]) *BagLoops {
	var element T
	width := int(unsafe.Sizeof(element))
	l := &BagLoops{
		Add:           bagLoop(&combine[num.Add], nil, width, nil),
		AddScaled:     bagLoop(&CombineLoops{}, scaledLoop(a.addScaled), width, nil),
		AddScaledRows: scaledLoop(func(sum, row []T, scale T) { a.addScaled(sum, row, a.conj(scale)) }),
		DotRows: func(data, items *byte, offsets, places *int64, out *byte, n, bytes, step, _ int) {
			place, to := unsafe.Slice(places, n), view[T](unsafe.Pointer(out), n)
			for t, at := range unsafe.Slice(offsets, n) {
				to[t] = a.dot(view[T](byteAt(data, int(at)), bytes/width), view[T](byteAt(items, int(place[t])*step), bytes/width))
			}
		},
	}
	if combine[num.Min].Rows != nil {
		l.Min, l.MaxOfFew = bagLoop(&combine[num.Min], nil, width, fromFirst), bagLoop(&combine[num.Max], nil, width, fromFirst)
		l.Max = l.MaxOfFew
	}
	return l
}

func fromFirst(result []byte, data *byte, offsets *int64, n int) int {
	copy(result, view[byte](byteAt(data, int(*offsets)), len(result)))
	return 1
}

// fill writes an element, of which a pattern is full, to all of a row.
func fill(row, pattern []byte) {
	for len(row) > 0 {
		row = row[copy(row, pattern):]
	}
}

// ZeroOffsets are the offsets of rows that are all the first: the sum of a bag.
var ZeroOffsets [OffsetsAtOnce + 2*Lookahead]int64

// bagLoop is a BagLoop made of loops that combine rows or, if there are none, of one that takes numbers of width bytes as scales.
// start makes what the result of a bag begins with, of the first of its n rows in data if it needs one, and returns how many rows it has
// taken. Without it, and for bags without rows, that is zeros.
func bagLoop(combines *CombineLoops, scaled ScaledLoop, width int, start func(result []byte, data *byte, offsets *int64, n int) int) BagLoop {
	rows, one, oneLeast, oneMost := combines.Rows, combines.One, 4*width, combines.OneMost*width
	return func(data, out *byte, offsets, ends *int64, scales *byte, bags, bytes, step, _, carry int) {
		combine := rows
		if one != nil && bytes >= oneLeast && bytes <= oneMost {
			combine = one
		}
		t := 0
		for b, end := range unsafe.Slice(ends, bags) {
			result, n := (*byte)(byteAt(out, b*step)), int(end)-t
			switch {
			case b == 0 && carry != 0: // goes on
			case start == nil || n == 0:
				clear(unsafe.Slice(result, bytes))
			default:
				taken := start(unsafe.Slice(result, bytes), data, int64At(offsets, t), n)
				t, n = t+taken, n-taken
			}
			if n > 0 && combine != nil {
				combine(result, data, &ZeroOffsets[0], int64At(offsets, t), n, bytes, 1, 0)
			} else if n > 0 {
				scaled(result, data, &ZeroOffsets[0], int64At(offsets, t), (*byte)(byteAt(scales, t*width)), n, bytes, 1, 0)
			}
			t = int(end)
		}
	}
}

// scaledLoop is a ScaledLoop in Go.
func scaledLoop[T any](addScaled func(sum, row []T, scale T)) ScaledLoop {
	var element T
	return func(data, items *byte, offsets, places *int64, scales *byte, n, bytes, step, _ int) {
		length := bytes / int(unsafe.Sizeof(element))
		place, scale := unsafe.Slice(places, n), view[T](unsafe.Pointer(scales), n)
		for t, at := range unsafe.Slice(offsets, n) {
			addScaled(view[T](byteAt(data, int(at)), length), view[T](byteAt(items, int(place[t])*step), length), scale[t])
		}
	}
}

// addScaledRow adds a row times a number. The product is rounded before it is
// added: without the conversion a processor that can would not do that. Where sum
// and product are NaN the compiler takes the payload of the product, as long as it
// reads the sum in the addition: the assembly does the same.
func addScaledRow[T number](sum, row []T, scale T) {
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

// dot is the dot product of two rows, in sixteen sums.
func dot[T num.Real](a, b []T) T {
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
	return sums.total(plus[T])
}

// dotOf is dot for other arithmetic than Go's.
func dotOf[T any](a, b []T, times, plus func(a, b T) T) T {
	var sums sixteen[T]
	for i, x := range a {
		sums[i%len(sums)] = plus(sums[i%len(sums)], times(x, b[i]))
	}
	return sums.total(plus)
}

// sixteen is the sums that a sum over a row is made in: column c goes into sum
// c%16. So vectors of several widths make the same sums, and the same bits.
type sixteen[T any] [16]T

// total adds the second half to the first, until one sum is left.
func (s *sixteen[T]) total(plus func(a, b T) T) T {
	for half := len(s) / 2; half > 0; half /= 2 {
		for i := range half {
			s[i] = plus(s[i], s[half+i])
		}
	}
	return s[0]
}

// number is what Go can compute with.
type number interface {
	num.Real | complex64 | complex128
}

func plus[T number](a, b T) T { return a + b }
