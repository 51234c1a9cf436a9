package graph

import (
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// described is a description of which every field says something.
func described() Description {
	return Description{
		Name:     "Op(axis=1)",
		Operands: []Operand{{"items", 2, tensor.Float32}, {"item", 0, tensor.Int64}},
		Result:   Operand{Rank: 1, Dtype: tensor.Float32},
		Detail:   "detail",
		Shape:    func(in ...tensor.Shape) (tensor.Shape, error) { return in[0][:1], nil },
		Run: func(_ *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
			return in[0].(*tensor.Dense), nil
		},
	}
}

// TestOperator has an operator answer out of its description.
func TestOperator(t *testing.T) {
	op := New(described())
	if got := op.Type().String(); got != "Matrix float32 → int64 → Vector float32" {
		t.Errorf("the type is %s", got)
	}
	if op.Arity() != 2 || op.String() != "Op(axis=1)" || op.OverwritesInput() != -1 || op.CallsExtern() || !op.ReturnsPtr() {
		t.Errorf("arity %d, text %q, overwrites %d, calls extern: %v, returns a pointer: %v",
			op.Arity(), op.String(), op.OverwritesInput(), op.CallsExtern(), op.ReturnsPtr())
	}
}

// TestInferShape refuses another number of inputs than the operator has.
func TestInferShape(t *testing.T) {
	op := New(described())
	in := []G.DimSizer{tensor.Shape{2, 3}, tensor.Shape{}}
	got, err := op.InferShape(in...)
	if err != nil || !got.Eq(tensor.Shape{2}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, n := range []int{0, 1} {
		if got, err := op.InferShape(in[:n]...); err == nil || !strings.Contains(err.Error(), "2 are needed") {
			t.Errorf("%d inputs: got %v, %v", n, got, err)
		}
	}
}

// TestHash changes each field that tells operators apart.
func TestHash(t *testing.T) {
	hash := func(d Description) uint32 {
		op := New(d)
		h := fnv.New32a()
		op.WriteHash(h)
		if op.Hashcode() != h.Sum32() {
			t.Errorf("hash code %d, written %d", op.Hashcode(), h.Sum32())
		}
		return h.Sum32()
	}
	same := hash(described())
	for name, change := range map[string]func(d *Description){
		"name":            func(d *Description) { d.Name = "Op(axis=0)" },
		"rank":            func(d *Description) { d.Operands[0].Rank = 3 },
		"dtype":           func(d *Description) { d.Operands[0].Dtype = tensor.Float64 },
		"another operand": func(d *Description) { d.Operands[1].Dtype = tensor.Int32 },
		"fewer operands":  func(d *Description) { d.Operands = d.Operands[:1] },
		"result's rank":   func(d *Description) { d.Result.Rank = 2 },
		"result's dtype":  func(d *Description) { d.Result.Dtype = tensor.Float64 },
		"detail":          func(d *Description) { d.Detail = "" },
	} {
		d := described()
		change(&d)
		if hash(d) == same {
			t.Errorf("%s is not in the hash", name)
		}
	}
	d := described()
	d.Unnamed, d.Instead = 1, []string{"items"}
	d.Operands[0].Argument = "data"
	if hash(d) != same {
		t.Error("names are in the hash")
	}
	op := New(described())
	op.WriteHash(nil)
}

// TestOperands names the operands of an operator in errors, or those of the one that
// it is a part of.
func TestOperands(t *testing.T) {
	g := G.NewGraph()
	x := G.NewMatrix(g, tensor.Float32, G.WithShape(2, 3), G.WithName("x"))
	i := G.NewScalar(g, tensor.Int64, G.WithName("i"))
	for _, c := range []struct {
		unnamed int
		instead []string
		want    []string
	}{
		{0, nil, []string{"x", "i"}},
		{1, nil, []string{"i"}},
		{1, []string{"items"}, []string{"items", "i"}},
		{2, []string{"a", "b", "c"}, []string{"a", "b", "c"}},
	} {
		d := described()
		d.Unnamed, d.Instead = c.unnamed, c.instead
		op := New(d)
		if _, err := Apply(&op, x, i); err != nil || !slices.Equal(op.Operands(), c.want) {
			t.Errorf("%d unnamed, %v instead: got %v, %v", c.unnamed, c.instead, op.Operands(), err)
		}
		if want := c.want[0]; DataName(&op) != want {
			t.Errorf("data is %s, not %s", DataName(&op), want)
		}
	}
	if op := New(described()); DataName(&op) != "data" {
		t.Errorf("data of an operator that was not applied is %s", DataName(&op))
	}
}

// TestRun runs an operator whose runner makes a tensor of its own, and one that
// fails.
func TestRun(t *testing.T) {
	d := described()
	x, into := tensor.New(tensor.WithBacking([]float32{1, 2})), tensor.New(tensor.WithBacking([]float32{0, 0}))
	op := New(d)
	for name, run := range map[string]func() (G.Value, error){
		"Do":            func() (G.Value, error) { return op.Do(x, G.NewI64(1)) },
		"UsePreallocDo": func() (G.Value, error) { return op.UsePreallocDo(into, x, G.NewI64(1)) },
	} {
		if got, err := run(); err != nil || got != G.Value(x) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	failure := errors.New("Op: fails")
	d.Run = func(*tensor.Dense, []tensor.Tensor) (*tensor.Dense, error) { return nil, failure }
	failing := Operator{description: d, names: []string{"x"}}
	for name, run := range map[string]func() (G.Value, error){
		"Do":                      func() (G.Value, error) { return failing.Do(x, G.NewI64(1)) },
		"Do, too few":             func() (G.Value, error) { return failing.Do(x) },
		"UsePreallocDo":           func() (G.Value, error) { return failing.UsePreallocDo(into, x, G.NewI64(1)) },
		"UsePreallocDo, too few":  func() (G.Value, error) { return failing.UsePreallocDo(into, x) },
		"UsePreallocDo, nil":      func() (G.Value, error) { return failing.UsePreallocDo(nil, x, G.NewI64(1)) },
		"UsePreallocDo, no Dense": func() (G.Value, error) { return failing.UsePreallocDo((*tensor.Dense)(nil), x, G.NewI64(1)) },
	} {
		got, err := run()
		if err == nil || got != nil {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
		if ran := errors.Is(err, failure); ran != !strings.Contains(name, ",") || ran && err.Error() != "Op(x): fails" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestManyInputs reads more of them than most operators have, twice.
func TestManyInputs(t *testing.T) {
	d := described()
	sum := 0
	d.Operands = slices.Repeat([]Operand{{Dtype: tensor.Int}}, 12)
	d.Run = func(_ *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error) {
		sum = 0
		for _, x := range in {
			sum += x.Data().(int)
		}
		return in[0].(*tensor.Dense), nil
	}
	op := New(d)
	for _, first := range []int{0, 100} {
		values := make([]G.Value, 12)
		want := 0
		for i := range values {
			values[i] = G.NewI(first + i)
			want += first + i
		}
		if _, err := op.Do(values...); err != nil || sum != want {
			t.Errorf("the sum is %d, want %d: %v", sum, want, err)
		}
	}
}

// TestArgument has errors call an operand as the API function does, and by its place
// where it has no name.
func TestArgument(t *testing.T) {
	d := described()
	d.Operands[1].Argument = ""
	x := tensor.New(tensor.WithBacking([]float32{1, 2}))
	for _, c := range []struct {
		description Description
		inputs      []G.Value
		want        string
	}{
		{described(), []G.Value{nil, x}, "Op(axis=1): items is <nil>, a tensor"},
		{described(), []G.Value{x, nil}, "Op(axis=1): item is <nil>, a tensor"},
		{d, []G.Value{x, nil}, "Op(axis=1): input 1 is <nil>, a tensor"},
	} {
		op := New(c.description)
		if got, err := op.Do(c.inputs...); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, %v; want %q", got, err, c.want)
		}
	}
	op := New(described())
	g := G.NewGraph()
	n := G.NewMatrix(g, tensor.Float32, G.WithShape(2, 3), G.WithName("n"))
	if err := CheckSymDiff(&op, G.Nodes{n, nil}, n); err == nil || err.Error() != "Op(axis=1): item is nil" {
		t.Errorf("got %v", err)
	}
}
