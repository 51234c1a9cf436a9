package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
	"unsafe"
)

// rowLoop works on n rows of the given number of bytes: row t of items, which
// are step bytes apart, and the row of data at offsets[t]. The offsets have
// been checked. Assembly prefetches the row of data that is distance rows ahead: it
// reads so many more offsets.
type rowLoop func(data, items *byte, offsets *int64, n, bytes, step, distance int)

// addLoop adds n rows of items to rows of data. It is like rowLoop, but row t of
// items is the one at places[t].
type addLoop func(data, items *byte, offsets, places *int64, n, bytes, step, distance int)

// itemLoop works on n items, one after the other, and the elements of data that
// their indices pick: for item t that at index*stride + t*step bytes. It checks
// each index and stops at the first bad one. The result is how many it has done.
type itemLoop func(data, items, idx *byte, n, size, lift, stride, step int) int

// itemLoops are the loops for int32 and for int64 indices.
type itemLoops *[2]itemLoop

// lineLoop copies what indices pick, for lines of n items and as many indices. It checks
// each index and stops at the first bad one. The result is how many items it has done.
//
// Elements lie side by side in data. Over lines, an index picks an element of its own
// line, which is apart bytes behind the one before. Over columns, it picks one of its
// own column, index*apart bytes from the first, and all lines have the same data.
type lineLoop func(data, items, idx *byte, lines, n, size, lift, apart int) int

// lineLoops are the loops for int32 and for int64 indices.
type lineLoops *[2]lineLoop

// Implementation is one way to run the inner loops: in Go, or in assembly for
// an instruction set, which does without a loop of its own where Go's is as fast.
type Implementation struct {
	Name string
	// minVectorBytes is how many bytes a row has, 64 at least, from where copyRow is
	// faster than copyShort: copyLoop goes by it.
	minVectorBytes int
	copyRow        rowLoop
	// streamRow is copyRow for what is too large for the caches: whole vectors to
	// aligned memory. It may be nil.
	streamRow rowLoop
	// stream copies cache lines to aligned memory, past the caches. It may be nil.
	stream func(to, from *byte, lines int)
	// copyOffset copies rows of one element of 1 to 16 bytes, at their logarithm.
	copyOffset [5]rowLoop
	// copyLines and copyColumns copy elements of 1 to 16 bytes by indices, line by line.
	copyLines, copyColumns [5]lineLoops
	// setRow and setOffset are copyRow and copyOffset the other way, from items to data.
	setRow    addLoop
	setOffset [5]addLoop
	// copyItem copies single elements by indices, in any strides. setItem copies the other way, from items to
	// data, and fillItem one item to all that indices pick.
	copyItem, setItem, fillItem [5]itemLoops
	// combine is for all kinds and the reductions that they have.
	combine [num.Kinds][num.Reductions]combineLoops
	// means are for all kinds of floats and complex numbers.
	means [num.Kinds]*meanLoops
	// vectors are the loops of package simd.
	vectors *simd.Implementation
}

// inGo is the implementation in Go.
var inGo = &Implementation{
	Name: "go", minVectorBytes: 65, copyRow: copyRowsGo,
	copyOffset:  offsetLoopsGo,
	setRow:      setRowsGo,
	setOffset:   setOffsetsLoopsGo,
	copyLines:   [...]lineLoops{copyLineLoopsGo[byte](), copyLineLoopsGo[[2]byte](), copyLineLoopsGo[[4]byte](), copyLineLoopsGo[[8]byte](), copyLineLoopsGo[[16]byte]()},
	copyColumns: [...]lineLoops{copyColumnLoopsGo[byte](), copyColumnLoopsGo[[2]byte](), copyColumnLoopsGo[[4]byte](), copyColumnLoopsGo[[8]byte](), copyColumnLoopsGo[[16]byte]()},
	copyItem:    [...]itemLoops{copyItemLoopsGo[byte](), copyItemLoopsGo[[2]byte](), copyItemLoopsGo[[4]byte](), copyItemLoopsGo[[8]byte](), copyItemLoopsGo[[16]byte]()},
	setItem:     [...]itemLoops{setItemLoopsGo[byte](), setItemLoopsGo[[2]byte](), setItemLoopsGo[[4]byte](), setItemLoopsGo[[8]byte](), setItemLoopsGo[[16]byte]()},
	fillItem:    [...]itemLoops{fillItemLoopsGo[byte](), fillItemLoopsGo[[2]byte](), fillItemLoopsGo[[4]byte](), fillItemLoopsGo[[8]byte](), fillItemLoopsGo[[16]byte]()},
	combine:     combineInGo,
	means:       meansInGo,
	vectors:     simd.Go,
}

