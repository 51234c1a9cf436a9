package simd

import "gorgonia.org/gather/internal/num"

// Implementation is one way to run the loops: in Go, or in assembly for an
// instruction set. What it has for kinds are those of floats.
type Implementation struct {
	Name string
	// Resolve64 and Resolve32 turn indices into offsets[t] = index*stride + t*step, up to
	// one before the first bad one, and return how many. In Go they are nil: see Resolve.
	Resolve64, Resolve32 func(offsets *int64, idx *byte, n, size, negativeOffset, stride, step int) int
	AddRows              [num.Kinds]AddLoop
	Bags                 [num.Kinds]*BagLoops
	Updates              [num.Kinds]*UpdateLoops
	Decode               DecodeLoops
}

// Go is the implementation in Go.
var Go = &Implementation{
	Name:    "go",
	AddRows: [num.Kinds]AddLoop{num.Float32: addRowsGo[float32], num.Float64: addRowsGo[float64]},
	Bags:    [num.Kinds]*BagLoops{num.Float32: bagLoopsGo[float32](), num.Float64: bagLoopsGo[float64]()},
	Updates: [num.Kinds]*UpdateLoops{num.Float32: updateLoopsGo[float32](), num.Float64: updateLoopsGo[float64]()},
	Decode:  DecodeLoops{Int8: decodeInt8Go, Int4: decodeInt4Go},
}

// Implementations are those that this machine can run, the fastest last. The first is
// in Go.
var Implementations = []*Implementation{Go}

var active = Go

// Active is the implementation in use.
func Active() *Implementation { return active }

// Use makes an implementation the active one until restore is called. It is for
// tests and benchmarks, which compare them, and not safe while loops run.
func Use(i *Implementation) (restore func()) {
	before := active
	active = i
	return func() { active = before }
}
