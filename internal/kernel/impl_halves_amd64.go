//go:build gc && !noasm

package kernel

import "gorgonia.org/gather/internal/num"

// The loops over 16-bit floats. They do for processors with AVX-512, too.

var float16LoopsAVX2 = [num.Reductions]combineLoops{
	num.Add: {&[2]itemLoop{addItemsFloat16Index32, addItemsFloat16Index64}, addRowsFloat16AVX2, addRowsFloat16AVX2},
	num.Sub: {&[2]itemLoop{subItemsFloat16Index32, subItemsFloat16Index64}, subRowsFloat16AVX2, subRowsFloat16AVX2},
	num.Mul: {&[2]itemLoop{mulItemsFloat16Index32, mulItemsFloat16Index64}, mulRowsFloat16AVX2, mulRowsFloat16AVX2},
	num.Min: {&[2]itemLoop{minItemsFloat16Index32, minItemsFloat16Index64}, minRowsFloat16AVX2, minRowsFloat16AVX2},
	num.Max: {&[2]itemLoop{maxItemsFloat16Index32, maxItemsFloat16Index64}, maxRowsFloat16AVX2, maxRowsFloat16AVX2},
}

var bfloat16LoopsAVX2 = [num.Reductions]combineLoops{
	num.Add: {&[2]itemLoop{addItemsBFloat16Index32, addItemsBFloat16Index64}, addRowsBFloat16AVX2, addRowsBFloat16AVX2},
	num.Sub: {&[2]itemLoop{subItemsBFloat16Index32, subItemsBFloat16Index64}, subRowsBFloat16AVX2, subRowsBFloat16AVX2},
	num.Mul: {&[2]itemLoop{mulItemsBFloat16Index32, mulItemsBFloat16Index64}, mulRowsBFloat16AVX2, mulRowsBFloat16AVX2},
	num.Min: {&[2]itemLoop{minItemsBFloat16Index32, minItemsBFloat16Index64}, minRowsBFloat16AVX2, minRowsBFloat16AVX2},
	num.Max: {&[2]itemLoop{maxItemsBFloat16Index32, maxItemsBFloat16Index64}, maxRowsBFloat16AVX2, maxRowsBFloat16AVX2},
}
