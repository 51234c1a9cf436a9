package simd

import (
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// ItemLoop is a LineLoop for lines whose items and indices are contiguous, four at a time or in
// assembly: for item t the element of data is that at index*stride + t*step bytes. It
// stops at the first bad index. The result is how many items it has done.
type ItemLoop func(data, items, idx *byte, n, size, negativeOffset, stride, step int) int

// ItemLoops are the loops for int32 and for int64 indices. They may be nil: then there are
// LineLoops alone.
type ItemLoops [2]ItemLoop

func setItems[T num.Real]() ItemLoops {
	return ItemLoops{combineItems[set, T, int32], combineItems[set, T, int64]}
}

// combineItems works four at a time, and on what is left one by one: the last ones, and all from four
// on of which an index is bad.
func combineItems[R reduction, T num.Real, I Index](data, items, idx *byte, n, axis, negativeOffset, stride, step int) int {
	var i I
	var e T
	t := 0
	if step == 0 && stride == int(unsafe.Sizeof(e)) {
		t = combineFour[R, adjacent, T, I](data, items, idx, n, axis, negativeOffset, stride, 0)
	} else {
		t = combineFour[R, apart, T, I](data, items, idx, n, axis, negativeOffset, stride, step)
	}
	if t == n {
		return n // what is behind the last one may be another's
	}
	data, items, idx = (*byte)(byteAt(data, t*step)), (*byte)(byteAt(items, t*int(unsafe.Sizeof(e)))), (*byte)(byteAt(idx, t*int(unsafe.Sizeof(i))))
	return t + combineEach[R, exact, short, T, I](data, items, idx, n-t, axis, negativeOffset, stride, step)
}

// spacing is how elements that neighbouring indices address lie, as a type: see reduction.
type spacing interface{ adjacent | apart }

type (
	adjacent [1]byte // side by side
	apart    [2]byte
)

// combineFour reads and checks four indices before it works on the first of them.
func combineFour[R reduction, S spacing, T num.Real, I Index](data, items, idx *byte, n, axis, negativeOffset, stride, step int) int {
	var i I
	var e T
	var s S
	if len(s) == len(adjacent{}) {
		stride, step = int(unsafe.Sizeof(e)), 0
	}
	size, wrap, t, base := uint64(axis), uint64(negativeOffset), 0, 0
	for ; t+4 <= n; t += 4 {
		x := (*[4]I)(byteAt(idx, t*int(unsafe.Sizeof(i))))
		a, b, c, d := uint64(x[0]), uint64(x[1]), uint64(x[2]), uint64(x[3])
		if a >= size || b >= size || c >= size || d >= size {
			// Not read again: another goroutine may change them.
			a, b, c, d = Row(int64(a), wrap), Row(int64(b), wrap), Row(int64(c), wrap), Row(int64(d), wrap)
			if a >= size || b >= size || c >= size || d >= size {
				break
			}
		}
		u := (*[4]T)(byteAt(items, t*int(unsafe.Sizeof(e))))
		y := (*[1]T)(byteAt(data, int(a)*stride+base))
		y[0], base = combine[R](y[0], u[0]), base+step
		y = (*[1]T)(byteAt(data, int(b)*stride+base))
		y[0], base = combine[R](y[0], u[1]), base+step
		y = (*[1]T)(byteAt(data, int(c)*stride+base))
		y[0], base = combine[R](y[0], u[2]), base+step
		y = (*[1]T)(byteAt(data, int(d)*stride+base))
		y[0], base = combine[R](y[0], u[3]), base+step
	}
	return t
}

// combineEach combines items one by one.
func combineEach[R reduction, F format, L length, T num.Real, I Index](data, items, idx *byte, n, axis, negativeOffset, stride, step int) int {
	var i I
	var e T
	size := uint64(axis)
	for t, base := 0, 0; t < n; t, base = t+1, base+step {
		j := uint64(*(*I)(byteAt(idx, t*int(unsafe.Sizeof(i)))))
		if j >= size {
			if j += uint64(negativeOffset); j >= size {
				return t
			}
		}
		target, update := (*T)(byteAt(data, int(j)*stride+base)), *(*T)(byteAt(items, t*int(unsafe.Sizeof(e))))
		if x, u := inOrder[R, F](*target), inOrder[R, F](update); !keeps[R, L](x, u) {
			*target = fromOrder[R, F](combine[R](x, u))
		}
	}
	return n
}
