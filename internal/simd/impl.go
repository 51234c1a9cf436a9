package simd

import "gorgonia.org/gather/internal/num"

// Implementation is one way to run the loops: in Go, or in assembly for an instruction
// set, with Go's own where those are as fast. Loops over elements of 1 to 16 bytes stand
// at the logarithm of the width.
type Implementation struct {
	Name string
	// CopyLines copy single elements from data to items by indices, and SetLines from items to
	// data. CopyItems and SetItems do so for contiguous runs of them.
	CopyLines, SetLines [5]LineLoops
	CopyItems, SetItems [5]ItemLoops
	// PrefetchLines prefetch the elements of data. No index needs to be good, as nothing comes of
	// a prefetch. Go has none.
	PrefetchLines LineLoops
	// CopyOffsets and SetOffsets copy single elements by offsets, from data and to data.
	CopyOffsets [5]GatherLoop
	SetOffsets  [5]ScatterLoop
	// CopyShort copy rows of 2 or 3 bytes, of 4 to 7 and so on; the last is for up to 64.
	CopyShort [5]GatherLoop
	// CopyRows and SetRows copy rows of MinVectorBytes at least, which are 64 or more.
	CopyRows       GatherLoop
	SetRows        ScatterLoop
	MinVectorBytes int
	// Combine is for all kinds and the reductions that they have.
	Combine [num.Kinds][num.Reductions]CombineLoops
	// Means are for all kinds of floats and complex numbers.
	Means [num.Kinds]*MeanLoops
	// Bags are for all kinds but bool, Updates for float32 and float64.
	Bags    [num.Kinds]*BagLoops
	Updates [num.Kinds]*UpdateLoops
	Packed  PackedStorages
	// Exps and Clamp are nil in Go: packages bag and core have these loops themselves.
	Exps  func(out, x *float32, most, sum *float64, powers *uint64, rows, columns, step int)
	Clamp func(to *int32, from *int64, n int, last, fromEnd int64) // n is a multiple of 8
}

// Go is the implementation in Go.
var Go = &Implementation{
	Name:           "go",
	CopyLines:      [...]LineLoops{moveLines[toItem, byte](), moveLines[toItem, [2]byte](), moveLines[toItem, [4]byte](), moveLines[toItem, [8]byte](), moveLines[toItem, [16]byte]()},
	SetLines:       [...]LineLoops{moveLines[toData, byte](), moveLines[toData, [2]byte](), moveLines[toData, [4]byte](), moveLines[toData, [8]byte](), moveLines[toData, [16]byte]()},
	SetItems:       [...]ItemLoops{setItems[uint8](), setItems[uint16](), setItems[uint32](), setItems[uint64](), {}},
	CopyOffsets:    [...]GatherLoop{copyOffsetsGo[byte], copyOffsetsGo[[2]byte], copyOffsetsGo[[4]byte], copyOffsetsGo[[8]byte], copyOffsetsGo[[16]byte]},
	SetOffsets:     [...]ScatterLoop{setOffsetsGo[byte], setOffsetsGo[[2]byte], setOffsetsGo[[4]byte], setOffsetsGo[[8]byte], setOffsetsGo[[16]byte]},
	CopyShort:      [...]GatherLoop{copyShort[[2]byte], copyShort[[4]byte], copyShort[[8]byte], copyShort[[16]byte], copyShort[quad]},
	CopyRows:       copyRowsGo,
	SetRows:        setRowsGo,
	MinVectorBytes: 65,
	Combine:        combineLoopsGo(),
	Means:          meanLoopsOfKindsGo(),
	Bags:           bagLoopsOfKinds(combineLoopsGo()),
	Updates:        [num.Kinds]*UpdateLoops{num.Float32: updateLoopsGo[float32](), num.Float64: updateLoopsGo[float64]()},
	Packed: PackedStorages{
		Float16: PackedLoops{Decode: rowsFrom(decodeFloat16From).prefetched}, BFloat16: PackedLoops{Decode: rowsFrom(decodeBFloat16From).prefetched},
		Int8: PackedLoops{Decode: rowsFrom(decodeInt8From).whole}, Int4: PackedLoops{Decode: rowsFrom(decodeInt4From).whole},
	},
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
