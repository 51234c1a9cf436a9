package update

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
	"math/bits"
	"unsafe"
)

// A group is the positions of one partition of the rows and where they have the same row.
type group struct {
	// Of each position that is the partition's: the number of its row in the table, the
	// offset of its gradient in the source's, and its weight. ends is where each source's
	// positions end.
	numbers, places []int64
	at              []int32 // its number in all sources
	weights         []uint64
	ends            []int

	// Of each row: its offset in the table, with room for loops that look ahead, the
	// offset of its state, and the first and the last of its positions. next is the
	// position after each that is not the last, with the same row.
	rows, states []int64
	first, last  []int32
	next         []int32
	slots        []int32 // row numbers, from 1 on, found by hash; 0: none

	grads        [simd.OffsetsAtOnce]*byte     // of some rows
	sumEnds      [simd.OffsetsAtOnce + 1]int64 // where the gradients of each row end that are summed
	sums         [simd.OffsetsAtOnce]float64
	scratch      []byte // the sums of rows that have several gradients
	coefficients [8]uint64
}

// collect finds the partition's positions, in order.
func collect[T float32 | float64](s *Step, g *group, number int) {
	g.numbers, g.places, g.at = num.Resize(g.numbers, s.n), num.Resize(g.places, s.n), num.Resize(g.at, s.n)
	if s.weighted {
		g.weights = num.Resize(g.weights, s.n)
	}
	own := par.PartitionOf(number, s.partitions, s.u.Rows*s.row)
	g.ends = g.ends[:0]
	have, before := 0, 0
	for i := range s.u.Sources {
		source := &s.u.Sources[i]
		rows, from := source.Rows, have
		if b := source.Borders; b == nil {
			have = g.take(s, own, rows, have, before, 0, int64(s.row))
		} else {
			p := b.First(0, len(rows))
			for bag := range b.Bags {
				end := b.End(bag, p, len(rows))
				have = g.take(s, own, rows[p:end], have, before+p, int64(bag*s.row), 0)
				p = end
			}
		}
		if s.weighted {
			weigh(num.As[T](num.Bytes(g.weights)), num.As[T](source.Weights), g.at[from:have], from, before)
		}
		g.ends = append(g.ends, have)
		before += len(rows)
	}
	g.numbers, g.places, g.at = g.numbers[:have], g.places[:have], g.at[:have]
}

// take takes those of some positions that are the partition's: each has the number and the
// place after that of the one before.
func (g *group) take(s *Step, own par.Partition, rows []int64, have, number int, place, step int64) int {
	for i, row := range rows {
		g.numbers[have], g.places[have], g.at[have] = row, place, int32(number+i)
		keep := inRange(row, s.u.Rows)
		if own.Of > 1 {
			keep &= own.Has(row * int64(s.row))
		}
		have += keep
		place += step
	}
	return have
}

// weigh writes down the weights of some positions.
func weigh[T float32 | float64](to, weights []T, at []int32, from, before int) {
	for i, number := range at {
		to[from+i] = 1
		if weights != nil {
			to[from+i] = weights[int(number)-before]
		}
	}
}

// slotHash makes slots of numbers of rows: the upper bits of the product depend on all
// bits. It is another number than that which makes partitions, or the slots of one
// partition would all be near each other.
const slotHash = 0xD6E8FEB86659FD93

