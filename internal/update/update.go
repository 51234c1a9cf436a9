// Package update changes the rows of a table by the rules of optimisers, given gradients
// of the positions that have looked them up: it finds the positions with the same row by
// hashing, sums their gradients and changes the row, in one pass over the table's rows.
package update

import (
	"math"
	"slices"

	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// Optimizer is a rule by which a row of a table changes. In all of them g is the
// sum of the row's gradients, times Scale, plus L2 times the row:
//
//	SGD              w -= Rate g
//	Adagrad          s += g²; w -= Rate (g / (√s + Eps))
//	RowWiseAdagrad   s += Σg²/d; w -= (Rate / (√s + Eps)) g, with one s for a row of d numbers
//	Adam             m += (1-Beta1)(g-m); v += (1-Beta2)(g²-v); w -= Rate (m / (√v + Eps))
//
// Each operation is rounded to the table's kind; 1-Beta is computed in float64
// before. The sum over a row is made in sixteen sums, as in bag.Description.WeightsGradient.
type Optimizer uint8

// The optimisers.
const (
	SGD Optimizer = iota
	Adagrad
	RowWiseAdagrad
	Adam
	optimizers
)

// AdagradRate is the Rate of Adagrad's step t, from 1 on.
func AdagradRate(rate, decay float64, t int) float64 { return rate / (1 + float64(t-1)*decay) }

// AdamRate is the Rate of Adam's step t, from 1 on.
func AdamRate(rate, beta1, beta2 float64, t int) float64 {
	return rate * math.Sqrt(1-math.Pow(beta2, float64(t))) / (1 - math.Pow(beta1, float64(t)))
}

// Description is one step of an optimiser on the rows of a table that are named in it.
// Memory is packed.
type Description struct {
	Kind        num.Kind // Float32 or Float64
	Optimizer   Optimizer
	Table       []byte // (Rows, Inner)
	Rows, Inner int
	// First and Second are the states: s, or m and v. They are like the table, that
	// of RowWiseAdagrad is (Rows).
	First, Second []byte

	Rate, Eps, Scale, L2, Beta1, Beta2 float64

	// Sources bring the gradients. Those of a row are summed in their order.
	Sources []Source
}

// Source is gradients of rows of a table: those that a lookup or the bags of one
// have picked.
type Source struct {
	// Rows is the row of each position. A position with another number than that of
	// a row is left out: -1 says so. There are at most MaxPositions in all sources.
	Rows []int64
	// Grad has a row for each position, (len(Rows), Inner), or with Borders for each
	// bag: then a position has that of its bag, for Mean divided by the number of
	// positions of the bag that are not left out, and times its weight.
	Grad    []byte
	Borders *bag.Borders // nil: no bags
	Mean    bool
	Weights []byte // of the table's kind; nil: 1
}

// elementGrain is how many elements a goroutine should at least change to be worth its start.
const elementGrain = 16 << 10

// MaxPositions is how many positions an update may have.
const MaxPositions = math.MaxInt32

// Step runs updates. It keeps memory from one to the next, so that only the first
// allocates, and larger ones. It is for one goroutine at a time.
type Step struct {
	u          Description
	row        int // bytes
	n          int // positions
	weighted   bool
	partitions int
	groups     []group   // one for each partition of the rows
	grouped    bool      // the groups are those of u
	norms      []float64 // of each position that is the first of its row; empty: none are asked for
	grads      [][]byte  // the gradients of each source
	scaled     []byte    // those of bags of means, divided
}

// NormSquared is the sum of the squares of all rows' gradients, before Scale and
// L2, in float64. It is the same for any number of goroutines: a row's sum is
// made in sixteen sums, as everywhere, and the rows' are added in the order in
// which the positions name them first.
func (s *Step) NormSquared(u *Description) float64 {
	if !s.begin(u) {
		return 0
	}
	s.norms = num.Resize(s.norms, s.n)
	par.Clear(s.norms)
	par.Run(s, s.partitions, s.grains())
	s.grouped = true
	sum := 0.0
	for _, norm := range s.norms {
		sum += norm
	}
	return sum
}

// Apply changes the rows that the update names. After NormSquared of the same
// sources it does not look for duplicates again.
func (s *Step) Apply(u *Description) {
	if s.grouped {
		s.u = *u
	} else if !s.begin(u) {
		return
	}
	s.norms = s.norms[:0]
	par.Run(s, s.partitions, s.grains())
	s.grouped = false
	s.forget()
}

// grains is how many goroutines the update is worth.
func (s *Step) grains() int { return s.n * s.u.Inner / elementGrain }

// forget lets go of the memory of others.
func (s *Step) forget() {
	s.u = Description{}
	clear(s.grads)
}

// begin prepares an update, and reports whether there is anything to do.
func (s *Step) begin(u *Description) bool {
	s.u, s.grouped, s.n, s.weighted = *u, false, 0, false
	s.row = u.Inner * u.Kind.Width()
	for i := range u.Sources {
		s.n += len(u.Sources[i].Rows)
		s.weighted = s.weighted || u.Sources[i].Weights != nil
	}
	if s.n == 0 || s.row == 0 || u.Rows == 0 {
		s.forget()
		return false
	}
	s.partitions = max(1, min(par.Threads(), s.grains()))
	s.groups = append(s.groups, make([]group, max(0, s.partitions-len(s.groups)))...)
	s.divideMeans()
	return true
}

// Piece changes the rows of some partitions or, if these are asked for, makes the norms of their
// gradients.
func (s *Step) Piece(lo, hi int) int {
	for i := lo; i < hi; i++ {
		if s.u.Kind == num.Float32 {
			runGroup[float32](s, &s.groups[i], i)
		} else {
			runGroup[float64](s, &s.groups[i], i)
		}
	}
	return -1
}

// divideMeans divides the gradients of bags of means by the number of positions
// of the bags, once for all of them.
func (s *Step) divideMeans() {
	s.grads, s.scaled = num.Resize(s.grads, len(s.u.Sources)), s.scaled[:0]
	for i, source := range s.u.Sources {
		rows := len(source.Rows)
		if source.Borders != nil {
			rows = source.Borders.Bags
		}
		s.grads[i] = source.Grad[:rows*s.row]
		if !source.Mean || len(source.Rows) == 0 { // to a bag.Description no indices are those of all rows
			continue
		}
		// What is divided before stays where it is, if there is no room behind it.
		s.scaled = slices.Grow(s.scaled, rows*s.row)[:len(s.scaled)+rows*s.row]
		s.grads[i] = s.scaled[len(s.scaled)-rows*s.row:]
		positions := bag.Description{
			Kind: s.u.Kind, Rows: s.u.Rows, Inner: s.u.Inner, Borders: *source.Borders,
			Idx: num.Bytes(source.Rows), NonNegative: true, SkipBad: true,
		}
		positions.DivideByCounts(s.grads[i], source.Grad)
	}
}

// inRange is 1 for 0 to n, without a branch, and else 0.
func inRange(row int64, n int) int { return int(uint64((row-int64(n))&^row) >> 63) }
