package num_test

import (
	"testing"
	"unsafe"

	"gorgonia.org/gather/internal/num"
)

func TestWidth(t *testing.T) {
	for kind, want := range map[num.Kind]uintptr{
		num.NoKind: 0, num.Bool: unsafe.Sizeof(false),
		num.Int8: 1, num.Int16: 2, num.Int32: 4, num.Int64: 8,
		num.Uint8: 1, num.Uint16: 2, num.Uint32: 4, num.Uint64: 8,
		num.Float16: 2, num.BFloat16: 2, num.Float32: 4, num.Float64: 8,
		num.Complex64: unsafe.Sizeof(complex64(0)), num.Complex128: unsafe.Sizeof(complex128(0)),
	} {
		if got := kind.Width(); got != int(want) {
			t.Errorf("kind %d has the width %d, want %d", kind, got, want)
		}
	}
	if num.Kinds != num.Complex128+1 {
		t.Errorf("%d kinds, want %d", num.Kinds, num.Complex128+1)
	}
}

func TestReductionNames(t *testing.T) {
	for r, want := range []string{"none", "add", "sub", "mul", "min", "max", "mean", "sqrtn", "reduction 8"} {
		if got := num.Reduction(r).String(); got != want {
			t.Errorf("reduction %d prints %q, want %q", r, got, want)
		}
	}
	if num.Reductions != num.Mean+1 {
		t.Errorf("%d reductions, want %d", num.Reductions, num.Mean+1)
	}
}

func TestMemory(t *testing.T) {
	numbers := []uint32{1, 2, 3}
	mem := num.Bytes(numbers)
	if len(mem) != 12 {
		t.Fatalf("3 elements of 4 bytes are %d bytes", len(mem))
	}
	num.As[uint32](mem)[1] = 7
	if numbers[1] != 7 {
		t.Errorf("the views do not share memory: %v", numbers)
	}
	if n := len(num.As[uint64](mem)); n != 1 {
		t.Errorf("12 bytes hold %d elements of 8", n)
	}
	if num.As[uint64](mem[:7]) != nil || num.As[uint64](nil) != nil || len(num.Bytes[uint64](nil)) != 0 {
		t.Error("too little memory for an element is not nil")
	}
}
