package kernel

import "gorgonia.org/gather/internal/par"

// A scatter in place that meets a bad index must leave data as it was. Rows, tuples and
// strings check all indices before the first write. Indices of single elements are often
// larger than data, and reading them twice takes longer than keeping what is overwritten,
// on its way through the cache: with 8 MB of indices and 4 MB of data 1244 µs and 837.

// undoMost is how many bytes of data an undo log is for, at most.
const undoMost = 8 << 20

// An undoLog holds what a scatter overwrites, at the offsets that it has in data.
type undoLog struct {
	memory *[]byte
	saved  []byte
}

func newUndoLog(bytes int) undoLog {
	memory, saved := bytesFor(bytes)
	return undoLog{memory, saved}
}

func (u *undoLog) release() { byteMemory.Put(u.memory) }

// A region is the memory of data that a nest may write to: runs of bytes, one for each
// step of loops around them.
type region struct {
	loops   [maxDims + 1]Axis // sizes and strides, the outermost first
	n       int               // how many there are
	unit    int               // bytes of an element
	run     int               // bytes, of a step of the shared loop if that is in the run
	shared  int               // the loop that is shared, or -1 if it is in the run
	stride  int               // of that
	bytes   int               // from the first to behind the last
	covered int               // of these, how many are in a run
}

// describe describes the region of a nest. It reports whether it is one run, of all
// bytes that the steps of the shared loop address.
func (r *region) describe(e *nest) (whole bool) {
	shared := e.dims[e.shared]
	r.n, r.shared, r.stride, r.bytes, r.covered = 0, -1, shared.Data, e.unit, e.unit
	add := func(a Axis) {
		if a.Stride == 0 || a.Size == 0 {
			return
		}
		i := r.n
		for ; i > 0 && r.loops[i-1].Stride < a.Stride; i-- {
			r.loops[i] = r.loops[i-1]
		}
		r.loops[i] = a
		r.n++
		r.bytes += (a.Size - 1) * a.Stride
		r.covered *= a.Size
	}
	for _, d := range e.dims {
		add(Axis{d.N, d.Data})
	}
	if e.axis.Size > 1 {
		add(Axis{int(e.axis.Size), int(e.axis.Stride)})
	}
	r.unit, r.run = e.unit, e.unit
	for r.n > 0 && r.loops[r.n-1].Stride == r.run {
		r.n--
		if shared.Data != 0 && r.loops[r.n] == (Axis{shared.N, shared.Data}) {
			return r.n == 0
		}
		r.run *= r.loops[r.n].Size
	}
	for i := range r.n {
		if shared.Data != 0 && r.loops[i] == (Axis{shared.N, shared.Data}) {
			r.shared = i
		}
	}
	return false
}

// loggable reports whether an undo log of the region is faster than a check of all indices,
// of which there are so many bytes: runs are longer than an element, gaps no longer than
// runs.
func (r *region) loggable(indices int) bool {
	return r.bytes <= min(undoMost, indices) && r.bytes <= 2*r.covered && (r.n == 0 || r.run > r.unit || r.shared < 0)
}

// each calls do for the runs of the steps lo to hi of the shared loop.
func (r *region) each(lo, hi int, do func(at, bytes int)) {
	run, first := r.run, lo*r.stride
	var loops [maxDims + 1]Dim
	var counts [maxDims + 1]int
	for i, a := range r.loops[:r.n] {
		loops[i] = Dim{N: a.Size, Data: a.Stride}
	}
	switch {
	case r.shared >= 0:
		loops[r.shared].N = hi - lo
	case r.stride > 0:
		run *= hi - lo
	}
	if r.n == 0 {
		do(first, run)
		return
	}
	at := odometer{dims: loops[:r.n], count: counts[:r.n]}
	for more := true; more; more = at.step() {
		do(first+at.data, run)
	}
}

// A regionCopy copies a region from one memory to another.
type regionCopy struct {
	to, from []byte
	region
}

func (c *regionCopy) run(lo, hi int) {
	if c.to == nil || lo == hi {
		return
	}
	c.each(lo, hi, func(at, bytes int) { par.Copy(c.to[at:][:bytes], c.from[at:][:bytes]) })
}
