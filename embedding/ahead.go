package embedding

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gorgonia.org/gather/internal/files"
)

// A page of a file that is not in memory is read when it is touched, and whoever touches
// it waits: rows from all over a table come one by one, from a disk that could read
// many at a time. So all pages of a call are asked for before the first is touched.
// To ask for one that is in memory takes half a microsecond, which is longer than a
// lookup takes for its row. So each kind of call learns whether it pays.

// ahead has learnt it, of calls that read the rows of one memory for one purpose.
type ahead struct {
	vain atomic.Int32 // calls, one after the other, that asked and had nearly nothing read
}

const (
	fewestRows = 8 // of a call that are worth it
	mostVain   = 4 // after as many calls nobody asks, until pages are waited for

	// It pays from a hundredth of the pages on: to wait for a page takes as long as to
	// ask for a hundred. So nobody asks where less than 1/64 is read, and asks again
	// where one thread waits for more than 1/64.
	leastRead, mostWaited = 64, 64
)

// announce asks for rows of so many bytes, if that pays.
func (a *ahead) announce(m *memory, rows []int64, rowBytes int) {
	if !m.inFile() || a.vain.Load() >= mostVain {
		return
	}
	runtime.LockOSThread() // whose reads are counted
	defer runtime.UnlockOSThread()
	before := files.Read()
	pages := m.willNeed(rows, rowBytes)
	if read := int(files.Read()-before) / files.PageSize; read*leastRead >= pages {
		a.vain.Store(0)
	} else {
		a.vain.Add(1)
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

// touch announces the rows of a step, and what is remembered of them.
func (s *state) touch() touch {
	t, rows := s.table, s.positions()
	if !t.memory.inFile() || rows < fewestRows {
		return touch{}
	}
	for _, source := range s.update.Sources {
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
			t.ahead[i].vain.Store(0)
		}
	}
}

// rowBytes is the size of a row.
func (t *Table) rowBytes() int { return t.storage.RowBytes(t.inner) }

// rowBytes is the size of what each of the memories has of a row.
func (s *state) rowBytes() int {
	width := int(s.table.dtype.Size())
	if len(s.shape) < len(s.table.shape) {
		return width // a number for a row
	}
	return s.table.inner * width
}

var idBuffers = sync.Pool{New: func() any { return new([]int64) }}

// willNeed asks for the pages of rows, in order and each once, and counts them.
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

// windowBytes is how much is asked for ahead of who reads all of a file.
const windowBytes = 8 << 20

// blocks gives all of a memory, in blocks of blockBytes but for the last. Of a file the
// blocks to come are asked for.
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
