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
	divided    []byte // memory for the gradients of means, divided
}

// HasGradient reports whether bags of the kind, so reduced, have a gradient:
// integers have that of Add alone.
func HasGradient(kind num.Kind, r num.Reduction) bool {
	switch r {
	case num.Mean:
		return simd.Go.Means[kind] != nil
	case num.Max:
		return tieAdders[kind] != nil
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
	a := adjoints.Get().(*adjoint)
	*a = adjoint{reader: d.reader(), divided: a.divided}
	a.dst, a.grad = dst[:a.Rows*a.row], grad[:a.Bags*a.row]
	if a.Reduction == num.Mean {
		a.divided = num.Resize(a.divided, len(a.grad))
		d.DivideByCounts(a.divided, a.grad)
		a.grad = a.divided
	}
	bad := a.around(a.run)
	*a = adjoint{divided: a.divided}
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
	if a.Reduction == num.Max {
		return tieAdders[a.Kind](a, a.columnsOf(lo, hi))
	}
	return a.add(0, a.columnsOf(lo, hi))
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

// Check returns the first position with a bad index, or -1.
func (d *Description) Check() int {
	if d.Idx == nil {
		return -1
	}
	c := checks.Get().(*check)
	*c = check{d.reader()}
	bad := par.Run(c, c.n, par.Grains(c.n, 16))
	*c = check{}
	checks.Put(c)
	return bad
}

// check is the job of Check. Its pieces are positions.
type check struct{ reader }

var checks = sync.Pool{New: func() any { return new(check) }}

func (c *check) Piece(lo, hi int) int { return c.firstBad(lo, hi) }
