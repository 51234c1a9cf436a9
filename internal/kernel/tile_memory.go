package kernel

import "gorgonia.org/gather/internal/num"

// room is the scratch of that number, for an element of each target.
func room[T any](t *tile, i int) []T {
	var element [1]T
	n := t.targets() * t.width()
	// There is room for one more, see shareTied, and for 64 bytes, which are aligned.
	t.scratch[i] = num.Resize(t.scratch[i], max(64, (n+1)*len(num.Bytes(element[:]))))
	return num.As[T](t.scratch[i])[:n]
}

// load is the tile's part of memory that is like data: that memory itself, or a
// copy in the scratch of that number.
func load[T any](t *tile, from []T, i int) []T {
	if t.whole() {
		return from[t.rows.lo*t.c.Inner : t.rows.hi*t.c.Inner]
	}
	return loadCopy(t, from, i)
}

// loadCopy is load with a copy in any case.
func loadCopy[T any](t *tile, from []T, i int) []T {
	to := room[T](t, i)
	if t.picksPlaces() {
		from := from[t.rows.lo*t.c.Inner:]
		for j, place := range t.picked {
			to[j] = from[place]
		}
		return to
	}
	t.eachRow(func(at, place, n int) { copyAny(to[at:][:n], from[place:][:n]) })
	return to
}

// result is where to work out the tile's part of out, which is then given to
// store: the memory itself, or the scratch of that number.
func result[T any](t *tile, out []T, i int) []T {
	if t.whole() {
		return load(t, out, i)
	}
	return room[T](t, i)
}

// into is a result that begins with what is in from.
func into[T any](t *tile, out, from []T, i int) []T {
	if !t.whole() {
		return loadCopy(t, from, i)
	}
	to := load(t, out, i)
	if from := load(t, from, i); len(to) > 0 && &to[0] != &from[0] {
		copyAny(to, from)
	}
	return to
}

// store writes a result to out, if it is not there already.
func store[T any](t *tile, out, values []T) {
	if t.whole() {
		return
	}
	if t.picksPlaces() {
		out = out[t.rows.lo*t.c.Inner:]
		for j, place := range t.picked {
			out[place] = values[j]
		}
		return
	}
	t.eachRow(func(at, place, n int) { copyAny(out[place:][:n], values[at:][:n]) })
}

// picksPlaces reports whether the targets that the tile's arrays are for are single
// elements, numbered as they lie in its rows: a call to copy each takes longer than
// all else.
func (t *tile) picksPlaces() bool { return t.c.picks() && t.own() && t.cols.len() == t.c.Inner }

// target is where the row of a target begins in what is like data.
func (t *tile) target(at int64) int {
	if t.c.picks() {
		at = t.picked[at]
	}
	return (t.rows.lo+int(at))*t.c.Inner + t.cols.lo
}

// eachRow calls do for the elements of data that the tile's arrays are for: n of
// them from a place in data on, and from at on in the arrays.
func (t *tile) eachRow(do func(at, place, n int)) {
	inner, n := t.c.Inner, t.cols.len()
	switch {
	case t.whole():
		do(0, t.rows.lo*inner, t.rows.len()*inner)
	case !t.c.picks():
		for r := range t.rows.len() {
			do(r*n, (t.rows.lo+r)*inner+t.cols.lo, n)
		}
	case t.own():
		for i, target := range t.picked {
			do(i, (t.rows.lo+int(target)/n)*inner+t.cols.lo+int(target)%n, 1)
		}
	default:
		for i, row := range t.picked {
			do(i*n, (t.rows.lo+int(row))*inner+t.cols.lo, n)
		}
	}
}

// items are what steps find the tile's part of memory in that is like updates: that
// memory itself or, where a step could not take many at a time, a copy in the
// scratch of that number.
func items[T any](t *tile, from []T, i int) []T {
	if !t.sorted || !t.own() {
		return from
	}
	to := newItems(t, from, i)
	from = from[t.lines.lo:]
	for j, place := range t.places {
		to[j] = from[place]
	}
	return to
}

// newItems are items to be written, and given to putItems.
func newItems[T any](t *tile, out []T, i int) []T {
	if !t.sorted || !t.own() {
		return out
	}
	var element [1]T
	t.scratch[i] = num.Resize(t.scratch[i], max(64, len(t.at)*len(num.Bytes(element[:]))))
	return num.As[T](t.scratch[i])[:len(t.at)]
}

// putItems writes items to out, if they are not there already.
func putItems[T any](t *tile, out, values []T) {
	if !t.sorted || !t.own() {
		return
	}
	out = out[t.lines.lo:]
	for j, place := range t.places {
		out[place] = values[j]
	}
}
