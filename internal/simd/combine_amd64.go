//go:build gc && !noasm

package simd

import "gorgonia.org/gather/internal/num"

// reductions is the order of the columns below.
var reductions = [...]num.Reduction{num.Add, num.Sub, num.Mul, num.Min, num.Max}

var combineRowsAVX2 = [num.Kinds][len(reductions)]AddLoop{
	num.Int8:    {addRowsInt8AVX2, subRowsInt8AVX2, nil, minRowsInt8AVX2, maxRowsInt8AVX2},
	num.Int16:   {addRowsInt16AVX2, subRowsInt16AVX2, mulRowsInt16AVX2, minRowsInt16AVX2, maxRowsInt16AVX2},
	num.Int32:   {addRowsInt32AVX2, subRowsInt32AVX2, mulRowsInt32AVX2, minRowsInt32AVX2, maxRowsInt32AVX2},
	num.Int64:   {addRowsInt64AVX2, subRowsInt64AVX2, nil, nil, nil},
	num.Uint8:   {addRowsInt8AVX2, subRowsInt8AVX2, nil, minRowsUint8AVX2, maxRowsUint8AVX2},
	num.Uint16:  {addRowsInt16AVX2, subRowsInt16AVX2, mulRowsInt16AVX2, minRowsUint16AVX2, maxRowsUint16AVX2},
	num.Uint32:  {addRowsInt32AVX2, subRowsInt32AVX2, mulRowsInt32AVX2, minRowsUint32AVX2, maxRowsUint32AVX2},
	num.Uint64:  {addRowsInt64AVX2, subRowsInt64AVX2, nil, nil, nil},
	num.Float32: {addRowsFloat32AVX2, subRowsFloat32AVX2, mulRowsFloat32AVX2, minRowsFloat32AVX2, maxRowsFloat32AVX2},
	num.Float64: {addRowsFloat64AVX2, subRowsFloat64AVX2, mulRowsFloat64AVX2, minRowsFloat64AVX2, maxRowsFloat64AVX2},
}

var combineOffsetsAVX2 = [num.Kinds][len(reductions)]AddLoop{
	num.Float32: {addItemsFloat32Far, subItemsFloat32Far, mulItemsFloat32Far, minItemsFloat32Far, maxItemsFloat32Far},
	num.Float64: {addItemsFloat64Far, subItemsFloat64Far, mulItemsFloat64Far, minItemsFloat64Far, maxItemsFloat64Far},
}
