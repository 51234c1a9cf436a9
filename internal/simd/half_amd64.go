//go:build gc && !noasm

package simd

import "gorgonia.org/gather/internal/num"

// The loops over 16-bit floats. Those over rows are as good for single elements at offsets.
var (
	float16LoopsAVX2 = [num.Reductions]CombineLoops{
		num.Add: {&[2]ItemLoop{addItemsFloat16Index32, addItemsFloat16Index64}, addRowsFloat16AVX2, addRowsFloat16AVX2},
		num.Sub: {Go.Combine[num.Float16][num.Sub].Items, subRowsFloat16AVX2, subRowsFloat16AVX2},
		num.Mul: {&[2]ItemLoop{mulItemsFloat16Index32, mulItemsFloat16Index64}, mulRowsFloat16AVX2, mulRowsFloat16AVX2},
		num.Min: {&[2]ItemLoop{minItemsFloat16Index32, minItemsFloat16Index64}, minRowsFloat16AVX2, minRowsFloat16AVX2},
		num.Max: {&[2]ItemLoop{maxItemsFloat16Index32, maxItemsFloat16Index64}, maxRowsFloat16AVX2, maxRowsFloat16AVX2},
	}
	bfloat16LoopsAVX2 = [num.Reductions]CombineLoops{
		num.Add: {&[2]ItemLoop{addItemsBFloat16Index32, addItemsBFloat16Index64}, addRowsBFloat16AVX2, addRowsBFloat16AVX2},
		num.Sub: {Go.Combine[num.BFloat16][num.Sub].Items, subRowsBFloat16AVX2, subRowsBFloat16AVX2},
		num.Mul: {&[2]ItemLoop{mulItemsBFloat16Index32, mulItemsBFloat16Index64}, mulRowsBFloat16AVX2, mulRowsBFloat16AVX2},
		num.Min: {&[2]ItemLoop{minItemsBFloat16Index32, minItemsBFloat16Index64}, minRowsBFloat16AVX2, minRowsBFloat16AVX2},
		num.Max: {&[2]ItemLoop{maxItemsBFloat16Index32, maxItemsBFloat16Index64}, maxRowsBFloat16AVX2, maxRowsBFloat16AVX2},
	}
)
