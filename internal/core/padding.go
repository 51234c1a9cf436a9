package core

import (
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
)

// rule says what becomes of the indices of tuples.
type rule struct {
	sizes       []int // of the axes that a tuple addresses
	nonNegative bool
	outOfRange  plan.OutOfRange
	padded      bool
	padding     int64
}

func ruleOf(sizes []int, s *plan.Settings) rule {
	return rule{sizes: sizes, nonNegative: s.NonNegative, outOfRange: s.OutOfRange, padded: s.Padded, padding: s.Padding}
}

// leaveOut writes tuples of indices counted from the front. One that is left out, since it has
// the padding or an index out of range that the rule allows, ends with -1. It returns the
// position of the first index that the rule refuses, or -1.
func leaveOut[T, F int32 | int64](r *rule, to []T, from []F) int {
	for i := 0; i < len(from); {
		out, bad := false, -1
		for _, size := range r.sizes {
			v := int64(from[i])
			row := v + v>>63&fromEnd(size, r.nonNegative)
			switch {
			case r.padded && v == r.padding:
				out = true
			case 0 <= row && row < int64(size):
			case r.outOfRange == plan.Clamp && size > 0:
				row = min(max(row, 0), int64(size)-1)
			case r.outOfRange == plan.Reject || r.outOfRange == plan.Clamp:
				if row = v; bad < 0 {
					bad = i
				}
			default:
				out = true
			}
			to[i] = T(row)
			i++
		}
		switch {
		case out:
			to[i-1] = -1
		case bad >= 0:
			return bad
		}
	}
	return -1
}

// ResolveIDs turns ids of so many rows into rows counted from the front, in place, and those
// that are left out into -1. It returns the position of the first that is out of range, or -1:
// that one is as it was.
func ResolveIDs(ids []int64, rows int, s *plan.Settings) int {
	r := ruleOf([]int{rows}, s)
	return leaveOut(&r, ids, ids)
}

// withoutPadding lists the positions of segment ids that are loaded and not the padding. If
// these are neighbours the list is nil, and they are the n from first on; else the ids
// are replaced by a copy without the padding.
func (x *indices) withoutPadding(padding int64) (list []int64, first, n int) {
	memory := scratch.Get().(*[]int64)
	if cap(*memory) < 2*x.size {
		*memory = make([]int64, 2*x.size)
	}
	list = (*memory)[:x.size]
	ids := num.Bytes((*memory)[x.size:][:x.size])
	if x.is32 {
		n = keep(list, num.As[int32](ids), num.As[int32](x.loaded), padding)
	} else {
		n = keep(list, num.As[int64](ids), num.As[int64](x.loaded), padding)
	}
	if n == 0 || int(list[n-1]-list[0]) == n-1 {
		if n > 0 {
			first = int(list[0])
		}
		scratch.Put(memory)
		return nil, first, n
	}
	x.release()
	x.loaded, x.scratch = ids[:n*x.idWidth()], memory
	return list[:n], 0, n
}

// keep writes the ids that are not the padding, and their positions, and returns how many.
func keep[I int32 | int64](positions []int64, to, from []I, padding int64) int {
	n := 0
	for i, id := range from {
		positions[n], to[n] = int64(i), id // or the next one overwrites it
		if int64(id) != padding {
			n++
		}
	}
	return n
}
