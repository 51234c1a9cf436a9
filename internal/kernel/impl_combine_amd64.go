//go:build gc && !noasm

package kernel

import "gorgonia.org/gather/internal/num"

// combineAVX2 is Go's loops but where there are others.
func combineAVX2() [num.Kinds][num.Reductions]combineLoops {
	all := combineInGo
	for kind, loops := range realLoopsAVX2 {
		for r, l := range loops {
			if l.row != nil {
				all[kind][r].row = l.row
			}
			if l.offset != nil {
				all[kind][r].offset = l.offset
			}
		}
	}
	return all
}

var realLoopsAVX2 = [num.Kinds][num.Reductions]combineLoops{
	num.Int8: {
		num.Add: {row: addRowsInt8AVX2},
		num.Sub: {row: subRowsInt8AVX2},
		num.Min: {row: minRowsInt8AVX2},
		num.Max: {row: maxRowsInt8AVX2},
	},
	num.Int16: {
		num.Add: {row: addRowsInt16AVX2},
		num.Sub: {row: subRowsInt16AVX2},
		num.Mul: {row: mulRowsInt16AVX2},
		num.Min: {row: minRowsInt16AVX2},
		num.Max: {row: maxRowsInt16AVX2},
	},
	num.Int32: {
		num.Add: {row: addRowsInt32AVX2},
		num.Sub: {row: subRowsInt32AVX2},
		num.Mul: {row: mulRowsInt32AVX2},
		num.Min: {row: minRowsInt32AVX2},
		num.Max: {row: maxRowsInt32AVX2},
	},
	num.Int64: {
		num.Add: {row: addRowsInt64AVX2},
		num.Sub: {row: subRowsInt64AVX2},
	},
	num.Uint8: {
		num.Add: {row: addRowsInt8AVX2},
		num.Sub: {row: subRowsInt8AVX2},
		num.Min: {row: minRowsUint8AVX2},
		num.Max: {row: maxRowsUint8AVX2},
	},
	num.Uint16: {
		num.Add: {row: addRowsInt16AVX2},
		num.Sub: {row: subRowsInt16AVX2},
		num.Mul: {row: mulRowsInt16AVX2},
		num.Min: {row: minRowsUint16AVX2},
		num.Max: {row: maxRowsUint16AVX2},
	},
	num.Uint32: {
		num.Add: {row: addRowsInt32AVX2},
		num.Sub: {row: subRowsInt32AVX2},
		num.Mul: {row: mulRowsInt32AVX2},
		num.Min: {row: minRowsUint32AVX2},
		num.Max: {row: maxRowsUint32AVX2},
	},
	num.Uint64: {
		num.Add: {row: addRowsInt64AVX2},
		num.Sub: {row: subRowsInt64AVX2},
	},
	num.Float32: {
		num.Add: {offset: addItemsFloat32Far},
		num.Sub: {row: subRowsFloat32AVX2, offset: subItemsFloat32Far},
		num.Mul: {row: mulRowsFloat32AVX2, offset: mulItemsFloat32Far},
		num.Min: {row: minRowsFloat32AVX2, offset: minItemsFloat32Far},
		num.Max: {row: maxRowsFloat32AVX2, offset: maxItemsFloat32Far},
	},
	num.Float64: {
		num.Add: {offset: addItemsFloat64Far},
		num.Sub: {row: subRowsFloat64AVX2, offset: subItemsFloat64Far},
		num.Mul: {row: mulRowsFloat64AVX2, offset: mulItemsFloat64Far},
		num.Min: {row: minRowsFloat64AVX2, offset: minItemsFloat64Far},
		num.Max: {row: maxRowsFloat64AVX2, offset: maxItemsFloat64Far},
	},
}

// meansAVX2 is Go's loops but where there are others.
func meansAVX2() [num.Kinds]*meanLoops {
	all := meansInGo
	all[num.Float32] = &meanLoops{&[2]markedLoop{addCountedFloat32Index32, addCountedFloat32Index64}, quotientsFloat32AVX2, divideRowsFloat32AVX2}
	all[num.Float64] = &meanLoops{&[2]markedLoop{addCountedFloat64Index32, addCountedFloat64Index64}, quotientsFloat64AVX2, divideRowsFloat64AVX2}
	return all
}
