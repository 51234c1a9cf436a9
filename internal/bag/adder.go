package bag

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// adder adds rows of a gradient to those of one partition of dst. What it has not
// yet added is in the buffer: have offsets in dst, and the bag of each.
type adder struct {
	*adjoint
	buf     *buffer
	part    par.Partition
	columns interval
	ahead   int // how many rows are left for the next call of the loop, to be prefetched
	atOnce  int
	have    int
}

// add adds to some columns, in bytes, of the rows of one partition. It returns the first
// position with a bad index, or -1.
func (r *adjoint) add(number int, columns interval) int {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	part := par.PartitionOf(number, r.partitions, r.Rows*r.row)
	for lo := columns.lo; lo < columns.hi; lo += partBytes {
		bytes := min(partBytes, columns.hi-lo)
		a := adder{adjoint: r, buf: buf, part: part, columns: interval{lo, lo + bytes}, ahead: simd.Distance(bytes), atOnce: rowsAtOnce(bytes)}
		if bad := a.run(); bad >= 0 {
			return bad
		}
	}
	return -1
}

func (a *adder) run() int {
	p, last := a.First(0, a.n), a.First(a.Bags, a.n)
	seen := interval{p, p} // the positions whose offsets are in buf.seen
	for bag := range a.Bags {
		end := a.End(bag, p, a.n)
		if a.Default >= 0 && a.count(p, end) == 0 {
			a.addDefault(bag)
		}
		for p < end {
			if p == seen.hi {
				n := min(simd.OffsetsAtOnce, max(last, end)-p)
				seen = interval{p, p + a.offsets(a.buf.seen[:], p, n)}
				if seen.hi == p {
					if !a.Fill {
						return p
					}
					p++
					seen = interval{p, p}
					continue
				}
			}
			to := min(end, seen.hi)
			a.addPositions(a.buf.seen[p-seen.lo:to-seen.lo], p, bag)
			p = to
		}
	}
	a.flush(0)
	return -1
}

// addPositions adds a bag's row of the gradient to the rows of dst at some offsets, times
// the weights from position p on if there are any.
func (a *adder) addPositions(offsets []int64, p, bag int) {
	buf, weights := a.buf, num.Bytes(a.buf.weights[:])
	for len(offsets) > 0 {
		if a.have == a.atOnce+a.ahead {
			a.flush(a.ahead)
		}
		n := min(len(offsets), a.atOnce+a.ahead-a.have)
		for _, offset := range offsets[:n] {
			buf.offsets[a.have], buf.places[a.have] = offset, int64(bag)
			if a.Weights != nil {
				copy(weights[a.have*a.width:][:a.width], a.Weights[p*a.width:])
			}
			a.have += a.part.Has(offset)
			p++
		}
		offsets = offsets[n:]
	}
}

// addDefault adds the row of the gradient of a bag without positions, which has no weight.
func (a *adder) addDefault(bag int) {
	offset := int64(a.Default * a.row)
	if a.part.Has(offset) == 0 {
		return
	}
	a.flush(0)
	a.buf.offsets[0], a.buf.places[0] = offset, int64(bag)
	a.addRows(1)
}

// flush adds what is in the buffer but for so many rows.
func (a *adder) flush(left int) {
	buf, now := a.buf, a.have-left
	if now <= 0 {
		now = a.have
	}
	if now == 0 {
		return
	}
	clear(buf.offsets[a.have:][:a.ahead])
	if a.Weights == nil {
		a.addRows(now)
	} else {
		a.addScaledRows(now)
		weights := num.Bytes(buf.weights[:])
		copy(weights, weights[now*a.width:a.have*a.width])
	}
	copy(buf.offsets[:], buf.offsets[now:a.have])
	copy(buf.places[:], buf.places[now:a.have])
	a.have -= now
}

// addRows and addScaledRows run the loops. They are not inlined: here a goroutine can be
// stopped between two of them.
//
//go:noinline
func (a *adder) addRows(n int) {
	simd.Active().Combine[a.Kind][num.Add].Rows(&a.dst[a.columns.lo], &a.grad[a.columns.lo], &a.buf.offsets[0], &a.buf.places[0],
		n, a.columns.hi-a.columns.lo, a.row, a.ahead)
}

//go:noinline
func (a *adder) addScaledRows(n int) {
	simd.Active().Bags[a.Kind].AddScaledRows(&a.dst[a.columns.lo], &a.grad[a.columns.lo], &a.buf.offsets[0], &a.buf.places[0], num.Pointer(a.buf.weights[:]),
		n, a.columns.hi-a.columns.lo, a.row, a.ahead)
}
