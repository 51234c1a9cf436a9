package elem_test

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"testing"
	"unsafe"

	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

func of[T any]() tensor.Dtype { return tensor.Dtype{Type: reflect.TypeFor[T]()} }

// Types of a user's own, of kinds that have arithmetic or do not.
type (
	float8  uint8
	minutes int64
	flag    bool
	word    string
	pair    struct {
		_ int32
		_ float32
	}
	tagged struct {
		_ int
		_ string
	}
	nested struct {
		_ [3]pair
		_ struct{ _ *int }
	}
	nothing struct{}
	unused  struct {
		_ byte
		_ [0]*int
	}
)

func TestDtypes(t *testing.T) {
	native, nativeUnsigned := num.Int64, num.Uint64
	if bits.UintSize == 32 {
		native, nativeUnsigned = num.Int32, num.Uint32
	}
	const (
		no     = -1 // no width: refused
		word64 = bits.UintSize / 8
	)
	for _, c := range []struct {
		dtype          tensor.Dtype
		kind           num.Kind
		width          int // 0 for strings
		index          bool
		differentiable bool
	}{
		{tensor.Bool, num.Bool, 1, false, false},
		{tensor.Int, native, word64, true, false},
		{tensor.Int8, num.Int8, 1, true, false},
		{tensor.Int16, num.Int16, 2, true, false},
		{tensor.Int32, num.Int32, 4, true, false},
		{tensor.Int64, num.Int64, 8, true, false},
		{tensor.Uint, nativeUnsigned, word64, true, false},
		{tensor.Uint8, num.Uint8, 1, true, false},
		{tensor.Uint16, num.Uint16, 2, true, false},
		{tensor.Uint32, num.Uint32, 4, true, false},
		{tensor.Uint64, num.Uint64, 8, true, false},
		{tensor.Uintptr, nativeUnsigned, word64, true, false},
		{elem.Float16, num.Float16, 2, false, true},
		{elem.BFloat16, num.BFloat16, 2, false, true},
		{tensor.Float32, num.Float32, 4, false, true},
		{tensor.Float64, num.Float64, 8, false, true},
		{tensor.Complex64, num.Complex64, 8, false, true},
		{tensor.Complex128, num.Complex128, 16, false, true},
		{tensor.String, num.NoKind, 0, false, false},
		{tensor.UnsafePointer, num.NoKind, no, false, false},
		{tensor.Dtype{}, num.NoKind, no, false, false},

		// A named type may mean anything by its bits.
		{of[float8](), num.NoKind, 1, false, false},
		{of[minutes](), num.NoKind, 8, false, false},
		{of[flag](), num.NoKind, 1, false, false},
		{of[word](), num.NoKind, 0, false, false},
		{of[pair](), num.NoKind, 8, false, false},
		{of[[3]byte](), num.NoKind, 3, false, false},
		{of[[2][3]pair](), num.NoKind, 48, false, false},
		{of[unused](), num.NoKind, int(unsafe.Sizeof(unused{})), false, false},

		{of[tagged](), num.NoKind, no, false, false},
		{of[nested](), num.NoKind, no, false, false},
		{of[[2]string](), num.NoKind, no, false, false},
		{of[*int](), num.NoKind, no, false, false},
		{of[[]int](), num.NoKind, no, false, false},
		{of[map[int]int](), num.NoKind, no, false, false},
		{of[chan int](), num.NoKind, no, false, false},
		{of[func()](), num.NoKind, no, false, false},
		{of[any](), num.NoKind, no, false, false},
		{of[error](), num.NoKind, no, false, false},
		{of[nothing](), num.NoKind, no, false, false},
		{of[[0]int](), num.NoKind, no, false, false},
	} {
		t.Run(fmt.Sprint(c.dtype.Type), func(t *testing.T) {
			if got := elem.KindOf(c.dtype); got != c.kind {
				t.Errorf("kind %v, want %v", got, c.kind)
			}
			for range 2 { // the second time from memory
				switch width, err := elem.Width(c.dtype); {
				case c.width == no && !errors.Is(err, elem.ErrDtype):
					t.Errorf("width %d, error %v, want %v", width, err, elem.ErrDtype)
				case c.width != no && (err != nil || width != c.width):
					t.Errorf("width %d, error %v, want %d", width, err, c.width)
				}
			}
			if got := elem.IsIndex(c.dtype); got != c.index {
				t.Errorf("an index dtype: %v", got)
			}
			if got := elem.IsDifferentiable(c.dtype); got != c.differentiable {
				t.Errorf("differentiable: %v", got)
			}
		})
	}
}

func TestStrings(t *testing.T) {
	if got, ok := elem.Strings(tensor.String, 3).([]string); !ok || len(got) != 3 {
		t.Errorf("got %#v", got)
	}
	if got, ok := elem.Strings(of[word](), 3).([]word); !ok || len(got) != 3 {
		t.Errorf("got %#v", got)
	}
}

// TestWidthAllocatesNothing: it is asked in every call.
func TestWidthAllocatesNothing(t *testing.T) {
	for _, dt := range []tensor.Dtype{tensor.Float32, elem.BFloat16, tensor.String, of[pair]()} {
		if n := testing.AllocsPerRun(100, func() {
			_, err := elem.Width(dt)
			if err != nil || elem.KindOf(dt) == num.Bool || elem.IsIndex(dt) {
				t.Fail()
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations", dt, n)
		}
	}
}

// TestSame holds Same against == for all pairs of some dtypes, one of which is a
// reflect.Type of another package.
func TestSame(t *testing.T) {
	type named uint8
	all := []tensor.Dtype{
		{}, tensor.Bool, tensor.Uint8, tensor.Int64, tensor.Int, tensor.Float32, tensor.String, elem.Float16, elem.BFloat16,
		{Type: reflect.TypeFor[named]()}, {Type: struct{ reflect.Type }{tensor.Uint8.Type}}, {Type: reflect.TypeFor[uint8]()},
	}
	for i, a := range all {
		for j, b := range all {
			if got := elem.Same(&a, &b); got != (a == b) {
				t.Errorf("dtypes %d and %d: %v, want %v", i, j, got, a == b)
			}
		}
	}
}
