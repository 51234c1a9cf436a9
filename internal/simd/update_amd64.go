//go:build gc && !noasm

package simd

import "gorgonia.org/gather/internal/num"

var updateLoopsAVX2 = [num.Kinds]*UpdateLoops{
	num.Float32: {
		Rules:   Rules{sgdRowsFloat32AVX2, adagradRowsFloat32AVX2, rowWiseAdagradRowsFloat32AVX2, adamRowsFloat32AVX2},
		Plain:   Rules{sgdRowsPlainFloat32AVX2, adagradRowsPlainFloat32AVX2, rowWiseAdagradRowsPlainFloat32AVX2, adamRowsPlainFloat32AVX2},
		Squares: sumSquaresFloat32AVX2,
	},
	num.Float64: {
		Rules:   rulesFloat64AVX2,
		Plain:   rulesFloat64AVX2,
		Squares: sumSquaresFloat64AVX2,
	},
}

var rulesFloat64AVX2 = Rules{sgdRowsFloat64AVX2, adagradRowsFloat64AVX2, rowWiseAdagradRowsFloat64AVX2, adamRowsFloat64AVX2}
