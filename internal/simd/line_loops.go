package simd

import (
	"math/bits"
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// Loop is one of nested loops: how often it runs, and how far an iteration moves in items, in
// data, and in the indices. A stride of 0 means that the loop does not move there.
type Loop struct{ N, Items, Data, Idx int }

// Line is two nested loops over single elements, each of which has an index on one axis. An
// element is in items at the sum of iteration times Items of both loops, in data at
// index*Stride + that of iteration times Data, in bytes, and its index is number Σ iteration*Idx.
type Line struct {
	Axis         // with its stride in bytes
	Outer, Inner Loop
	From         int // where in memory data is, for TargetLines
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
var CopyStrings, SetStrings = copyLines[string](), setLines[string]()

// TargetLines write the offset of each element of data to its item, an int: in elements as
// wide as that. There need be no data. No index is skipped.
var TargetLines = LineLoops{targetLine[int32], targetLine[int64]}

func copyLines[T any]() LineLoops { return LineLoops{copyLine[T, int32], copyLine[T, int64]} }
func setLines[T any]() LineLoops  { return LineLoops{setLine[T, int32], setLine[T, int64]} }

// passed is how many elements come before the one at which so many of a run are left.
func (l *Line) passed(outer, left int) int { return (outer+1)*l.Inner.N - left }

// The loops below differ in what they do to an element alone. A function for that which is
// not inlined would take longer than all the rest.

func copyLine[T any, I Index](data, items, idx *byte, l *Line) int {
	var i I
	size, stride := l.Size, int(l.Stride)
	for o := range l.Outer.N {
		item, base, index := o*l.Outer.Items, o*l.Outer.Data, o*l.Outer.Idx*int(unsafe.Sizeof(i))
		for left := l.Inner.N; left > 0; left, item, base, index = left-1, item+l.Inner.Items, base+l.Inner.Data, index+l.Inner.Idx*int(unsafe.Sizeof(i)) {
			j := uint64(*(*I)(byteAt(idx, index)))
			if j >= size {
				if j += l.NegativeOffset; j >= size {
					if !l.Skip {
						return l.passed(o, left)
					}
					var zero T
					*(*T)(byteAt(items, item)) = zero
					continue
				}
			}
			*(*T)(byteAt(items, item)) = *(*T)(byteAt(data, int(j)*stride+base))
		}
	}
	return l.Outer.N * l.Inner.N
}

func setLine[T any, I Index](data, items, idx *byte, l *Line) int {
	var i I
	size, stride := l.Size, int(l.Stride)
	for o := range l.Outer.N {
		item, base, index := o*l.Outer.Items, o*l.Outer.Data, o*l.Outer.Idx*int(unsafe.Sizeof(i))
		for left := l.Inner.N; left > 0; left, item, base, index = left-1, item+l.Inner.Items, base+l.Inner.Data, index+l.Inner.Idx*int(unsafe.Sizeof(i)) {
			j := uint64(*(*I)(byteAt(idx, index)))
			if j >= size {
				if j += l.NegativeOffset; j >= size {
					if !l.Skip {
						return l.passed(o, left)
					}
					continue
				}
			}
			*(*T)(byteAt(data, int(j)*stride+base)) = *(*T)(byteAt(items, item))
		}
	}
	return l.Outer.N * l.Inner.N
}

func targetLine[I Index](_, items, idx *byte, l *Line) int {
	var i I
	size, stride := l.Size, int(l.Stride)
	for o := range l.Outer.N {
		item, base, index := o*l.Outer.Items, o*l.Outer.Data, o*l.Outer.Idx*int(unsafe.Sizeof(i))
		for left := l.Inner.N; left > 0; left, item, base, index = left-1, item+l.Inner.Items, base+l.Inner.Data, index+l.Inner.Idx*int(unsafe.Sizeof(i)) {
			j := uint64(*(*I)(byteAt(idx, index)))
			if j >= size {
				if j += l.NegativeOffset; j >= size {
					return l.passed(o, left)
				}
			}
			*(*int)(byteAt(items, item)) = (l.From + int(j)*stride + base) / (bits.UintSize / 8)
		}
	}
	return l.Outer.N * l.Inner.N
}

func combineLine[R reduction, T num.Real, I Index](data, items, idx *byte, l *Line) int {
	var i I
	stores := !isExtreme[R]() || l.Inner.Data != 0 || !FewTargets(int(l.Size), l.Inner.N)
	size, stride := l.Size, int(l.Stride)
	for o := range l.Outer.N {
		item, base, index := o*l.Outer.Items, o*l.Outer.Data, o*l.Outer.Idx*int(unsafe.Sizeof(i))
		for left := l.Inner.N; left > 0; left, item, base, index = left-1, item+l.Inner.Items, base+l.Inner.Data, index+l.Inner.Idx*int(unsafe.Sizeof(i)) {
			j := uint64(*(*I)(byteAt(idx, index)))
			if j >= size {
				if j += l.NegativeOffset; j >= size {
					if !l.Skip {
						return l.passed(o, left)
					}
					continue
				}
			}
			target := (*T)(byteAt(data, int(j)*stride+base))
			x := combine[R](*target, *(*T)(byteAt(items, item)))
			if stores || x != *target || x == 0 { // a zero may have another sign
				*target = x
			}
		}
	}
	return l.Outer.N * l.Inner.N
}

func complexLine[R add | sub | mul, T complex64 | complex128, I Index](data, items, idx *byte, l *Line) int {
	var i I
	size, stride := l.Size, int(l.Stride)
	for o := range l.Outer.N {
		item, base, index := o*l.Outer.Items, o*l.Outer.Data, o*l.Outer.Idx*int(unsafe.Sizeof(i))
		for left := l.Inner.N; left > 0; left, item, base, index = left-1, item+l.Inner.Items, base+l.Inner.Data, index+l.Inner.Idx*int(unsafe.Sizeof(i)) {
			j := uint64(*(*I)(byteAt(idx, index)))
			if j >= size {
				if j += l.NegativeOffset; j >= size {
					if !l.Skip {
						return l.passed(o, left)
					}
					continue
				}
			}
			target := (*T)(byteAt(data, int(j)*stride+base))
			*target = combineComplex[R](*target, *(*T)(byteAt(items, item)))
		}
	}
	return l.Outer.N * l.Inner.N
}

func halfLine[R reduction, H half, I Index](data, items, idx *byte, l *Line) int {
	var i I
	var h H
	size, stride := l.Size, int(l.Stride)
	for o := range l.Outer.N {
		item, base, index := o*l.Outer.Items, o*l.Outer.Data, o*l.Outer.Idx*int(unsafe.Sizeof(i))
		for left := l.Inner.N; left > 0; left, item, base, index = left-1, item+l.Inner.Items, base+l.Inner.Data, index+l.Inner.Idx*int(unsafe.Sizeof(i)) {
			j := uint64(*(*I)(byteAt(idx, index)))
			if j >= size {
				if j += l.NegativeOffset; j >= size {
					if !l.Skip {
						return l.passed(o, left)
					}
					continue
				}
			}
			target, update := (*uint16)(byteAt(data, int(j)*stride+base)), *(*uint16)(byteAt(items, item))
			// One function for both floats would be too large to be inlined.
			if len(h) == len(binary16{}) {
				*target = num.Float16From32(combine[R](num.Float16To32(*target), num.Float16To32(update)))
			} else {
				*target = num.BFloat16From32(combine[R](num.BFloat16To32(*target), num.BFloat16To32(update)))
			}
		}
	}
	return l.Outer.N * l.Inner.N
}
