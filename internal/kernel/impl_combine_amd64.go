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
			all[kind][r].wide, all[kind][r].unset = l.wide, l.unset
			if l.row != nil {
				all[kind][r].row = l.row
			}
			if l.offset != nil {
				all[kind][r].offset = l.offset
			}
			all[kind][r].paced = l.paced
		}
	}
	return all
}

var realLoopsAVX2 = [num.Kinds][num.Reductions]combineLoops{
	num.Int8: {
		num.Add: {item: &[2]itemLoop{addItemsInt8Index32, addItemsInt8Index64}, wide: &[2]markedLoop{addWideInt8Index32, addWideInt8Index64}, row: addRowsInt8AVX2, paced: addItemsInt8Paced},
		num.Sub: {item: &[2]itemLoop{subItemsInt8Index32, subItemsInt8Index64}, wide: &[2]markedLoop{subWideInt8Index32, subWideInt8Index64}, row: subRowsInt8AVX2, paced: subItemsInt8Paced},
		num.Mul: {item: &[2]itemLoop{mulItemsInt8Index32, mulItemsInt8Index64}, wide: &[2]markedLoop{mulWideInt8Index32, mulWideInt8Index64}, paced: mulItemsInt8Paced},
		num.Min: {item: &[2]itemLoop{minItemsInt8Index32, minItemsInt8Index64}, wide: &[2]markedLoop{minWideInt8Index32, minWideInt8Index64}, row: minRowsInt8AVX2, paced: minItemsInt8Paced},
		num.Max: {item: &[2]itemLoop{maxItemsInt8Index32, maxItemsInt8Index64}, wide: &[2]markedLoop{maxWideInt8Index32, maxWideInt8Index64}, row: maxRowsInt8AVX2, paced: maxItemsInt8Paced},
	},
	num.Int16: {
		num.Add: {item: &[2]itemLoop{addItemsInt16Index32, addItemsInt16Index64}, wide: &[2]markedLoop{addWideInt16Index32, addWideInt16Index64}, row: addRowsInt16AVX2, paced: addItemsInt16Paced},
		num.Sub: {item: &[2]itemLoop{subItemsInt16Index32, subItemsInt16Index64}, wide: &[2]markedLoop{subWideInt16Index32, subWideInt16Index64}, row: subRowsInt16AVX2, paced: subItemsInt16Paced},
		num.Mul: {item: &[2]itemLoop{mulItemsInt16Index32, mulItemsInt16Index64}, wide: &[2]markedLoop{mulWideInt16Index32, mulWideInt16Index64}, row: mulRowsInt16AVX2, paced: mulItemsInt16Paced},
		num.Min: {item: &[2]itemLoop{minItemsInt16Index32, minItemsInt16Index64}, wide: &[2]markedLoop{minWideInt16Index32, minWideInt16Index64}, row: minRowsInt16AVX2, paced: minItemsInt16Paced},
		num.Max: {item: &[2]itemLoop{maxItemsInt16Index32, maxItemsInt16Index64}, wide: &[2]markedLoop{maxWideInt16Index32, maxWideInt16Index64}, row: maxRowsInt16AVX2, paced: maxItemsInt16Paced},
	},
	num.Int32: {
		num.Add: {item: &[2]itemLoop{addItemsInt32Index32, addItemsInt32Index64}, unset: &[2]itemLoop{addUnsetInt32Index32, addUnsetInt32Index64}, row: addRowsInt32AVX2, paced: addItemsInt32Paced},
		num.Sub: {item: &[2]itemLoop{subItemsInt32Index32, subItemsInt32Index64}, unset: &[2]itemLoop{subUnsetInt32Index32, subUnsetInt32Index64}, row: subRowsInt32AVX2, paced: subItemsInt32Paced},
		num.Mul: {item: &[2]itemLoop{mulItemsInt32Index32, mulItemsInt32Index64}, unset: &[2]itemLoop{mulUnsetInt32Index32, mulUnsetInt32Index64}, row: mulRowsInt32AVX2, paced: mulItemsInt32Paced},
		num.Min: {item: &[2]itemLoop{minItemsInt32Index32, minItemsInt32Index64}, unset: &[2]itemLoop{minUnsetInt32Index32, minUnsetInt32Index64}, row: minRowsInt32AVX2, paced: minItemsInt32Paced},
		num.Max: {item: &[2]itemLoop{maxItemsInt32Index32, maxItemsInt32Index64}, unset: &[2]itemLoop{maxUnsetInt32Index32, maxUnsetInt32Index64}, row: maxRowsInt32AVX2, paced: maxItemsInt32Paced},
	},
	num.Int64: {
		num.Add: {item: &[2]itemLoop{addItemsInt64Index32, addItemsInt64Index64}, unset: &[2]itemLoop{addUnsetInt64Index32, addUnsetInt64Index64}, row: addRowsInt64AVX2, paced: addItemsInt64Paced},
		num.Sub: {item: &[2]itemLoop{subItemsInt64Index32, subItemsInt64Index64}, unset: &[2]itemLoop{subUnsetInt64Index32, subUnsetInt64Index64}, row: subRowsInt64AVX2, paced: subItemsInt64Paced},
		num.Mul: {item: &[2]itemLoop{mulItemsInt64Index32, mulItemsInt64Index64}, unset: &[2]itemLoop{mulUnsetInt64Index32, mulUnsetInt64Index64}, paced: mulItemsInt64Paced},
		num.Min: {item: &[2]itemLoop{minItemsInt64Index32, minItemsInt64Index64}, unset: &[2]itemLoop{minUnsetInt64Index32, minUnsetInt64Index64}, paced: minItemsInt64Paced},
		num.Max: {item: &[2]itemLoop{maxItemsInt64Index32, maxItemsInt64Index64}, unset: &[2]itemLoop{maxUnsetInt64Index32, maxUnsetInt64Index64}, paced: maxItemsInt64Paced},
	},
	num.Uint8: {
		num.Add: {item: &[2]itemLoop{addItemsInt8Index32, addItemsInt8Index64}, wide: &[2]markedLoop{addWideInt8Index32, addWideInt8Index64}, row: addRowsInt8AVX2, paced: addItemsInt8Paced},
		num.Sub: {item: &[2]itemLoop{subItemsInt8Index32, subItemsInt8Index64}, wide: &[2]markedLoop{subWideInt8Index32, subWideInt8Index64}, row: subRowsInt8AVX2, paced: subItemsInt8Paced},
		num.Mul: {item: &[2]itemLoop{mulItemsInt8Index32, mulItemsInt8Index64}, wide: &[2]markedLoop{mulWideInt8Index32, mulWideInt8Index64}, paced: mulItemsInt8Paced},
		num.Min: {item: &[2]itemLoop{minItemsUint8Index32, minItemsUint8Index64}, wide: &[2]markedLoop{minWideUint8Index32, minWideUint8Index64}, row: minRowsUint8AVX2, paced: minItemsUint8Paced},
		num.Max: {item: &[2]itemLoop{maxItemsUint8Index32, maxItemsUint8Index64}, wide: &[2]markedLoop{maxWideUint8Index32, maxWideUint8Index64}, row: maxRowsUint8AVX2, paced: maxItemsUint8Paced},
	},
	num.Uint16: {
		num.Add: {item: &[2]itemLoop{addItemsInt16Index32, addItemsInt16Index64}, wide: &[2]markedLoop{addWideInt16Index32, addWideInt16Index64}, row: addRowsInt16AVX2, paced: addItemsInt16Paced},
		num.Sub: {item: &[2]itemLoop{subItemsInt16Index32, subItemsInt16Index64}, wide: &[2]markedLoop{subWideInt16Index32, subWideInt16Index64}, row: subRowsInt16AVX2, paced: subItemsInt16Paced},
		num.Mul: {item: &[2]itemLoop{mulItemsInt16Index32, mulItemsInt16Index64}, wide: &[2]markedLoop{mulWideInt16Index32, mulWideInt16Index64}, row: mulRowsInt16AVX2, paced: mulItemsInt16Paced},
		num.Min: {item: &[2]itemLoop{minItemsUint16Index32, minItemsUint16Index64}, wide: &[2]markedLoop{minWideUint16Index32, minWideUint16Index64}, row: minRowsUint16AVX2, paced: minItemsUint16Paced},
		num.Max: {item: &[2]itemLoop{maxItemsUint16Index32, maxItemsUint16Index64}, wide: &[2]markedLoop{maxWideUint16Index32, maxWideUint16Index64}, row: maxRowsUint16AVX2, paced: maxItemsUint16Paced},
	},
	num.Uint32: {
		num.Add: {item: &[2]itemLoop{addItemsInt32Index32, addItemsInt32Index64}, unset: &[2]itemLoop{addUnsetInt32Index32, addUnsetInt32Index64}, row: addRowsInt32AVX2, paced: addItemsInt32Paced},
		num.Sub: {item: &[2]itemLoop{subItemsInt32Index32, subItemsInt32Index64}, unset: &[2]itemLoop{subUnsetInt32Index32, subUnsetInt32Index64}, row: subRowsInt32AVX2, paced: subItemsInt32Paced},
		num.Mul: {item: &[2]itemLoop{mulItemsInt32Index32, mulItemsInt32Index64}, unset: &[2]itemLoop{mulUnsetInt32Index32, mulUnsetInt32Index64}, row: mulRowsInt32AVX2, paced: mulItemsInt32Paced},
		num.Min: {item: &[2]itemLoop{minItemsUint32Index32, minItemsUint32Index64}, unset: &[2]itemLoop{minUnsetUint32Index32, minUnsetUint32Index64}, row: minRowsUint32AVX2, paced: minItemsUint32Paced},
		num.Max: {item: &[2]itemLoop{maxItemsUint32Index32, maxItemsUint32Index64}, unset: &[2]itemLoop{maxUnsetUint32Index32, maxUnsetUint32Index64}, row: maxRowsUint32AVX2, paced: maxItemsUint32Paced},
	},
	num.Uint64: {
		num.Add: {item: &[2]itemLoop{addItemsInt64Index32, addItemsInt64Index64}, unset: &[2]itemLoop{addUnsetInt64Index32, addUnsetInt64Index64}, row: addRowsInt64AVX2, paced: addItemsInt64Paced},
		num.Sub: {item: &[2]itemLoop{subItemsInt64Index32, subItemsInt64Index64}, unset: &[2]itemLoop{subUnsetInt64Index32, subUnsetInt64Index64}, row: subRowsInt64AVX2, paced: subItemsInt64Paced},
		num.Mul: {item: &[2]itemLoop{mulItemsInt64Index32, mulItemsInt64Index64}, unset: &[2]itemLoop{mulUnsetInt64Index32, mulUnsetInt64Index64}, paced: mulItemsInt64Paced},
		num.Min: {item: &[2]itemLoop{minItemsUint64Index32, minItemsUint64Index64}, unset: &[2]itemLoop{minUnsetUint64Index32, minUnsetUint64Index64}, paced: minItemsUint64Paced},
		num.Max: {item: &[2]itemLoop{maxItemsUint64Index32, maxItemsUint64Index64}, unset: &[2]itemLoop{maxUnsetUint64Index32, maxUnsetUint64Index64}, paced: maxItemsUint64Paced},
	},
	num.Float32: {
		num.Add: {item: &[2]itemLoop{addItemsFloat32Index32, addItemsFloat32Index64}, unset: &[2]itemLoop{addUnsetFloat32Index32, addUnsetFloat32Index64}, offset: addItemsFloat32Far, paced: addItemsFloat32Paced},
		num.Sub: {item: &[2]itemLoop{subItemsFloat32Index32, subItemsFloat32Index64}, unset: &[2]itemLoop{subUnsetFloat32Index32, subUnsetFloat32Index64}, row: subRowsFloat32AVX2, offset: subItemsFloat32Far, paced: subItemsFloat32Paced},
		num.Mul: {item: &[2]itemLoop{mulItemsFloat32Index32, mulItemsFloat32Index64}, unset: &[2]itemLoop{mulUnsetFloat32Index32, mulUnsetFloat32Index64}, row: mulRowsFloat32AVX2, offset: mulItemsFloat32Far, paced: mulItemsFloat32Paced},
		num.Min: {item: &[2]itemLoop{minItemsFloat32Index32, minItemsFloat32Index64}, unset: &[2]itemLoop{minUnsetFloat32Index32, minUnsetFloat32Index64}, row: minRowsFloat32AVX2, offset: minItemsFloat32Far, paced: minItemsFloat32Paced},
		num.Max: {item: &[2]itemLoop{maxItemsFloat32Index32, maxItemsFloat32Index64}, unset: &[2]itemLoop{maxUnsetFloat32Index32, maxUnsetFloat32Index64}, row: maxRowsFloat32AVX2, offset: maxItemsFloat32Far, paced: maxItemsFloat32Paced},
	},
	num.Float64: {
		num.Add: {item: &[2]itemLoop{addItemsFloat64Index32, addItemsFloat64Index64}, unset: &[2]itemLoop{addUnsetFloat64Index32, addUnsetFloat64Index64}, offset: addItemsFloat64Far, paced: addItemsFloat64Paced},
		num.Sub: {item: &[2]itemLoop{subItemsFloat64Index32, subItemsFloat64Index64}, unset: &[2]itemLoop{subUnsetFloat64Index32, subUnsetFloat64Index64}, row: subRowsFloat64AVX2, offset: subItemsFloat64Far, paced: subItemsFloat64Paced},
		num.Mul: {item: &[2]itemLoop{mulItemsFloat64Index32, mulItemsFloat64Index64}, unset: &[2]itemLoop{mulUnsetFloat64Index32, mulUnsetFloat64Index64}, row: mulRowsFloat64AVX2, offset: mulItemsFloat64Far, paced: mulItemsFloat64Paced},
		num.Min: {item: &[2]itemLoop{minItemsFloat64Index32, minItemsFloat64Index64}, unset: &[2]itemLoop{minUnsetFloat64Index32, minUnsetFloat64Index64}, row: minRowsFloat64AVX2, offset: minItemsFloat64Far, paced: minItemsFloat64Paced},
		num.Max: {item: &[2]itemLoop{maxItemsFloat64Index32, maxItemsFloat64Index64}, unset: &[2]itemLoop{maxUnsetFloat64Index32, maxUnsetFloat64Index64}, row: maxRowsFloat64AVX2, offset: maxItemsFloat64Far, paced: maxItemsFloat64Paced},
	},
}

