package core

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// view is a tensor as the kernels need it: memory and layout.
type view struct {
	name    string // the argument, for errors
	dtype   tensor.Dtype
	width   int    // bytes an element, 0 for strings
	mem     []byte // from the first element on
	shape   tensor.Shape
	strides []int // in elements, one a dim; that of a dim of 1 may be anything
	packed  bool  // row-major without holes; strides may be missing then
	kind    num.Kind
	size    int // number of elements
}

// empty is the memory of a tensor without elements.
var empty = []byte{}

// read makes v the view of the tensor given as an argument of a function, and
// refuses what no kernel can read. Views are filled in place: to return one is to
// copy it, which for small tensors takes as long as all the rest.
func (v *view) read(op, argument string, t tensor.Tensor) (err error) {
	d, _ := t.(*tensor.Dense)
	if d == nil || len(d.Mask()) > 0 || !d.IsNativelyAccessible() {
		return unreadable(op, argument, t)
	}
	v.name, v.dtype, v.mem = argument, d.Dtype(), d.Raw
	v.shape, v.strides = d.Shape(), d.Strides()
	if v.kind, v.width, err = elem.Of(&v.dtype); err != nil {
		return errors.WithMessagef(err, "%s: %s", op, argument)
	}
	return v.measure(op)
}

// unreadable is the error for a tensor that read refuses.
func unreadable(op, argument string, t tensor.Tensor) error {
	d, dense := t.(*tensor.Dense)
	switch {
	case !Given(t):
		return fault.Errorf(ErrLayout, "%s: %s is nil, a *tensor.Dense is needed", op, argument)
	case !dense:
		return fault.Errorf(ErrLayout, "%s: %s is %T, a *tensor.Dense is needed", op, argument, t)
	case len(d.Mask()) > 0:
		return fault.Errorf(ErrLayout, "%s: %s is masked, a tensor without a mask is needed", op, argument)
	}
	return fault.Errorf(ErrLayout, "%s: the memory of %s is on a device", op, argument)
}

// readLike is read of an input that must have a shape, which is that of whose, and the dtype
// of another.
func (v *view) readLike(op, argument string, t tensor.Tensor, shape tensor.Shape, whose string, other *view) error {
	if err := v.read(op, argument, t); err != nil {
		return err
	}
	if !slices.Equal(v.shape, shape) {
		return fault.Errorf(shapes.ErrShape, "%s: %s %v must have the shape %v of %s%s",
			op, argument, fault.Shape(v.shape), fault.Shape(shape), whose, fault.ScalarHint(v.shape, shape))
	}
	if !elem.Same(&v.dtype, &other.dtype) {
		return fault.Errorf(elem.ErrDtype, "%s: %s must have the dtype %v of %s, not %v", op, argument, elem.Name(other.dtype), other.name, elem.Name(v.dtype))
	}
	return nil
}

// measure works out size, packed and full strides, and makes sure that every
// element lies within the memory. A caller can set shape and strides to anything:
// no product and no sum may wrap.
func (v *view) measure(op string) error {
	// beyond is not 0 if the product of the dims is more than an int, or one is negative.
	size, beyond, packed, shape, strides := uint(1), uint(0), true, v.shape, v.strides
	full := len(strides) == len(shape)
	for d := len(shape) - 1; d >= 0; d-- {
		n := shape[d]
		packed = packed && (n < 2 || !full || strides[d] == int(size))
		high, low := bits.Mul(size, uint(n))
		size, beyond = low, beyond|high|(low|uint(n))>>(bits.UintSize-1)
	}
	if v.size, v.packed = int(size), packed; beyond != 0 && slices.Min(shape) != 0 { // with a dim of 0 there are no elements
		return fault.Uncountable(shapes.ErrShape, op, v.name, shape)
	}
	if size == 0 {
		v.packed, v.strides, v.mem = true, nil, empty // which is not nil: that would be no view
		return nil
	}
	if !full && len(strides) > 0 && strides[0] != 1 {
		// Package tensor makes such tensors where at most one dim is larger than one: a
		// column-major (n, 1) has one stride, a (1, 1) none.
		v.strides, v.packed = slices.Repeat(strides[:1], len(v.shape)), size == 1
	}
	// A product of 128 bits cannot wrap, and is faster than a division.
	if high, low := bits.Mul(size, uint(v.bytes())); v.packed && high == 0 && low <= uint(len(v.mem)) {
		return nil
	}
	return v.reaches(op)
}

// reaches is the end of measure for what is not packed, or has too little memory.
func (v *view) reaches(op string) error {
	last, beyond, has := uint(0), uint(0), len(v.mem)/v.bytes()
	for d, n := range v.shape {
		stride := v.stride(d)
		if n > 1 && stride < 0 {
			return fault.Errorf(ErrLayout, "%s: %s has negative strides %v", op, v.name, v.strides)
		}
		high, low := bits.Mul(uint(n-1), uint(stride))
		sum, carry := bits.Add(last, low, 0)
		last, beyond = sum, beyond|high|carry
	}
	if beyond > 0 || last == math.MaxUint { // shape (5) with the stride 1<<62 is not at its start again
		last = math.MaxUint - 1
	}
	if last >= uint(has) {
		return fault.Errorf(ErrLayout, "%s: %s of shape %v and strides %v needs %d elements of memory, it has %d",
			op, v.name, fault.Shape(v.shape), v.strides, last+1, has)
	}
	if v.size <= has {
		return nil
	}
	// Strides of 0 make many elements of a few bytes, which may have to be
	// written out.
	return Fits(op, v.name, v.shape, v.dtype)
}

// bytes is the size of an element in memory.
func (v *view) bytes() int {
	if v.width == 0 {
		return int(unsafe.Sizeof(""))
	}
	return v.width
}

// stride is the stride of a dim, worked out where there are none.
func (v *view) stride(d int) int {
	if len(v.strides) == len(v.shape) {
		return v.strides[d]
	}
	return product(v.shape[d+1:])
}

// apart refuses a dst of strings, or that overlaps an input.
func (v *view) apart(op string, inputs ...*view) error {
	if v.width == 0 {
		return fault.Errorf(elem.ErrDtype, "%s: strings cannot be written to a given dst", op)
	}
	for _, in := range inputs {
		if v.overlaps(in) {
			between := ""
			if !v.packed || !in.packed {
				between = "; all from a tensor's first element to its last counts as its memory"
			}
			return fault.Errorf(ErrLayout, "%s: dst overlaps %s in memory%s", op, in.name, between)
		}
	}
	return nil
}

// overlaps reports whether the memory of two views, from the first element of each to its
// last, has a byte in common. Views of one tensor that interleave without sharing an
// element do.
func (v *view) overlaps(w *view) bool {
	if len(v.mem) == 0 || len(w.mem) == 0 {
		return false
	}
	v0 := uintptr(unsafe.Pointer(unsafe.SliceData(v.mem)))
	w0 := uintptr(unsafe.Pointer(unsafe.SliceData(w.mem)))
	return v0 < w0+uintptr(len(w.mem)) && w0 < v0+uintptr(len(v.mem))
}
