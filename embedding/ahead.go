package embedding

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gorgonia.org/gather/internal/files"
)

// A page of a file that is not in memory is read when it is touched, and the goroutine
// waits for it: rows from all over a table come one by one, from a disk that could read
// many at a time. So the system is told all pages of a call before the first is touched.
// To announce a page that is in memory takes half a microsecond, longer than a lookup
// takes for its row. So each kind of call learns whether announcing is faster.

// ahead is what was learnt from calls that read the rows of one memory for one purpose.
type ahead struct {
	wasted atomic.Int32  // consecutive calls that announced pages of which nearly none were read
	calls  atomic.Uint32 // of which every eighth counts how often it waits
}

const (
	fewestRows = 8 // rows of a call that announces
	maxWasted  = 4 // wasted calls after which none announces, until one waits for pages

	// Announcing is faster from a hundredth of the pages on: to wait for a page takes as
	// long as to announce a hundred. So calls stop where less than 1/64 is read, and begin
	// again where one thread waits for more than 1/64.
	leastRead, mostWaited = 64, 64

	// To count takes four calls of the system, as long as twenty rows.
	countedCalls = 8
)

// announce announces the pages of rows of rowBytes bytes, if that is faster.
func (a *ahead) announce(m *memory, rows []int64, rowBytes int) {
	if !m.inFile() || a.wasted.Load() >= maxWasted {
		return
	}
	runtime.LockOSThread() // whose reads are counted
	defer runtime.UnlockOSThread()
	before := files.Read()
	pages := m.willNeed(rows, rowBytes)
	if read := int(files.Read()-before) / files.PageSize; read*leastRead >= pages {
		a.wasted.Store(0)
	} else {
		a.wasted.Add(1)
	}
}

// touch is a call that is about to touch rows, of one memory or of several.
type touch struct {
	ahead  []ahead // nil: there is nothing to learn
	pages  int
	before int64
	thread int
}

// begin makes a touch of the pages of so many rows.
func begin(ahead []ahead, rows, rowBytes int) touch {
	if ahead[0].calls.Add(1)%countedCalls > 0 {
		return touch{}
	}
	before, thread := files.Waited()
	return touch{ahead, rows * (1 + rowBytes/files.PageSize), before, thread}
}

// touch announces rows of a table that a lookup is about to read.
func (t *Table) touch(rows []int64) touch {
	if !t.memory.inFile() || len(rows) < fewestRows {
		return touch{}
	}
	t.ahead[0].announce(t.memory, rows, t.rowBytes())
	return begin(t.ahead[:], len(rows), t.rowBytes())
}

// touch announces the rows of a step, and their states.
func (s *state) touch() touch {
	t, rows := s.table, s.positions()
	if !t.memory.inFile() || rows < fewestRows {
		return touch{}
	}
	for _, source := range s.sources {
		s.ahead[0].announce(t.memory, source.Rows, t.rowBytes())
		for i, m := range s.memories {
			s.ahead[1+i].announce(m, source.Rows, s.rowBytes())
		}
	}
	return begin(s.ahead[:], rows, t.rowBytes())
}

// end learns how often the call has waited for a page, unless it has gone to another
// thread.
func (t touch) end() {
	if t.ahead == nil {
		return
	}
	waited, thread := files.Waited()
	if thread == t.thread && (waited-t.before)*mostWaited > int64(t.pages) {
		for i := range t.ahead {
			t.ahead[i].wasted.Store(0)
		}
	}
}

// rowBytes is the size of a row.
func (t *Table) rowBytes() int { return t.storage.RowBytes(t.inner) }

// rowBytes is the size of the state of a row, in each of the memories.
func (s *state) rowBytes() int {
	width := int(s.table.dtype.Size())
	if len(s.shape) < len(s.table.shape) {
		return width // a number for a row
	}
	return s.table.inner * width
}

var idBuffers = sync.Pool{New: func() any { return new([]int64) }}

// willNeed announces the pages of rows, in order and each once, and counts them.
func (m *memory) willNeed(rows []int64, rowBytes int) (pages int) {
	if !m.inFile() || rowBytes == 0 {
		return 0
	}
	sorted := idBuffers.Get().(*[]int64)
	defer idBuffers.Put(sorted)
	*sorted = append((*sorted)[:0], rows...)
	slices.Sort(*sorted)
	from, to := 0, 0 // the pages that lie side by side
	ask := func() {
		pages += to - from
		m.mapped.file.WillNeed(from*files.PageSize, to*files.PageSize)
	}
	for _, row := range *sorted {
		if row < 0 { // it stands for none
			continue
		}
		at := m.mapped.at + int(row)*rowBytes
		if first := at / files.PageSize; first > to {
			ask()
			from, to = first, first
		}
		to = max(to, (at+rowBytes-1)/files.PageSize+1)
	}
	ask()
	return pages
}

// windowBytes is how much is announced ahead of a reader of the whole file.
const windowBytes = 8 << 20

// blocks yields all of a memory, in blocks of blockBytes except for the last. In a file it
// announces the blocks to come.
func (m *memory) blocks(yield func(block []byte) bool) {
	asked := 0
	for at := 0; at < len(m.bytes); at += blockBytes {
		if m.inFile() {
			window := min(at+windowBytes, len(m.bytes))
			m.mapped.file.WillNeed(m.mapped.at+asked, m.mapped.at+window)
			asked = window
		}
		if !yield(m.bytes[at:min(at+blockBytes, len(m.bytes))]) {
			return
		}
	}
}

// copyTo copies all of a memory.
func (m *memory) copyTo(to []byte) {
	for block := range m.blocks {
		to = to[copy(to, block):]
	}
}
