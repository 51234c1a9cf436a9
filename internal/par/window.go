package par

import (
	"math"
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// A Window is the rows that a loop of package simd takes next. Whoever works on many rows
// resolves up to 1024 indices at a time, and goes on so until there are no more:
//
//	w := par.WindowFor(bytes)
//	defer w.Release()
//	for p := 0; p < n || w.Len() > 0; {
//		free := w.Free(n - p)
//		w.Add(simd.Resolve(free, indices[p:][:len(free)], axis, 0, 0)) // no bad index, for brevity
//		p += len(free)
//		if now := w.Ready(p == n); now > 0 {
//			loop(data, items, &w.Offsets[0], now, …, w.Ahead)
//			w.Drop(now)
//		}
//	}
//
// Assembly cannot be preempted, and a garbage collection waits for it, with every
// goroutine. So Ready returns no more rows than a loop works on in some tenths of a
// millisecond, and Drop is a function that checks its stack, where a goroutine can be
// stopped: see simd.RowBytesAtOnce.
type Window struct {
	// Offsets are those of the rows, in bytes. Behind the last one a loop may read Ahead
	// more, to prefetch what is there.
	Offsets [windowSize]int64
	// Places are where the other operand of each row is, or whatever else belongs to it,
	// if UsePlaces was called.
	Places [windowSize]int64
	// Ahead is how many rows stay for the next call, so that there is always one to be
	// prefetched.
	Ahead int

	weights     [simd.OffsetsAtOnce + simd.PackedLookahead][2]uint64
	weightWidth int // bytes, or 0
	places      bool
	atOnce      int
	n           int // rows
}

// windowSize has room for the rows that stay, and for what a loop reads behind them.
const windowSize = simd.OffsetsAtOnce + 2*simd.PackedLookahead

var windows = sync.Pool{New: func() any { return new(Window) }}

// WindowFor is an empty window for a loop over rows of a number of bytes.
func WindowFor(bytes int) *Window { return WindowOf(RowsAtOnce(bytes), simd.Distance(bytes)) }

// WindowOf is an empty window for a loop that takes atOnce rows at once, or simd.OffsetsAtOnce
// if they are more, and prefetches each row ahead rows before, simd.PackedLookahead at most.
func WindowOf(atOnce, ahead int) *Window {
	w := windows.Get().(*Window)
	w.Reset(math.MaxInt, atOnce, ahead)
	return w
}

// Reset makes the window what WindowOf returns, for n rows at most. If these are no more than ahead none is prefetched:
// a processor reads so few at once.
func (w *Window) Reset(n, atOnce, ahead int) {
	if n <= ahead {
		ahead = 0
	}
	w.Ahead, w.atOnce, w.n, w.places, w.weightWidth = ahead, min(atOnce, simd.OffsetsAtOnce), 0, false, 0
}

// RowsAtOnce is how many rows of a number of bytes a loop takes at once.
func RowsAtOnce(bytes int) int {
	return min(simd.OffsetsAtOnce, max(1, simd.RowBytesAtOnce/2/max(1, bytes)))
}

// Release returns the window to the pool.
func (w *Window) Release() { windows.Put(w) }

// UsePlaces makes Keep and Drop move the Places with the rows.
func (w *Window) UsePlaces() { w.places = true }

// UseWeights makes Keep and Drop move the Weights, each of width bytes, with the rows.
func (w *Window) UseWeights(width int) { w.weightWidth = width }

// Weights are the numbers that rows are multiplied by, packed. There is room for one for
// each row.
func (w *Window) Weights() []byte { return num.Bytes(w.weights[:]) }

// Len is the number of rows.
func (w *Window) Len() int { return w.n }

// Free is room for the offsets of the next rows; left is how many there are. If the
// window has none it is empty.
func (w *Window) Free(left int) []int64 { return w.Offsets[w.n:][:min(left, w.atOnce+w.Ahead-w.n)] }

// Add adds n rows whose offsets have been written to Free.
func (w *Window) Add(n int) { w.n += n }

// LeftOut is the offset of a row that Keep removes. It stays below zero whatever distance in
// memory is added.
const LeftOut = math.MinInt64 / 2

// Keep removes, of the rows from number from on, those that are not in a partition or are
// LeftOut. If rank is not nil it gets the number of rows before each of them, and before
// the end, that are kept.
func (w *Window) Keep(from int, p Partition, rank []int64) {
	n, weights, width := from, w.Weights(), w.weightWidth
	for t := from; t < w.n; t++ {
		offset := w.Offsets[t]
		w.Offsets[n] = offset
		if w.places {
			w.Places[n] = w.Places[t]
		}
		switch width {
		case 0:
		case 4:
			num.As[uint32](weights)[n] = num.As[uint32](weights)[t]
		default:
			copy(weights[n*width:][:width], weights[t*width:])
		}
		if rank != nil {
			rank[t-from] = int64(n - from)
		}
		n += p.Has(offset) &^ int(offset>>63)
	}
	if rank != nil {
		rank[w.n-from] = int64(n - from)
	}
	w.n = n
}

// Ready is how many rows a loop takes now: none until there are as many as it takes at
// once, unless they are the last ones. Those that stay follow them, or offsets of 0: an
// offset that an earlier call left may lie in no memory at all, and to prefetch from there
// takes longer than a short row.
func (w *Window) Ready(last bool) int {
	clear(w.Offsets[w.n:][:w.Ahead])
	if !last && w.n < w.atOnce+w.Ahead {
		return 0
	}
	return min(w.n, w.atOnce)
}

// Drop removes the first n rows, which a loop has worked on. It is not inlined, and calls
// others: here a goroutine can be stopped between two loops.
//
//go:noinline
func (w *Window) Drop(n int) {
	end := w.n
	if w.n -= n; w.n == 0 {
		return
	}
	copy(w.Offsets[:], w.Offsets[n:end])
	if w.places {
		copy(w.Places[:], w.Places[n:end])
	}
	if w.weightWidth > 0 {
		copy(w.Weights(), w.Weights()[n*w.weightWidth:end*w.weightWidth])
	}
}
