package builders

import "gorgonia.org/tensor"

// extremeRows are the rows of ReduceMax and ReduceMin, which take more types than
// the sums do.
func extremeRows() []version {
	bytes := words.And(tensor.Int8, tensor.Uint8)
	return []version{
		{since: 1, types: words, min: 1, attributes: reductionAttributes},
		{since: 11, types: words, min: 1, attributes: reductionAttributes},
		{since: 12, types: bytes, min: 1, attributes: reductionAttributes},
		{since: 13, types: bytes.And(bf16), min: 1, attributes: reductionAttributes},
		{since: 18, types: bytes.And(bf16), min: 1, max: 2, attributes: inputReductionAttributes},
		{since: 20, types: bytes.And(bf16, tensor.Bool), min: 1, max: 2, attributes: inputReductionAttributes},
	}
}

// argRows are the rows of ArgMax and ArgMin.
func argRows() []version {
	attributes := []string{"axis", "keepdims"}
	withLast := append(attributes, "select_last_index")
	return []version{
		{since: 1, types: numeric, min: 1, attributes: attributes},
		{since: 11, types: numeric, min: 1, attributes: attributes},
		{since: 12, types: numeric, min: 1, attributes: withLast},
		{since: 13, types: numericB, min: 1, attributes: withLast},
	}
}

// reductionVersions is the table of what runs along axes: reductions,
// normalisations, running sums, parts.
var reductionVersions = map[string][]version{
	"ReduceProd": reductions(18), "ReduceLogSumExp": append(reductions(18), version{since: 28, types: realsB, min: 1, max: 2, attributes: inputReductionAttributes}),
	"ReduceSumSquare": reductions(18), "ReduceL1": reductions(18), "ReduceL2": reductions(18),
	"ReduceMax": extremeRows(), "ReduceMin": extremeRows(), "ArgMax": argRows(), "ArgMin": argRows(),
	"LayerNormalization":    {{since: 17, types: realsB, min: 2, max: 3, attributes: []string{"axis", "epsilon", "stash_type"}}},
	"RMSNormalization":      {{since: 23, types: realsB, min: 2, attributes: []string{"axis", "epsilon", "stash_type"}}},
	"InstanceNormalization": {{since: 6, types: reals, min: 3, attributes: []string{"epsilon"}}, {since: 22, types: realsB, min: 3, attributes: []string{"epsilon"}}},
	"GroupNormalization": {
		{since: 18, types: realsB, min: 3, attributes: []string{"epsilon", "num_groups"}},
		{since: 21, types: realsB, min: 3, attributes: []string{"epsilon", "num_groups", "stash_type"}},
	},
	"BatchNormalization": {
		{since: 7, types: reals, min: 5, attributes: []string{"epsilon", "momentum", "spatial"}},
		{since: 9, types: reals, min: 5, attributes: []string{"epsilon", "momentum"}},
		{since: 14, types: realsB, min: 5, attributes: []string{"epsilon", "momentum", "training_mode"}},
		{since: 15, types: realsB, min: 5, attributes: []string{"epsilon", "momentum", "training_mode"}},
	},
	"CumSum": {
		{since: 11, types: words, min: 2, attributes: []string{"exclusive", "reverse"}},
		{since: 14, types: wordsB, min: 2, attributes: []string{"exclusive", "reverse"}},
	},
	"TopK": {
		{since: 1, types: reals, min: 1, attributes: []string{"axis", "k"}},
		{since: 10, types: reals, min: 2, attributes: []string{"axis"}},
		{since: 11, types: numeric, min: 2, attributes: []string{"axis", "largest", "sorted"}},
		{since: 24, types: numericB, min: 2, attributes: []string{"axis", "largest", "sorted"}},
	},
	"Trilu": {{since: 14, types: anythingB, min: 1, max: 2, attributes: []string{"upper"}}},
	"SplitToSequence": {
		{since: 11, types: anything, min: 1, max: 2, attributes: []string{"axis", "keepdims"}},
		{since: 24, types: anythingB, min: 1, max: 2, attributes: []string{"axis", "keepdims"}},
	},
	"SequenceAt": {{since: 11, types: anythingB, min: 2}},
}
