package kernel

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// Bag is sums of rows of a table: bag b is some of the positions 0 to n, each of
// which picks a row,
//
//	out[b, c] = Σ table[idx[p], c] over the positions p of bag b
//
// or the mean or the greatest of them. No row is written down before it is
// summed. Sums begin with 0 and go through the positions in order, each step
// rounded to the kind: they are the same for any number of goroutines.
//
// All memory is packed and in row-major order. What is checked here is the
// indices' values; that the borders are ascending is checked by Borders.Check,
// and memory is safe if they are not.
type Bag struct {
	Kind      num.Kind
	Reduction num.Reduction // Add, Mean or Max; complex numbers have no Max

	Table       []byte // (Rows, Inner); Check and AddGradient of Add and Mean need none
	Rows, Inner int

	Idx         []byte // the row of each position, as int32 or int64; nil if position p picks row p
	Idx32       bool
	NonNegative bool // negative indices are out of range
	// Fill leaves out positions whose index is out of range, as if they were not
	// there: the mean does not count them.
	Fill bool

	Weights []byte // what each position's row is multiplied by, of the table's kind; nil: 1. For Add only
	Borders
	// Default is the row that is the result of a bag without positions, or -1: such
	// a result is 0.
	Default int
}

// bagRun is a Bag while it runs, with what its pieces share.
type bagRun struct {
	Bag
	n            int // how many positions
	idx32        []int32
	idx64        []int64
	axis         checkedAxis
	width        int // bytes of an element
	row          int // bytes of a row
	out, in, dst []byte
	work         bagWork
	adjoint      bagAdjoint
	large        []int // bags that are divided by columns, ascending
	only         int   // one of them, whose columns the pieces are, or -1
	owners       int
	winners      *Winners
}

// A bagWork works on some bags, or on some columns, in bytes, of them, and returns
// the first position with a bad index, or -1.
type bagWork func(r *bagRun, bags, columns span) int

// bagWorks has what reduces each kind. Its functions are made once: a generic
// function made into a value where it is used would be an allocation in every
// call.
var bagWorks [num.Kinds][num.Reductions]bagWork

// HasBag reports whether rows of the kind can be reduced so.
func HasBag(kind num.Kind, r num.Reduction) bool { return bagWorks[kind][r] != nil }

var bagRuns = sync.Pool{New: func() any { return new(bagRun) }}

// start takes a bagRun from the pool.
func (b Bag) start(work bagWork) *bagRun {
	r := bagRuns.Get().(*bagRun)
	r.Bag, r.work, r.only = b, work, -1
	r.width = b.Kind.Width()
	r.row = b.Inner * r.width
	if b.Table != nil {
		r.Table = b.Table[:b.Rows*r.row]
	}
	switch {
	case b.Idx == nil:
		r.n = b.Rows
	case b.Idx32:
		r.idx32 = num.As[int32](b.Idx)
		r.n = len(r.idx32)
	default:
		r.idx64 = num.As[int64](b.Idx)
		r.n = len(r.idx64)
	}
	lift := uint64(b.Rows)
	if b.NonNegative {
		lift = 0
	}
	r.axis = checkedAxis{uint64(b.Rows), lift, int64(r.row)}
	return r
}

// release gives it back, without the memory it was run on.
func (r *bagRun) release() {
	*r = bagRun{large: r.large[:0]}
	bagRuns.Put(r)
}

// offsets turns the indices of n positions from p on into offsets of rows, in
// bytes, up to the first bad one, and returns how many.
func (r *bagRun) offsets(to []int64, p, n int) int {
	switch {
	case r.idx32 != nil:
		return resolveAxis(to[:n], r.idx32[p:p+n], r.axis, 0)
	case r.idx64 != nil:
		return resolveAxis(to[:n], r.idx64[p:p+n], r.axis, 0)
	}
	for t := range n {
		to[t] = int64(p+t) * r.axis.stride
	}
	return n
}

// pick is the row that a position picks.
func (r *bagRun) pick(p int) (row int, ok bool) {
	v := int64(p)
	switch {
	case r.idx32 != nil:
		v = int64(r.idx32[p])
	case r.idx64 != nil:
		v = r.idx64[p]
	}
	j, ok := r.axis.fix(v)
	return int(j), ok
}