// meansAVX2 is Go's loops but where there are others.
func meansAVX2() [num.Kinds]*meanLoops {
	all := meansInGo
	all[num.Float32] = &meanLoops{&[2]markedLoop{addCountedFloat32Index32, addCountedFloat32Index64}, quotientsFloat32AVX2, divideRowsFloat32AVX2}
	all[num.Float64] = &meanLoops{&[2]markedLoop{addCountedFloat64Index32, addCountedFloat64Index64}, quotientsFloat64AVX2, divideRowsFloat64AVX2}
	return all
}

func setItemsAssembly() [5]itemLoops {
	loops := inGo.setItem
	loops[0] = &[2]itemLoop{setItems1Index32, setItems1Index64}
	loops[1] = &[2]itemLoop{setItems2Index32, setItems2Index64}
	loops[2] = &[2]itemLoop{setItems4Index32, setItems4Index64}
	loops[3] = &[2]itemLoop{setItems8Index32, setItems8Index64}
	return loops
}

func fillItemsAssembly() [5]itemLoops {
	loops := inGo.fillItem
	loops[0] = &[2]itemLoop{fillItems1Index32, fillItems1Index64}
	loops[1] = &[2]itemLoop{fillItems2Index32, fillItems2Index64}
	loops[2] = &[2]itemLoop{fillItems4Index32, fillItems4Index64}
	loops[3] = &[2]itemLoop{fillItems8Index32, fillItems8Index64}
	return loops
}
