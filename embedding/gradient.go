package embedding

import (
	"reflect"
	"unsafe"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// What a step can know of the run that went before it.
//
// On TapeMachine each run makes the gradient of an input anew: the value of
// Node().Deriv() is another tensor than before. It is the same after a RunAll that
// failed before it came there, or that had nothing to do because the machine was not
// Reset. Node().Grad() would not tell: with BindDualValues the gradients of all runs
// add up there.
//
// LispMachine has no Deriv. It adds to the tensor that Node().Grad() gives, so that
// is cleared by Set, and whether a run added to it cannot be seen.

// expectGradient keeps what was there before the run.
func (l *Lookup) expectGradient() error {
	l.before, l.checksum = nil, 0
	if d := l.node.Deriv(); d != nil {
		l.before = d.Value()
		return nil
	}
	if !paired(l.node) {
		return nil
	}
	v, err := l.node.Grad()
	if err != nil || v == nil {
		return nil // none, and nothing to clear
	}
	l.checksum = checksum(l.value.Raw)
	switch v := v.(type) {
	case *tensor.Dense:
		v.Zero()
	case *G.F32: // of a node of one element
		*v = 0
	case *G.F64:
		*v = 0
	default:
		return errors.Errorf("%s: the gradient is %T, which cannot be cleared", l.call, v)
	}
	return nil
}

// gradient is the gradient of the node's value that the run after Set has made, in
// row-major order.
func (l *Lookup) gradient() ([]byte, error) {
	v, err := l.fresh()
	if err != nil {
		return nil, err
	}
	size := len(l.value.Raw)
	if s, ok := v.(G.Scalar); ok {
		// Of a node of one element.
		var mem []byte
		switch s := s.(type) {
		case *G.F32:
			mem = unsafe.Slice((*byte)(unsafe.Pointer(s)), 4)
		case *G.F64:
			mem = unsafe.Slice((*byte)(unsafe.Pointer(s)), 8)
		}
		if len(mem) != size {
			return nil, errors.Errorf("%s: the gradient is the scalar %v, the node has shape %v", l.call, s, fault.Shape(l.value.Shape()))
		}
		return mem, nil
	}
	d, ok := v.(tensor.Tensor)
	if !ok {
		return nil, errors.Errorf("%s: the gradient is %T, a tensor is needed", l.call, v)
	}
	mem, shape, err := core.Packed(&l.copied, l.call, "gradients", d, l.table.dtype)
	if err != nil {
		return nil, err
	}
	if len(mem) != size { // a Reshape elsewhere in the graph may have given it another shape of the size
		return nil, errors.Errorf("%s: the gradient has shape %v, the node has %v", l.call, fault.Shape(shape), fault.Shape(l.value.Shape()))
	}
	return mem, nil
}

// fresh is the gradient, if it is that of a run since Set.
func (l *Lookup) fresh() (G.Value, error) {
	if d := l.node.Deriv(); d != nil {
		v := d.Value()
		if v == nil || v == l.before {
			return nil, errors.Errorf("%s: the graph has not been run to its end since Set, or its machine was not Reset before", l.call)
		}
		return v, nil
	}
	if !paired(l.node) {
		return nil, errors.Errorf("%s: there is no gradient: gorgonia.Grad was not called with this node, and no LispMachine has run its graph", l.call)
	}
	v, err := l.node.Grad()
	if err != nil {
		return nil, errors.Wrap(err, l.call)
	}
	if v == nil {
		return nil, errors.Errorf("%s: there is no gradient", l.call)
	}
	if l.checksum != 0 && l.checksum != checksum(l.value.Raw) {
		return nil, errors.Errorf("%s: the node's value has been changed since Set, and its gradient perhaps too: is it given to a solver?", l.call)
	}
	return v, nil
}

// boundTo is the place in a Node of Gorgonia's where it keeps the value, or value and
// gradient.
var boundTo, hasBound = reflect.TypeFor[G.Node]().FieldByName("boundTo")

// paired reports whether a machine has put value and gradient into the node, or may
// have. Without this Grad would say so by an error with a stack trace, in each Set
// of a graph that has no gradients: it takes a microsecond and allocates.
func paired(n *G.Node) bool {
	if !hasBound || boundTo.Type.Kind() != reflect.Interface {
		return true
	}
	v := reflect.ValueOf(n).Elem().FieldByIndex(boundTo.Index)
	return v.IsNil() || v.Elem().Type() != denseType
}

var denseType = reflect.TypeFor[*tensor.Dense]()

// checksum tells apart values that a solver has changed: it is not 0.
func checksum(mem []byte) uint64 {
	sum := uint64(len(mem))
	for _, word := range num.As[uint64](mem) {
		sum = (sum ^ word) * 0x9E3779B97F4A7C15
	}
	for _, b := range mem[len(mem)&^7:] {
		sum = (sum ^ uint64(b)) * 0x9E3779B97F4A7C15
	}
	return sum | 1
}
