package bag

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// adder adds rows of a gradient to those of one partition of dst. What it has not
// yet added is in the buffer: have offsets in dst, and for each the row of what is
// added: a row of the gradient or, for Mean, of scratch, which has room for some
// rows of the gradient, divided.
type adder struct {
	*adjoint
	buf     *buffer
	part    par.Partition
	columns interval
	ahead   int // how many rows are left for the next call of the loop, to be prefetched
	atOnce  int
	have    int

	greatest []byte // for Max: what shareRows takes, for each bag from the first on
	first    int

	slots  int // rows in scratch
	slot   int // the number of the last one in use, which is at slot%slots
	oldest int // the number of the oldest in use
	filled int // the bag whose gradient is in slot, or -1
}

// meanPart is the part of a row that is worked on at a time where gradients are
// divided, in scratch memory.
const meanPart = 8 << 10

func addFloats[T float32 | float64](r *adjoint, number int, columns interval) int {
	part := partBytes
	if r.Reduction == num.Mean {
		part = meanPart
	}
	for lo := columns.lo; lo < columns.hi; lo += part {
		a := adder{adjoint: r, columns: interval{lo, min(lo+part, columns.hi)}}
		if bad := addColumns[T](&a, number, interval{0, r.Bags}); bad >= 0 {
			return bad
		}
	}
	return -1
}

// addColumns adds the gradients of some bags to the rows of a partition.
func addColumns[T float32 | float64](a *adder, number int, bags interval) int {
	buf, r := buffers.Get().(*buffer), a.adjoint
	defer buffers.Put(buf)
	bytes := a.columns.hi - a.columns.lo
	a.buf, a.ahead, a.atOnce, a.filled = buf, simd.Distance(bytes), rowsAtOnce(bytes), -1
	a.first, a.part = bags.lo, par.PartitionOf(number, r.partitions, r.Rows*r.row)
	if r.Reduction == num.Mean {
		a.slots = a.ahead + max(8, 64<<10/bytes)
		if len(buf.scratch) < a.slots*bytes {
			buf.scratch = make([]byte, a.slots*bytes)
		}
	}
	weights := num.As[T](r.Weights)
	p, last := r.First(bags.lo, r.n), r.First(bags.hi, r.n)
	seen := interval{p, p} // the positions whose offsets are in buf.seen
	for bag := bags.lo; bag < bags.hi; bag++ {
		end := r.End(bag, p, r.n)
		count := end - p
		if r.Fill && (r.Reduction == num.Mean || r.Default >= 0) {
			count = r.count(p, end)
		}
		if count == 0 && r.Default >= 0 {
			at := [1]int64{int64(r.Default * r.row)}
			addPositions[T](a, at[:], nil, bag, 1)
		}
		for p < end {
			if p == seen.hi {
				n := min(simd.OffsetsAtOnce, max(last, end)-p)
				seen = interval{p, p + r.offsets(buf.seen[:], p, n)}
				if seen.hi == p {
					if !r.Fill {
						return p
					}
					p++
					seen = interval{p, p}
					continue
				}
			}
			to := min(end, seen.hi)
			var w []T
			if weights != nil {
				w = weights[p:to]
			}
			addPositions(a, buf.seen[p-seen.lo:to-seen.lo], w, bag, count)
			p = to
		}
	}
	flushGradients[T](a, 0)
	return -1
}

// addPositions adds a bag's row of the gradient, which has so many positions that
// count, to the rows of dst at some offsets, times weights if there are any.
func addPositions[T float32 | float64](a *adder, offsets []int64, weights []T, bag, count int) {
	buf := a.buf
	scales := num.As[T](num.Bytes(buf.scales[:]))
	for len(offsets) > 0 {
		if a.have == a.atOnce+a.ahead || a.slots > 0 && bag != a.filled && a.slot-a.oldest+1 >= a.slots {
			flushGradients[T](a, a.ahead)
		}
		n := min(len(offsets), a.atOnce+a.ahead-a.have)
		before := a.have
		for t, at := range offsets[:n] {
			buf.offsets[a.have] = at
			if weights != nil {
				scales[a.have] = weights[t]
			} else if a.Weights != nil {
				scales[a.have] = 1 // of an empty bag
			}
			a.have += a.part.Has(at)
		}
		offsets = offsets[n:]
		if weights != nil {
			weights = weights[n:]
		}
		if a.have == before {
			continue
		}
		place := int64(bag - a.first)
		if a.slots > 0 {
			place = divided[T](a, bag, count)
		}
		for t := before; t < a.have; t++ {
			buf.places[t] = place
		}
	}
}

// divided is the row of scratch with a bag's row of the gradient, divided by the
// number of its positions.
func divided[T float32 | float64](a *adder, bag, count int) int64 {
	bytes := a.columns.hi - a.columns.lo
	if bag != a.filled {
		a.slot++
		a.filled = bag
		divisor := &num.As[T](num.Bytes(a.buf.ends[:]))[0]
		*divisor = T(count)
		simd.Active().Bags[a.Kind].DivideRow(&a.buf.scratch[a.slot%a.slots*bytes], &a.grad[bag*a.row+a.columns.lo], num.Pointer(a.buf.ends[:]), bytes)
	}
	return int64(a.slot % a.slots)
}

// flushGradients adds what is in the buffer but for so many rows. It calls other
// functions and is not inlined: here a goroutine can be stopped between two loops.
//
//go:noinline
func flushGradients[T float32 | float64](a *adder, left int) {
	buf, bytes := a.buf, a.columns.hi-a.columns.lo
	now := a.have - left
	if now <= 0 {
		now = a.have
	}
	if now == 0 {
		return
	}
	items, step := &a.grad[a.first*a.row+a.columns.lo], a.row
	if a.slots > 0 {
		items, step = &buf.scratch[0], bytes
	}
	dst := &a.dst[a.columns.lo]
	scales := num.As[T](num.Bytes(buf.scales[:]))
	switch {
	case a.greatest != nil:
		simd.Active().Bags[a.Kind].ShareRows(dst, &a.Table[a.columns.lo], &a.greatest[0], &buf.offsets[0], &buf.places[0], now, bytes, a.ahead)
	case a.Weights != nil:
		simd.Active().Bags[a.Kind].AddScaledRows(dst, items, &buf.offsets[0], &buf.places[0], num.Pointer(scales), now, bytes, step, a.ahead)
		copy(scales, scales[now:a.have])
	default:
		simd.Active().Combine[a.Kind][num.Add].Rows(dst, items, &buf.offsets[0], &buf.places[0], now, bytes, step, a.ahead)
	}
	copy(buf.offsets[:], buf.offsets[now:a.have])
	copy(buf.places[:], buf.places[now:a.have])
	a.have -= now
	if a.slots > 0 {
		a.oldest = a.slot
		if a.have > 0 {
			a.oldest -= (a.slot - int(buf.places[0])) % a.slots
		}
	}
}
