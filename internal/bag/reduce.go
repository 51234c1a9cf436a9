package bag

import (
	"sync"
	"sync/atomic"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// reduction is the job of Reduce. Its pieces are bags: units from lo to hi are the
// positions and ends of bags.
type reduction struct {
	reader
	out     []byte
	short   *simd.ShortBagLoops
	scatter bool  // bags are short, and so are their rows: see scatter.go
	large   []int // bags that are divided by columns, ascending

	wide      bool // sums of integers may overflow: see mean.go
	magnitude atomic.Uint64
}

// Has reports whether rows of the kind can be reduced so by bags of tables. Segments have
// Mul and Min, too.
func Has(kind num.Kind, r num.Reduction) bool {
	loops := simd.Go.Bags[kind]
	return loops != nil && (r == num.Add || r == num.Mean || r == num.Max && loops.Max != nil || r == num.SqrtN && num.Floats[kind] != nil)
}

var reductions = sync.Pool{New: func() any { return new(reduction) }}

// Reduce writes the results of all bags to out, (Bags, Inner). It returns the
// first position with a bad index, or -1. Positions that belong to no bag are
// checked, too.
func (d *Description) Reduce(out []byte) int {
	if d.Normalizes() {
		return d.reduceNormal(out)
	}
	return d.reduce(out)
}

func (d *Description) reduce(out []byte) int {
	r := reductions.Get().(*reduction)
	*r = reduction{reader: d.reader(), large: r.large[:0]}
	r.out = out[:r.Bags*r.row]
	r.wide = r.Reduction == num.Mean && r.Kind.IsInteger() && r.overflows()
	r.short = r.shortLoops()
	r.scatter = !r.wide && r.scatters()
	bad := r.around(r.run)
	*r = reduction{large: r.large[:0]}
	reductions.Put(r)
	return bad
}

// run reduces all bags, which have n positions. They are divided as if every
// position and every bag's end took the same time: a goroutine's piece may be few
// bags or many. A bag that is too large for one goroutine is divided by columns,
// since to divide its sum would change the order of additions.
func (r *reduction) run(n int) int {
	units := n + r.Bags
	grains := par.Grains(units, r.row)
	if threads := par.Threads(); threads > 1 && grains > 1 && r.row >= 2*simd.CacheLine && !r.scatter {
		r.findLarge(max(1, units/grains, n/(2*threads)))
	}
	bad := par.Run(r, units, grains)
	lines := len(r.large) * r.lines()
	if other := par.RunEven((*largeBags)(r), lines, lines, lines); other >= 0 && (bad < 0 || other < bad) {
		bad = other
	}
	return bad
}

// reduce reduces some bags, or some columns, in bytes, of them, and returns the first
// position with a bad index, or -1.
func (r *reduction) reduce(bags, columns interval) int {
	switch {
	case r.wide:
		return intMeans[r.Kind](r, bags, columns)
	case r.scatter:
		return r.scatterRows(bags)
	case r.short != nil:
		return r.reduceShort(bags)
	}
	for lo := columns.lo; lo < columns.hi && bags.lo < bags.hi; lo += partBytes {
		if bad := r.reduceRuns(bags, interval{lo, min(lo+partBytes, columns.hi)}); bad >= 0 {
			return bad
		}
	}
	return -1
}

// setEmpty writes the result of bags without positions, to rows or to a part of one that
// begins at a byte of it.
func (r *reader) setEmpty(to []byte, from int) {
	element := r.Empty
	switch {
	case r.Default >= 0:
		element = r.Table[r.Default*r.row:][from:min(r.row, from+len(to))]
	case element == nil:
		par.Clear(to)
		return
	}
	for done := copy(to, element); done < len(to); done *= 2 {
		par.Copy(to[done:], to[:min(done, len(to)-done)])
	}
}

// finish writes some columns of the results of those of n bags that have no positions, and
// divides the sums of the others if they are those of means. The bags end where the buffer
// says, and the first begins at start. out is where its columns are.
func (r *reduction) finish(buf *buffer, out []byte, n, start int, columns interval) {
	bytes := columns.hi - columns.lo
	for b, end := range buf.ends[:n] {
		buf.counts[b] = int32(int(end) - start)
		if start = int(end); buf.counts[b] == 0 {
			r.setEmpty(out[b*r.row:][:bytes], columns.lo)
		}
	}
	if r.Reduction == num.Mean {
		r.divide(buf, out, n, bytes)
	}
}

// lines is how many cache lines a row has.
func (r *reader) lines() int { return (r.row + simd.CacheLine - 1) / simd.CacheLine }

// columnsOf are the columns, in bytes, of some cache lines of a row.
func (r *reader) columnsOf(lo, hi int) interval {
	return interval{lo * simd.CacheLine, min(hi*simd.CacheLine, r.row)}
}

// findLarge finds the bags of more than so many positions. Each has one of the
// positions that are a multiple of that, or begins there.
func (r *reduction) findLarge(limit int) {
	for p := r.First(0, r.n) + limit; p <= r.n; p += limit {
		bag := search(r.Bags, func(b int) bool { return r.First(b+1, r.n) >= p })
		if bag == r.Bags || len(r.large) > 0 && r.large[len(r.large)-1] == bag {
			continue
		}
		if r.First(bag+1, r.n)-r.First(bag, r.n) > limit {
			r.large = append(r.large, bag)
		}
	}
}

// Piece reduces the bags that begin in some units.
func (r *reduction) Piece(lo, hi int) int {
	origin := r.First(0, r.n)
	at := func(unit int) int {
		return search(r.Bags, func(b int) bool { return r.First(b, r.n)-origin+b >= unit })
	}
	bags := interval{at(lo), at(hi)}
	for _, bag := range r.large {
		if bag < bags.lo || bag >= bags.hi {
			continue
		}
		if bad := r.reduce(interval{bags.lo, bag}, interval{0, r.row}); bad >= 0 {
			return bad
		}
		bags.lo = bag + 1
	}
	return r.reduce(bags, interval{0, r.row})
}

// largeBags is a reduction whose pieces are cache lines of the columns of large bags, one
// bag after the other.
type largeBags reduction

func (l *largeBags) Piece(lo, hi int) int {
	r := (*reduction)(l)
	for lines := r.lines(); lo < hi; {
		bag, from := r.large[lo/lines], lo%lines
		to := min(lines, from+hi-lo)
		if bad := r.reduce(interval{bag, bag + 1}, r.columnsOf(from, to)); bad >= 0 {
			return bad
		}
		lo += to - from
	}
	return -1
}
