package builders

import (
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

var alpha = []string{"alpha"}

// since22 are the rows of functions that have bfloat16 from opset 22 on.
func since22(first int, attributes ...string) []version {
	return []version{{since: first, types: reals, min: 1, attributes: attributes}, {since: 22, types: realsB, min: 1, attributes: attributes}}
}

// variadic are the rows of Sum; those of Max and Min have integers, too.
func variadic(integers bool) []version {
	rows := []version{{since: 8, types: reals, min: 1, max: anyNumber}}
	if integers {
		return append(rows, version{since: 12, types: numeric, min: 1, max: anyNumber}, version{since: 13, types: numericB, min: 1, max: anyNumber})
	}
	return append(rows, version{since: 13, types: realsB, min: 1, max: anyNumber})
}

// functionVersions is the table of the functions of single numbers that are no
// basic arithmetic, of activations and of what bounds numbers.
var functionVersions = map[string][]version{
	"Reciprocal": unary(reals, realsB), "Floor": unary(reals, realsB), "Ceil": unary(reals, realsB),
	"Sin": since22(7), "Cos": since22(7), "Tan": since22(7), "Round": since22(11),
	"Sign":            {{since: 9, types: numeric, min: 1}, {since: 13, types: numericB, min: 1}},
	"Gelu":            {{since: 20, types: realsB, min: 1, attributes: []string{"approximate"}}},
	"LeakyRelu":       {{since: 6, types: reals, min: 1, attributes: alpha}, {since: 16, types: realsB, min: 1, attributes: alpha}},
	"ThresholdedRelu": since22(10, "alpha"),
	"Elu":             since22(6, "alpha"),
	"Selu":            since22(6, "alpha", "gamma"),
	"Celu": {
		{since: 12, types: opset.Dtypes{tensor.Float32}, min: 1, attributes: alpha},
		{since: 28, types: realsB, min: 1, attributes: alpha},
	},
	"HardSigmoid": since22(6, "alpha", "beta"),
	"HardSwish":   since22(14), "Softplus": since22(1), "Softsign": since22(1), "Mish": since22(18),
	"Swish": {{since: 24, types: realsB, min: 1, attributes: alpha}},
	"Max":   variadic(true), "Min": variadic(true), "Sum": variadic(false), "Mean": variadic(false),
	"PRelu": {
		{since: 7, types: reals, min: 2},
		{since: 9, types: words, min: 2},
		{since: 16, types: wordsB, min: 2},
	},
	"Clip": {
		{since: 6, types: reals, min: 1, attributes: []string{"max", "min"}},
		{since: 11, types: reals, min: 1, max: 3},
		{since: 12, types: numeric, min: 1, max: 3},
		{since: 13, types: numericB, min: 1, max: 3},
	},
	"Mod": {
		{since: 10, types: numeric, min: 2, attributes: []string{"fmod"}},
		{since: 13, types: numericB, min: 2, attributes: []string{"fmod"}},
		{since: 28, types: numericB, min: 2, attributes: []string{"fmod"}},
	},
}
