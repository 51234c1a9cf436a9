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

// combineItems reads and checks four indices before it works on the first of them. A line with
// one that is bad is finished one by one. So is an extreme of few targets: see FewTargets.
func combineItems[R reduction, T num.Real, I Index](data, items, idx *byte, n, axis, negativeOffset, stride, step int) int {
	if isExtreme[R]() && step == 0 && FewTargets(axis, n) {
		return combineEach[R, long, T, I](data, items, idx, 0, n, axis, negativeOffset, stride, 0)
	}
	var i I
	var e T
	size, t, base := uint64(axis), 0, 0
	if step == 0 && stride == int(unsafe.Sizeof(e)) {
		t = combinePacked[R, T, I](data, items, idx, n, size)
	}
	for ; t+4 <= n; t += 4 {
		x := (*[4]I)(byteAt(idx, t*int(unsafe.Sizeof(i))))
		a, b, c, d := uint64(x[0]), uint64(x[1]), uint64(x[2]), uint64(x[3])
		if a >= size || b >= size || c >= size || d >= size {
			if a >= size {
				a += uint64(negativeOffset)
			}
			if b >= size {
				b += uint64(negativeOffset)
			}
			if c >= size {
				c += uint64(negativeOffset)
			}
			if d >= size {
				d += uint64(negativeOffset)
			}
			if a >= size || b >= size || c >= size || d >= size {
				break
			}
		}
		u := (*[4]T)(byteAt(items, t*int(unsafe.Sizeof(e))))
		y := (*[1]T)(byteAt(data, int(a)*stride+base))
		y[0] = combine[R](y[0], u[0])
		base += step
		y = (*[1]T)(byteAt(data, int(b)*stride+base))
		y[0] = combine[R](y[0], u[1])
		base += step
		y = (*[1]T)(byteAt(data, int(c)*stride+base))
		y[0] = combine[R](y[0], u[2])
		base += step
		y = (*[1]T)(byteAt(data, int(d)*stride+base))
		y[0] = combine[R](y[0], u[3])
		base += step
	}
	return combineEach[R, short, T, I](data, items, idx, t, n, axis, negativeOffset, stride, step)
}

// combineEach combines items from number t on, one by one.
func combineEach[R reduction, L length, T num.Real, I Index](data, items, idx *byte, t, n, axis, negativeOffset, stride, step int) int {
	var i I
	var e T
	size := uint64(axis)
	for base := t * step; t < n; t, base = t+1, base+step {
		j := uint64(*(*I)(byteAt(idx, t*int(unsafe.Sizeof(i)))))
		if j >= size {
			if j += uint64(negativeOffset); j >= size {
				break
			}
		}
		target, update := (*T)(byteAt(data, int(j)*stride+base)), (*T)(byteAt(items, t*int(unsafe.Sizeof(e))))
		if !keeps[R, L](*target, *update) {
			*target = combine[R](*target, *update)
		}
	}
	return t
}

// combinePacked combines items with elements that are neighbours, four at a time. It stops before
// four of which an index is out of range or negative, and before the last ones.
func combinePacked[R reduction, T num.Real, I Index](data, items, idx *byte, n int, size uint64) int {
	var i I
	var e T
	t := 0
	for ; t+4 <= n; t += 4 {
		x, u := (*[4]I)(byteAt(idx, t*int(unsafe.Sizeof(i)))), (*[4]T)(byteAt(items, t*int(unsafe.Sizeof(e))))
		a, b, c, d := uint64(x[0]), uint64(x[1]), uint64(x[2]), uint64(x[3])
		if a >= size || b >= size || c >= size || d >= size {
			break
		}
		y := element[T](data, a)
		y[0] = combine[R](y[0], u[0])
		y = element[T](data, b)
		y[0] = combine[R](y[0], u[1])
		y = element[T](data, c)
		y[0] = combine[R](y[0], u[2])
		y = element[T](data, d)
		y[0] = combine[R](y[0], u[3])
	}
	return t
}

// element is element j of data.
func element[T any](data *byte, j uint64) *[1]T {
	return (*[1]T)(byteAt(data, int(j)*int(unsafe.Sizeof([1]T{}))))
}
