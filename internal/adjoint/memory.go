package adjoint

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// scratchOf is n elements of the scratch of that number, which begin where 64 bytes may.
func scratchOf[T any](t *tile, i, n int) []T {
	var element [1]T
	t.scratch[i] = num.Resize(t.scratch[i], max(64, n*len(num.Bytes(element[:]))))
	return num.As[T](t.scratch[i])[:n]
}

// scratchFor is an element of the scratch for each of the tile's.
func scratchFor[T any](t *tile, i int) []T { return scratchOf[T](t, i, t.size()*t.width()) }

// load is the tile's part of memory that is like data: that memory itself, or a
// copy in the scratch of that number.
func load[T any](t *tile, from []T, i int) []T {
	if t.contiguous() {
		return from[t.rows.lo*t.Inner : t.rows.hi*t.Inner]
	}
	return loadCopy(t, from, i)
}

// loadCopy is load with a copy in any case.
func loadCopy[T any](t *tile, from []T, i int) []T {
	to := scratchFor[T](t, i)
	move(t, to, from, false)
	return to
}

// result is where to compute the tile's part of out, which store then takes: the memory
// itself, or the scratch of that number.
func result[T any](t *tile, out []T, i int) []T {
	if t.contiguous() {
		return load(t, out, i)
	}
	return scratchFor[T](t, i)
}

// into is a result that begins with what is in from.
func into[T any](t *tile, out, from []T, i int) []T {
	to := result(t, out, i)
	if len(to) > 0 && &out[0] != &from[0] || !t.contiguous() {
		move(t, to, from, false)
	}
	return to
}

// store writes a result to out, if it is not there already.
func store[T any](t *tile, out, values []T) {
	if !t.contiguous() {
		move(t, values, out, true)
	}
}

// move copies the elements of all, which is like data, that the tile's arrays are for to
// such an array, or back.
func move[T any](t *tile, array, all []T, back bool) {
	n, inner, width := t.columns.len(), t.Inner, t.width()
	all = all[t.rows.lo*inner+t.columns.lo:]
	switch {
	case t.contiguous():
		copyRow(array, all[:len(array)], back)
	case !t.sparse:
		for r := range t.rows.len() {
			copyRow(array[r*n:][:n], all[r*inner:][:n], back)
		}
	case width > 1 || n < inner:
		for i, target := range t.seen {
			first := int(target) * width
			copyRow(array[i*width:][:width], all[first/n*inner+first%n:][:width], back)
		}
	case back: // a call to copy each would take longer than all else
		for i, target := range t.seen {
			all[target] = array[i]
		}
	default:
		for i, target := range t.seen {
			array[i] = all[target]
		}
	}
}

func copyRow[T any](array, all []T, back bool) {
	if back {
		array, all = all, array
	}
	par.Copy(array, all)
}

// start is what a reduction starts from: the old values or, without these, the neutral element.
// It is in the scratch of that number.
func start[T any](t *tile, s *Scatter, i int, noInit bool, neutral T) []T {
	if !noInit {
		return loadCopy(t, num.As[T](s.Data), i)
	}
	all := scratchFor[T](t, i)
	num.Fill(all, neutral)
	return all
}

// updatesOf is what steps find the tile's part of memory in that is like updates: that
// memory itself or, where a step could not take many at a time, a copy in the
// scratch of that number.
func updatesOf[T any](t *tile, from []T, i int) []T {
	if !t.byRows || t.lineByLine {
		return from
	}
	to := newUpdates(t, from, i)
	from = from[t.lines.lo:]
	for j, line := range t.inTile {
		to[j] = from[line]
	}
	return to
}

// newUpdates are updates to be written, and given to storeUpdates.
func newUpdates[T any](t *tile, out []T, i int) []T {
	if !t.byRows || t.lineByLine {
		return out
	}
	return scratchOf[T](t, i, len(t.targets))
}

// storeUpdates writes updates to out, if they are not there already.
func storeUpdates[T any](t *tile, out, values []T) {
	if !t.byRows || t.lineByLine {
		return
	}
	out = out[t.lines.lo:]
	for j, line := range t.inTile {
		out[line] = values[j]
	}
}
