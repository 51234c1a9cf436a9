//go:build gc && !noasm

package kernel

import "gorgonia.org/gather/internal/num"

var updateLoopsAVX2 = [num.Kinds]*updateLoops{
	num.Float32: {
		steps:   [optimizers]updateLoop{sgdRowsFloat32AVX2, adagradRowsFloat32AVX2, rowWiseAdagradRowsFloat32AVX2, adamRowsFloat32AVX2},
		squares: sumSquaresFloat32AVX2,
	},
	num.Float64: {
		steps:   [optimizers]updateLoop{sgdRowsFloat64AVX2, adagradRowsFloat64AVX2, rowWiseAdagradRowsFloat64AVX2, adamRowsFloat64AVX2},
		squares: sumSquaresFloat64AVX2,
	},
}

var updateLoopsAVX512 = [num.Kinds]*updateLoops{
	num.Float32: {
		steps:   [optimizers]updateLoop{sgdRowsFloat32AVX512, adagradRowsFloat32AVX512, rowWiseAdagradRowsFloat32AVX512, adamRowsFloat32AVX512},
		squares: sumSquaresFloat32AVX512,
	},
	num.Float64: {
		steps:   [optimizers]updateLoop{sgdRowsFloat64AVX512, adagradRowsFloat64AVX512, rowWiseAdagradRowsFloat64AVX512, adamRowsFloat64AVX512},
		squares: sumSquaresFloat64AVX512,
	},
}
