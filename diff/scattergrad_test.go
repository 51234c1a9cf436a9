package diff_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestScatterGradDtypes applies the gradient operators in every dtype that has
// gradients, also in those in which gorgonia.Grad cannot start. Two updates go
// to the first of two elements, whose gradient is 1.
func TestScatterGradDtypes(t *testing.T) {
	half := func(v ...float32) []float16.Float16 {
		out := make([]float16.Float16, len(v))
		for i, f := range v {
			out[i] = float16.Fromfloat32(f)
		}
		return out
	}
	// The upper half of 1, 2, …: all of these are exact.
	brain := map[float32]gather.BF16{0: 0, 1: 0x3f80, 2: 0x4000, 3: 0x4040, 5: 0x40a0, 7: 0x40e0, 10: 0x4120, 14: 0x4160, 35: 0x420c, .5: 0x3f00}
	bfloat := func(v ...float32) []gather.BF16 {
		out := make([]gather.BF16, len(v))
		for i, f := range v {
			out[i] = brain[f]
		}
		return out
	}
	mul, most := gather.WithReduction(gather.Mul), gather.WithReduction(gather.Max)
	checkGradients(t, "float16, mul", half(1, 2), half(2, 3), half(5, 7), half(35, 2), half(14, 10), mul)
	checkGradients(t, "bfloat16, mul", bfloat(1, 2), bfloat(2, 3), bfloat(5, 7), bfloat(35, 2), bfloat(14, 10), mul)
	checkGradients(t, "float32, mul", []float32{1, 2}, []float32{2, 3}, []float32{5, 7}, []float32{35, 2}, []float32{14, 10}, mul)
	// The other factors are conjugated: those of w[0] are i and 1+i.
	checkGradients(t, "complex64, mul", []complex64{1, 2}, []complex64{1i, 3}, []complex64{5, 1 + 1i},
		[]complex64{5 - 5i, 2}, []complex64{-1 - 1i, -5i}, mul)
	checkGradients(t, "complex128, mul", []complex128{1i, 2}, []complex128{1i, 3}, []complex128{5, 1 + 1i},
		[]complex128{5 + 5i, 2}, []complex128{1 - 1i, 5}, mul)
	checkGradients(t, "complex128, mean", []complex128{3i, 2}, []complex128{1, 3}, []complex128{5, 7},
		[]complex128{1i, 2}, []complex128{1i, 1i}, gather.WithReduction(gather.Mean))
	checkGradients(t, "complex64, sub", []complex64{3i, 2}, []complex64{1, 3}, []complex64{5, 7}, []complex64{3i, 2}, []complex64{-3i, -3i}, gather.WithReduction(gather.Sub))
	checkGradients(t, "float16, max", half(1, 2), half(1, 3), half(5, 5), half(0, 2), half(.5, .5), most)
	checkGradients(t, "bfloat16, max", bfloat(1, 2), bfloat(1, 3), bfloat(5, 5), bfloat(0, 2), bfloat(.5, .5), most)
	// A third is rounded to nearest even: 0x3555 is 0.33325 in float16, and
	// 0x3eab is 0.33398 in bfloat16.
	checkGradients(t, "float16, a third", half(1, 2), half(5, 3), half(5, 5), []float16.Float16{0x3555, 0x4000}, []float16.Float16{0x3555, 0x3555}, most)
	checkGradients(t, "bfloat16, a third", bfloat(1, 2), bfloat(5, 3), bfloat(5, 5), []gather.BF16{0x3eab, 0x4000}, []gather.BF16{0x3eab, 0x3eab}, most)
	checkGradients(t, "float16, none", half(1, 2), half(1, 3), half(5, 7), half(0, 2), half(0, 1))
	// -0 ties with 0: whichever the result is, both have a part.
	checkGradients(t, "float16, max of -0", half(1, 2), []float16.Float16{0x8000, 0x4200}, half(0, -1), half(.5, 2), half(.5, 0), most)
}

// checkGradients runs both operators, with indices [0, 0].
func checkGradients[T comparable](t *testing.T, name string, g, x, w, gData, gUpdates []T, opts ...gather.Option) {
	t.Run(name, func(t *testing.T) {
		inputs := []G.Value{tensorOf(g, 2), tensorOf(x, 2), tensorOf([]int32{0, -2}, 2), tensorOf(w, 2)}
		for what, want := range map[string][]T{"data": gData, "updates": gUpdates} {
			op := gradientOp(t, gradients[what], inputs, opts...)
			got, err := op.Do(inputs...)
			ok(t, err)
			same(t, what, got.Data().([]T), want)
			into := tensorOf(w, 2)
			got, err = op.(G.UsePreallocDoer).UsePreallocDo(into, inputs...)
			ok(t, err)
			if got != G.Value(into) {
				t.Errorf("the result is not the value given")
			}
			same(t, what+", in a given value", into.Data().([]T), want)
		}
	})
}

// gradientOp is the gradient operator of a ScatterElements of such inputs: grad,
// data, indices and updates.
func gradientOp(t *testing.T, gradient gradientFunc, inputs []G.Value, opts ...gather.Option) G.Op {
	t.Helper()
	g := G.NewGraph()
	nodes := make([]*G.Node, len(inputs))
	for i, v := range inputs {
		nodes[i] = G.NodeFromAny(g, v, G.WithName(fmt.Sprint("input ", i)))
	}
	y, err := gather.ScatterElements(nodes[1], nodes[2], nodes[3], 0, opts...)
	ok(t, err)
	n, err := gradient(y.Op(), nodes[0], nodes[1], nodes[2], nodes[3])
	ok(t, err)
	return n.Op()
}

