//go:build gc && !noasm

package simd

import "gorgonia.org/gather/internal/num"

// The loops over 16-bit floats. Those over rows are as good for single elements at offsets.
var (
	float16LoopsAVX2 = [num.Reductions]CombineLoops{
		num.Add: {Go.Combine[num.Float16][num.Add].Lines, ItemLoops{addItemsFloat16Index32, addItemsFloat16Index64}, addRowsFloat16AVX2, addRowsFloat16AVX2},
		num.Sub: {Go.Combine[num.Float16][num.Sub].Lines, ItemLoops{}, subRowsFloat16AVX2, subRowsFloat16AVX2},
		num.Mul: {Go.Combine[num.Float16][num.Mul].Lines, ItemLoops{mulItemsFloat16Index32, mulItemsFloat16Index64}, mulRowsFloat16AVX2, mulRowsFloat16AVX2},
		num.Min: {Go.Combine[num.Float16][num.Min].Lines, ItemLoops{minItemsFloat16Index32, minItemsFloat16Index64}, minRowsFloat16AVX2, minRowsFloat16AVX2},
		num.Max: {Go.Combine[num.Float16][num.Max].Lines, ItemLoops{maxItemsFloat16Index32, maxItemsFloat16Index64}, maxRowsFloat16AVX2, maxRowsFloat16AVX2},
	}
	bfloat16LoopsAVX2 = [num.Reductions]CombineLoops{
		num.Add: {Go.Combine[num.BFloat16][num.Add].Lines, ItemLoops{addItemsBFloat16Index32, addItemsBFloat16Index64}, addRowsBFloat16AVX2, addRowsBFloat16AVX2},
		num.Sub: {Go.Combine[num.BFloat16][num.Sub].Lines, ItemLoops{}, subRowsBFloat16AVX2, subRowsBFloat16AVX2},
		num.Mul: {Go.Combine[num.BFloat16][num.Mul].Lines, ItemLoops{mulItemsBFloat16Index32, mulItemsBFloat16Index64}, mulRowsBFloat16AVX2, mulRowsBFloat16AVX2},
		num.Min: {Go.Combine[num.BFloat16][num.Min].Lines, ItemLoops{minItemsBFloat16Index32, minItemsBFloat16Index64}, minRowsBFloat16AVX2, minRowsBFloat16AVX2},
		num.Max: {Go.Combine[num.BFloat16][num.Max].Lines, ItemLoops{maxItemsBFloat16Index32, maxItemsBFloat16Index64}, maxRowsBFloat16AVX2, maxRowsBFloat16AVX2},
	}
)
