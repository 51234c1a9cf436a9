package embedding

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/gather/internal/files"
	"gorgonia.org/tensor"
)

// memory holds rows or an optimiser's state: Go's own memory, some outside of its
// heap where there are so many bytes that huge pages pay, or a file.
//
// The garbage collector does not know that a tensor or a slice uses memory outside
// of the heap. So that is given back when the memory struct is not reachable any
// more, and never if its bytes have been handed out. Whoever works on bytes keeps
// the struct reachable: what holds a lock that is reached through it does.
//
// Such memory does not count in the pace of garbage collections either: with 10 GB of
// table in the heap the next one would wait for 10 GB of garbage.
type memory struct {
	bytes  []byte
	mapped *mapping // nil: Go's own
}

// mapping is memory from the system.
type mapping struct {
	all    []byte
	file   *files.Mapped // nil: in none
	at     int           // where in the file the bytes begin
	handed atomic.Bool   // out, so that it stays to the end of the process
	gone   atomic.Bool
}

// hugeLeast is the fewest bytes that are worth huge pages of 2 MiB: as many as the
// tables of addresses of a processor reach in ordinary pages, or twice.
const hugeLeast = 16 << 20

// allocate makes n bytes of zeros.
func allocate(n int) (*memory, error) {
	if n < hugeLeast {
		return &memory{bytes: ownBytes(n)}, nil
	}
	all, bytes, err := mapHuge(n)
	if err != nil {
		return nil, err
	}
	if all == nil {
		return &memory{bytes: ownBytes(n)}, nil
	}
	m := &memory{bytes: bytes, mapped: &mapping{all: all}}
	runtime.AddCleanup(m, func(m *mapping) { _ = m.free() }, m.mapped)
	return m, nil
}

// ownBytes is n bytes of Go's memory, for elements of 8 bytes.
func ownBytes(n int) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// free gives memory of the system back, once, unless it has been handed out.
func (m *memory) free() error {
	m.bytes = nil
	if m.mapped == nil {
		return nil
	}
	return m.mapped.free()
}

func (m *mapping) free() error {
	switch {
	case m.gone.Swap(true):
		return nil
	case m.file != nil:
		return m.file.Close(!m.handed.Load())
	case m.handed.Load():
		return nil
	}
	return unmap(m.all)
}

// release is free for a file that nobody has closed, without waiting for the disk.
func (m *mapping) release() {
	if !m.gone.Swap(true) {
		_ = m.file.Release(!m.handed.Load())
	}
}

// inFile tells whether the memory is that of a file.
func (m *memory) inFile() bool { return m != nil && m.mapped != nil && m.mapped.file != nil }

// writable makes memory such that to write to it ends no process.
func (m *memory) writable() error {
	if !m.inFile() {
		return nil
	}
	return m.mapped.file.Writable()
}

// tensor is a tensor on the memory, which from now on stays.
func (m *memory) tensor(dt tensor.Dtype, shape tensor.Shape) *tensor.Dense {
	if m.mapped != nil {
		m.mapped.handed.Store(true)
	}
	n := shape.TotalSize()
	var backing any
	first := unsafe.Pointer(unsafe.SliceData(m.bytes))
	switch {
	case n == 0:
		return tensor.New(tensor.Of(dt), tensor.WithShape(shape.Clone()...))
	case dt == tensor.Float32:
		backing = unsafe.Slice((*float32)(first), n)
	default:
		backing = unsafe.Slice((*float64)(first), n)
	}
	return tensor.New(tensor.WithShape(shape.Clone()...), tensor.WithBacking(backing))
}

// address is where memory begins.
func address(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }

// overlap reports whether two pieces of memory have a byte in common.
func overlap(a, b []byte) bool {
	return len(a) > 0 && len(b) > 0 && address(a) < address(b)+uintptr(len(b)) && address(b) < address(a)+uintptr(len(a))
}