// TestScatterGradErrors builds gradient operators that cannot work.
func TestScatterGradErrors(t *testing.T) {
	c := scatters[0]
	op := c.op(t, tensor.Float64)
	g := G.NewGraph()
	in := func(name string, dt tensor.Dtype, shape ...int) *G.Node { return node(g, name, dt, shape) }
	data, updates := in("data", tensor.Float64, 4, 3), in("updates", tensor.Float64, 5, 2)
	indices := in("indices", tensor.Int64, 5, 2)
	whole, parts := in("whole", tensor.Int32, 4, 3), in("parts", tensor.Int32, 5, 2)
	elsewhere := node(G.NewGraph(), "elsewhere", tensor.Float64, []int{4, 3})
	for _, c := range []struct {
		name                         string
		op                           G.Op
		grad, data, indices, updates *G.Node
		want                         error
		text                         string
	}{
		{"no operator", nil, data, data, indices, updates, nil, "%s: op is <nil>, the operator of a scatter is needed"},
		{"a gather", adjoints[0].op(t, tensor.Float64), data, data, indices, updates, nil, "%s: op is Gather(axis=1), the operator of a scatter is needed"},
		{"no gradient", op, nil, data, indices, updates, nil, "%s: grad is nil, a node is needed"},
		{"no data", op, data, nil, indices, updates, nil, "%s: data is nil, a node is needed"},
		{"no indices", op, data, data, nil, updates, nil, "%s: indices is nil, a node is needed"},
		{"no updates", op, data, data, indices, nil, nil, "%s: updates is nil, a node is needed"},
		{"two graphs", op, data, elsewhere, indices, updates, nil, "are of different graphs"},
		{"integers", op, whole, whole, indices, parts, gather.ErrDtype, "%s: data has dtype int32, allowed are floats and complex numbers"},
		{"a gradient of updates' shape", op, updates, data, indices, updates, gather.ErrShape, "(5, 2) must have the shape (4, 3)"},
		{"updates of another shape", op, data, data, indices, data, gather.ErrShape, "updates (4, 3) must have the shape of indices (5, 2)"},
	} {
		for name, gradient := range map[string]gradientFunc{"ScatterGradData": diff.ScatterGradData, "ScatterGradUpdates": diff.ScatterGradUpdates} {
			t.Run(c.name+" of "+name, func(t *testing.T) {
				n, err := gradient(c.op, c.grad, c.data, c.indices, c.updates)
				if err == nil {
					t.Fatalf("no error, but the node %v", n)
				}
				if text := strings.ReplaceAll(c.text, "%s", name); c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), text) {
					t.Errorf("got %q, want %v with %q", err, c.want, text)
				}
			})
		}
	}
}

// TestScatterGradValues gives the operators values that do not fit when they
// run.
func TestScatterGradValues(t *testing.T) {
	right := []G.Value{tensorOf([]float64{1, 2, 3}, 3), tensorOf([]float64{4, 5, 6}, 3), tensorOf([]int64{0, -1}, 2), tensorOf([]float64{7, 8}, 2)}
	for _, c := range []struct {
		name   string
		inputs []G.Value
		into   G.Value
		want   error
		text   string
	}{
		{"too few inputs", right[:3], nil, nil, "3 inputs, 4 are needed"},
		{"a gradient of another shape", slices.Concat(right[3:], right[1:]), nil, gather.ErrShape, "grad (2) must have the shape (3) of data"},
		{"updates of another shape", slices.Concat(right[:3], right[:1]), nil, gather.ErrShape, "updates (3) must have the shape of indices (2)"},
		{"a bad index", []G.Value{right[0], right[1], tensorOf([]int64{0, 3}, 2), right[3]}, nil, nil, "indices[1]: 3 out of range [-3, 3) for data axis 0"},
		{"a given value of another shape", right, tensorOf([]float64{1, 2, 3, 4}, 4), gather.ErrShape, "the destination has shape (4)"},
		{"a given value of another dtype", right, tensorOf([]float32{1, 2, 3}, 3), gather.ErrDtype, "the destination has dtype float32"},
		{"an input as the given value", right, right[0], gather.ErrLayout, "the destination overlaps grad in memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			op := gradientOp(t, diff.ScatterGradData, right, gather.WithReduction(gather.Mul))
			var err error
			if c.into != nil {
				_, err = op.(G.UsePreallocDoer).UsePreallocDo(c.into, c.inputs...)
			} else {
				_, err = op.Do(c.inputs...)
			}
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want %v with %q", err, c.want, c.text)
			}
		})
	}
}

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
		} {
			ops[what+" "+name] = gradientOp(t, gradient, matrix, option)
		}
		for i, op := range derivativesOf(t, scatters[0], gradient, gather.WithReduction(gather.Mul)) {
			if op != nil {
				ops[fmt.Sprintf("derivative of %s by input %d", what, i)] = op
			}
		}
	}
	if len(ops) != 2*8+2+1+2 {
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

// TestScatterGradOfIndices asks for what does not exist.
func TestScatterGradOfIndices(t *testing.T) {
	c := scatters[0]
	g := G.NewGraph()
	indices := G.NodeFromAny(g, c.indices, G.WithName("indices"))
	grad := node(g, "grad", tensor.Float64, c.data)
	n, err := diff.ScatterGradUpdates(c.op(t, tensor.Float64), grad, node(g, "data", tensor.Float64, c.data), indices, node(g, "updates", tensor.Float64, c.updates))
	ok(t, err)
	if grads, err := G.Grad(G.Must(G.Sum(n)), grad, indices); err == nil || !strings.Contains(err.Error(), "indices") {
		t.Errorf("gradients %v and error %v, want an error that names the node", grads, err)
	}
}
