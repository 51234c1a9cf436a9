// Package elem knows the element types of tensors: what arithmetic they have,
// how wide they are, and whether they may be moved as plain memory.
package elem

import (
	"math"
	"reflect"
	"sync"
	"unsafe"

	"github.com/pkg/errors"
	"github.com/x448/float16"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

// ErrDtype marks a dtype that an operator or its argument does not take.
var ErrDtype = errors.New("dtype not allowed")

// BF16 is a bfloat16: the upper 16 bits of a float32. Arithmetic on it is done
// in float32 and rounded to nearest even.
type BF16 uint16

// The 16-bit floats as dtypes. The element of a Float16 tensor is a
// [float16.Float16] of github.com/x448/float16.
var (
	Float16  = tensor.Dtype{Type: reflect.TypeFor[float16.Float16]()}
	BFloat16 = tensor.Dtype{Type: reflect.TypeFor[BF16]()}
)

// kinds are the dtypes that have arithmetic. Those of most data and indices come first: they are looked for in this order, which
// takes less time than to ask a dtype for its reflect.Kind. A named type is not the type it is made of: a float8 may be a uint8.
var kinds = [...]struct {
	dtype tensor.Dtype
	kind  num.Kind
}{
	{tensor.Float32, num.Float32}, {tensor.Int64, num.Int64}, {tensor.Int32, num.Int32}, {tensor.Float64, num.Float64},
	{Float16, num.Float16}, {tensor.Uint8, num.Uint8}, {BFloat16, num.BFloat16}, {tensor.Int, intKind},
	{tensor.Int8, num.Int8}, {tensor.Int16, num.Int16}, {tensor.Bool, num.Bool},
	{tensor.Complex64, num.Complex64}, {tensor.Complex128, num.Complex128},
	{tensor.Uint, uintKind}, {tensor.Uint16, num.Uint16}, {tensor.Uint32, num.Uint32}, {tensor.Uint64, num.Uint64},
	{tensor.Uintptr, uintKind},
}

// An int is an int32 or an int64, by the machine.
const (
	wide     = num.Kind(^uint(0) >> 63) // 1 where an int has 64 bits
	intKind  = num.Int32 + wide*(num.Int64-num.Int32)
	uintKind = num.Uint32 + wide*(num.Uint64-num.Uint32)
)

// Name is a dtype's name for messages. A dtype prints as the name of its type,
// which is nothing for types without one, such as *int.
func Name(dt tensor.Dtype) string {
	if dt.Type == nil {
		return "none"
	}
	if name := dt.Type.Name(); name != "" {
		return name
	}
	return dt.Type.String()
}

// Same reports whether two dtypes are one, as == does, but without the call of the
// runtime that compares what interfaces hold. That is a pointer here, and a small call
// asks for a dozen.
func Same(a, b *tensor.Dtype) bool {
	type words [unsafe.Sizeof(*a) / unsafe.Sizeof(uintptr(0))]uintptr
	return *(*words)(unsafe.Pointer(a)) == *(*words)(unsafe.Pointer(b))
}

// KindOf is the arithmetic of a dtype, or num.NoKind.
func KindOf(dt tensor.Dtype) num.Kind { return kindOf(&dt) }

func kindOf(dt *tensor.Dtype) num.Kind {
	for i := range kinds {
		if Same(&kinds[i].dtype, dt) {
			return kinds[i].kind
		}
	}
	return num.NoKind
}

// IsIndex reports whether indices may be of the dtype: any integer.
func IsIndex(dt tensor.Dtype) bool { return kindOf(&dt).IsInteger() }

// CheckIndex refuses indices of a dtype that IsIndex does not have.
func CheckIndex(op string, dt tensor.Dtype) error {
	if IsIndex(dt) {
		return nil
	}
	return fault.Errorf(ErrDtype, "%s: indices have dtype %v, allowed are int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64 and uintptr", op, Name(dt))
}

// IsDifferentiable reports whether a function of values of the dtype can have a
// gradient: floats and complex numbers.
func IsDifferentiable(dt tensor.Dtype) bool { return KindOf(dt) >= num.Float16 }

// Of is KindOf and Width at once.
func Of(dt *tensor.Dtype) (kind num.Kind, width int, err error) {
	if kind = kindOf(dt); kind != num.NoKind {
		return kind, kind.Width(), nil
	}
	width, err = Width(*dt)
	return num.NoKind, width, err
}

// Width is the size in bytes of a dtype's elements, or 0 for strings, which the
// garbage collector must see being moved. It refuses types that hold pointers
// in any other way.
func Width(dt tensor.Dtype) (int, error) {
	if dt.Type == nil {
		return 0, fault.Errorf(ErrDtype, "there is no dtype")
	}
	switch k := dt.Kind(); {
	case k <= reflect.Complex128:
		return int(dt.Size()), nil
	case k == reflect.String:
		return 0, nil
	case plain(dt.Type) && dt.Size() > 0:
		return int(dt.Size()), nil
	}
	return 0, fault.Errorf(ErrDtype, "dtype %v holds pointers or nothing at all", Name(dt))
}

// plainTypes remembers what plain found out, by type.
var plainTypes sync.Map

// plain reports whether a type holds no pointers.
func plain(t reflect.Type) bool {
	if known, ok := plainTypes.Load(t); ok {
		return known.(bool)
	}
	is := false
	switch k := t.Kind(); {
	case k <= reflect.Complex128:
		is = k != reflect.Invalid
	case k == reflect.Array:
		is = t.Len() == 0 || plain(t.Elem())
	case k == reflect.Struct:
		is = true
		for i := range t.NumField() {
			is = is && plain(t.Field(i).Type)
		}
	}
	plainTypes.Store(t, is)
	return is
}

// Strings makes a slice of n empty strings of the dtype's type.
func Strings(dt tensor.Dtype, n int) any {
	if dt == tensor.String {
		return make([]string, n)
	}
	return reflect.MakeSlice(reflect.SliceOf(dt.Type), n, n).Interface()
}

// Lowest is the memory of the lowest finite number of a real kind.
func Lowest(kind num.Kind) []byte { return lowest[kind] }

var lowest = [num.Kinds][]byte{
	num.Int8:     num.Bytes([]int8{math.MinInt8}),
	num.Int16:    num.Bytes([]int16{math.MinInt16}),
	num.Int32:    num.Bytes([]int32{math.MinInt32}),
	num.Int64:    num.Bytes([]int64{math.MinInt64}),
	num.Uint8:    {0},
	num.Uint16:   num.Bytes([]uint16{0}),
	num.Uint32:   num.Bytes([]uint32{0}),
	num.Uint64:   num.Bytes([]uint64{0}),
	num.Float16:  num.Bytes([]uint16{0xfbff}),
	num.BFloat16: num.Bytes([]uint16{0xff7f}),
	num.Float32:  num.Bytes([]float32{-math.MaxFloat32}),
	num.Float64:  num.Bytes([]float64{-math.MaxFloat64}),
}
