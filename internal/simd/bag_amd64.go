//go:build gc && !noasm

package simd

import "gorgonia.org/gather/internal/num"

var bagLoopsAVX2 = [num.Kinds]*BagLoops{
	num.Float32: {
		Add: addBagsFloat32AVX2, AddScaled: addScaledBagsFloat32AVX2, Mean: meanBagsFloat32AVX2, Max: maxBagsFloat32AVX2,
		Ties: countTiesFloat32AVX2, AddScaledRows: addScaledRowsFloat32AVX2, ShareRows: shareRowsFloat32AVX2,
		DivideRow: divideRowFloat32AVX2, DotRows: dotRowsFloat32AVX2,
	},
	num.Float64: {
		Add: addBagsFloat64AVX2, AddScaled: addScaledBagsFloat64AVX2, Mean: meanBagsFloat64AVX2, Max: maxBagsFloat64AVX2,
		Ties: countTiesFloat64AVX2, AddScaledRows: addScaledRowsFloat64AVX2, ShareRows: shareRowsFloat64AVX2,
		DivideRow: divideRowFloat64AVX2, DotRows: dotRowsFloat64AVX2,
	},
}
