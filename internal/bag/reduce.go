package bag

import (
	"sort"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// reduction is what a job of Reduce has besides. Its pieces are bags: units are the positions
// and ends of bags, for each division of the columns.
type reduction struct {
	units, divisions int
	short            *simd.ShortBagLoops
	items            *simd.ItemLoops // that read segment ids: see scatter.go
	copies           bool            // each bag has one position, whose row is its result
	scatter          bool            // bags are short, and so are their rows: see scatter.go
	exact            bool            // sums of integers may overflow: see mean.go
	checks           bool            // that is found when rows are added, and all is reduced again if they may
}

// Has reports whether rows of the kind can be reduced so by bags of tables. Segments have
// Mul and Min, too.
func Has(kind num.Kind, r num.Reduction) bool {
	loops := simd.Go.Bags[kind]
	return loops != nil && (r == num.Add || r == num.Mean || r == num.Max && loops.Max != nil || r == num.SqrtN && num.Floats[kind] != nil)
}

// copiedSum is how many bytes the row of a bag of one position has at most that is copied and then added to 0. To add a
// longer one at once takes less time, but for 16-bit floats: see benchmarks/results/thresholds.md.
const copiedSum = 128

// Reduce writes the results of all bags to out, (Bags, Inner). It returns the
// first position with a bad index, or -1. Positions that belong to no bag are
// checked, too.
func (d *Description) Reduce(out []byte) int {
	if d.Normalizes() {
		return d.reduceNormal(out)
	}
	// Calls are nested no deeper here than they must be: see benchmarks/results/thresholds.md.
	j := d.begin(out[:d.Bags*d.rowBytes()], nil, nil)
	asItIs := j.Kind.IsInteger() || j.Reduction == num.Max || j.op() == num.Add && (j.row <= copiedSum || j.width == 2)
	j.copies = j.PerBag == 1 && asItIs && j.Weights == nil && len(j.Stored.Bytes) == 0 && !j.SkipBad
	if j.row <= longestShort {
		j.short, j.items = j.shortLoops(), j.itemLoops()
	}
	in, ok := j.inBags()
	bad := -1
	switch n := in.hi - in.lo; {
	case !ok:
	case j.Reduction == num.Mean && j.Kind.IsInteger() && !j.copies:
		bad = j.reduceMeans(n)
	default:
		bad = j.reduceBags(n)
	}
	bad = j.outside(in, bad)
	j.end()
	return bad
}

// reduceNormal is Reduce of bags for which Normalizes is true.
func (d *Description) reduceNormal(out []byte) int {
	n := normals.Get().(*Normal)
	defer normals.Put(n)
	sum := n.Sum(d)
	bad := sum.Reduce(out)
	n.clear(out, d.rowBytes())
	return bad
}

// dividedRow is how many bytes a row has at least whose columns are divided: every goroutine then
// goes through all positions. A result that is not kept in registers is written at each position: those of less than
// writtenRow are not divided, and fewer than fewResults of them are one goroutine's, as cores would fetch their cache lines
// from each other. See benchmarks/results/thresholds.md.
const dividedRow, writtenRow, fewResults = 256, 8 << 10, 4

// reduceBags reduces all bags, which have n positions. They are divided as if every
// position and every bag's end took the same time: a goroutine's piece may be few
// bags or many. If there is a bag that is too large for one goroutine, all are divided by
// columns, too, since to divide its sum would change the order of additions, but where the loop takes
// whole rows.
func (j *job) reduceBags(n int) int {
	if j.row <= longestShort && !j.copies && !j.exact && !j.checks {
		limit := j.scatterLimit()
		j.scatter = limit > 0 && j.n/limit < j.Bags
	}
	j.units, j.divisions = n+j.Bags, 1
	grains := par.Grains(j.units, j.row)
	written := !j.registers && j.short == nil && j.row < writtenRow
	if grains < 2 || par.Threads() == 1 || written && j.Bags < fewResults { // no need to search for the bags of some units
		if j.buf == nil {
			j.buf = new(buffer)
		}
		return j.reduce(j.buf, interval{0, j.Bags}, interval{0, j.row})
	}
	if j.row >= dividedRow && !written && !j.scatter && j.short == nil && j.hasLarge(max(1, j.units/grains, n/(2*par.Threads()))) {
		j.divisions = min(par.Threads(), j.lines())
	}
	return par.Run(j.by((*job).reduceUnits), j.units*j.divisions, grains)
}

// reduce reduces some bags, or some columns, in bytes, of them, and returns the first
// position with a bad index, or -1.
func (j *job) reduce(buf *buffer, bags, columns interval) int {
	part := partBytes
	switch {
	case j.copies:
		return j.copyRows(buf, bags)
	case j.scatter:
		return j.scatterRows(buf, bags)
	case j.exact:
		part = meanColumns * j.width
	case j.short != nil:
		return j.reduceShort(buf, bags)
	}
	for lo := columns.lo; lo < columns.hi && bags.lo < bags.hi; lo += part {
		if bad := j.reduceRuns(buf, bags, interval{lo, min(lo+part, columns.hi)}); bad >= 0 {
			return bad
		}
	}
	return -1
}

// copyRows writes the rows of bags of one position, and returns the first position with a bad
// index, or -1.
func (j *job) copyRows(buf *buffer, bags interval) int {
	loop, add := simd.CopyLoop(j.row), simd.Active().Combine[j.Kind][num.Add].Rows
	for n := 0; bags.lo < bags.hi; bags.lo += n {
		to := buf.places[:min(simd.OffsetsAtOnce, bags.hi-bags.lo)]
		if n = j.offsets(to, bags.lo); n < len(to) {
			return bags.lo + n
		}
		clear(to[n:][:simd.Lookahead])
		rows := j.out[bags.lo*j.row:][:n*j.row]
		loop.Run(num.Pointer(j.Table), num.Pointer(rows), &to[0], n, j.row, j.row, simd.Distance(j.row))
		// A sum of floats makes 0 of -0, and a quiet NaN of a signaling one.
		for m := 0; len(rows) > 0 && !j.Kind.IsInteger() && j.Reduction != num.Max; rows = rows[m:] {
			m = min(len(rows), len(zeros))
			add(&rows[0], &zeros[0], &simd.Iota[0], &simd.Iota[0], 1, m, 0, 0)
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
		element = r.Table[r.Default*int(r.axis.Stride):][from:min(r.row, from+len(to))]
	case element == nil:
		par.Clear(to)
		return
	}
	par.Repeat(to, element)
}

// finish writes some columns of the results of those bags that have no positions, and perhaps
// divides the sums of the others. The first bag begins at start. out is where its columns are.
func (j *job) finish(buf *buffer, ends []int64, out []byte, start int, columns interval, divides bool) {
	bytes, sets := columns.hi-columns.lo, j.exact || j.Default >= 0 || j.Empty != nil // else they are zeros
	if !sets && !divides {
		return
	}
	for b, end := range ends {
		buf.counts[b] = int32(int(end) - start)
		if start = int(end); sets && buf.counts[b] == 0 {
			j.setEmpty(out[b*j.row:][:bytes], columns.lo)
		}
	}
	if divides {
		j.divide(buf, out, len(ends), bytes)
	}
}

// lines is how many cache lines a row has.
func (r *reader) lines() int { return (r.row + simd.CacheLine - 1) / simd.CacheLine }

// columnsOf are the columns, in bytes, of some cache lines of a row.
func (r *reader) columnsOf(lo, hi int) interval {
	return interval{lo * simd.CacheLine, min(hi*simd.CacheLine, r.row)}
}

// hasLarge reports whether there is a bag of more than limit positions. It has one of the
// positions that are a multiple of that, or begins there.
func (j *job) hasLarge(limit int) bool {
	for p := j.First(0, j.n) + limit; p <= j.n; p += limit {
		bag := sort.Search(j.Bags, func(b int) bool { return j.First(b+1, j.n) >= p })
		if bag < j.Bags && j.First(bag+1, j.n)-j.First(bag, j.n) > limit {
			return true
		}
	}
	return false
}

// reduceUnits reduces the bags that begin in some units, of one division of the columns after
// the other.
func (j *job) reduceUnits(lo, hi int) int {
	buf, lines := buffers.Get().(*buffer), j.lines()
	defer buffers.Put(buf)
	at := func(unit int) int {
		origin := j.First(0, j.n)
		return sort.Search(j.Bags, func(b int) bool { return j.First(b, j.n)-origin+b >= unit })
	}
	for d := range j.divisions {
		from, to := max(lo-d*j.units, 0), min(hi-d*j.units, j.units)
		if from >= to {
			continue
		}
		if bad := j.reduce(buf, interval{at(from), at(to)}, j.columnsOf(d*lines/j.divisions, (d+1)*lines/j.divisions)); bad >= 0 {
			return bad
		}
	}
	return -1
}
