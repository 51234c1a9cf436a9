package kernel

import (
	"sync"
	"unsafe"

	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// copyTile is how many elements of each of two loops are copied at a time where
// one is the fastest in data and the other in items: as many as a cache line of
// float32 has. Lines that are read for one row of items serve the next, too.
const copyTile = 16

// copyWalks holds the copies of elements of 1 to 16 bytes, at the logarithm of the
// width.
var copyWalks = [...]func(s *slabCopy, lo, hi int) int{copyWalk[uint8], copyWalk[uint16], copyWalk[uint32], copyWalk[[8]byte], copyWalk[[16]byte]}

// isCopy reports whether a walk has one index tuple alone: it copies a slab
// in any layout.
func (c *Call) isCopy() bool { return c.Head == 0 && len(c.Dims) > 0 && len(c.Dims) <= maxDims }

// slabCopy copies a slab of data, which begins with it.
type slabCopy struct {
	*Call
	data   []byte
	shared int // the loop that is shared
}

var slabCopies = sync.Pool{New: func() any { return new(slabCopy) }}

// copySlab copies the slab that the one tuple addresses.
func (c *Call) copySlab(at int) int {
	shared, n, all := longest(c.Dims, false)
	if all == 0 {
		return -1
	}
	s := slabCopies.Get().(*slabCopy)
	defer slabCopies.Put(s)
	*s = slabCopy{c, c.Data[at*c.Width:], shared}
	// Chunks are not so narrow that tiles are, if two goroutines can have one.
	return par.RunParts(s, n, max(2, n/(4*copyTile)), par.Grains(all, max(c.Width, 16)))
}

// Piece copies a part of the slab.
func (s *slabCopy) Piece(lo, hi int) int { return copyWalks[simd.Log2(s.Width)](s, lo, hi) }

func copyWalk[T any](s *slabCopy, lo, hi int) int {
	s.within(nil, s.data)
	memory := walkChunksPool.Get().(*walkChunks)
	defer walkChunksPool.Put(memory)
	p := &memory.chunk
	p.setDims(s.Call, s.shared, lo, hi)
	in, out := 0, 0 // the loops which are the fastest in data and in items
	for i, d := range p.dims {
		if d.Items < p.dims[out].Items {
			out = i
		}
	}
	in = out
	for i, d := range p.dims {
		if d.Data < p.dims[in].Data {
			in = i
		}
	}
	if in == out {
		line := p.remove(out)
		for more := true; more; more = p.step() {
			copyLine[T](s, &p.odometer, line)
		}
		return -1
	}
	rows, line := p.dims[in], p.dims[out]
	p.remove(max(in, out))
	p.remove(min(in, out))
	for more := true; more; more = p.step() {
		for r := 0; r < rows.N; r += copyTile {
			for l := 0; l < line.N; l += copyTile {
				copyOneTile[T](s, p.items+r*rows.Items+l*line.Items, p.data+r*rows.Data+l*line.Data,
					rows, line, min(copyTile, rows.N-r), min(copyTile, line.N-l))
			}
		}
	}
	return -1
}

// copyLine copies elements which are next to each other in one loop.
func copyLine[T any](s *slabCopy, from *odometer, line Dim) {
	items, data := unsafe.Pointer(byteOf(s.Items, from.items*s.Width)), unsafe.Pointer(byteOf(s.data, from.data*s.Width))
	if line.Items == 1 && line.Data == 1 {
		par.Copy(unsafe.Slice((*T)(items), line.N), unsafe.Slice((*T)(data), line.N))
		return
	}
	stepItems, stepData := line.Items*s.Width, line.Data*s.Width
	for i := range line.N {
		*(*T)(unsafe.Add(items, i*stepItems)) = *(*T)(unsafe.Add(data, i*stepData))
	}
}

// copyOneTile copies some elements of some rows, through a copy of the tile: each
// cache line of data is read in one go, and each of items written. Lines that are
// a power of two apart push each other out of the near caches. The first element
// of every line is read before the others, so that all lines are fetched at a
// time.
func copyOneTile[T any](s *slabCopy, item, datum int, rows, line Dim, n, length int) {
	var tile [copyTile][copyTile]T
	w := s.Width
	items, data := unsafe.Pointer(byteOf(s.Items, item*w)), unsafe.Pointer(byteOf(s.data, datum*w))
	step, next := line.Data*w, rows.Data*w
	for i := range length {
		tile[0][i%copyTile] = *(*T)(unsafe.Add(data, i*step))
	}
	for i := range length {
		from := unsafe.Add(data, i*step)
		for r := 1; r < n; r++ {
			from = unsafe.Add(from, next)
			tile[r%copyTile][i%copyTile] = *(*T)(from)
		}
	}
	step, next = rows.Items*w, line.Items*w
	for r := range n {
		*(*T)(unsafe.Add(items, r*step)) = tile[r%copyTile][0]
	}
	for r := range n {
		to := unsafe.Add(items, r*step)
		for _, v := range tile[r%copyTile][1:length] {
			to = unsafe.Add(to, next)
			*(*T)(to) = v
		}
	}
}
