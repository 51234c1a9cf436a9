package builders

import (
	"maps"
	"math"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// The sets that ONNX's type constraints name, each with bfloat16 from opset 13
// on.
var (
	bf16      = dense.BFloat16
	bools     = opset.Dtypes{tensor.Bool}
	reals     = opset.Dtypes{dense.Float16, tensor.Float32, tensor.Float64}
	realsB    = reals.And(bf16)
	powers    = reals.And(tensor.Int32, tensor.Int64)
	powersB   = powers.And(bf16)
	words     = powers.And(tensor.Uint32, tensor.Uint64)
	wordsB    = words.And(bf16)
	signed    = powers.And(tensor.Int8, tensor.Int16)
	signedB   = signed.And(bf16)
	numeric   = words.And(tensor.Int8, tensor.Int16, tensor.Uint8, tensor.Uint16)
	numericB  = numeric.And(bf16)
	castable  = numeric.And(tensor.Bool)
	castableS = castable.And(tensor.String)
	castableB = castableS.And(bf16)
	anything  = castableS.And(tensor.Complex64, tensor.Complex128)
	anythingB = anything.And(bf16)
)

// A version is one row of the table: the rules of an operator from an opset on,
// until its next row.
type version struct {
	since      int
	types      opset.Dtypes // of the first input
	min, max   int          // how many inputs; max 0 stands for min
	attributes []string     // what is allowed
}

// unary are the rows of the functions of one number.
func unary(from6, from13 opset.Dtypes) []version {
	return []version{{since: 6, types: from6, min: 1}, {since: 13, types: from13, min: 1}}
}

// binary are the rows of the arithmetic that broadcasts in both directions.
// Before opset 7 it took attributes for that, and is not supported.
func binary() []version {
	return []version{{since: 7, types: words, min: 2}, {since: 13, types: wordsB, min: 2}, {since: 14, types: numericB, min: 2}}
}

// comparisonRows are the rows of Less and Greater.
func comparisonRows() []version {
	return []version{{since: 7, types: reals, min: 2}, {since: 9, types: numeric, min: 2}, {since: 13, types: numericB, min: 2}}
}

// orEqualRows are the rows of LessOrEqual and GreaterOrEqual.
func orEqualRows() []version {
	return []version{{since: 12, types: numeric, min: 2}, {since: 16, types: numericB, min: 2}}
}

func softmaxes() []version {
	axis := []string{"axis"}
	return []version{
		{since: 1, types: reals, min: 1, attributes: axis},
		{since: 11, types: reals, min: 1, attributes: axis},
		{since: 13, types: realsB, min: 1, attributes: axis},
	}
}

var (
	reductionAttributes      = []string{"axes", "keepdims"}
	inputReductionAttributes = []string{"keepdims", "noop_with_empty_axes"}
)

// reductions are the rows of a reduction whose axes are an input since an opset.
func reductions(input int) []version {
	rows := []version{
		{since: 1, types: words, min: 1, attributes: reductionAttributes},
		{since: 11, types: words, min: 1, attributes: reductionAttributes},
		{since: 13, types: wordsB, min: 1, attributes: reductionAttributes},
	}
	last := version{since: input, types: wordsB, min: 1, max: 2, attributes: inputReductionAttributes}
	if input == 13 {
		return append(rows[:2], last)
	}
	return append(rows, last)
}

// anyNumber is the most inputs of an operator that takes any number.
const anyNumber = math.MaxInt

// versions is the table: ONNX's operator documents up to opset 28, whose later
// versions differ in nothing but the quantised and eight-bit types, which do not
// exist here.
var versions = joinTables(basicVersions, functionVersions, reductionVersions, windowVersions, recurrentVersions, quantizedVersions, lossVersions, attentionVersions)

func joinTables(tables ...map[string][]version) map[string][]version {
	all := map[string][]version{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

var basicVersions = map[string][]version{
	"Add": binary(), "Sub": binary(), "Mul": binary(), "Div": binary(),
	"Pow": {
		{since: 7, types: reals, min: 2}, {since: 12, types: powers, min: 2}, {since: 13, types: powersB, min: 2},
	},
	"MatMul": {{since: 1, types: reals, min: 2}, {since: 9, types: words, min: 2}, {since: 13, types: wordsB, min: 2}},
	"Gemm": {
		{since: 7, types: reals, min: 3, attributes: gemmAttributes},
		{since: 9, types: words, min: 3, attributes: gemmAttributes},
		{since: 11, types: words, min: 2, max: 3, attributes: gemmAttributes},
		{since: 13, types: wordsB, min: 2, max: 3, attributes: gemmAttributes},
	},
	"Einsum": {
		{since: 12, types: numeric, min: 1, max: anyNumber, attributes: []string{"equation"}},
		{since: 28, types: numericB, min: 1, max: anyNumber, attributes: []string{"equation"}},
	},
	"Neg": unary(signed, signedB), "Abs": unary(numeric, numericB),
	"Exp": unary(reals, realsB), "Log": unary(reals, realsB), "Sqrt": unary(reals, realsB),
	"Tanh": unary(reals, realsB), "Sigmoid": unary(reals, realsB),
	"Erf":     {{since: 9, types: numeric, min: 1}, {since: 13, types: realsB, min: 1}},
	"Relu":    {{since: 6, types: reals, min: 1}, {since: 13, types: realsB, min: 1}, {since: 14, types: signedB, min: 1}},
	"Softmax": softmaxes(), "LogSoftmax": softmaxes(),
	"ReduceSum": reductions(13), "ReduceMean": reductions(18),
	"Transpose": {
		{since: 1, types: anything, min: 1, attributes: []string{"perm"}},
		{since: 13, types: anythingB, min: 1, attributes: []string{"perm"}},
	},
	"Reshape": {
		{since: 1, types: reals, min: 1, attributes: []string{"shape"}},
		{since: 5, types: anything, min: 2},
		{since: 13, types: anythingB, min: 2},
		{since: 14, types: anythingB, min: 2, attributes: []string{"allowzero"}},
	},
	"Flatten": {
		{since: 1, types: reals, min: 1, attributes: []string{"axis"}},
		{since: 9, types: anything, min: 1, attributes: []string{"axis"}},
		{since: 11, types: anything, min: 1, attributes: []string{"axis"}},
		{since: 13, types: anythingB, min: 1, attributes: []string{"axis"}},
	},
	"Squeeze": {
		{since: 1, types: anything, min: 1, attributes: []string{"axes"}},
		{since: 11, types: anything, min: 1, attributes: []string{"axes"}},
		{since: 13, types: anythingB, min: 1, max: 2},
	},
	"Unsqueeze": {
		{since: 1, types: anything, min: 1, attributes: []string{"axes"}},
		{since: 11, types: anything, min: 1, attributes: []string{"axes"}},
		{since: 13, types: anythingB, min: 2},
	},
	"Expand": {{since: 8, types: anything, min: 2}, {since: 13, types: anythingB, min: 2}},
	"Slice": {
		{since: 1, types: anything, min: 1, attributes: []string{"axes", "ends", "starts"}},
		{since: 10, types: anything, min: 3, max: 5},
		{since: 11, types: anything, min: 3, max: 5},
		{since: 13, types: anythingB, min: 3, max: 5},
	},
	"Split": {
		{since: 2, types: anything, min: 1, attributes: []string{"axis", "split"}},
		{since: 11, types: anything, min: 1, attributes: []string{"axis", "split"}},
		{since: 13, types: anythingB, min: 1, max: 2, attributes: []string{"axis"}},
		{since: 18, types: anythingB, min: 1, max: 2, attributes: []string{"axis", "num_outputs"}},
	},
	"Concat": {
		{since: 1, types: reals, min: 1, max: anyNumber, attributes: []string{"axis"}},
		{since: 4, types: anything, min: 1, max: anyNumber, attributes: []string{"axis"}},
		{since: 11, types: anything, min: 1, max: anyNumber, attributes: []string{"axis"}},
		{since: 13, types: anythingB, min: 1, max: anyNumber, attributes: []string{"axis"}},
	},
	"Cast": {
		{since: 6, types: castable, min: 1, attributes: []string{"to"}},
		{since: 9, types: castableS, min: 1, attributes: []string{"to"}},
		{since: 13, types: castableB, min: 1, attributes: []string{"to"}},
		{since: 19, types: castableB, min: 1, attributes: []string{"saturate", "to"}},
		{since: 24, types: castableB, min: 1, attributes: []string{"round_mode", "saturate", "to"}},
	},
	"Dropout": {
		{since: 7, types: reals, min: 1, attributes: []string{"ratio"}},
		{since: 12, types: reals, min: 1, max: 3, attributes: []string{"seed"}},
		{since: 13, types: realsB, min: 1, max: 3, attributes: []string{"seed"}},
	},
	"CastLike": {
		{since: 15, types: castableB, min: 2},
		{since: 19, types: castableB, min: 2, attributes: []string{"saturate"}},
		{since: 24, types: castableB, min: 2, attributes: []string{"round_mode", "saturate"}},
	},
	"Where": {{since: 9, types: bools, min: 3}},
	"Equal": {
		{since: 7, types: bools.And(tensor.Int32, tensor.Int64), min: 2},
		{since: 11, types: castable, min: 2},
		{since: 13, types: castable.And(bf16), min: 2},
		{since: 19, types: castableB, min: 2},
	},
	"Less": comparisonRows(), "Greater": comparisonRows(),
	"LessOrEqual": orEqualRows(), "GreaterOrEqual": orEqualRows(),
	"Not": {{since: 1, types: bools, min: 1}},
	"And": {{since: 7, types: bools, min: 2}}, "Or": {{since: 7, types: bools, min: 2}}, "Xor": {{since: 7, types: bools, min: 2}},
	"IsNaN": {{since: 9, types: reals, min: 1}, {since: 13, types: realsB, min: 1}},
	"IsInf": {
		{since: 10, types: opset.Dtypes{tensor.Float32, tensor.Float64}, min: 1, attributes: []string{"detect_negative", "detect_positive"}},
		{since: 20, types: realsB, min: 1, attributes: []string{"detect_negative", "detect_positive"}},
	},
}

var gemmAttributes = []string{"alpha", "beta", "transA", "transB"}
