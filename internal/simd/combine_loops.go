package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// CombineLoops are an implementation's loops that combine items with data, for
// one kind and one reduction: those over single items, by indices, the one over
// rows, and the one over rows of a single element.
type CombineLoops struct {
	Lines         LineLoops
	Items         ItemLoops // nil where there is none but Lines
	Rows, Offsets ScatterLoop
	Same          ScatterLoop // Rows of few elements where offsets are all 0, or nil
	FewItems      ItemLoops   // both for extremes of FewTargets
	FewRows       ScatterLoop
	One           ScatterLoop // Rows of 4 to OneMost integers where offsets are all 0 and step is 1, or nil
	OneMost       int         // in elements
}

// reduction is a reduction as a type. Types of different memory layout are
// compiled separately, and the length of an array is a constant there, so the
// switch in combine costs nothing: each loop has its one operation inlined.
type reduction interface {
	add | sub | mul | least | most | xor | set
}

type (
	add   [1]byte
	sub   [2]byte
	mul   [3]byte
	least [4]byte
	most  [5]byte
	xor   [6]byte // of bools, whose or and and are most and least
	set   [7]byte // takes the update
)

// combine must be inlined: a call for each element takes longer than all the rest of a reduction.
// TestCombineIsInlined holds it to that.
func combine[R reduction, T num.Real](target, update T) T {
	var r R
	switch len(r) {
	case len(add{}):
		return target + update
	case len(sub{}):
		return target - update
	case len(mul{}):
		return target * update
	case len(xor{}):
		return T(uint64(target) ^ uint64(update))
	case len(set{}):
		return update
	}
	if unsafe.Sizeof(target) == 1 { // of which the compiler makes branches
		if len(r) == len(least{}) {
			return T(min(int32(target), int32(update)))
		}
		return T(max(int32(target), int32(update)))
	}
	if len(r) == len(least{}) {
		return min(target, update) // NaN if either is
	}
	return max(target, update)
}

// combineLoopsGo has loops for every kind and reduction that there is.
func combineLoopsGo() [num.Kinds][num.Reductions]CombineLoops {
	bools := realLoopsGo[uint8]()
	or, and := bools[num.Max], bools[num.Min]
	return [num.Kinds][num.Reductions]CombineLoops{
		num.Bool: {num.Add: or, num.Max: or, num.Mul: and, num.Min: and, num.Sub: combineGo[xor, uint8]()},
		num.Int8: realLoopsGo[int8](), num.Int16: realLoopsGo[int16](), num.Int32: realLoopsGo[int32](), num.Int64: realLoopsGo[int64](),
		num.Uint8: realLoopsGo[uint8](), num.Uint16: realLoopsGo[uint16](), num.Uint32: realLoopsGo[uint32](), num.Uint64: realLoopsGo[uint64](),
		num.Float32: realLoopsGo[float32](), num.Float64: realLoopsGo[float64](),
		num.Float16: halfLoopsGo[binary16](), num.BFloat16: halfLoopsGo[brain16](),
		num.Complex64: complexLoopsGo[single, complex64](), num.Complex128: complexLoopsGo[double, complex128](),
	}
}

func realLoopsGo[T num.Real]() [num.Reductions]CombineLoops {
	return [num.Reductions]CombineLoops{
		num.Add: combineGo[add, T](), num.Sub: combineGo[sub, T](), num.Mul: combineGo[mul, T](),
		num.Min: withFew[least, exact, T](combineGo[least, T]()), num.Max: withFew[most, exact, T](combineGo[most, T]()),
	}
}

func combineGo[R reduction, T num.Real]() CombineLoops {
	loops := CombineLoops{
		Lines: LineLoops{combineLine[R, exact, T, int32], combineLine[R, exact, T, int64]},
		Items: ItemLoops{combineItems[R, T, int32], combineItems[R, T, int64]},
		Rows:  combineRowsGo[R, T], Offsets: combineOffsetsGo[R, T], Same: combineSame[R, T],
	}
	if T(1)/2 == 0 { // of the sum of two NaNs the compiler would choose the payload
		loops.One, loops.OneMost = combineOne[R, T], 8
	}
	return loops
}

// combineOne is combineRowsGo where all rows of data are the first, four columns of which stay in
// registers, or one if no more are left, and places are offsets in bytes.
func combineOne[R reduction, T num.Real](data, items *byte, _, places *int64, n, bytes, _, _ int) {
	width := int(unsafe.Sizeof(T(0)))
	result := view[T](unsafe.Pointer(data), bytes/width)
	last := len(result) - 4
	begin := [4]T(result[last:]) // the last four may overlap those before
	for c := 0; ; c = min(c+4, last) {
		b := (*[4]T)(result[c:])
		x, y, z, w := b[0], b[1], b[2], b[3]
		if c == last {
			x, y, z, w = begin[0], begin[1], begin[2], begin[3]
		}
		for _, at := range unsafe.Slice(places, n) {
			u := (*[4]T)(byteAt(items, int(at)+c*width))
			x, y, z, w = combine[R](x, u[0]), combine[R](y, u[1]), combine[R](z, u[2]), combine[R](w, u[3])
		}
		if *b = [4]T{x, y, z, w}; c == last {
			return
		}
		if one := (c + 4) * width; len(result) == c+5 {
			combineSame[R, T]((*byte)(byteAt(data, one)), (*byte)(byteAt(items, one)), nil, places, n, width, 1, 0)
			return
		}
	}
}

