package num

// Kind is an element type as arithmetic sees it.
type Kind uint8

// The kinds that have arithmetic.
const (
	NoKind Kind = iota // no arithmetic: strings and the like
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	BFloat16
	Float32
	Float64
	Complex64
	Complex128

	Kinds = iota // the length of a table with an entry for each kind
)

// Real is the element types whose arithmetic is Go's own and which have an
// order.
type Real interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// IsInteger reports whether the elements are integers, signed or not.
func (k Kind) IsInteger() bool { return Int8 <= k && k <= Uint64 }

// Width is the size of an element in bytes. NoKind has none.
func (k Kind) Width() int { return widths[k] }

var widths = [Kinds]int{
	Bool: 1,
	Int8: 1, Int16: 2, Int32: 4, Int64: 8,
	Uint8: 1, Uint16: 2, Uint32: 4, Uint64: 8,
	Float16: 2, BFloat16: 2, Float32: 4, Float64: 8,
	Complex64: 8, Complex128: 16,
}
