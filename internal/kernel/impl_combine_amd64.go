//go:build gc && !noasm

package kernel

import "gorgonia.org/gather/internal/num"

// The loops of all reductions of integers and floats. They do for processors with
// AVX-512, too; only sums of floats have loops of their own.

// combineAVX2 is Go's loops but where there are others.
func combineAVX2() [num.Kinds][num.Reductions]combineLoops {
	all := combineInGo
	for kind, loops := range realLoopsAVX2 {
		for r, l := range loops {
			if l.item == nil {
				continue
			}
			all[kind][r].item = l.item
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
		num.Add: {item: &[2]itemLoop{addItemsInt8Index32, addItemsInt8Index64}, row: addRowsInt8AVX2},
		num.Sub: {item: &[2]itemLoop{subItemsInt8Index32, subItemsInt8Index64}, row: subRowsInt8AVX2},
		num.Mul: {item: &[2]itemLoop{mulItemsInt8Index32, mulItemsInt8Index64}},
		num.Min: {item: &[2]itemLoop{minItemsInt8Index32, minItemsInt8Index64}, row: minRowsInt8AVX2},
		num.Max: {item: &[2]itemLoop{maxItemsInt8Index32, maxItemsInt8Index64}, row: maxRowsInt8AVX2},
	},
	num.Int16: {
		num.Add: {item: &[2]itemLoop{addItemsInt16Index32, addItemsInt16Index64}, row: addRowsInt16AVX2},
		num.Sub: {item: &[2]itemLoop{subItemsInt16Index32, subItemsInt16Index64}, row: subRowsInt16AVX2},
		num.Mul: {item: &[2]itemLoop{mulItemsInt16Index32, mulItemsInt16Index64}, row: mulRowsInt16AVX2},
		num.Min: {item: &[2]itemLoop{minItemsInt16Index32, minItemsInt16Index64}, row: minRowsInt16AVX2},
		num.Max: {item: &[2]itemLoop{maxItemsInt16Index32, maxItemsInt16Index64}, row: maxRowsInt16AVX2},
	},
	num.Int32: {
		num.Add: {item: &[2]itemLoop{addItemsInt32Index32, addItemsInt32Index64}, row: addRowsInt32AVX2},
		num.Sub: {item: &[2]itemLoop{subItemsInt32Index32, subItemsInt32Index64}, row: subRowsInt32AVX2},
		num.Mul: {item: &[2]itemLoop{mulItemsInt32Index32, mulItemsInt32Index64}, row: mulRowsInt32AVX2},
		num.Min: {item: &[2]itemLoop{minItemsInt32Index32, minItemsInt32Index64}, row: minRowsInt32AVX2},
		num.Max: {item: &[2]itemLoop{maxItemsInt32Index32, maxItemsInt32Index64}, row: maxRowsInt32AVX2},
	},
	num.Int64: {
		num.Add: {item: &[2]itemLoop{addItemsInt64Index32, addItemsInt64Index64}, row: addRowsInt64AVX2},
		num.Sub: {item: &[2]itemLoop{subItemsInt64Index32, subItemsInt64Index64}, row: subRowsInt64AVX2},
		num.Mul: {item: &[2]itemLoop{mulItemsInt64Index32, mulItemsInt64Index64}},
		num.Min: {item: &[2]itemLoop{minItemsInt64Index32, minItemsInt64Index64}},
		num.Max: {item: &[2]itemLoop{maxItemsInt64Index32, maxItemsInt64Index64}},
	},
	num.Uint8: {
		num.Add: {item: &[2]itemLoop{addItemsInt8Index32, addItemsInt8Index64}, row: addRowsInt8AVX2},
		num.Sub: {item: &[2]itemLoop{subItemsInt8Index32, subItemsInt8Index64}, row: subRowsInt8AVX2},
		num.Mul: {item: &[2]itemLoop{mulItemsInt8Index32, mulItemsInt8Index64}},
		num.Min: {item: &[2]itemLoop{minItemsUint8Index32, minItemsUint8Index64}, row: minRowsUint8AVX2},
		num.Max: {item: &[2]itemLoop{maxItemsUint8Index32, maxItemsUint8Index64}, row: maxRowsUint8AVX2},
	},
	num.Uint16: {
		num.Add: {item: &[2]itemLoop{addItemsInt16Index32, addItemsInt16Index64}, row: addRowsInt16AVX2},
		num.Sub: {item: &[2]itemLoop{subItemsInt16Index32, subItemsInt16Index64}, row: subRowsInt16AVX2},
		num.Mul: {item: &[2]itemLoop{mulItemsInt16Index32, mulItemsInt16Index64}, row: mulRowsInt16AVX2},
		num.Min: {item: &[2]itemLoop{minItemsUint16Index32, minItemsUint16Index64}, row: minRowsUint16AVX2},
		num.Max: {item: &[2]itemLoop{maxItemsUint16Index32, maxItemsUint16Index64}, row: maxRowsUint16AVX2},
	},
	num.Uint32: {
		num.Add: {item: &[2]itemLoop{addItemsInt32Index32, addItemsInt32Index64}, row: addRowsInt32AVX2},
		num.Sub: {item: &[2]itemLoop{subItemsInt32Index32, subItemsInt32Index64}, row: subRowsInt32AVX2},
		num.Mul: {item: &[2]itemLoop{mulItemsInt32Index32, mulItemsInt32Index64}, row: mulRowsInt32AVX2},
		num.Min: {item: &[2]itemLoop{minItemsUint32Index32, minItemsUint32Index64}, row: minRowsUint32AVX2},
		num.Max: {item: &[2]itemLoop{maxItemsUint32Index32, maxItemsUint32Index64}, row: maxRowsUint32AVX2},
	},
	num.Uint64: {
		num.Add: {item: &[2]itemLoop{addItemsInt64Index32, addItemsInt64Index64}, row: addRowsInt64AVX2},
		num.Sub: {item: &[2]itemLoop{subItemsInt64Index32, subItemsInt64Index64}, row: subRowsInt64AVX2},
		num.Mul: {item: &[2]itemLoop{mulItemsInt64Index32, mulItemsInt64Index64}},
		num.Min: {item: &[2]itemLoop{minItemsUint64Index32, minItemsUint64Index64}},
		num.Max: {item: &[2]itemLoop{maxItemsUint64Index32, maxItemsUint64Index64}},
	},
	num.Float32: {
		num.Add: {item: &[2]itemLoop{addItemsFloat32Index32, addItemsFloat32Index64}, offset: addItemsFloat32Far},
		num.Sub: {item: &[2]itemLoop{subItemsFloat32Index32, subItemsFloat32Index64}, row: subRowsFloat32AVX2, offset: subItemsFloat32Far},
		num.Mul: {item: &[2]itemLoop{mulItemsFloat32Index32, mulItemsFloat32Index64}, row: mulRowsFloat32AVX2, offset: mulItemsFloat32Far},
		num.Min: {item: &[2]itemLoop{minItemsFloat32Index32, minItemsFloat32Index64}, row: minRowsFloat32AVX2, offset: minItemsFloat32Far},
		num.Max: {item: &[2]itemLoop{maxItemsFloat32Index32, maxItemsFloat32Index64}, row: maxRowsFloat32AVX2, offset: maxItemsFloat32Far},
	},
	num.Float64: {
		num.Add: {item: &[2]itemLoop{addItemsFloat64Index32, addItemsFloat64Index64}, offset: addItemsFloat64Far},
		num.Sub: {item: &[2]itemLoop{subItemsFloat64Index32, subItemsFloat64Index64}, row: subRowsFloat64AVX2, offset: subItemsFloat64Far},
		num.Mul: {item: &[2]itemLoop{mulItemsFloat64Index32, mulItemsFloat64Index64}, row: mulRowsFloat64AVX2, offset: mulItemsFloat64Far},
		num.Min: {item: &[2]itemLoop{minItemsFloat64Index32, minItemsFloat64Index64}, row: minRowsFloat64AVX2, offset: minItemsFloat64Far},
		num.Max: {item: &[2]itemLoop{maxItemsFloat64Index32, maxItemsFloat64Index64}, row: maxRowsFloat64AVX2, offset: maxItemsFloat64Far},
	},
}

// meansAVX2 is Go's loops but where there are others.
func meansAVX2() [num.Kinds]*meanLoops {
	all := meansInGo
	all[num.Float32] = &meanLoops{&[2]markedLoop{addCountedFloat32Index32, addCountedFloat32Index64}, quotientsFloat32AVX2, divideRowsFloat32AVX2, meansInGo[num.Float32].picked}
	all[num.Float64] = &meanLoops{&[2]markedLoop{addCountedFloat64Index32, addCountedFloat64Index64}, quotientsFloat64AVX2, divideRowsFloat64AVX2, meansInGo[num.Float64].picked}
	return all
}
