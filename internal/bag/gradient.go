package bag

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
)

// HasGradient reports whether bags of the kind, so reduced, have a gradient:
// integers have that of Add alone.
func HasGradient(kind num.Kind, r num.Reduction) bool {
	switch r {
	case num.Mean:
		return simd.Go.Means[kind] != nil
	case num.Max:
		return tieLoops[kind] != nil
	}
	return Has(kind, r)
}

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
func (d *Description) AddGradient(dst, grad []byte) int {
	if !d.Normalizes() {
		return d.addGradient(dst, grad)
	}
	n := normals.Get().(*Normal)
	defer normals.Put(n)
	sum := n.Sum(d)
	return sum.addGradient(dst, n.Gradient(grad, d.rowBytes()))
}

func (d *Description) addGradient(dst, grad []byte) int {
	row := d.rowBytes()
	j := d.begin(dst[:d.Rows*row], grad[:d.Bags*row], nil)
	bad := -1
	switch j.Reduction {
	case num.Mean:
		j.memory = num.Resize(j.memory, len(j.grad))
		d.DivideByCounts(j.memory, j.grad)
		j.grad = j.memory
	case num.Max:
		j.memory = num.Resize(j.memory, len(j.grad))
		if bad = d.Reduce(j.memory); bad < 0 {
			j.found.Size(j.n, j.Bags, j.Inner)
			j.winners = &j.found
			d.FindWinners(j.winners, j.memory)
		}
	}
	in, ok := j.inBags()
	if ok && bad < 0 {
		bad = j.addAll(in.hi - in.lo)
	}
	bad = j.outside(in, bad)
	j.end()
	return bad
}

// addAll divides the table between goroutines: its rows, or their columns.
func (j *job) addAll(positions int) int {
	const fewRows = 4
	grains := max(1, (positions+j.Bags)*j.Inner/elementGrain)
	j.partitions = 1
	switch {
	case j.Reduction == num.Max:
		return par.RunEven(j.by((*job).addTies), j.lines(), j.lines(), grains)
	case j.Rows < fewRows: // their partitions would be unlike
		return par.RunEven(j.by((*job).addColumns), j.lines(), j.row/writtenRow, grains)
	}
	j.partitions = par.Partitions(j.row, j.Rows*j.row, grains)
	return par.Run(j.by((*job).addPartitions), j.partitions, grains)
}

func (j *job) addColumns(lo, hi int) int { return j.add(0, j.columnsOf(lo, hi)) }

// addPartitions has pieces that are partitions of the rows: each reads all positions and works
// on its own rows.
func (j *job) addPartitions(lo, hi int) (bad int) {
	for number := lo; number < hi; number++ {
		bad = j.add(number, interval{0, j.row}) // of all partitions the same
	}
	return bad
}

// add adds to some columns, in bytes, of the rows of one partition. It returns the first
// position with a bad index, or -1.
func (j *job) add(number int, columns interval) int {
	part, bags := par.PartitionOf(number, j.partitions, j.Rows*j.row), interval{0, j.Bags}
	for lo := columns.lo; lo < columns.hi; lo += partBytes {
		c := interval{lo, min(lo+partBytes, columns.hi)}
		// The row of an empty bag goes to the default row after the rows of the bags
		// before it.
		from, first := j.First(0, j.n), 0
		if j.Default >= 0 {
			for bag, in := range j.chunks(bags, 1) {
				if j.count(in) > 0 {
					continue
				}
				if bad := j.addPositions(interval{from, in.hi}, first, part, c); bad >= 0 {
					return bad
				}
				j.addDefault(bag.lo, part, c)
				from, first = in.hi, bag.lo
			}
		}
		if bad := j.addPositions(interval{from, j.First(j.Bags, j.n)}, first, part, c); bad >= 0 {
			return bad
		}
	}
	return -1
}

// addPositions adds the rows of the gradient that some positions have, the first of which is
// in the bag given or a later one.
func (j *job) addPositions(in interval, bag int, part par.Partition, columns interval) int {
	bytes := columns.hi - columns.lo
	w := par.WindowFor(bytes)
	defer w.Release()
	dst, grad := num.Pointer(rowsFrom(j.out, columns.lo)), num.Pointer(rowsFrom(j.grad, columns.lo))
	add, scaled := simd.Active().Combine[j.Kind][num.Add].Rows, simd.Active().Bags[j.Kind].AddScaledRows
	return j.each(w, in, bag, 1, part, func(n int) {
		if j.Weights == nil {
			add(dst, grad, &w.Offsets[0], &w.Places[0], n, bytes, j.row, w.Ahead)
		} else {
			scaled(dst, grad, &w.Offsets[0], &w.Places[0], num.Pointer(w.Weights()), n, bytes, j.row, w.Ahead)
		}
	})
}

// addDefault adds the row of the gradient of a bag without positions, which has no weight.
func (j *job) addDefault(bag int, part par.Partition, columns interval) {
	if offset := j.Default * j.row; part.Has(int64(offset)) == 1 {
		bytes := columns.hi - columns.lo
		simd.Active().Combine[j.Kind][num.Add].Rows(&j.out[offset+columns.lo], &j.grad[bag*j.row+columns.lo], &simd.Iota[0], &simd.Iota[0], 1, bytes, 0, 0)
	}
}

// Check returns the first position with a bad index, or -1, as it is where these are left out.
func (d *Description) Check() int {
	return d.begin(nil, nil, nil).run((*job).refused, d.positions(), 16)
}
