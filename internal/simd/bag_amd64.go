//go:build gc && !noasm

package simd

import "gorgonia.org/gather/internal/num"

// bagLoopsAVX2 are for float32 and float64; the others are made of the loops that combine rows.
func bagLoopsAVX2(combine [num.Kinds][num.Reductions]CombineLoops) [num.Kinds]*BagLoops {
	all := bagLoopsOfKinds(combine)
	all[num.Float32] = &BagLoops{
		Add: addBagsFloat32AVX2, AddScaled: addScaledBagsFloat32AVX2, Max: maxBagsFloat32AVX2,
		AddScaledRows: addScaledRowsFloat32AVX2, DotRows: dotRowsFloat32AVX2,
	}
	all[num.Float64] = &BagLoops{
		Add: addBagsFloat64AVX2, AddScaled: addScaledBagsFloat64AVX2, Max: maxBagsFloat64AVX2,
		AddScaledRows: addScaledRowsFloat64AVX2, DotRows: dotRowsFloat64AVX2,
	}
	return all
}
