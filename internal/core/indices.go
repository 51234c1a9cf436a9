package core

import (
	"math"
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// indices are an indices tensor as the kernels need it: int32 or int64, packed.
type indices struct {
	view
	loaded  []byte // int32 or int64, packed, in row-major order
	is32    bool
	whole   bool     // tuples of length 0, each of which addresses all of data: see scatter.read
	scratch *[]int64 // holds loaded, if it was converted
}

// axes is the number of axes of data that one tuple of indices addresses.
func (x *indices) axes(p *plan.Params) int {
	switch {
	case x.whole:
		return 0
	case p.Op.Tuples():
		return x.shape[len(x.shape)-1]
	}
	return 1
}

// load sets loaded: mem as it is, if that is packed int32 or int64, or
// converted into memory from a pool. See widen for beyond: with Wrapped, loaded is a copy as
// int64 in any case, which may be changed.
func (x *indices) load(beyond int64) {
	native := beyond != Wrapped && !x.whole && (x.kind == num.Int64 || x.kind == num.Int32)
	x.is32 = native && x.kind == num.Int32
	if native && x.packed {
		x.loaded = x.mem[:x.size*x.width]
		return
	}
	x.scratch = takeScratch(x.size)
	wide := *x.scratch
	x.loaded = num.Bytes(wide)
	switch {
	case x.whole:
		clear(wide)
	case native:
		x.loaded = x.packTo(wide)
	default:
		x.widen(wide, x.packTo(wide), beyond)
	}
}

// scratch is the memory of converted indices, for the next call, too. It is not nil, which to
// some kernels is no indices at all.
var scratch = sync.Pool{New: func() any { return &[]int64{} }}

func takeScratch(n int) *[]int64 {
	memory := scratch.Get().(*[]int64)
	*memory = num.Resize(*memory, n)
	return memory
}

// release returns the memory of converted indices to the pool.
func (x *indices) release() {
	if x.scratch != nil {
		scratch.Put(x.scratch)
		x.scratch = nil
	}
}

// packTo gives the indices packed, in their own dtype: as they are, or written to the
// end of dst, so that they can be widened there from the start on.
func (x *indices) packTo(dst []int64) []byte {
	if x.packed {
		return x.mem[:x.size*x.width]
	}
	p := x.over(num.Bytes(dst)[x.size*(8-x.width):])
	copyView(&p, &x.view)
	return p.mem
}

// widen writes packed indices to dst, as int64. A uint64 above the greatest int64, larger
// than any axis, becomes beyond or, with Wrapped, the negative number of the same bits.
func (x *indices) widen(dst []int64, narrow []byte, beyond int64) {
	if x.kind == num.Int64 {
		copy(dst, num.As[int64](narrow))
		return
	}
	wideners[x.kind](dst, narrow)
	if x.kind == num.Uint64 && beyond != Wrapped {
		for i, v := range dst {
			if v < 0 {
				dst[i] = beyond
			}
		}
	}
}

var wideners = [num.Kinds]func(dst []int64, narrow []byte){
	num.Int8: widen[int8], num.Int16: widen[int16], num.Int32: widen[int32],
	num.Uint8: widen[uint8], num.Uint16: widen[uint16], num.Uint32: widen[uint32], num.Uint64: widen[uint64],
}

// Wrapped, as what a uint64 above the greatest int64 becomes, keeps its bits.
const Wrapped = math.MinInt64

func widen[T int8 | int16 | int32 | uint8 | uint16 | uint32 | uint64](dst []int64, narrow []byte) {
	for i, v := range num.As[T](narrow)[:len(dst)] {
		dst[i] = int64(v)
	}
}

// indexError makes the error for the index at a position in loaded, as a kernel returns
// it; there is none if the position is negative.
func (x *indices) indexError(p *plan.Params, data *view, position int) error {
	if position < 0 {
		return nil
	}
	return x.badIndex(p, data, position)
}

// badIndex is the error for the index at a position. It is a function of its own so that indexError is inlined.
func (x *indices) badIndex(p *plan.Params, data *view, position int) error {
	at, axis := Position(position, x.shape), firstAxis(p)
	if p.Op.Tuples() {
		axis += at[len(at)-1]
	}
	return (&IndexError{Op: p.Op.String(), Position: at, Index: x.at(position), Axis: axis, Size: data.shape[axis], NonNegative: p.NonNegative}).stacked()
}

// Position is where the element of a number in row-major order stands in a shape.
func Position(number int, shape tensor.Shape) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d], number = number%shape[d], number/shape[d]
	}
	return at
}
