package bag

import (
	"sync"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// addTiesOfFloats adds some columns of the gradient of Max. It goes three times
// through the positions of some bags, whose rows are in the cache then: for the
// greatest values, for how many rows have each, and to add.
func addTiesOfFloats[T float32 | float64](r *adjoint, _ int, columns interval) int {
	scratch := tieScratch.Get().(*[]byte)
	defer tieScratch.Put(scratch)
	for lo := columns.lo; lo < columns.hi; lo += meanPart {
		part := interval{lo, min(lo+meanPart, columns.hi)}
		group := max(1, 32<<10/(part.hi-part.lo))
		for bag := 0; bag < r.Bags; bag += group {
			if bad := addTiesOf[T](r, scratch, interval{bag, min(bag+group, r.Bags)}, part); bad >= 0 {
				return bad
			}
		}
	}
	return -1
}

var tieScratch = sync.Pool{New: func() any { return new([]byte) }}

func addTiesOf[T float32 | float64](r *adjoint, scratch *[]byte, bags, columns interval) int {
	n, bytes := bags.hi-bags.lo, columns.hi-columns.lo
	*scratch = num.Resize(*scratch, 4*n*bytes)
	most, counts, items := (*scratch)[:n*bytes], (*scratch)[n*bytes:][:n*bytes], (*scratch)[2*n*bytes:][:2*n*bytes]
	loops := simd.Active().Bags[r.Kind]
	cur := cursor{reader: &r.reader, columns: columns, loop: loops.Max, out: most, step: bytes}
	if bad := reduceColumns[T](&cur, bags); bad >= 0 {
		return bad
	}
	cur = cursor{reader: &r.reader, columns: columns, loop: loops.Ties, out: counts, step: bytes, greatest: most}
	reduceColumns[T](&cur, bags)
	for b := range n {
		item := items[2*b*bytes:][:2*bytes]
		copy(item, most[b*bytes:][:bytes])
		grad := num.As[T](r.grad[(bags.lo+b)*r.row:][columns.lo:columns.hi])
		if r.width == 4 {
			divideTied(num.As[T](item[bytes:]), grad, num.As[int32](counts[b*bytes:][:bytes]))
		} else {
			divideTied(num.As[T](item[bytes:]), grad, num.As[int64](counts[b*bytes:][:bytes]))
		}
	}
	a := adder{adjoint: r, columns: columns, greatest: items}
	return addColumns[T](&a, 0, bags)
}

// divideTied divides a row of the gradient by how many rows have each value. An
// empty bag has none: its Default row has them all.
func divideTied[T float32 | float64, N int32 | int64](to, grad []T, counts []N) {
	to, counts = to[:len(grad)], counts[:len(grad)]
	for i, g := range grad {
		to[i] = g / T(max(1, counts[i]))
	}
}

// tieColumns is how many columns the ties of a bag are counted for at a time.
const tieColumns = 256

// tieRows is what the gradient of Max needs of a kind. It works on rows of equal
// length. most is the greatest of the rows that have been seen, for each column,
// and counts is how many of them have it. NaN is greater than any number, and
// equals NaN.
type tieRows[T any] struct {
	count func(most []T, counts []int32, row []T)
	// share adds to dst[i], where row has the greatest value, grad[i] divided by
	// how many have it.
	share func(dst, grad, row, most []T, counts []int32)
}

func halfTies(to func(uint16) float32, from func(float32) uint16) tieRows[uint16] {
	return tieRows[uint16]{
		count: func(most []uint16, counts []int32, row []uint16) {
			for i, bits := range row {
				switch x, m := to(bits), to(most[i]); {
				case x > m || x != x && m == m:
					most[i], counts[i] = bits, 1
				case sameReal(x, m):
					counts[i]++
				}
			}
		},
		share: func(dst, grad, row, most []uint16, counts []int32) {
			for i, bits := range row {
				if sameReal(to(bits), to(most[i])) {
					part := from(to(grad[i]) / float32(counts[i]))
					dst[i] = from(to(dst[i]) + to(part))
				}
			}
		},
	}
}

// addTies adds some columns of the gradient of Max: it goes through each bag twice.
func addTies[T any](r *adjoint, columns interval, rows tieRows[T], add func(sum, row []T)) int {
	buf := buffers.Get().(*buffer)
	defer buffers.Put(buf)
	if need := tieColumns * (r.width + 4); len(buf.scratch) < need {
		buf.scratch = make([]byte, need)
	}
	allMost := num.As[T](buf.scratch)[:tieColumns]
	allCounts := num.As[int32](buf.scratch[tieColumns*r.width:])
	table, dst, grad := num.As[T](r.Table), num.As[T](r.dst), num.As[T](r.grad)
	p := r.First(0, r.n)
	for bag := range r.Bags {
		start, end := p, r.End(bag, p, r.n)
		for lo := columns.lo / r.width; lo < columns.hi/r.width; lo += tieColumns {
			hi := min(lo+tieColumns, columns.hi/r.width)
			most, counts := allMost[:hi-lo], allCounts[:hi-lo]
			g := grad[bag*r.Inner:][lo:hi]
			seen := 0
			for p = start; p < end; p++ {
				j, ok := r.rowAt(p)
				switch {
				case !ok && !r.Fill:
					return p
				case !ok:
				case seen == 0:
					copy(most, table[j*r.Inner:][lo:hi])
					for i := range counts {
						counts[i] = 1
					}
					seen++
				default:
					rows.count(most, counts, table[j*r.Inner:][lo:hi])
					seen++
				}
			}
			if seen == 0 && r.Default >= 0 {
				add(dst[r.Default*r.Inner:][lo:hi], g)
			}
			for p = start; p < end && seen > 0; p++ {
				if j, ok := r.rowAt(p); ok {
					rows.share(dst[j*r.Inner:][lo:hi], g, table[j*r.Inner:][lo:hi], most, counts)
				}
			}
		}
		p = end
	}
	return -1
}

// sameReal reports whether two numbers are equal, or both NaN.
func sameReal(a, b float32) bool { return a == b || a != a && b != b }
