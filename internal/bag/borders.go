package bag

import (
	"iter"
	"sort"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// Borders say which positions belong to which bag, in one of three ways: by the
// first position of each bag, by a number of positions that all bags have, or by
// the bag of each position. Those that change during a call make what is searched in
// them wrong, not unsafe.
type Borders struct {
	Bags int
	// Offsets are the first position of each bag, ascending: bag b ends where b+1
	// begins, the last one at the end.
	Offsets []byte
	// Segments are the bag of each position, ascending from 0 or more to less than Bags.
	Segments []byte
	// Short says that Offsets or Segments are int32, not int64.
	Short bool
	// PerBag is the positions of each bag, if there are neither Offsets nor Segments.
	PerBag int
}

// First is the first position of a bag, of n, and for the bag behind the last one
// where that ends.
func (b *Borders) First(bag, n int) int {
	switch {
	case b.Segments == nil && b.Offsets == nil:
		return min(bag*b.PerBag, n)
	case bag == b.Bags:
		return n
	case b.Segments != nil: // none is below 0
		return sort.Search(n*min(bag, 1), func(p int) bool { return num.Index(b.Segments, b.Short, p) >= int64(bag) })
	}
	return int(min(max(num.Index(b.Offsets, b.Short, bag), 0), int64(n)))
}

// End is where a bag ends of which the positions before from have been seen.
func (b *Borders) End(bag, from, n int) int {
	if b.Segments == nil || bag+1 == b.Bags {
		return min(max(b.First(bag+1, n), from), n)
	}
	above, step := func(p int) bool { return num.Index(b.Segments, b.Short, from+p) > int64(bag) }, 8
	for from+step < n && !above(step-1) {
		step *= 2
	}
	return from + sort.Search(min(step, n-from), above)
}

// chunks are some bags, n at a time, with their positions.
func (r *reader) chunks(bags interval, n int) iter.Seq2[interval, interval] {
	return func(yield func(bags, in interval) bool) {
		for p := r.First(bags.lo, r.n); bags.lo < bags.hi; {
			next := min(bags.lo+n, bags.hi)
			end := r.End(next-1, p, r.n)
			if !yield(interval{bags.lo, next}, interval{p, end}) {
				return
			}
			bags.lo, p = next, end
		}
	}
}

// searchedIDs is from how many segment ids a bag on the ends of bags are searched for. To read all ids takes less time for
// fewer, as no processor can predict at which of them a search ends.
const searchedIDs = 32

// ends writes where some bags end, the first of them being given, as a distance from the
// first of their positions.
func (b *Borders) ends(to []int64, bag int, in interval) {
	n, last := in.hi-in.lo, len(to)-1
	to[last] = int64(n)
	switch {
	case b.Offsets != nil && b.Short:
		endsOf(to[:last], num.As[int32](b.Offsets)[bag+1:], in)
	case b.Offsets != nil:
		endsOf(to[:last], num.As[int64](b.Offsets)[bag+1:], in)
	case b.Segments == nil:
		for t := range to[:last] {
			to[t] = int64(min((t+1)*b.PerBag, n))
		}
	case n >= searchedIDs*last:
		end := in.lo
		for t := range to[:last] {
			end = b.End(bag+t, end, in.hi)
			to[t] = int64(end - in.lo)
		}
	case b.Short:
		endsOfIDs(to[:last], num.As[int32](b.Segments)[in.lo:in.hi], bag)
	default:
		endsOfIDs(to[:last], num.As[int64](b.Segments)[in.lo:in.hi], bag)
	}
}

// endsOfIDs is ends by the segment ids of the bags.
func endsOfIDs[I simd.Index](to []int64, ids []I, bag int) {
	clear(to)
	for t, id := range ids {
		if b := uint64(id) - uint64(bag); b < uint64(len(to)) {
			to[b] = int64(t + 1)
		}
	}
	end := int64(0)
	for b, last := range to {
		end = max(end, last)
		to[b] = end
	}
}

// endsOf is ends by the offsets of the next bags, which it makes ascending.
func endsOf[I simd.Index](to []int64, offsets []I, in interval) {
	end := int64(in.lo)
	for t, offset := range offsets[:len(to)] {
		end = max(min(int64(offset), int64(in.hi)), end) // what end waits for comes last
		to[t] = end - int64(in.lo)
	}
}

// places writes the bag of each position from p on, times unit. The position before
// p is in the bag given or a later one; it returns that of the last position.
func (b *Borders) places(to []int64, p, bag, unit int) int {
	switch {
	case b.Segments != nil && b.Short:
		placesOf(to, num.As[int32](b.Segments)[p:], b.Bags, unit)
	case b.Segments != nil:
		placesOf(to, num.As[int64](b.Segments)[p:], b.Bags, unit)
	case b.Offsets == nil:
		for t := range to {
			for (bag+1)*b.PerBag <= p+t && bag+1 < b.Bags {
				bag++
			}
			to[t] = int64(bag * unit)
		}
	case b.Short:
		return placesFrom(to, num.As[int32](b.Offsets)[bag+1:], p, bag, unit)
	default:
		return placesFrom(to, num.As[int64](b.Offsets)[bag+1:], p, bag, unit)
	}
	return bag
}

// placesFrom is places by the offsets of the next bags. Where one begins a unit is added: to go through the positions bag by
// bag would be a branch for each, which no processor can predict.
func placesFrom[I simd.Index](to []int64, offsets []I, p, bag, unit int) int {
	clear(to)
	at := int64(bag * unit)
	for _, offset := range offsets {
		first := max(int64(offset)-int64(p), 0)
		if first >= int64(len(to)) {
			break
		}
		to[first] += int64(unit)
		bag++
	}
	for t, units := range to {
		at += units
		to[t] = at
	}
	return bag
}

func placesOf[I simd.Index](to []int64, ids []I, bags, unit int) {
	for t, id := range ids[:len(to)] {
		to[t] = min(max(int64(id), 0), int64(bags)-1) * int64(unit)
	}
}

// OutOfOrder returns which is the first of some offsets or segment ids that is less than the one before or not within [0, size), or -1.
// For offsets of n positions size is n+1, for segment ids it is Bags.
func OutOfOrder(numbers []byte, short bool, size int) int {
	if short {
		return firstOutOfOrder(num.As[int32](numbers), int64(size))
	}
	return firstOutOfOrder(num.As[int64](numbers), int64(size))
}

// firstOutOfOrder needs no search, as Within does: ascending numbers are in range if the first and the last are.
func firstOutOfOrder[I simd.Index](numbers []I, size int64) int {
	if n := len(numbers); n == 0 || num.Ascending(numbers) && numbers[0] >= 0 && int64(numbers[n-1]) < size {
		return -1
	}
	for i, v := range numbers {
		if int64(v) < 0 || int64(v) >= size || i > 0 && v < numbers[i-1] {
			return i
		}
	}
	return -1 // they have been changed meanwhile
}

// Within reports whether numbers are ascending, in a loop of one branch, and which of
// them are in [0, size).
func Within[I simd.Index](numbers []I, size int64) (lo, hi int, ok bool) {
	if !num.Ascending(numbers) {
		return 0, 0, false
	}
	lo = sort.Search(len(numbers), func(i int) bool { return numbers[i] >= 0 })
	return lo, lo + sort.Search(len(numbers)-lo, func(i int) bool { return int64(numbers[lo+i]) >= size }), true
}
