package kernel

import (
	"sync"
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

// Implementation is one way to run the inner loops: in Go, or in assembly for
// an instruction set, which does without a loop of its own where Go's is as fast.
type Implementation struct {
	Name    string
	least   int // the fewest bytes of a row, 64 or more, for which copyRow is faster than copyShort
	copyRow rowLoop
	// streamRow is copyRow for what is too large for the caches: whole vectors to
	// aligned memory. It may be nil.
	streamRow rowLoop
	addRow    [kinds]addLoop // of floats
	// copyOffset, copyFar and addOffset work on rows of one element: copies of 1
	// to 16 bytes, at their logarithm, and additions. The last two are for data
	// beyond the near caches; assembly prefetches it.
	copyOffset [5]rowLoop
	copyFar    [5]rowLoop
	addOffset  [kinds]addLoop
	// copyItem and addItem are for the same, by indices.
	copyItem [5]itemLoops
	addItem  [kinds]itemLoops
	// resolve turns int64 and int32 indices into offsets[t] = index*stride +
	// t*step, up to a place before the first bad one, and returns how many. They
	// may be nil.
	resolve64, resolve32 func(offsets *int64, idx *byte, n, size, lift, stride, step int) int
	// bags are the loops over bags of rows, and updates those that change rows of a
	// table by their gradients: of floats.
	bags    [kinds]*bagLoops
	updates [kinds]*updateLoops
}

// inGo is the implementation in Go.
var inGo = &Implementation{
	Name: "go", least: 65, copyRow: copyRowsGo,
	addRow:     [kinds]addLoop{Float32: addRowsGo[float32], Float64: addRowsGo[float64]},
	copyOffset: offsetLoopsGo,
	copyFar:    offsetLoopsGo,
	addOffset:  [kinds]addLoop{Float32: addOffsetsGo[float32], Float64: addOffsetsGo[float64]},
	copyItem: [...]itemLoops{
		{copyItemsGo[byte, int32], copyItemsGo[byte, int64]},
		{copyItemsGo[[2]byte, int32], copyItemsGo[[2]byte, int64]},
		{copyItemsGo[[4]byte, int32], copyItemsGo[[4]byte, int64]},
		{copyItemsGo[[8]byte, int32], copyItemsGo[[8]byte, int64]},
		{copyItemsGo[[16]byte, int32], copyItemsGo[[16]byte, int64]},
	},
	addItem: [kinds]itemLoops{
		Float32: {addItemsGo[float32, int32], addItemsGo[float32, int64]},
		Float64: {addItemsGo[float64, int32], addItemsGo[float64, int64]},
	},
	bags:    [kinds]*bagLoops{Float32: bagLoopsGo[float32](), Float64: bagLoopsGo[float64]()},
	updates: [kinds]*updateLoops{Float32: updateLoopsGo[float32](), Float64: updateLoopsGo[float64]()},
}

var offsetLoopsGo = [...]rowLoop{
	copyOffsetsGo[byte], copyOffsetsGo[[2]byte], copyOffsetsGo[[4]byte], copyOffsetsGo[[8]byte], copyOffsetsGo[[16]byte],
}

// Implementations are those that this machine can run, the fastest last. The
// first is in Go.
var Implementations = []*Implementation{inGo}

// active is the implementation in use.
var active = inGo

// Use makes an implementation the active one until restore is called. It is for
// tests and benchmarks, which compare them, and not safe while kernels run.
func Use(i *Implementation) (restore func()) {
	before := active
	active = i
	return func() { active = before }
}

// Failing is an implementation whose loops panic, for tests of what comes of that.
func Failing() *Implementation {
	rows := func(data, items *byte, offsets *int64, n, bytes, step, distance int) { panic("a loop over rows") }
	add := func(data, items *byte, offsets, places *int64, n, bytes, step, distance int) { panic("a loop of sums") }
	items := func(data, items, idx *byte, n, size, lift, stride, step int) int { panic("a loop over items") }
	i := *inGo
	i.Name, i.copyRow = "failing", rows
	for l := range i.copyItem {
		i.copyOffset[l], i.copyFar[l], i.copyItem[l] = rows, rows, &[2]itemLoop{items, items}
	}
	for _, kind := range []Kind{Float32, Float64} {
		i.addRow[kind], i.addOffset[kind], i.addItem[kind] = add, add, &[2]itemLoop{items, items}
	}
	return &i
}

// streamed is how many bytes of output are too many for the caches. The next
// operator could not read them there, and writing past them saves reading what
// is overwritten.
const streamed = 24 << 20

// lineAligned reports whether memory starts with a cache line.
func lineAligned(mem []byte) bool { return uintptr(unsafe.Pointer(&mem[0]))%64 == 0 }

// copyLoop chooses the loop for rows of the given size.
func (c *Call) copyLoop(bytes int) rowLoop {
	if active.streamRow != nil && len(c.Items) >= streamed && bytes%64 == 0 && lineAligned(c.Items) {
		return active.streamRow
	}
	switch {
	case IsWord(bytes):
		return active.copyFar[log2(bytes)]
	case bytes < 4:
		return copyShort[[2]byte]
	case bytes < 8:
		return copyShort[[4]byte]
	case bytes < 16:
		return copyShort[[8]byte]
	case bytes < 32:
		return copyShort[[16]byte]
	case bytes < active.least:
		return copyShort[[32]byte]
	}
	return active.copyRow
}

// vectorRun is the fewest indices that are worth the call of resolve.
const vectorRun = 16

// distance is how many rows ahead the row is that is prefetched: about 8 KiB,
// far enough to arrive in time, not so far that it falls out of the cache again.
func distance(bytes int) int { return min(lookahead, max(8, 8<<10/max(1, bytes))) }

// resolved is how many index tuples are turned into offsets at a time, at most.
const resolved = 512

type offsetBuffer [resolved + lookahead]int64

// buffers holds memory for offsets, with room behind them for the loops that
// look ahead. On the stack they would not stay: a rowLoop is called through a
// variable, and might keep what it is given.
var buffers = sync.Pool{New: func() any { return new(offsetBuffer) }}

// lookahead is how many offsets behind the last one a rowLoop may read, only to
// prefetch what is there: whatever it is, nothing comes of it.
const lookahead = 32

// offsets turns tuples into offsets in their block of data, in units of which
// an element has scale. It stops at the first bad index and returns how many
// tuples it has done, and where in that tuple the bad index is.
func offsets[I Index](c *Call, to []int64, idx []I, scale int) (n, bad int) {
	switch k := len(c.Axes); k {
	case 1:
		a := c.axis(0, scale)
		return line(to, idx, a, 0), 0
	case 2:
		return pairs(to, idx, c.axis(0, scale), c.axis(1, scale))
	case 3:
		return triples(to, idx, c.axis(0, scale), c.axis(1, scale), c.axis(2, scale))
	default:
		for t := range len(idx) / k {
			at, bad := resolve(c, idx[t*k:][:k])
			if bad >= 0 {
				return t, bad
			}
			to[t] = int64(at * scale)
		}
		return len(idx) / k, 0
	}
}

// checkedAxis is an Axis as the loops use it.
type checkedAxis struct {
	size, lift uint64
	stride     int64
}

func (c *Call) axis(i, scale int) checkedAxis {
	a := c.Axes[i]
	return checkedAxis{uint64(a.Size), c.lift(a.Size), int64(a.Stride * scale)}
}

// fix checks an index and counts it from the front.
func (a *checkedAxis) fix(v int64) (j uint64, ok bool) {
	if j = uint64(v); j >= a.size {
		if j += a.lift; j >= a.size {
			return 0, false
		}
	}
	return j, true
}

// line turns indices of one axis into offsets index*stride + t*step. It returns
// how many are good before the first bad one.
func line[I Index](to []int64, idx []I, a checkedAxis, step int) int {
	to = to[:len(idx)]
	done := 0
	if len(idx) >= vectorRun && active.resolve64 != nil && a.size < 1<<32 && a.stride < 1<<32 && uint64(step) < 1<<32 {
		vectors := active.resolve64
		if unsafe.Sizeof(idx[0]) == 4 {
			vectors = active.resolve32
		}
		done = vectors(&to[0], (*byte)(unsafe.Pointer(&idx[0])), len(idx), int(a.size), int(a.lift), int(a.stride), step)
	}
	for t := done; t < len(idx); t++ {
		j, ok := a.fix(int64(idx[t]))
		if !ok {
			return t
		}
		to[t] = int64(j)*a.stride + int64(t*step)
	}
	return len(idx)
}

func pairs[I Index](to []int64, idx []I, a, b checkedAxis) (n, bad int) {
	for t := range len(idx) / 2 {
		v := idx[2*t:][:2]
		i, ok := a.fix(int64(v[0]))
		if !ok {
			return t, 0
		}
		j, ok := b.fix(int64(v[1]))
		if !ok {
			return t, 1
		}
		to[t] = int64(i)*a.stride + int64(j)*b.stride
	}
	return len(idx) / 2, 0
}

func triples[I Index](to []int64, idx []I, a, b, d checkedAxis) (n, bad int) {
	for t := range len(idx) / 3 {
		v := idx[3*t:][:3]
		i, ok := a.fix(int64(v[0]))
		if !ok {
			return t, 0
		}
		j, ok := b.fix(int64(v[1]))
		if !ok {
			return t, 1
		}
		k, ok := d.fix(int64(v[2]))
		if !ok {
			return t, 2
		}
		to[t] = int64(i)*a.stride + int64(j)*b.stride + int64(k)*d.stride
	}
	return len(idx) / 3, 0
}
