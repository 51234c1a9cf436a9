package kernel

import "gorgonia.org/gather/internal/par"

// A scatter in place that meets a bad index must leave data as it was. Rows, tuples and
// strings check all indices before the first write. Indices of single elements are often
// larger than data, and to read them twice takes longer than to keep what is overwritten, on
// its way through the cache.

// undoMost is how many bytes of data an undo log is for, at most.
const undoMost = 8 << 20

// A region is the memory of data that a nest may write to: runs of bytes, one for each
// iteration of loops around them.
type region struct {
	loops   []Loop // sizes and strides in data, the outermost first
	unit    int    // bytes of an element or a row
	run     int    // bytes, of an iteration of the divided loop if that is in the run
	divided int    // the loop that is divided, or -1 if it is in the run
	stride  int    // of that
	bytes   int    // from the first to behind the last
	covered int    // of these, how many are in a run
	buf     [16]Loop
}

// describe describes the region of a nest. It reports whether it is one run, of all
// bytes that the iterations of the divided loop address.
func (r *region) describe(e *nest) (whole bool) {
	divided := Loop{N: 1}
	if e.divided < len(e.loops) {
		divided = e.loops[e.divided]
	}
	r.loops, r.divided, r.stride, r.bytes, r.covered = r.buf[:0], -1, divided.Data, e.unit, e.unit
	for _, l := range e.loops {
		r.add(l.N, l.Data)
	}
	for _, a := range e.Axes {
		r.add(a.Size, a.Stride*e.widthInMemory())
	}
	r.unit, r.run = e.unit, e.unit
	is := func(l Loop) bool { return divided.Data != 0 && l.N == divided.N && l.Data == divided.Data }
	for last := len(r.loops) - 1; last >= 0 && r.loops[last].Data == r.run; last-- {
		l := r.loops[last]
		r.loops = r.loops[:last]
		if is(l) {
			return last == 0
		}
		r.run *= l.N
	}
	for i, l := range r.loops {
		if is(l) {
			r.divided = i
		}
	}
	return false
}

// add adds a loop, in the order of strides.
func (r *region) add(n, stride int) {
	if stride == 0 || n <= 1 {
		return
	}
	r.loops = append(r.loops, Loop{})
	i := len(r.loops) - 1
	for ; i > 0 && r.loops[i-1].Data < stride; i-- {
		r.loops[i] = r.loops[i-1]
	}
	r.loops[i] = Loop{N: n, Data: stride}
	r.bytes += (n - 1) * stride
	r.covered *= n
}

// loggable reports whether an undo log of the region is faster than a check of all indices,
// of which there are so many bytes: runs are longer than an element, gaps no longer than
// runs.
func (r *region) loggable(indices int) bool {
	return r.bytes <= min(undoMost, indices) && r.bytes <= 2*r.covered && (len(r.loops) == 0 || r.run > r.unit || r.divided < 0)
}

// A regionCopy copies a region from one memory to another.
type regionCopy struct {
	to, from []byte
	region
}

// run copies what the iterations lo to hi of the divided loop address.
func (c *regionCopy) run(lo, hi int) {
	if c.to == nil || lo == hi {
		return
	}
	run, first := c.region.run, lo*c.stride
	if len(c.loops) == 0 {
		if c.stride > 0 {
			run *= hi - lo
		}
		par.Copy(c.to[first:][:run], c.from[first:][:run])
		return
	}
	p := parts.Get().(*part) // for its memory
	defer parts.Put(p)
	loops, at := append(p.buf[:0], c.loops...), &p.outer
	if c.divided >= 0 {
		loops[c.divided].N = hi - lo
	} else if c.stride > 0 {
		run *= hi - lo
	}
	at.reset(loops, position{data: first})
	for more := true; more; more = at.step() {
		par.Copy(c.to[at.data:][:run], c.from[at.data:][:run])
	}
}
