package kernel

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

func floatTies[T float32 | float64]() tieRows[T] {
	return tieRows[T]{
		count: func(most []T, counts []int32, row []T) {
			most, counts = most[:len(row)], counts[:len(row)]
			for i, x := range row {
				switch m := most[i]; {
				case x > m || x != x && m == m:
					most[i], counts[i] = x, 1
				case sameReal(x, m):
					counts[i]++
				}
			}
		},
		share: func(dst, grad, row, most []T, counts []int32) {
			dst, grad, most, counts = dst[:len(row)], grad[:len(row)], most[:len(row)], counts[:len(row)]
			for i, x := range row {
				if sameReal(x, most[i]) {
					dst[i] += grad[i] / T(counts[i])
				}
			}
		},
	}
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
func addTies[T any](r *bagRun, columns span, rows tieRows[T], add func(sum, row []T)) int {
	buf := bagBuffers.Get().(*bagBuffer)
	defer bagBuffers.Put(buf)
	if need := tieColumns * (r.width + 4); len(buf.scratch) < need {
		buf.scratch = make([]byte, need)
	}
	allMost := As[T](buf.scratch)[:tieColumns]
	allCounts := As[int32](buf.scratch[tieColumns*r.width:])
	table, dst, grad := As[T](r.Table), As[T](r.dst), As[T](r.in)
	p := r.first(0, r.n)
	for bag := range r.Bags {
		start, end := p, r.end(bag, p, r.n)
		for lo := columns.lo / r.width; lo < columns.hi/r.width; lo += tieColumns {
			hi := min(lo+tieColumns, columns.hi/r.width)
			most, counts := allMost[:hi-lo], allCounts[:hi-lo]
			g := grad[bag*r.Inner:][lo:hi]
			seen := 0
			for p = start; p < end; p++ {
				j, ok := r.pick(p)
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
				if j, ok := r.pick(p); ok {
					rows.share(dst[j*r.Inner:][lo:hi], g, table[j*r.Inner:][lo:hi], most, counts)
				}
			}
		}
		p = end
	}
	return -1
}
