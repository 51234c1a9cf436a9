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

var combineItemsAVX2 = [num.Kinds][len(reductions)]ItemLoops{
	num.Int8:    {addItems8, nil, nil, {minItemsInt8Index32, minItemsInt8Index64}, {maxItemsInt8Index32, maxItemsInt8Index64}},
	num.Int16:   {addItems16},
	num.Int32:   {addItems32},
	num.Int64:   {addItems64},
	num.Uint8:   {addItems8, nil, nil, {minItemsUint8Index32, minItemsUint8Index64}, {maxItemsUint8Index32, maxItemsUint8Index64}},
	num.Uint16:  {addItems16},
	num.Uint32:  {addItems32},
	num.Uint64:  {addItems64},
	num.Float32: {{addItemsFloat32Index32, addItemsFloat32Index64}, nil, {mulItemsFloat32Index32, mulItemsFloat32Index64}, {minItemsFloat32Index32, minItemsFloat32Index64}, {maxItemsFloat32Index32, maxItemsFloat32Index64}},
	num.Float64: {{addItemsFloat64Index32, addItemsFloat64Index64}, nil, {mulItemsFloat64Index32, mulItemsFloat64Index64}},
}

var (
	addItems8  = &[2]ItemLoop{addItemsInt8Index32, addItemsInt8Index64}
	addItems16 = &[2]ItemLoop{addItemsInt16Index32, addItemsInt16Index64}
	addItems32 = &[2]ItemLoop{addItemsInt32Index32, addItemsInt32Index64}
	addItems64 = &[2]ItemLoop{addItemsInt64Index32, addItemsInt64Index64}
)
