package kernel

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"math"
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
// before. The sum over a row is made in sixteen sums, as in Bag.WeightsGradient.
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

// Update is one step of an optimiser on the rows of a table that are named in it.
// Memory is packed.
type Update struct {
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
	Borders *Borders // nil: no bags
	Mean    bool
	Weights []byte // of the table's kind; nil: 1
}

// MaxPositions is how many positions an update may have.
const MaxPositions = math.MaxInt32

// Step runs updates. It keeps memory from one to the next, so that only the first
// allocates, and larger ones. It is for one goroutine at a time.
type Step struct {
	u        Update
	row      int // bytes
	n        int // positions
	weighted bool
	owners   int
	groups   []group   // one for each owner of rows
	grouped  bool      // the groups are those of u
	norms    []float64 // of each position that is the first of its row
	squares  bool      // the pieces make norms
	grads    [][]byte  // the gradients of each source
	scaled   []byte    // those of bags of means, divided
	dividing int       // the source that is being divided, or -1
}

// NormSquared is the sum of the squares of all rows' gradients, before Scale and
// L2, in float64. It is the same for any number of goroutines: a row's sum is
// made in sixteen sums, as everywhere, and the rows' are added in the order in
// which the positions name them first.
func (s *Step) NormSquared(u *Update) float64 {
	if !s.begin(u) {
		return 0
	}
	s.norms = grow(s.norms, s.n)
	clear(s.norms)
	s.squares = true
	par.Run(s, s.owners, 1)
	s.squares = false
	s.grouped = true
	sum := 0.0
	for _, norm := range s.norms {
		sum += norm
	}
	return sum
}

// Apply changes the rows that the update names. After NormSquared of the same
// sources it does not look for duplicates again.
func (s *Step) Apply(u *Update) {
	if s.grouped {
		s.u = *u
	} else if !s.begin(u) {
		return
	}
	par.Run(s, s.owners, 1)
	s.grouped = false
	s.forget()
}

// forget lets go of the memory of others.
func (s *Step) forget() {
	s.u = Update{}
	clear(s.grads)
}

// begin prepares an update, and reports whether there is anything to do.
func (s *Step) begin(u *Update) bool {
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
	s.u.Table = u.Table[:u.Rows*s.row]
	s.owners = max(1, min(par.Threads(), s.n*u.Inner/scatterGrain))
	for len(s.groups) < s.owners {
		s.groups = append(s.groups, group{})
	}
	s.divideMeans()
	return true
}

// piece runs the owners lo to hi.
func (s *Step) Piece(lo, hi int) int {
	if s.dividing >= 0 {
		s.divideBags(lo, hi)
		return -1
	}
	for me := lo; me < hi; me++ {
		if s.u.Kind == num.Float32 {
			runGroup[float32](s, &s.groups[me], me)
		} else {
			runGroup[float64](s, &s.groups[me], me)
		}
	}
	return -1
}

// divideMeans divides the gradients of bags of means by the number of positions
// of the bags, once for all of them.
func (s *Step) divideMeans() {
	s.grads = grow(s.grads, len(s.u.Sources))
	all := 0
	for i, source := range s.u.Sources {
		rows := len(source.Rows)
		if source.Borders != nil {
			rows = source.Borders.Bags
		}
		s.grads[i] = source.Grad[:rows*s.row]
		if source.Mean {
			all += rows * s.row
		}
	}
	s.scaled = grow(s.scaled, all)
	rest := s.scaled
	for i, source := range s.u.Sources {
		if source.Mean {
			s.grads[i], rest = rest[:len(s.grads[i])], rest[len(s.grads[i]):]
			s.dividing = i
			par.Run(s, source.Borders.Bags, par.Grain(s.row))
		}
	}
	s.dividing = -1
}

// divideBags divides the gradients of some bags of a source.
func (s *Step) divideBags(lo, hi int) {
	source := &s.u.Sources[s.dividing]
	// On the stack the divisor would be moved to the heap, for each bag: the
	// compiler does not know what the loop does with it.
	buf := bagBuffers.Get().(*bagBuffer)
	defer bagBuffers.Put(buf)
	divisor := num.Bytes(buf.scales[:1])
	p := source.Borders.first(lo, len(source.Rows))
	for bag := lo; bag < hi; bag++ {
		end := source.Borders.end(bag, p, len(source.Rows))
		count := 0
		for _, row := range source.Rows[p:end] {
			count += inRange(row, s.u.Rows)
		}
		p = end
		if count > 0 {
			s.divideRow(s.grads[s.dividing][bag*s.row:][:s.row], source.Grad[bag*s.row:][:s.row], divisor, count)
		}
	}
}

// divideRow divides a row. It calls other functions and is not inlined: here a
// goroutine can be stopped between two loops.
//
//go:noinline
func (s *Step) divideRow(to, from, divisor []byte, by int) {
	loops := active.bags[s.u.Kind]
	if s.row > partBytes {
		loops = inGo.bags[s.u.Kind]
	}
	if s.u.Kind == num.Float32 {
		num.As[float32](divisor)[0] = float32(by)
	} else {
		num.As[float64](divisor)[0] = float64(by)
	}
	loops.divideRow(&to[0], &from[0], &divisor[0], s.row)
}

// inRange is 1 for 0 to n, without a branch, and else 0.
func inRange(row int64, n int) int {
	return int(uint64((row-int64(n))&^row) >> 63)
}

// grow is a slice of n elements, in the same memory if there is enough.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}
