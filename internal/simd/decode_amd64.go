//go:build gc && !noasm

package simd

// The loops in assembly take eight columns at a time. The rest of a row is done in Go.

func decodeInt8(to, data *byte, offsets *int64, n, columns, tail, distance int) {
	whole := columns &^ 7
	if whole > 0 {
		decodeInt8AVX2(to, data, offsets, n, whole, 4*columns, tail, distance)
	}
	if whole < columns {
		decodeInt8From(whole, to, data, offsets, n, columns, tail)
	}
}

func decodeInt4(to, data *byte, offsets *int64, n, columns, tail, distance int) {
	whole := columns &^ 7
	if whole > 0 {
		decodeInt4AVX2(to, data, offsets, n, whole, 4*columns, tail, distance)
	}
	if whole < columns {
		decodeInt4From(whole, to, data, offsets, n, columns, tail)
	}
}
