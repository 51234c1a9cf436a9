//go:build gc && !noasm

package simd

// inEights is a DecodeLoop of one in assembly, which takes eight columns at a time, and one
// in Go for the rest of a row.
func inEights(eights func(to, data *byte, offsets *int64, n, columns, step, tail, distance int), rest rowsFrom) DecodeLoop {
	return func(to, data *byte, offsets *int64, n, columns, tail, distance int) {
		whole := columns &^ 7
		if whole > 0 {
			eights(to, data, offsets, n, whole, 4*columns, tail, distance)
		}
		if whole < columns {
			rest(whole, to, data, offsets, n, columns, tail)
		}
	}
}
