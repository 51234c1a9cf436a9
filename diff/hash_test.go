package diff_test

import (
	"fmt"
	"hash/fnv"
	"testing"

	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestScatterGradHash demands different hashes of operators that differ in any
// field, the second derivatives among them.
func TestScatterGradHash(t *testing.T) {
	ops := map[string]G.Op{}
	values := func(dt tensor.Dtype, index tensor.Dtype, shape ...int) []G.Value {
		v := func(dt tensor.Dtype) G.Value { return tensor.New(tensor.Of(dt), tensor.WithShape(shape...)) }
		return []G.Value{v(dt), v(dt), v(index), v(dt)}
	}
	matrix := values(tensor.Float64, tensor.Int64, 3, 3)
	for what, gradient := range gradients {
		for name, in := range map[string][]G.Value{
			"matrix": matrix, "vector": values(tensor.Float64, tensor.Int64, 3),
			"float32": values(tensor.Float32, tensor.Int64, 3, 3), "int32": values(tensor.Float64, tensor.Int32, 3, 3),
		} {
			ops[what+" "+name] = gradientOp(t, gradient, in)
		}
		for name, option := range map[string]gather.Option{
			"add": gather.WithReduction(gather.Add), "mul": gather.WithReduction(gather.Mul),
			"no init": gather.WithInitValue(false), "non-negative": gather.WithNonNegativeIndices(),
			"padding": gather.WithPadding(-1), "another padding": gather.WithPadding(0),
		} {
			ops[what+" "+name] = gradientOp(t, gradient, matrix, option)
		}
		for i, op := range derivativesOf(t, scatters[0], gradient, gather.WithReduction(gather.Mul)) {
			if op != nil {
				ops[fmt.Sprintf("gradient of %s by input %d", what, i)] = op
			}
		}
	}
	if len(ops) != 2*10+2+1+2 {
		t.Errorf("%d operators", len(ops))
	}
	seen := map[uint32]string{}
	for name, op := range ops {
		h := fnv.New32a()
		op.WriteHash(h)
		if h.Sum32() != op.Hashcode() {
			t.Errorf("%s: WriteHash and Hashcode differ", name)
		}
		if other, taken := seen[op.Hashcode()]; taken {
			t.Errorf("%s and %s, %v, have one hash", name, other, op)
		}
		seen[op.Hashcode()] = name
	}
}

// TestScatterGradString has the names that show up in errors and pictures of
// graphs.
func TestScatterGradString(t *testing.T) {
	c := scatters[0]
	opts := []gather.Option{gather.WithReduction(gather.Mul), gather.WithNonNegativeIndices()}
	const scatter = "ScatterElements(axis=0, non_negative=true, reduction=mul)"
	want := map[string][4]string{
		"data":    {"ScatterTangentData of " + scatter, "", "", "ScatterSecond of updates by data of " + scatter},
		"updates": {"ScatterTangentUpdates of " + scatter, "ScatterSecond of data by updates of " + scatter, "", "ScatterSecond of updates by updates of " + scatter},
	}
	for what, gradient := range gradients {
		for i, op := range derivativesOf(t, c, gradient, opts...) {
			if text := want[what][i]; (op == nil) != (text == "") || op != nil && op.String() != text {
				t.Errorf("%s by input %d: %v, want %s", what, i, op, text)
			}
		}
	}
}
