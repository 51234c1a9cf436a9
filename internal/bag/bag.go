// Package bag reduces bags of rows of a table, none of which is written down before it
// is summed, and makes the gradients of that.
//
// A Description says what the bags are. It is made once, by the caller, and read by all
// that runs. A function that runs it has a job of its own, a value from a pool, with the
// results it writes to. Jobs are work for package par: their pieces are bags, columns,
// positions, or partitions of the table.
//
// Segments of rows are bags, too: position p is row p. The softmax of segments is in
// softmax.go.
package bag

import (
	"cmp"
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/quant"
	"gorgonia.org/gather/internal/simd"
)

// Description is sums of rows of a table: bag b is some of the positions 0 to n, each of
// which has an index of a row,
//
//	out[b, c] = Σ table[idx[p], c] over the positions p of bag b
//
// or the mean, product, least or greatest of them, or the sum over the root of their number.
// Sums begin with 0 and go through the positions in order, each step rounded to the kind: they
// are the same for any number of goroutines.
//
// All memory but a Table with a Pitch is packed and in row-major order. What is checked here is the
// indices' values. The caller checks that the borders are ascending, with OutOfOrder or Within; memory
// is safe if they are not.
type Description struct {
	Kind      num.Kind
	Reduction num.Reduction // Add, Mean, Mul, Min, Max or SqrtN; complex numbers have no Min and Max

	Table       []byte // (Rows, Inner); Check and AddGradient of Add and Mean need none
	Rows, Inner int
	// Pitch is the distance in bytes from the start of one of the Table's rows to that of the next, or 0 if they are contiguous. If it
	// is less than a row, they overlap. For Reduce and WeightsGradient: AddGradient writes to rows like those of the Table, which are contiguous.
	Pitch int
	// Stored are the rows where they are not elements of the kind, which is float32 or
	// float64, in memory of their alignment: each is decoded before it is used, and there
	// is no Table. For Reduce and WeightsGradient.
	Stored quant.Rows

	Idx         []byte // the row of each position, as int32 or int64; nil if position p has row p
	Idx32       bool
	NonNegative bool // negative indices are out of range
	// SkipBad leaves out positions whose index is out of range, as if they were not
	// there: the mean does not count them.
	SkipBad bool

	// Weights are what each position's row is multiplied by, of the table's kind, or nil for 1:
	// for Add, and for floats for Mean and SqrtN, see normal.go.
	Weights []byte
	Borders
	// Default is the row that is the result of a bag without positions, or -1: the
	// elements of such a result are Empty, or 0 if that is nil.
	Default int
	Empty   []byte
}

// interval is a range from lo to hi.
type interval struct{ lo, hi int }

// elementGrain is how many elements a goroutine should at least add to be worth its start.
const elementGrain = 16 << 10

// reader is a Description with what follows from it.
type reader struct {
	Description
	n          int // how many positions
	axis       simd.Axis
	width, row int  // bytes of an element and of a row
	registers  bool // the loop is assembly that keeps some vectors of a result in registers
}

// read makes r the reader of d, in place: a reader is too large to be copied in a short call.
func (r *reader) read(d *Description) {
	row, stride := d.rowBytes(), cmp.Or(d.Pitch, d.rowBytes())
	if d.Stored.Bytes != nil {
		stride = d.Stored.Storage.RowBytes(d.Inner)
	} else if d.Table != nil {
		_ = d.Table[:max(0, (d.Rows-1)*stride+row)] // the loops read what is checked here to be there
	}
	all := &r.Description // set as a whole: what runs only reads it
	*all, r.n, r.axis, r.width, r.row = *d, d.positions(), simd.AxisOf(d.Rows, d.NonNegative, stride), d.Kind.Width(), row
	r.registers = simd.Active() != simd.Go && (d.Kind == num.Float32 || d.Kind == num.Float64 || r.half() && r.op() == num.Add && d.Weights == nil)
}

// extreme reports whether the results are the least or the greatest.
func (r *reader) extreme() bool { return r.Reduction == num.Min || r.Reduction == num.Max }

// half reports whether the rows are 16-bit floats.
func (r *reader) half() bool { return r.Kind == num.Float16 || r.Kind == num.BFloat16 }

func (d *Description) rowBytes() int { return d.Inner * d.Kind.Width() }

// rowsFrom is memory of rows from a byte of the first row on, which is none if there are no rows.
func rowsFrom(rows []byte, column int) []byte { return rows[min(column, len(rows)):] }

// job makes out, perhaps of grad, by pieces of bags, columns, positions or partitions.
type job struct {
	magnitude, bias uint64 // see mean.go. In front, 8 bytes are aligned on any processor, as atomic functions demand.
	reader
	out, grad  []byte // to Normal grad is the weights
	piece      func(j *job, lo, hi int) int
	winners    *Winners
	divisors   []float64
	wide       []float64 // weights of the positions, then perhaps their gradients
	partitions int       // of the rows of the table: see gradient.go
	reduction
	// Memory for gradients of means, divided, or for the results of Max, and for who has
	// them.
	memory []byte
	found  Winners
	buf    *buffer // of the goroutine that reduces alone, or nil: a short call is spared the pool of the others
}

var jobs = sync.Pool{New: func() any { return new(job) }}

func (j *job) Piece(lo, hi int) int { return j.piece(j, lo, hi) }

// by is the job with other pieces.
func (j *job) by(piece func(j *job, lo, hi int) int) *job {
	j.piece = piece
	return j
}

// begin is a job from the pool, and end puts it there.
func (d *Description) begin(out, grad []byte, winners *Winners) *job {
	j := jobs.Get().(*job)
	j.reader.read(d)
	j.out, j.grad, j.winners = out, grad, winners
	return j
}

func (j *job) end() {
	memory, found, buf := j.memory, j.found, j.buf
	*j = job{}
	j.memory, j.found, j.buf = memory, found, buf
	jobs.Put(j)
}

// run runs a job of n positions or bags, each of a number of bytes, and ends it.
func (j *job) run(piece func(j *job, lo, hi int) int, n, bytes int) int {
	bad := par.Run(j.by(piece), n, par.Grains(n, bytes))
	j.end()
	return bad
}