// combineOffsetsGo combines items with the elements at offsets.
func combineOffsetsGo[R reduction, T num.Real](data, items *byte, offsets, places *int64, n, _, step, _ int) {
	place := unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		*(*T)(byteAt(data, int(at))) = combine[R](*(*T)(byteAt(data, int(at))), *(*T)(byteAt(items, int(place[i])*step)))
	}
}

// combineSame keeps one element after the other in a register: in memory each item waits for the one before.
func combineSame[R reduction, T num.Real](data, items *byte, _, places *int64, n, bytes, step, _ int) {
	for c := 0; c < bytes; c += int(unsafe.Sizeof(T(0))) {
		target := (*T)(byteAt(data, c))
		x := *target
		for _, place := range unsafe.Slice(places, n) {
			x = combine[R](x, *(*T)(byteAt(items, int(place)*step+c)))
		}
		*target = x
	}
}

// combineRowsGo combines rows.
func combineRowsGo[R reduction, T num.Real](data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	place := unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		combineRow[R, T]((*byte)(byteAt(data, int(at))), (*byte)(byteAt(items, int(place[i])*step)), bytes)
	}
}

// combineRow combines two rows. The bits of floats that are NaN depend on how it is written.
func combineRow[R reduction, T num.Real](target, item *byte, bytes int) {
	width, c := int(unsafe.Sizeof(T(0))), 0
	if T(1)/2 == 0 { // integers, for which slices that become shorter take longer
		for ; c <= bytes-4*width; c += 4 * width {
			t, u := (*[4]T)(byteAt(target, c)), (*[4]T)(byteAt(item, c))
			t[0] = combine[R](t[0], u[0])
			t[1] = combine[R](t[1], u[1])
			t[2] = combine[R](t[2], u[2])
			t[3] = combine[R](t[3], u[3])
		}
		for ; c < bytes; c += width {
			*(*T)(byteAt(target, c)) = combine[R](*(*T)(byteAt(target, c)), *(*T)(byteAt(item, c)))
		}
		return
	}
	targets, row := view[T](unsafe.Pointer(target), bytes/width), view[T](unsafe.Pointer(item), bytes/width)
	for len(row) >= 4 && len(targets) >= 4 {
		// Where both are NaN, the compiler may take the payload of either, and the target's is wanted.
		t, u := (*[4]T)(targets), (*[4]T)(row)
		t[0] = combine[R](t[0], u[0])
		t[1] = combine[R](t[1], u[1])
		t[2] = combine[R](t[2], u[2])
		t[3] = combine[R](t[3], u[3])
		targets, row = targets[4:], row[4:]
	}
	for i := range row {
		t, u := (*[1]T)(targets[i:]), (*[1]T)(row[i:])
		t[0] = combine[R](t[0], u[0])
	}
}

// The complex numbers have no order, hence no min and max.
func complexLoopsGo[F format, T complex64 | complex128]() [num.Reductions]CombineLoops {
	return [num.Reductions]CombineLoops{num.Add: complexGo[add, F, T](), num.Sub: complexGo[sub, F, T](), num.Mul: complexGo[mul, F, T]()}
}

func complexGo[R reduction, F format, T complex64 | complex128]() CombineLoops {
	return CombineLoops{
		Lines: LineLoops{combineLine[R, F, uint8, int32], combineLine[R, F, uint8, int64]},
		Rows:  complexRowsGo[R, T], Offsets: complexRowsGo[R, T],
	}
}

func combineComplex[R reduction, T complex64 | complex128](target, update T) T {
	var r R
	switch len(r) {
	case len(add{}):
		return target + update
	case len(sub{}):
		return target - update
	default:
		return target * update
	}
}

// complexRowsGo is combineRowsGo for complex numbers.
func complexRowsGo[R reduction, T complex64 | complex128](data, items *byte, offsets, places *int64, n, bytes, step, _ int) {
	length, place := bytes/int(unsafe.Sizeof(T(0))), unsafe.Slice(places, n)
	for i, at := range unsafe.Slice(offsets, n) {
		targets := view[T](byteAt(data, int(at)), length)
		for c, u := range view[T](byteAt(items, int(place[i])*step), length) {
			targets[c] = combineComplex[R](targets[c], u)
		}
	}
}
