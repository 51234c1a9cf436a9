package bag

import "gorgonia.org/gather/internal/num"

// tieAdders add some columns of the gradient of Max, for each kind that has one.
var tieAdders = [num.Kinds]func(a *adjoint, columns interval) int{
	num.Float32:  addTies[float32](floatTies[float32]()),
	num.Float64:  addTies[float64](floatTies[float64]()),
	num.Float16:  addTies[uint16](halfTies(num.Float16To32, num.Float16From32)),
	num.BFloat16: addTies[uint16](halfTies(num.BFloat16To32, num.BFloat16From32)),
}

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

func floatTies[T float32 | float64]() tieRows[T] {
	return tieRows[T]{
		count: func(most []T, counts []int32, row []T) {
			most, counts = most[:len(row)], counts[:len(row)]
			for i, x := range row {
				switch m := most[i]; {
				case x > m || x != x && m == m:
					most[i], counts[i] = x, 1
				case x == m || x != x:
					counts[i]++
				}
			}
		},
		share: func(dst, grad, row, most []T, counts []int32) {
			dst, grad, most, counts = dst[:len(row)], grad[:len(row)], most[:len(row)], counts[:len(row)]
			for i, x := range row {
				if x == most[i] || x != x { // it can be NaN only where the greatest is
					dst[i] += grad[i] / T(counts[i])
				}
			}
		},
	}
}

// halfTies rounds after each step.
func halfTies(to func(uint16) float32, from func(float32) uint16) tieRows[uint16] {
	return tieRows[uint16]{
		count: func(most []uint16, counts []int32, row []uint16) {
			for i, bits := range row {
				switch x, m := to(bits), to(most[i]); {
				case x > m || x != x && m == m:
					most[i], counts[i] = bits, 1
				case x == m || x != x:
					counts[i]++
				}
			}
		},
		share: func(dst, grad, row, most []uint16, counts []int32) {
			for i, bits := range row {
				if x := to(bits); x == to(most[i]) || x != x {
					part := from(to(grad[i]) / float32(counts[i]))
					dst[i] = from(to(dst[i]) + to(part))
				}
			}
		},
	}
}

// tieColumns is how many columns the ties of a bag are counted for at a time: their rows
// are in the cache when they are read again.
const tieColumns = 256

// addTies goes through each bag twice: for the greatest values and how many have them, and
// to add.
func addTies[T any](rows tieRows[T]) func(a *adjoint, columns interval) int {
	return func(a *adjoint, columns interval) int {
		buf := buffers.Get().(*buffer)
		defer buffers.Put(buf)
		allMost, allCounts := num.As[T](num.Bytes(buf.offsets[:]))[:tieColumns], buf.counts[:tieColumns]
		table, dst, grad := num.As[T](a.Table), num.As[T](a.dst), num.As[T](a.grad)
		p := a.First(0, a.n)
		for bag := range a.Bags {
			start, end := p, a.End(bag, p, a.n)
			for lo := columns.lo / a.width; lo < columns.hi/a.width; lo += tieColumns {
				hi := min(lo+tieColumns, columns.hi/a.width)
				most, counts, g := allMost[:hi-lo], allCounts[:hi-lo], grad[bag*a.Inner:][lo:hi]
				seen := 0
				for p = start; p < end; p++ {
					j, ok := a.rowAt(p)
					if !ok {
						if !a.Fill {
							return p
						}
						continue
					}
					row := table[j*a.Inner:][lo:hi]
					if seen++; seen == 1 {
						copy(most, row)
						clear(counts)
					}
					rows.count(most, counts, row)
				}
				if seen == 0 && a.Default >= 0 { // as if the bag had that one position
					row := table[a.Default*a.Inner:][lo:hi]
					copy(most, row)
					clear(counts)
					rows.count(most, counts, row)
					rows.share(dst[a.Default*a.Inner:][lo:hi], g, row, most, counts)
				}
				for p = start; p < end && seen > 0; p++ {
					if j, ok := a.rowAt(p); ok {
						rows.share(dst[j*a.Inner:][lo:hi], g, table[j*a.Inner:][lo:hi], most, counts)
					}
				}
			}
			p = end
		}
		return -1
	}
}
