package kernel

import "gorgonia.org/gather/internal/par"

// Strings must be moved as what they are, in sight of the garbage collector: while it
// marks, it is told of each pointer that is written. So no implementation has loops for
// them. Indices become offsets as they do for rows of bytes, and the strings at these
// are moved in Go, four at a time.

// readStrings copies the rows of strings at some offsets. Where they are single strings
// it reads four and then writes them: the compiler asks once for all of them whether the
// garbage collector marks, and none waits for the one before. 65536 strings out of
// rows of 256 take 97 µs, one by one 121 (2 cores of a Zen 3, one thread).
func readStrings(to, from []string, at []int64, row int) {
	if row > 1 {
		for t, offset := range at {
			par.Copy(to[t*row:][:row], from[offset:][:row])
		}
		return
	}
	for len(at) >= 4 && len(to) >= 4 {
		a, b, c, d := from[at[0]], from[at[1]], from[at[2]], from[at[3]]
		four := (*[4]string)(to)
		four[0], four[1], four[2], four[3] = a, b, c, d
		to, at = to[4:], at[4:]
	}
	for i, offset := range at {
		to[i] = from[offset]
	}
}

// From partitionedStrings on, rows are divided into partitions. Two threads, 4096 rows of
// 64: 140 µs without and 107 with; 8192 rows of 8: 86 and 76; 16384 rows of 4: 141 and 138
// (2 cores of a Zen 3).
const partitionedStrings = 8

// setStrings sets rows of strings, of some blocks in a partition.
func setStrings(t *tuples, blocks interval, me int) int {
	row := t.Inner
	return eachTuple(t, blocks, me, func(r tupleRun[string]) {
		if t.partitions <= 1 && !t.Fill {
			writeStrings(r.block, r.updates, r.offsets, row)
			return
		}
		for i, at := range r.offsets {
			par.Copy(r.block[at:][:row], r.updates[int(r.rows[i])*row:][:row])
		}
	})
}

// writeStrings copies rows of strings to some offsets.
func writeStrings(to, from []string, at []int64, row int) {
	if row > 1 {
		for t, offset := range at {
			par.Copy(to[offset:][:row], from[t*row:][:row])
		}
		return
	}
	for len(at) >= 4 && len(from) >= 4 {
		a, b, c, d := &to[at[0]], &to[at[1]], &to[at[2]], &to[at[3]]
		four := (*[4]string)(from)
		p, q, r, s := four[0], four[1], four[2], four[3]
		*a, *b, *c, *d = p, q, r, s
		from, at = from[4:], at[4:]
	}
	for i, offset := range at {
		to[offset] = from[i]
	}
}
