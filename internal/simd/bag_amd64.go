//go:build gc && !noasm

package simd

import "gorgonia.org/gather/internal/num"

// bagLoopsAVX2 are for float32 and float64; the others are made of the loops that combine rows.
func bagLoopsAVX2(combine [num.Kinds][num.Reductions]CombineLoops) [num.Kinds]*BagLoops {
	all := bagLoopsOfKinds(combine)
	l := all[num.Float32]
	l.Add, l.AddScaled, l.Max = addBagsFloat32AVX2, addScaledBagsFloat32AVX2, maxBagsFloat32AVX2
	l.AddScaledRows, l.DotRows = addScaledRowsFloat32AVX2, dotRowsFloat32AVX2
	l = all[num.Float64]
	l.Add, l.AddScaled, l.Max = addBagsFloat64AVX2, addScaledBagsFloat64AVX2, maxBagsFloat64AVX2
	l.AddScaledRows, l.DotRows = addScaledRowsFloat64AVX2, dotRowsFloat64AVX2
	return all
}
