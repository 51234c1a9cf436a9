package onnx

import (
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/opset"
)

// A ReadOption is a setting of [ReadModel] and [ReadTensor].
type ReadOption interface{ readOption() }

// A BuildOption is a setting of [Model.Build].
type BuildOption interface{ buildOption() }

// An EvalOption is a setting of [NewEvaluator].
type EvalOption interface{ evalOption() }

// ConstantInputs is the option that [WithConstantInputs] makes.
type ConstantInputs struct{ places []int }

func (ConstantInputs) evalOption() {}

// WithConstantInputs says which inputs of an Evaluator's node, by their places, are the
// same tensors with the same values in every call. What follows from them alone is
// computed once, as far as it is small.
func WithConstantInputs(places ...int) ConstantInputs { return ConstantInputs{slices.Clone(places)} }

// MaxBytes is the option that [WithMaxBytes] makes, for reading, building and evaluating.
type MaxBytes struct{ bytes int64 }

func (MaxBytes) readOption()  {}
func (MaxBytes) buildOption() {}
func (MaxBytes) evalOption()  {}

// WithMaxBytes bounds the memory that one model takes: a file of a few hundred
// bytes can ask for any amount. It is 16 GiB where it is not set, and must be at
// least 1. What would exceed it is an error, before it is allocated, that wraps
// [ErrMaxBytes] and names the node.
//
// [ReadModel] and [ReadTensor] count the file and what they make of it.
// [Model.Build] counts every value that the graph will hold at once when it runs
// forward, which are the inputs, the constants and the result of each operator,
// with a tensor's number of elements times their width: shapes are fixed, so that
// all of them are known before anything runs. It adds what it keeps beside the
// elements, which are some hundred bytes for each value and some thousand for each
// node of the graph. What a machine adds, gradients above all, is not counted. A limit given to ReadModel holds for Build
// too, each on its own, unless Build is given another.
// An [Evaluator] counts the results of the operators that compute its node.
func WithMaxBytes(n int64) MaxBytes { return MaxBytes{n} }

// ErrMaxBytes is wrapped by the errors about memory that [WithMaxBytes] does not
// allow.
var ErrMaxBytes = opset.ErrMaxBytes

// readBudget is what the options of a reader allow.
func readBudget(options []ReadOption) (*opset.Budget, error) {
	limit := MaxBytes{opset.DefaultMaxBytes}
	for i, o := range options {
		var ok bool
		if limit, ok = o.(MaxBytes); !ok {
			return nil, errors.Errorf("option %d is a %T, WithMaxBytes is allowed", i, o)
		}
	}
	return opset.NewBudget(limit.bytes)
}
