package bag

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// reduction is what a job of Reduce has besides. Its pieces are bags: units from lo to hi are
// the positions and ends of bags.
type reduction struct {
	short   *simd.ShortBagLoops
	scatter bool // bags are short, and so are their rows: see scatter.go
	exact   bool // sums of integers may overflow: see mean.go
}

// Has reports whether rows of the kind can be reduced so by bags of tables. Segments have
// Mul and Min, too.
func Has(kind num.Kind, r num.Reduction) bool {
	loops := simd.Go.Bags[kind]
	return loops != nil && (r == num.Add || r == num.Mean || r == num.Max && loops.Max != nil || r == num.SqrtN && num.Floats[kind] != nil)
}

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
	j := d.begin(job{out: out[:d.Bags*d.rowBytes()]})
	j.exact = j.Reduction == num.Mean && j.Kind.IsInteger() && j.overflows()
	j.short = j.shortLoops()
	j.scatter = !j.exact && j.scatters()
	bad := j.around(j.reduceAll)
	j.end()
	return bad
}

// reduceAll reduces all bags, which have n positions. They are divided as if every
// position and every bag's end took the same time: a goroutine's piece may be few
// bags or many. A bag that is too large for one goroutine is divided by columns,
// since to divide its sum would change the order of additions.
func (j *job) reduceAll(n int) int {
	units := n + j.Bags
	grains := par.Grains(units, j.row)
	if threads := par.Threads(); threads > 1 && grains > 1 && j.row >= 2*simd.CacheLine && !j.scatter {
		j.findLarge(max(1, units/grains, n/(2*threads)))
	}
	bad := par.Run(j.by((*job).reduceUnits), units, grains)
	lines := len(j.large) * j.lines()
	if other := par.RunEven(j.by((*job).reduceLarge), lines, lines, lines); other >= 0 && (bad < 0 || other < bad) {
		bad = other
	}
	return bad
}

// reduce reduces some bags, or some columns, in bytes, of them, and returns the first
// position with a bad index, or -1.
func (j *job) reduce(bags, columns interval) int {
	part := partBytes
	switch {
	case j.scatter:
		return j.scatterRows(bags)
	case j.exact:
		part = meanColumns * j.width
	case j.short != nil:
		return j.reduceShort(bags)
	}
	for lo := columns.lo; lo < columns.hi && bags.lo < bags.hi; lo += part {
		if bad := j.reduceRuns(bags, interval{lo, min(lo+part, columns.hi)}); bad >= 0 {
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

// finish writes some columns of the results of those bags that have no positions, and
// divides the sums of the others if they are those of means. The first bag begins at start.
// out is where its columns are.
func (j *job) finish(buf *buffer, ends []int64, out []byte, start int, columns interval) {
	bytes := columns.hi - columns.lo
	for b, end := range ends {
		buf.counts[b] = int32(int(end) - start)
		if start = int(end); buf.counts[b] == 0 {
			j.setEmpty(out[b*j.row:][:bytes], columns.lo)
		}
	}
	if j.Reduction == num.Mean && !j.exact {
		j.divide(buf, out, len(ends), bytes)
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
func (j *job) findLarge(limit int) {
	for p := j.First(0, j.n) + limit; p <= j.n; p += limit {
		bag := search(j.Bags, func(b int) bool { return j.First(b+1, j.n) >= p })
		if bag == j.Bags || len(j.large) > 0 && j.large[len(j.large)-1] == bag {
			continue
		}
		if j.First(bag+1, j.n)-j.First(bag, j.n) > limit {
			j.large = append(j.large, bag)
		}
	}
}

// reduceUnits reduces the bags that begin in some units, but for large ones.
func (j *job) reduceUnits(lo, hi int) int {
	origin := j.First(0, j.n)
	at := func(unit int) int {
		return search(j.Bags, func(b int) bool { return j.First(b, j.n)-origin+b >= unit })
	}
	bags, all := interval{at(lo), at(hi)}, interval{0, j.row}
	for _, bag := range j.large {
		if bag < bags.lo || bag >= bags.hi {
			continue
		}
		if bad := j.reduce(interval{bags.lo, bag}, all); bad >= 0 {
			return bad
		}
		bags.lo = bag + 1
	}
	return j.reduce(bags, all)
}

// reduceLarge reduces some cache lines of the columns of large bags, one bag after the other.
func (j *job) reduceLarge(lo, hi int) int {
	for lines := j.lines(); lo < hi; {
		bag, from := j.large[lo/lines], lo%lines
		to := min(lines, from+hi-lo)
		if bad := j.reduce(interval{bag, bag + 1}, j.columnsOf(from, to)); bad >= 0 {
			return bad
		}
		lo += to - from
	}
	return -1
}
