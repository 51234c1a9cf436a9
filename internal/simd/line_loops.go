package simd

import (
	"math/bits"
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// Loop is one of nested loops: how often it runs, and how far an iteration moves in items, in
// data, and in the indices. A stride of 0 means that the loop does not move there.
type Loop struct{ N, Items, Data, Idx int }

// Line is two nested loops over single elements, each of which has an index on one axis: the inner
// one is a run. An element is in items at the sum of iteration times Items of both loops, in data at
// index*Stride + that of iteration times Data, in bytes, and its index is number Σ iteration*Idx.
// Neither loop is empty.
type Line struct {
	Axis       // with its stride in bytes
	Outer, Run Loop
	From       int // where in memory data is, for TargetLines
	// Skip makes a loop go on after an index that is out of range: a gather writes a zero,
	// a scatter leaves the update out.
	Skip bool
}

// LineLoop works on the elements of a line, one after the other. It checks each index and
// stops at the first that is out of range, unless the line skips it. The result is how many
// elements it has passed.
type LineLoop func(data, items, idx *byte, l *Line) int

// LineLoops are the loops for int32 and for int64 indices.
type LineLoops [2]LineLoop

// CopyStrings and SetStrings move strings as what they are, in sight of the garbage collector.
var CopyStrings, SetStrings = moveLines[toItem, string](), moveLines[toData, string]()

// TargetLines write the offset of each element of data to its item, an int: in elements as
// wide as that. There need be no data. No index is skipped.
var TargetLines = moveLines[offset, int]()

func moveLines[D direction, T any]() LineLoops {
	return LineLoops{moveLine[D, T, int32], moveLine[D, T, int64]}
}

// direction is where a loop moves elements to, as a type: see reduction.
type direction interface{ toItem | toData | offset }

type (
	toItem [1]byte
	toData [2]byte
	offset [3]byte // the item gets the offset of the element
)

// inAssembly are LineLoops in assembly, which knows where the fields of a Line are.
func inAssembly(loop func(data, items, idx, l *byte, width int) int) LineLoops {
	of := func(width int) LineLoop {
		return func(data, items, idx *byte, l *Line) int {
			return loop(data, items, idx, (*byte)(unsafe.Pointer(l)), width)
		}
	}
	return LineLoops{of(4), of(8)}
}

// passed is how many elements come before the one at which so many of a run are left.
func (l *Line) passed(outer, left int) int { return (outer+1)*l.Run.N - left }

// The loops below differ in what they do to an element alone. A function for that which is
// not inlined would take longer than all the rest.

func moveLine[D direction, T any, I Index](data, items, idx *byte, l *Line) int {
	var d D
	size, stride, step := l.Size, int(l.Stride), l.Run.Data
	rest := l.Run.N // of a run, behind those that are moved four at a time: all of it if items or indices are not contiguous
	if len(d) < len(offset{}) && l.Run.Idx == 1 && l.Run.Items == int(unsafe.Sizeof(*new(T))) {
		rest %= 4
	}
	for o := range l.Outer.N {
		item, base, index, left := o*l.Outer.Items, o*l.Outer.Data, o*l.Outer.Idx*int(unsafe.Sizeof(I(0))), l.Run.N
		for left > rest { // until one of four indices is out of range, none of which has been moved then
			i, four := (*[4]I)(byteAt(idx, index)), (*[4]T)(byteAt(items, item))
			j, k, m, n := uint64(i[0]), uint64(i[1]), uint64(i[2]), uint64(i[3])
			if j >= size || k >= size || m >= size || n >= size {
				j, k, m, n = Row(int64(j), l.NegativeOffset), Row(int64(k), l.NegativeOffset), Row(int64(m), l.NegativeOffset), Row(int64(n), l.NegativeOffset)
				if j >= size || k >= size || m >= size || n >= size {
					break
				}
			}
			if len(d) == len(toItem{}) {
				four[0], base = *(*T)(byteAt(data, int(j)*stride+base)), base+step
				four[1], base = *(*T)(byteAt(data, int(k)*stride+base)), base+step
				four[2], base = *(*T)(byteAt(data, int(m)*stride+base)), base+step
				four[3], base = *(*T)(byteAt(data, int(n)*stride+base)), base+step
			} else {
				*(*T)(byteAt(data, int(j)*stride+base)), base = four[0], base+step
				*(*T)(byteAt(data, int(k)*stride+base)), base = four[1], base+step
				*(*T)(byteAt(data, int(m)*stride+base)), base = four[2], base+step
				*(*T)(byteAt(data, int(n)*stride+base)), base = four[3], base+step
			}
			left, item, index = left-4, item+int(unsafe.Sizeof(*four)), index+int(unsafe.Sizeof(*i))
		}
		for len(d) == len(toItem{}) && left > 1 { // two at a time, until an index is negative or out of range
			j, k := uint64(*(*I)(byteAt(idx, index))), uint64(*(*I)(byteAt(idx, index+l.Run.Idx*int(unsafe.Sizeof(I(0))))))
			if j >= size || k >= size {
				break
			}
			*(*T)(byteAt(items, item)) = *(*T)(byteAt(data, int(j)*stride+base))
			*(*T)(byteAt(items, item+l.Run.Items)) = *(*T)(byteAt(data, int(k)*stride+base+l.Run.Data))
			left, item, base, index = left-2, item+2*l.Run.Items, base+2*l.Run.Data, index+2*l.Run.Idx*int(unsafe.Sizeof(I(0)))
		}
		for ; left > 0; left, item, base, index = left-1, item+l.Run.Items, base+l.Run.Data, index+l.Run.Idx*int(unsafe.Sizeof(I(0))) {
			j := uint64(*(*I)(byteAt(idx, index)))
			if j >= size {
				if j += l.NegativeOffset; j >= size {
					if !l.Skip {
						return l.passed(o, left)
					}
					if len(d) == len(toItem{}) {
						*(*T)(byteAt(items, item)) = *new(T)
					}
					continue
				}
			}
			switch len(d) {
			case len(toItem{}):
				*(*T)(byteAt(items, item)) = *(*T)(byteAt(data, int(j)*stride+base))
			case len(toData{}):
				*(*T)(byteAt(data, int(j)*stride+base)) = *(*T)(byteAt(items, item))
			default:
				*(*int)(byteAt(items, item)) = (l.From + int(j)*stride + base) / (bits.UintSize / 8)
			}
		}
	}
	return l.Outer.N * l.Run.N
}

// combineLine has a T for exact numbers only.
func combineLine[R reduction, F format, T num.Real, I Index](data, items, idx *byte, l *Line) int {
	var f F
	size, stride := l.Size, int(l.Stride)
	for o := range l.Outer.N {
		item, base, index := o*l.Outer.Items, o*l.Outer.Data, o*l.Outer.Idx*int(unsafe.Sizeof(I(0)))
		for left := l.Run.N; left > 0; left, item, base, index = left-1, item+l.Run.Items, base+l.Run.Data, index+l.Run.Idx*int(unsafe.Sizeof(I(0))) {
			j := uint64(*(*I)(byteAt(idx, index)))
			if j >= size {
				if j += l.NegativeOffset; j >= size {
					if !l.Skip {
						return l.passed(o, left)
					}
					continue
				}
			}
			switch target, update := byteAt(data, int(j)*stride+base), byteAt(items, item); {
			case computes[R, F]():
				combineHalf[R, F]((*uint16)(target), *(*uint16)(update))
			case len(f) == len(single{}):
				*(*complex64)(target) = combineComplex[R](*(*complex64)(target), *(*complex64)(update))
			case len(f) == len(double{}):
				*(*complex128)(target) = combineComplex[R](*(*complex128)(target), *(*complex128)(update))
			default:
				*(*T)(target) = fromOrder[R, F](combine[R](inOrder[R, F](*(*T)(target)), inOrder[R, F](*(*T)(update))))
			}
		}
	}
	return l.Outer.N * l.Run.N
}