var offsetLoopsGo = [...]rowLoop{
	copyOffsetsGo[byte], copyOffsetsGo[[2]byte], copyOffsetsGo[[4]byte], copyOffsetsGo[[8]byte], copyOffsetsGo[[16]byte],
}

var setOffsetsLoopsGo = [...]addLoop{
	setOffsetsGo[byte], setOffsetsGo[[2]byte], setOffsetsGo[[4]byte], setOffsetsGo[[8]byte], setOffsetsGo[[16]byte],
}

// Implementations are those that this machine can run, the fastest last. The
// first is in Go.
var Implementations = []*Implementation{inGo}

// active is the implementation in use.
var active = inGo

// Use makes an implementation the active one until restore is called. It is for
// tests and benchmarks, which compare them, and not safe while kernels run.
func Use(i *Implementation) (restore func()) {
	before, restoreVectors := active, simd.Use(i.vectors)
	active = i
	return func() {
		restoreVectors()
		active = before
	}
}

// Failing is an implementation whose loops panic, for tests of what comes of that.
func Failing() *Implementation {
	rows := func(data, items *byte, offsets *int64, n, bytes, step, distance int) { panic("a loop over rows") }
	add := func(data, items *byte, offsets, places *int64, n, bytes, step, distance int) { panic("a loop of sums") }
	items := func(data, items, idx *byte, n, size, lift, stride, step int) int { panic("a loop over items") }
	lines := func(data, items, idx *byte, lines, n, size, lift, apart int) int { panic("a loop over lines") }
	i := *inGo
	i.Name, i.copyRow, i.setRow = "failing", rows, add
	for l := range i.copyItem {
		i.copyOffset[l], i.setOffset[l] = rows, add
		i.copyLines[l], i.copyColumns[l] = &[2]lineLoop{lines, lines}, &[2]lineLoop{lines, lines}
		for _, loops := range []*[5]itemLoops{&i.copyItem, &i.setItem, &i.fillItem} {
			loops[l] = &[2]itemLoop{items, items}
		}
	}
	for kind := range i.combine {
		for r := range i.combine[kind] {
			i.combine[kind][r] = combineLoops{item: &[2]itemLoop{items, items}, row: add, offset: add}
		}
	}
	return &i
}

// lineAligned reports whether memory starts with a cache line.
func lineAligned(mem []byte) bool { return uintptr(unsafe.Pointer(&mem[0]))%64 == 0 }

// copyLoop chooses the loop for rows of the given size.
func (c *Call) copyLoop(bytes int) rowLoop {
	if active.streamRow != nil && len(c.Items) >= streamed && bytes%64 == 0 && lineAligned(c.Items) {
		return active.streamRow
	}
	if IsWord(bytes) {
		return active.copyOffset[log2(bytes)]
	}
	return copyRowLoop(bytes)
}

// copyRowLoop is copyLoop for rows which are not those of one word, wherever items
// lie.
func copyRowLoop(bytes int) rowLoop {
	switch {
	case bytes < 4:
		return copyShort[[2]byte]
	case bytes < 8:
		return copyShort[[4]byte]
	case bytes < 16:
		return copyShort[[8]byte]
	case bytes < 32:
		return copyShort[[16]byte]
	case bytes < active.minVectorBytes:
		return copyShort[[32]byte]
	}
	return active.copyRow
}

// setLoop chooses the loop that overwrites rows of the given size.
func setLoop(bytes int) addLoop {
	switch {
	case IsWord(bytes):
		return active.setOffset[log2(bytes)]
	case bytes < 4:
		return setShort[[2]byte]
	case bytes < 8:
		return setShort[[4]byte]
	case bytes < 16:
		return setShort[[8]byte]
	case bytes < 32:
		return setShort[[16]byte]
	case bytes < active.minVectorBytes:
		return setShort[[32]byte]
	}
	return active.setRow
}