// check reads the indices of positions that take no part, and returns the position
// of the first bad one, or -1.
func (r *bagRun) check(lo, hi int) int {
	if r.Fill || r.Idx == nil {
		return -1
	}
	buf := buffers.Get().(*offsetBuffer)
	defer buffers.Put(buf)
	for lo < hi {
		n := min(resolved, hi-lo)
		done := r.offsets(buf[:], lo, n)
		if lo += done; done < n {
			return lo
		}
	}
	return -1
}

// count is how many of the positions count: all, or those with a good index.
func (r *bagRun) count(lo, hi int) int {
	if !r.Fill {
		return hi - lo
	}
	n := 0
	for p := lo; p < hi; p++ {
		if _, ok := r.pick(p); ok {
			n++
		}
	}
	return n
}

// Reduce writes the results of all bags to out, (Bags, Inner). It returns the
// first position with a bad index, or -1. Positions that belong to no bag are
// checked, too.
func (b Bag) Reduce(out []byte) int {
	r := b.start(bagWorks[b.Kind][b.Reduction])
	defer r.release()
	r.out = out[:b.Bags*r.row]
	return r.run(r.divide)
}

// run divides all bags, which have some positions, or if there is nothing to be
// computed checks the indices.
func (r *bagRun) run(divide func(positions int) int) int {
	first, last := r.first(0, r.n), r.first(r.Bags, r.n)
	if r.row == 0 || r.Bags == 0 {
		first, last = r.n, r.n
	}
	bad := r.check(0, first)
	if bad < 0 && r.row > 0 && r.Bags > 0 {
		bad = divide(last - first)
	}
	if bad < 0 {
		bad = r.check(last, r.n)
	}
	return bad
}

// divide runs all bags, which have n positions. They are divided as if every
// position and every bag's end took the same time: a goroutine's piece may be few
// bags or many. A bag that is too large for one goroutine is divided by columns,
// since to divide its sum would change the order of additions.
func (r *bagRun) divide(n int) int {
	units, least := n+r.Bags, par.Grain(r.row)
	if threads := par.Threads(); threads > 1 && units >= 2*least && r.row >= 2*cacheLine {
		r.findLarge(max(least, n/(2*threads)))
	}
	bad := par.Run(r, units, least)
	for _, bag := range r.large {
		r.only = bag
		lines := (r.row + cacheLine - 1) / cacheLine
		if other := par.RunEven(r, lines, 1); other >= 0 && (bad < 0 || other < bad) {
			bad = other
		}
	}
	return bad
}

// findLarge finds the bags of more than so many positions. Each has one of the
// positions that are a multiple of that, or begins there.
func (r *bagRun) findLarge(limit int) {
	for p := r.first(0, r.n) + limit; p <= r.n; p += limit {
		bag := search(r.Bags, func(b int) bool { return r.first(b+1, r.n) >= p })
		if bag == r.Bags || len(r.large) > 0 && r.large[len(r.large)-1] == bag {
			continue
		}
		if r.first(bag+1, r.n)-r.first(bag, r.n) > limit {
			r.large = append(r.large, bag)
		}
	}
}

// piece runs the bags that begin in some units, or some lines of columns of one.
func (r *bagRun) Piece(lo, hi int) int {
	if r.only >= 0 {
		return r.work(r, span{r.only, r.only + 1}, span{lo * cacheLine, min(hi*cacheLine, r.row)})
	}
	origin := r.first(0, r.n)
	at := func(unit int) int {
		return search(r.Bags, func(b int) bool { return r.first(b, r.n)-origin+b >= unit })
	}
	bags := span{at(lo), at(hi)}
	bad := -1
	for _, bag := range r.large {
		if bag < bags.lo || bag >= bags.hi {
			continue
		}
		if bad = r.work(r, span{bags.lo, bag}, span{0, r.row}); bad >= 0 {
			return bad
		}
		bags.lo = bag + 1
	}
	return r.work(r, bags, span{0, r.row})
}

// search is the first of 0 to n for which a condition holds, or n; it holds for
// all that follow. Borders that change meanwhile make it wrong, not unsafe.
func search(n int, holds func(int) bool) int {
	lo := 0
	for lo < n {
		middle := int(uint(lo+n) >> 1)
		if holds(middle) {
			n = middle
		} else {
			lo = middle + 1
		}
	}
	return lo
}
