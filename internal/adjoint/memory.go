package adjoint

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// scratchFor is the scratch of that number, for an element of each target.
func scratchFor[T any](t *tile, i int) []T {
	var element [1]T
	n := t.size() * t.width()
	// There is room for one more, see ties.parts, and for 64 bytes, which are aligned.
	t.scratch[i] = num.Resize(t.scratch[i], max(64, (n+1)*len(num.Bytes(element[:]))))
	return num.As[T](t.scratch[i])[:n]
}

// load is the tile's part of memory that is like data: that memory itself, or a
// copy in the scratch of that number.
func load[T any](t *tile, from []T, i int) []T {
	if t.contiguous() {
		return from[t.rows.lo*t.inner : t.rows.hi*t.inner]
	}
	return loadCopy(t, from, i)
}

// loadCopy is load with a copy in any case.
func loadCopy[T any](t *tile, from []T, i int) []T {
	to := scratchFor[T](t, i)
	if t.seenElements() {
		from := from[t.rows.lo*t.inner:]
		for j, target := range t.seen {
			to[j] = from[target]
		}
		return to
	}
	t.eachRow(func(at, offset, n int) { par.Copy(to[at:][:n], from[offset:][:n]) })
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
	if !t.contiguous() {
		return loadCopy(t, from, i)
	}
	to := load(t, out, i)
	if from := load(t, from, i); len(to) > 0 && &to[0] != &from[0] {
		par.Copy(to, from)
	}
	return to
}

// store writes a result to out, if it is not there already.
func store[T any](t *tile, out, values []T) {
	if t.contiguous() {
		return
	}
	if t.seenElements() {
		out = out[t.rows.lo*t.inner:]
		for j, target := range t.seen {
			out[target] = values[j]
		}
		return
	}
	t.eachRow(func(at, offset, n int) { par.Copy(out[offset:][:n], values[at:][:n]) })
}

// seenElements reports whether the targets that the tile's arrays are for are single
// elements, numbered as in its rows: a call to copy each would take longer than all else.
func (t *tile) seenElements() bool { return t.sparse && !t.lineByLine && t.columns.len() == t.inner }

// eachRow calls do for the elements of data that the tile's arrays are for: n of
// them from an offset in data on, and from at on in the arrays.
func (t *tile) eachRow(do func(at, offset, n int)) {
	inner, n := t.inner, t.columns.len()
	switch {
	case t.contiguous():
		do(0, t.rows.lo*inner, t.rows.len()*inner)
	case !t.sparse:
		for r := range t.rows.len() {
			do(r*n, (t.rows.lo+r)*inner+t.columns.lo, n)
		}
	case !t.lineByLine:
		for i, target := range t.seen {
			do(i, (t.rows.lo+int(target)/n)*inner+t.columns.lo+int(target)%n, 1)
		}
	default:
		for i, row := range t.seen {
			do(i*n, (t.rows.lo+int(row))*inner+t.columns.lo, n)
		}
	}
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
	var element [1]T
	t.scratch[i] = num.Resize(t.scratch[i], max(64, len(t.targets)*len(num.Bytes(element[:]))))
	return num.As[T](t.scratch[i])[:len(t.targets)]
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
