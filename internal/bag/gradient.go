package bag

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// adjoint is the job of AddGradient. Its pieces are cache lines of columns.
type adjoint struct {
	reader
	dst, grad  []byte
	partitions int
	// Memory for the gradients of means, divided, or for the results of Max, and for
	// who has them.
	memory  []byte
	winners Winners
}

// HasGradient reports whether bags of the kind, so reduced, have a gradient:
// integers have that of Add alone.
func HasGradient(kind num.Kind, r num.Reduction) bool {
	switch r {
	case num.Mean:
		return simd.Go.Means[kind] != nil
	case num.Max:
		return tieLoops[kind].win != nil
	}
	return Has(kind, r)
}

var adjoints = sync.Pool{New: func() any { return new(adjoint) }}

// AddGradient adds to dst, (Rows, Inner), the gradient of the table, given that of
// the results, (Bags, Inner):
//
//	dst[idx[p], c] += w(p) grad[b(p), c]
//
// in the order of the positions p, where b(p) is the bag of p and w(p) its weight
// or, if that is complex, its conjugate. For Mean the row of grad is divided by
// the number of the bag's positions, which is rounded, before it is added. For
// Max what an element of grad holds is divided between the positions of the bag
// that equal the greatest, NaN equalling NaN. An empty bag's row goes to Default,
// as if it had that one position.
//
// It returns the first position with a bad index, or -1. Some of dst is changed
// then: Check tells before.
func (d *Description) AddGradient(dst, grad []byte) int {
	if d.Normalizes() {
		return d.addNormal(dst, grad)
	}
	return d.addGradient(dst, grad)
}

func (d *Description) addGradient(dst, grad []byte) int {
	a := adjoints.Get().(*adjoint)
	*a = adjoint{reader: d.reader(), memory: a.memory, winners: a.winners}
	a.dst, a.grad = dst[:a.Rows*a.row], grad[:a.Bags*a.row]
	bad := -1
	switch a.Reduction {
	case num.Mean:
		a.memory = num.Resize(a.memory, len(a.grad))
		d.DivideByCounts(a.memory, a.grad)
		a.grad = a.memory
	case num.Max:
		a.memory = num.Resize(a.memory, len(a.grad))
		if bad = d.Reduce(a.memory); bad < 0 {
			a.winners.Size(a.n, a.Bags, a.Inner)
			d.FindWinners(&a.winners, a.memory)
		}
	}
	if bad < 0 {
		bad = a.around(a.run)
	}
	*a = adjoint{memory: a.memory, winners: a.winners}
	adjoints.Put(a)
	return bad
}

// run divides the table between goroutines: its rows, or their columns.
func (a *adjoint) run(positions int) int {
	const fewRows = 8
	grains := max(1, (positions+a.Bags)*a.Inner/elementGrain)
	if a.Reduction != num.Max && (a.Rows >= fewRows || a.row < 2*simd.CacheLine) {
		a.partitions = min(par.Threads(), grains)
		return par.Run((*partitions)(a), a.partitions, grains)
	}
	a.partitions = 1
	return par.RunEven(a, a.lines(), a.lines(), grains)
}

func (a *adjoint) Piece(lo, hi int) int {
	if columns := a.columnsOf(lo, hi); a.Reduction != num.Max {
		return a.add(0, columns)
	} else {
		a.addTies(columns)
	}
	return -1
}

// partitions is an adjoint whose pieces are partitions of the rows: each reads all
// positions and works on its own rows.
type partitions adjoint

func (p *partitions) Piece(lo, hi int) int {
	a, bad := (*adjoint)(p), -1
	for number := lo; number < hi; number++ {
		bad = a.add(number, interval{0, a.row}) // of all partitions the same
	}
	return bad
}

// add adds to some columns, in bytes, of the rows of one partition. It returns the first
// position with a bad index, or -1.
func (a *adjoint) add(number int, columns interval) int {
	part, bad := par.PartitionOf(number, a.partitions, a.Rows*a.row), -1
	for lo := columns.lo; lo < columns.hi && bad < 0; lo += partBytes {
		c := interval{lo, min(lo+partBytes, columns.hi)}
		p := a.First(0, a.n)
		if a.Default < 0 {
			bad = a.addPositions(interval{p, a.First(a.Bags, a.n)}, 0, part, c)
			continue
		}
		// The row of an empty bag goes to the default row after the rows of the bags
		// before it.
		from, first := p, 0
		for bag := 0; bag < a.Bags && bad < 0; bag++ {
			end := a.End(bag, p, a.n)
			if a.count(p, end) == 0 {
				bad = a.addPositions(interval{from, end}, first, part, c)
				a.addDefault(bag, part, c)
				from, first = end, bag
			}
			p = end
		}
		if bad < 0 {
			bad = a.addPositions(interval{from, p}, first, part, c)
		}
	}
	return bad
}

// addPositions adds the rows of the gradient that some positions have, the first of which is
// in the bag given or a later one.
func (a *adjoint) addPositions(in interval, bag int, part par.Partition, columns interval) int {
	bytes := columns.hi - columns.lo
	w := par.WindowFor(bytes)
	defer w.Release()
	dst, grad := num.Pointer(a.dst[columns.lo:]), num.Pointer(a.grad[columns.lo:])
	add, scaled := simd.Active().Combine[a.Kind][num.Add].Rows, simd.Active().Bags[a.Kind].AddScaledRows
	return a.each(w, in, bag, 1, part, func(n int) {
		if a.Weights == nil {
			add(dst, grad, &w.Offsets[0], &w.Places[0], n, bytes, a.row, w.Ahead)
		} else {
			scaled(dst, grad, &w.Offsets[0], &w.Places[0], num.Pointer(w.Weights()), n, bytes, a.row, w.Ahead)
		}
	})
}

// addDefault adds the row of the gradient of a bag without positions, which has no weight.
func (a *adjoint) addDefault(bag int, part par.Partition, columns interval) {
	if offset := a.Default * a.row; part.Has(int64(offset)) == 1 {
		bytes := columns.hi - columns.lo
		simd.Active().Combine[a.Kind][num.Add].Rows(&a.dst[offset+columns.lo], &a.grad[bag*a.row+columns.lo], &simd.Iota[0], &simd.Iota[0], 1, bytes, 0, 0)
	}
}

// Check returns the first position with a bad index, or -1.
func (d *Description) Check() int {
	return d.run(job{piece: func(j *job, lo, hi int) int { return j.firstBad(lo, hi) }}, d.positions(), 16)
}
