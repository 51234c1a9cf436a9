//go:build gc && !noasm

package kernel

import "gorgonia.org/gather/internal/num"

// The loops over 16-bit floats.

var float16LoopsAVX2 = [num.Reductions]combineLoops{
	num.Add: {item: &[2]itemLoop{addItemsFloat16Index32, addItemsFloat16Index64}, row: addRowsFloat16AVX2, offset: addRowsFloat16AVX2},
	num.Sub: {item: &[2]itemLoop{subItemsFloat16Index32, subItemsFloat16Index64}, row: subRowsFloat16AVX2, offset: subRowsFloat16AVX2},
	num.Mul: {item: &[2]itemLoop{mulItemsFloat16Index32, mulItemsFloat16Index64}, row: mulRowsFloat16AVX2, offset: mulRowsFloat16AVX2},
	num.Min: {item: &[2]itemLoop{minItemsFloat16Index32, minItemsFloat16Index64}, row: minRowsFloat16AVX2, offset: minRowsFloat16AVX2},
	num.Max: {item: &[2]itemLoop{maxItemsFloat16Index32, maxItemsFloat16Index64}, row: maxRowsFloat16AVX2, offset: maxRowsFloat16AVX2},
}

var bfloat16LoopsAVX2 = [num.Reductions]combineLoops{
	num.Add: {item: &[2]itemLoop{addItemsBFloat16Index32, addItemsBFloat16Index64}, row: addRowsBFloat16AVX2, offset: addRowsBFloat16AVX2},
	num.Sub: {item: &[2]itemLoop{subItemsBFloat16Index32, subItemsBFloat16Index64}, row: subRowsBFloat16AVX2, offset: subRowsBFloat16AVX2},
	num.Mul: {item: &[2]itemLoop{mulItemsBFloat16Index32, mulItemsBFloat16Index64}, row: mulRowsBFloat16AVX2, offset: mulRowsBFloat16AVX2},
	num.Min: {item: &[2]itemLoop{minItemsBFloat16Index32, minItemsBFloat16Index64}, row: minRowsBFloat16AVX2, offset: minRowsBFloat16AVX2},
	num.Max: {item: &[2]itemLoop{maxItemsBFloat16Index32, maxItemsBFloat16Index64}, row: maxRowsBFloat16AVX2, offset: maxRowsBFloat16AVX2},
}
