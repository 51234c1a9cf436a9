//go:build gc && !noasm

package kernel

import "gorgonia.org/gather/internal/num"

var bagLoopsAVX2 = [num.Kinds]*bagLoops{
	num.Float32: {
		add: addBagsFloat32AVX2, addScaled: addScaledBagsFloat32AVX2, mean: meanBagsFloat32AVX2, most: maxBagsFloat32AVX2,
		ties: countTiesFloat32AVX2, addScaledRows: addScaledRowsFloat32AVX2, shareRows: shareRowsFloat32AVX2,
		divideRow: divideRowFloat32AVX2, dotRows: dotRowsFloat32AVX2,
	},
	num.Float64: {
		add: addBagsFloat64AVX2, addScaled: addScaledBagsFloat64AVX2, mean: meanBagsFloat64AVX2, most: maxBagsFloat64AVX2,
		ties: countTiesFloat64AVX2, addScaledRows: addScaledRowsFloat64AVX2, shareRows: shareRowsFloat64AVX2,
		divideRow: divideRowFloat64AVX2, dotRows: dotRowsFloat64AVX2,
	},
}

var bagLoopsAVX512 = [num.Kinds]*bagLoops{
	num.Float32: {
		add: addBagsFloat32AVX512, addScaled: addScaledBagsFloat32AVX512, mean: meanBagsFloat32AVX512, most: maxBagsFloat32AVX512,
		ties: countTiesFloat32AVX512, addScaledRows: addScaledRowsFloat32AVX512, shareRows: shareRowsFloat32AVX512,
		divideRow: divideRowFloat32AVX512, dotRows: dotRowsFloat32AVX512,
	},
	num.Float64: {
		add: addBagsFloat64AVX512, addScaled: addScaledBagsFloat64AVX512, mean: meanBagsFloat64AVX512, most: maxBagsFloat64AVX512,
		ties: countTiesFloat64AVX512, addScaledRows: addScaledRowsFloat64AVX512, shareRows: shareRowsFloat64AVX512,
		divideRow: divideRowFloat64AVX512, dotRows: dotRowsFloat64AVX512,
	},
}
