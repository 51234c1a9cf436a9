package kernel

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
	kinds
)

// Real is the element types whose arithmetic is Go's own and which have an
// order.
type Real interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// width is the bytes of a Real element.
func (k Kind) width() int {
	switch k {
	case Int8, Uint8:
		return 1
	case Int16, Uint16:
		return 2
	case Int32, Uint32, Float32:
		return 4
	}
	return 8
}
