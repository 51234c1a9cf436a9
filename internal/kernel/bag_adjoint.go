package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// A bagAdjoint adds to some columns, in bytes, of the gradient of a table: to the
// rows of one owner.
type bagAdjoint func(r *bagRun, me int, columns span) int

var bagAdjoints [num.Kinds][num.Reductions]bagAdjoint

// HasBagGradient reports whether bags of the kind, so reduced, have a gradient:
// integers have that of Add alone.
func HasBagGradient(kind num.Kind, r num.Reduction) bool { return bagAdjoints[kind][r] != nil }

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
func (b Bag) AddGradient(dst, grad []byte) int {
	r := b.start(nil)
	defer r.release()
	r.adjoint = bagAdjoints[b.Kind][b.Reduction]
	r.dst, r.in = dst[:b.Rows*r.row], grad[:b.Bags*r.row]
	return r.run(r.divideTargets)
}

// Check returns the first position with a bad index, or -1.
func (b Bag) Check() int {
	r := b.start(nil)
	defer r.release()
	if b.Idx == nil {
		return -1
	}
	r.Fill = false
	return par.Run((*bagIndices)(r), r.n, par.Grain(16))
}

// bagIndices is a bagRun whose pieces are positions to check.
type bagIndices bagRun

func (r *bagIndices) Piece(lo, hi int) int { return (*bagRun)(r).check(lo, hi) }

// divideTargets divides the table between goroutines: its rows, or their columns.
func (r *bagRun) divideTargets(positions int) int {
	const fewRows = 8
	work := max(1, (positions+r.Bags)*r.Inner/scatterGrain)
	if inGo.bags[r.Kind] != nil && r.Reduction != num.Max && (r.Rows >= fewRows || r.row < 2*cacheLine) {
		r.owners = min(par.Threads(), work)
		return par.Run((*bagOwners)(r), r.owners, 1)
	}
	r.owners = 1
	lines := (r.row + cacheLine - 1) / cacheLine
	return par.RunEven((*bagColumns)(r), lines, max(1, lines/work))
}

// bagOwners is a bagRun whose pieces are owners of rows: each reads all
// positions and works on its own rows.
type bagOwners bagRun

func (o *bagOwners) Piece(lo, hi int) int {
	r, bad := (*bagRun)(o), -1
	for me := lo; me < hi; me++ {
		bad = r.adjoint(r, me, span{0, r.row}) // of all owners the same
	}
	return bad
}

// bagColumns is a bagRun whose pieces are lines of columns.
type bagColumns bagRun

func (c *bagColumns) Piece(lo, hi int) int {
	r := (*bagRun)(c)
	return r.adjoint(r, 0, span{lo * cacheLine, min(hi*cacheLine, r.row)})
}
