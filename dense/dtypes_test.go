package dense_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// A dtype under test runs calls on data of its type.
type dtype interface {
	String() string
	gather(c *call) error        // checks the operator against the oracle
	add(c *call) error           // checks its adjoint against the oracle
	bag(c *bagCall) error        // checks an operator of bags
	addBag(c *bagCall) error     // its adjoint
	bagWeights(c *bagCall) error // and the gradient of its weights
	allocates(t *testing.T, c *call)
	numeric() bool                       // has an adjoint
	tensorOf(shape ...int) *tensor.Dense // of 1, 2, 3, …
}

// elements is the dtype with elements of type T.
type elements[T comparable] struct {
	name  string
	of    func(number int64) T // of(0) is the zero value
	arith oracle.Arith[T]      // without Add: no adjoint
}

func (e elements[T]) String() string { return e.name }

func (e elements[T]) numeric() bool { return e.arith.Add != nil }

// all maps numbers to elements.
func (e elements[T]) all(numbers []int64) []T {
	out := make([]T, len(numbers))
	for i, n := range numbers {
		out[i] = e.of(n)
	}
	return out
}

func (e elements[T]) tensorOf(shape ...int) *tensor.Dense {
	return layout.Lay(layout.RowMajor, e.all(counting(tensor.ProdInts(shape))), e.of(0), shape...).Dense
}

type (
	// point is 12 bytes without pointers: no Go type has that width.
	point struct {
		x    int32
		y    float32
		tags [2]int16
	}
	// rgb is 3 bytes and word a string under another name, and flag a bool.
	rgb  [3]byte
	word string
	flag bool
)

func integers[T oracle.Integer](name string) dtype {
	return elements[T]{name, func(n int64) T { return T(n) }, oracle.Integers[T]()}
}

func floats[T oracle.Float](name string) dtype {
	return elements[T]{name, func(n int64) T { return T(n) * T(0.1) }, oracle.Floats[T]()}
}

func complexes[T oracle.Complex](name string) dtype {
	return elements[T]{name, func(n int64) T { return T(complex(float64(n), 0.3*float64(n%7))) }, oracle.Complexes[T]()}
}

// The number n as an element: wherever the type is wide enough, different
// numbers are different elements.
var dtypes = []dtype{
	elements[bool]{name: "bool", of: func(n int64) bool { return n*n%3 == 1 }},
	integers[int]("int"),
	integers[int8]("int8"),
	integers[int16]("int16"),
	integers[int32]("int32"),
	integers[int64]("int64"),
	integers[uint]("uint"),
	integers[uint8]("uint8"),
	integers[uint16]("uint16"),
	integers[uint32]("uint32"),
	integers[uint64]("uint64"),
	elements[uintptr]{"uintptr", func(n int64) uintptr { return uintptr(n) },
		oracle.Arith[uintptr]{Add: func(a, b uintptr) uintptr { return a + b }}},
	elements[float16.Float16]{"float16", func(n int64) float16.Float16 { return float16.Fromfloat32(float32(n) * 0.1) },
		oracle.Halves(float16.Float16.Float32, float16.Fromfloat32)},
	elements[dense.BF16]{"bfloat16", func(n int64) dense.BF16 { return toBF16(float32(n) * 0.1) },
		oracle.Halves(fromBF16, toBF16)},
	floats[float32]("float32"),
	floats[float64]("float64"),
	complexes[complex64]("complex64"),
	complexes[complex128]("complex128"),
	elements[string]{name: "string", of: spelt[string]},
	elements[word]{name: "a named string", of: spelt[word]},
	elements[point]{name: "a struct of 12 bytes", of: func(n int64) point {
		return point{int32(n), float32(n), [2]int16{int16(n), -int16(n)}}
	}},
	elements[rgb]{name: "an array of 3 bytes", of: func(n int64) rgb { return rgb{byte(n), byte(n >> 8), byte(n >> 16)} }},
	elements[flag]{name: "a named bool", of: func(n int64) flag { return n%5 == 1 }},
}

// spelt makes a string on memory of its own.
func spelt[T ~string](n int64) T {
	if n == 0 {
		return ""
	}
	return T("number " + strconv.FormatInt(n, 10))
}

// numbers are the dtypes that have an adjoint.
var numbers = slices.DeleteFunc(slices.Clone(dtypes), func(d dtype) bool { return !d.numeric() })

func dtypeNamed(name string) dtype {
	return dtypes[slices.IndexFunc(dtypes, func(d dtype) bool { return d.String() == name })]
}

func fromBF16(b dense.BF16) float32 { return math.Float32frombits(uint32(b) << 16) }

// toBF16 rounds to the nearer neighbour, and between two to the one with an
// even last bit. For finite numbers only.
func toBF16(f float32) dense.BF16 {
	down := dense.BF16(math.Float32bits(f) >> 16) // toward zero
	up := down + 1
	below, above := math.Abs(float64(f)-float64(fromBF16(down))), math.Abs(float64(fromBF16(up))-float64(f))
	if above < below || above == below && up%2 == 0 {
		return up
	}
	return down
}

// An indexType is a dtype that indices can have.
type indexType interface {
	String() string
	read(v int64) int64 // what is read after v was stored
	lay(l layout.Layout, values []int64, shape ...int) indexBlock
}

// indexBlock is a block of any index type.
type indexBlock interface {
	tensor() *tensor.Dense
	Touched() error
}

type indexOf[T oracle.Integer | uintptr] struct{ name string }

func (i indexOf[T]) String() string { return i.name }

func (i indexOf[T]) read(v int64) int64 {
	stored := T(v)
	if back := int64(stored); stored < 0 || back >= 0 {
		return back
	}
	return math.MaxInt64 // a uint64 that no int64 can hold
}

// lay fills the gaps between indices with indices that are in range for any
// axis: reading there must show as a wrong result, and not only as an error.
func (i indexOf[T]) lay(l layout.Layout, values []int64, shape ...int) indexBlock {
	stored := make([]T, len(values))
	for at, v := range values {
		stored[at] = T(v)
	}
	return indices[T]{layout.Lay(l, stored, 0, shape...)}
}

type indices[T any] struct{ *layout.Block[T] }

func (b indices[T]) tensor() *tensor.Dense { return b.Dense }

var indexTypes = []indexType{
	indexOf[int64]{"int64"}, indexOf[int32]{"int32"}, indexOf[int]{"int"}, indexOf[int16]{"int16"}, indexOf[int8]{"int8"},
	indexOf[uint]{"uint"}, indexOf[uint8]{"uint8"}, indexOf[uint16]{"uint16"}, indexOf[uint32]{"uint32"}, indexOf[uint64]{"uint64"},
	indexOf[uintptr]{"uintptr"},
}

// int64s is the first of indexTypes, which holds any index.
var int64s = indexTypes[0]

// difference says where two lists of elements differ.
func difference[T any](got, want []T) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	for i := range got {
		if !layout.Identical(got[i:i+1], want[i:i+1]) {
			return fmt.Errorf("element %d is %v, want %v: got %v, want %v", i, got[i], want[i], got, want)
		}
	}
	return nil
}