// link finds the positions with the same row: by open addressing, with four slots
// for each position, or two where they would be too much for the near caches.
func (g *group) link() {
	n := len(g.numbers)
	size := 4 * n
	if n > 16<<10 {
		size = 2 * n
	}
	log := bits.Len(uint(max(size, 16) - 1))
	g.slots = num.Resize(g.slots, 1<<log)
	par.Clear(g.slots)
	g.rows, g.first, g.last = num.Resize(g.rows, n+simd.Lookahead), num.Resize(g.first, n), num.Resize(g.last, n)
	g.next = num.Resize(g.next, n)
	// The loop writes to all of these: as fields they would be read again each time.
	rows, first, last, next, slots := g.rows, g.first, g.last, g.next, g.slots
	have, mask, shift := 0, len(slots)-1, 64-log
	for p, number := range g.numbers {
		for slot := int(uint64(number) * slotHash >> shift); ; slot++ {
			r := int(slots[slot&mask])
			if r == 0 {
				rows[have], first[have], last[have] = number, int32(p), int32(p)
				have++
				slots[slot&mask] = int32(have)
				break
			}
			if rows[r-1] == number {
				next[last[r-1]] = int32(p)
				last[r-1] = int32(p)
				break
			}
		}
	}
	clear(rows[have:][:simd.Lookahead])
	g.rows, g.first, g.last = rows[:have+simd.Lookahead], first[:have], last[:have]
}

// updatesAhead is how many rows ahead the row is that is prefetched, with its states:
// fewer where a row has more lines. See benchmarks/results/thresholds.md.
var updatesAhead = [optimizers]int{SGD: 16, Adagrad: 8, RowWiseAdagrad: 16, Adam: 8}

// runGroup runs an update, or its norms, on the rows of one partition.
func runGroup[T float32 | float64](s *Step, g *group, number int) {
	if !s.grouped {
		collect[T](s, g, number)
		g.link()
		g.locate(s)
	}
	*(*simd.Coefficients[T])(unsafe.Pointer(&g.coefficients)) = simd.Coefficients[T]{
		Rate: T(s.u.Rate), Eps: T(s.u.Eps), Scale: T(s.u.Scale), L2: T(s.u.L2),
		First: T(1 - s.u.Beta1), Second: T(1 - s.u.Beta2), Columns: T(s.u.Inner),
	}
	// A row of all that a loop touches, four times, should be 1 MiB at most.
	atOnce := max(1, min(simd.OffsetsAtOnce, 256<<10/s.row))
	for r := 0; r < len(g.first); r += atOnce {
		updateRows[T](s, g, r, min(atOnce, len(g.first)-r))
	}
	clear(g.grads[:])
}

// locate makes offsets of the numbers of the rows, and of their states if these are one a row.
func (g *group) locate(s *Step) {
	if s.u.Optimizer == RowWiseAdagrad {
		g.states = num.Resize(g.states, len(g.rows))
		for r, number := range g.rows {
			g.states[r] = number * int64(s.u.Kind.Width())
		}
	}
	for r := range g.first {
		g.rows[r] *= int64(s.row)
	}
}

// updateRows sums the gradients of n rows and updates these. It calls other
// functions and is not inlined: here a goroutine can be stopped between two loops.
//
//go:noinline
func updateRows[T float32 | float64](s *Step, g *group, from, n int) {
	impl := simd.Active()
	if s.row > 256<<10 {
		impl = simd.Go // a row this long would be too much assembly
	}
	loops := impl.Updates[s.u.Kind]
	sumRows[T](s, g, from, n, impl.Bags[s.u.Kind])
	if len(s.norms) > 0 {
		loops.Squares(&g.grads[0], &g.sums[0], n, s.row)
		for i, first := range g.first[from:][:n] {
			s.norms[g.at[first]] = g.sums[i]
		}
		return
	}
	states := g.rows
	if s.u.Optimizer == RowWiseAdagrad {
		states = g.states
	}
	rules := &loops.Rules
	if s.u.Scale == 1 && s.u.L2 == 0 {
		rules = &loops.Plain
	}
	all := [...]simd.UpdateLoop{SGD: rules.SGD, Adagrad: rules.Adagrad, RowWiseAdagrad: rules.RowWiseAdagrad, Adam: rules.Adam}
	all[s.u.Optimizer](num.Pointer(s.u.Table[:s.u.Rows*s.row]), num.Pointer(s.u.First), num.Pointer(s.u.Second),
		&g.grads[0], &g.rows[from], &states[from], (*byte)(unsafe.Pointer(&g.coefficients)), n, s.row, updatesAhead[s.u.Optimizer])
}
