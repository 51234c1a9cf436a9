package bag

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Borders say which positions belong to which bag, in one of three ways: by the
// first position of each bag, by a number of positions that all bags have, or by
// the bag of each position.
type Borders struct {
	Bags int
	// Offsets are the first position of each bag, ascending: bag b ends where b+1
	// begins, the last one at the end.
	Offsets []byte
	// Segments are the bag of each position, ascending.
	Segments []byte
	// Short says that Offsets or Segments are int32, not int64.
	Short bool
	// PerBag is the positions of each bag, if there are neither Offsets nor Segments.
	PerBag int
}

// number is number i of Offsets or Segments, cut to 0 to limit.
func (b *Borders) number(mem []byte, i, limit int) int {
	var v int64
	if b.Short {
		v = int64(num.As[int32](mem)[i])
	} else {
		v = num.As[int64](mem)[i]
	}
	return int(min(max(v, 0), int64(limit)))
}

// First is the first position of a bag, of n, and for the bag behind the last one
// where that ends.
func (b *Borders) First(bag, n int) int {
	switch {
	case b.Offsets != nil:
		if bag == b.Bags {
			return n
		}
		return b.number(b.Offsets, bag, n)
	case b.Segments != nil:
		return search(n, func(p int) bool { return b.number(b.Segments, p, b.Bags) >= bag })
	}
	return min(bag*b.PerBag, n)
}

// End is where a bag ends of which the positions before from have been seen.
func (b *Borders) End(bag, from, n int) int {
	if b.Segments == nil {
		return min(max(b.First(bag+1, n), from), n)
	}
	// Most bags are short, and the position is near.
	step := 1
	for from+step <= n && b.number(b.Segments, from+step-1, b.Bags) <= bag {
		from += step
		step *= 2
	}
	return from + search(min(step-1, n-from), func(p int) bool { return b.number(b.Segments, from+p, b.Bags) > bag })
}

// Check reads the borders of n positions: offsets must be ascending and within
// [0, n], segments ascending and within [0, Bags), or with beyond not below 0. It
// returns which is the first that is not, or -1.
func (b *Borders) Check(n int, beyond bool) int {
	limit := int64(n)
	if b.Segments != nil {
		if limit = int64(b.Bags) - 1; beyond {
			limit = 1<<63 - 1
		}
	}
	mem := b.Offsets
	if b.Segments != nil {
		mem = b.Segments
	}
	if b.Short {
		return ascending(num.As[int32](mem), limit)
	}
	return ascending(num.As[int64](mem), limit)
}

func ascending[I simd.Index](numbers []I, limit int64) int {
	before := int64(0)
	for i, v := range numbers {
		if int64(v) < before || int64(v) > limit {
			return i
		}
		before = int64(v)
	}
	return -1
}
