package simd

import (
	"math/bits"
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

// Loop is one loop of a call: how often it runs, and how far an iteration moves in items
// and in data, in bytes, and in the indices.
type Loop struct{ N, Items, Data, Idx int }

// Nest is three loops around single elements, each of which has an index on one axis. In
// the innermost loop indices are contiguous.
type Nest struct {
	Outer, Middle, Inner Loop
	Axis                 Axis // with its stride in bytes
	// Skip makes a loop go on after an index that is out of range: a gather writes a zero,
	// a scatter leaves the update out.
	Skip bool
}

// Len is the number of elements.
func (n *Nest) Len() int { return n.Outer.N * n.Middle.N * n.Inner.N }

// NestLoop works on the elements of a nest, one after the other. It checks each index and
// stops at the first that is out of range, unless the nest skips it. The result is how many
// elements it has passed.
type NestLoop func(data, items, idx *byte, n *Nest) int

// NestLoops are the loops for int32 and for int64 indices.
type NestLoops [2]NestLoop

// CopyStrings and SetStrings move strings as what they are, in sight of the garbage collector.
var CopyStrings, SetStrings = copyNests[string](), setNests[string]()

// TargetNests write the offset of each element of data, as an int, to its item, in ints. There need
// be no data.
var TargetNests = NestLoops{targetNest[int32], targetNest[int64]}

func copyNests[T any]() NestLoops { return NestLoops{copyNest[T, int32], copyNest[T, int64]} }
func setNests[T any]() NestLoops  { return NestLoops{setNest[T, int32], setNest[T, int64]} }

// The loops below differ in what they do to an element alone. As functions of their own
// they are inlined nowhere, and a call for each element would take longer than the rest.

func copyNest[T any, I Index](data, items, idx *byte, n *Nest) int {
	size, fromEnd, stride, inner := n.Axis.Size, n.Axis.NegativeOffset, int(n.Axis.Stride), n.Inner
	for o := range n.Outer.N {
		for m := range n.Middle.N {
			at, item := o*n.Outer.Data+m*n.Middle.Data, o*n.Outer.Items+m*n.Middle.Items
			line := indicesAt[I](idx, o*n.Outer.Idx+m*n.Middle.Idx, inner.N)
			for t := 0; t < len(line); t, at, item = t+1, at+inner.Data, item+inner.Items {
				j := uint64(line[t])
				if j >= size {
					if j += fromEnd; j >= size {
						if !n.Skip {
							return (o*n.Middle.N+m)*inner.N + t
						}
						var zero T
						*(*T)(byteAt(items, item)) = zero
						continue
					}
				}
				*(*T)(byteAt(items, item)) = *(*T)(byteAt(data, int(j)*stride+at))
			}
		}
	}
	return n.Len()
}

func setNest[T any, I Index](data, items, idx *byte, n *Nest) int {
	size, fromEnd, stride, inner := n.Axis.Size, n.Axis.NegativeOffset, int(n.Axis.Stride), n.Inner
	for o := range n.Outer.N {
		for m := range n.Middle.N {
			at, item := o*n.Outer.Data+m*n.Middle.Data, o*n.Outer.Items+m*n.Middle.Items
			line := indicesAt[I](idx, o*n.Outer.Idx+m*n.Middle.Idx, inner.N)
			for t := 0; t < len(line); t, at, item = t+1, at+inner.Data, item+inner.Items {
				j := uint64(line[t])
				if j >= size {
					if j += fromEnd; j >= size {
						if !n.Skip {
							return (o*n.Middle.N+m)*inner.N + t
						}
						continue
					}
				}
				*(*T)(byteAt(data, int(j)*stride+at)) = *(*T)(byteAt(items, item))
			}
		}
	}
	return n.Len()
}

func targetNest[I Index](_, items, idx *byte, n *Nest) int {
	size, fromEnd, stride, inner := n.Axis.Size, n.Axis.NegativeOffset, int(n.Axis.Stride), n.Inner
	for o := range n.Outer.N {
		for m := range n.Middle.N {
			at, item := o*n.Outer.Data+m*n.Middle.Data, o*n.Outer.Items+m*n.Middle.Items
			line := indicesAt[I](idx, o*n.Outer.Idx+m*n.Middle.Idx, inner.N)
			for t := 0; t < len(line); t, at, item = t+1, at+inner.Data, item+inner.Items {
				j := uint64(line[t])
				if j >= size {
					if j += fromEnd; j >= size {
						return (o*n.Middle.N+m)*inner.N + t
					}
				}
				*(*int)(byteAt(items, item)) = (int(j)*stride + at) / (bits.UintSize / 8)
			}
		}
	}
	return n.Len()
}

func combineNest[R reduction, T num.Real, I Index](data, items, idx *byte, n *Nest) int {
	size, fromEnd, stride, inner := n.Axis.Size, n.Axis.NegativeOffset, int(n.Axis.Stride), n.Inner
	for o := range n.Outer.N {
		for m := range n.Middle.N {
			at, item := o*n.Outer.Data+m*n.Middle.Data, o*n.Outer.Items+m*n.Middle.Items
			line := indicesAt[I](idx, o*n.Outer.Idx+m*n.Middle.Idx, inner.N)
			for t := 0; t < len(line); t, at, item = t+1, at+inner.Data, item+inner.Items {
				j := uint64(line[t])
				if j >= size {
					if j += fromEnd; j >= size {
						if !n.Skip {
							return (o*n.Middle.N+m)*inner.N + t
						}
						continue
					}
				}
				target := (*T)(byteAt(data, int(j)*stride+at))
				*target = combine[R](*target, *(*T)(byteAt(items, item)))
			}
		}
	}
	return n.Len()
}

func complexNest[R add | sub | mul, T complex64 | complex128, I Index](data, items, idx *byte, n *Nest) int {
	size, fromEnd, stride, inner := n.Axis.Size, n.Axis.NegativeOffset, int(n.Axis.Stride), n.Inner
	for o := range n.Outer.N {
		for m := range n.Middle.N {
			at, item := o*n.Outer.Data+m*n.Middle.Data, o*n.Outer.Items+m*n.Middle.Items
			line := indicesAt[I](idx, o*n.Outer.Idx+m*n.Middle.Idx, inner.N)
			for t := 0; t < len(line); t, at, item = t+1, at+inner.Data, item+inner.Items {
				j := uint64(line[t])
				if j >= size {
					if j += fromEnd; j >= size {
						if !n.Skip {
							return (o*n.Middle.N+m)*inner.N + t
						}
						continue
					}
				}
				target := (*T)(byteAt(data, int(j)*stride+at))
				*target = combineComplex[R](*target, *(*T)(byteAt(items, item)))
			}
		}
	}
	return n.Len()
}

func halfNest[R reduction, H half, I Index](data, items, idx *byte, n *Nest) int {
	var h H
	size, fromEnd, stride, inner := n.Axis.Size, n.Axis.NegativeOffset, int(n.Axis.Stride), n.Inner
	for o := range n.Outer.N {
		for m := range n.Middle.N {
			at, item := o*n.Outer.Data+m*n.Middle.Data, o*n.Outer.Items+m*n.Middle.Items
			line := indicesAt[I](idx, o*n.Outer.Idx+m*n.Middle.Idx, inner.N)
			for t := 0; t < len(line); t, at, item = t+1, at+inner.Data, item+inner.Items {
				j := uint64(line[t])
				if j >= size {
					if j += fromEnd; j >= size {
						if !n.Skip {
							return (o*n.Middle.N+m)*inner.N + t
						}
						continue
					}
				}
				target, update := (*uint16)(byteAt(data, int(j)*stride+at)), *(*uint16)(byteAt(items, item))
				// One function for both floats would be too large to be inlined.
				if len(h) == len(binary16{}) {
					*target = num.Float16From32(combine[R](num.Float16To32(*target), num.Float16To32(update)))
				} else {
					*target = num.BFloat16From32(combine[R](num.BFloat16To32(*target), num.BFloat16To32(update)))
				}
			}
		}
	}
	return n.Len()
}

// indicesAt is n indices from number at on.
func indicesAt[I Index](idx *byte, at, n int) []I {
	var i I
	return unsafe.Slice((*I)(byteAt(idx, at*int(unsafe.Sizeof(i)))), n)
}
