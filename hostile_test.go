package gather_test

import (
	"bytes"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math"
	"math/bits"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/chewxy/hm"
	"gorgonia.org/gather"
	gatherdense "gorgonia.org/gather/dense"
	"gorgonia.org/gather/diff"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// hostile draws arguments, among them all that a caller can get wrong. Nodes are of
// one graph, unless that is what is wrong with them.
type hostile struct {
	choices []byte     // what has been chosen, and is to be chosen next
	next    int        // in choices
	rng     *rand.Rand // chooses behind them; nil for the first of all
	g       *G.ExprGraph
	drawn   []string // for messages
}

func newHostile(choices []byte, rng *rand.Rand) *hostile {
	return &hostile{choices: choices, rng: rng, g: G.NewGraph()}
}

// choose chooses one of n, at most 256, and remembers the choice.
func (h *hostile) choose(n int) int {
	if h.next == len(h.choices) {
		choice := 0
		if h.rng != nil {
			choice = h.rng.Intn(n)
		}
		h.choices = append(h.choices, byte(choice))
	}
	h.next++
	return int(h.choices[h.next-1]) % n
}

// value draws a value of a type.
func (h *hostile) value(t *testing.T, of reflect.Type) reflect.Value {
	t.Helper()
	name, v := h.draw(of)
	if name == "" {
		t.Fatalf("no values of type %v: add them to this test", of)
	}
	h.drawn = append(h.drawn, name)
	out := reflect.New(of).Elem()
	if v != nil {
		out.Set(reflect.ValueOf(v))
	}
	return out
}

// pool are values of a type, each with its name.
type pool[T any] []struct {
	name string
	make func(h *hostile) T
}

// draw draws one of them.
func (p pool[T]) draw(h *hostile) (string, any) {
	v := p[h.choose(len(p))]
	return v.name, v.make(h)
}

// draw draws a value of a type, with its name. There is none for other types.
func (h *hostile) draw(of reflect.Type) (string, any) {
	switch of {
	case reflect.TypeFor[*G.Node]():
		return nodes.draw(h)
	case reflect.TypeFor[tensor.Tensor](), reflect.TypeFor[*tensor.Dense](), reflect.TypeFor[G.Value]():
		for {
			name, v := values.draw(h)
			if v == nil || reflect.TypeOf(v).AssignableTo(of) {
				return name, v
			}
		}
	case reflect.TypeFor[tensor.Shape](), reflect.TypeFor[G.DimSizer]():
		return h.shape()
	case reflect.TypeFor[int]():
		n := []int{0, 1, 2, 3, -1, -2, -3, 5, math.MaxInt, math.MinInt}[h.choose(10)]
		return fmt.Sprint(n), n
	case reflect.TypeFor[float64]():
		x := []float64{0, 1, -0.5, math.Inf(-1), math.NaN(), 1e300}[h.choose(6)]
		return fmt.Sprint(x), x
	case reflect.TypeFor[int64]():
		n := []int64{0, 1, -1, 100, math.MaxInt64, math.MinInt64}[h.choose(6)]
		return fmt.Sprint(n), n
	case reflect.TypeFor[gatherdense.ReadOption]():
		o := []gatherdense.ReadOption{{}, gatherdense.WithMaxBytes(0), gatherdense.WithMaxBytes(7), gatherdense.WithMaxBytes(1 << 20)}[h.choose(4)]
		return fmt.Sprint(o), o
	case reflect.TypeFor[io.Reader]():
		file := func(descr, shape string) string {
			header := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }"
			return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header
		}
		text := []string{"", "\x93NUM", file("<f8", "(9000000, 9000000)"), file("<f8", "(1, 1)"), file("|b1", "(0,)"), file("<U9", "()")}
		if i := h.choose(len(text) + 1); i < len(text) {
			return fmt.Sprintf("a reader of %q", text[i]), strings.NewReader(text[i])
		}
		return "no reader", (*bytes.Buffer)(nil)
	case reflect.TypeFor[io.Writer]():
		return "a writer", []*bytes.Buffer{nil, {}}[h.choose(2)]
	case reflect.TypeFor[bool]():
		return "bool", h.choose(2) == 0
	case reflect.TypeFor[gather.Reduction]():
		r := gather.Reduction([]uint8{0, 1, 3, 6, 7, 255}[h.choose(6)])
		return fmt.Sprint(r), r
	case reflect.TypeFor[gather.OutOfRange]():
		return "a policy", gather.OutOfRange([]uint8{0, 1, 2, 3, 255}[h.choose(5)])
	case reflect.TypeFor[gather.FillMode]():
		return "a fill mode", gather.FillMode([]uint8{0, 1, 2, 255}[h.choose(4)])
	case reflect.TypeFor[gather.Option]():
		return options.draw(h)
	case reflect.TypeFor[G.Op](), reflect.TypeFor[diff.Operator]():
		for {
			name, op := ops.draw(h)
			if op == nil || reflect.TypeOf(op).AssignableTo(of) {
				return name, op
			}
		}
	case reflect.TypeFor[G.Nodes]():
		list := make(G.Nodes, h.choose(6))
		for i := range list {
			name, n := nodes.draw(h)
			list[i] = n.(*G.Node)
			h.drawn = append(h.drawn, name)
		}
		return fmt.Sprint(len(list), " nodes"), list
	case reflect.TypeFor[error]():
		return failures.draw(h)
	case reflect.TypeFor[G.ExecutionContext]():
		return "no context", G.ExecutionContext{}
	case reflect.TypeFor[hash.Hash]():
		if h.choose(2) == 0 {
			return "no hash", nil
		}
		return "a hash", fnv.New32a()
	}
	return "", nil
}

// shape draws a shape.
func (h *hostile) shape() (string, any) {
	all := []tensor.Shape{
		nil, {}, {0}, {1}, {2}, {3}, {3, 2}, {2, 1}, {2, 2}, {2, 3, 2}, {2, 0}, {0, 3}, {-1}, {3, -2}, {2, -1}, {2, math.MaxInt},
		{math.MaxInt, math.MaxInt}, {math.MinInt}, {2, 3, 4, 5}, {2, 3, 4}, make(tensor.Shape, 1000), {math.MaxInt / 2, 1}, {0, math.MaxInt, math.MaxInt},
	}
	s := all[h.choose(len(all))]
	return fmt.Sprint("shape ", s[:min(len(s), 4)]), append(tensor.Shape(nil), s...)
}

// options are options, good and bad ones.
var options = pool[gather.Option]{
	{"no option", func(*hostile) gather.Option { return gather.Option{} }},
	{"WithBatchDims(1)", func(*hostile) gather.Option { return gather.WithBatchDims(1) }},
	{"WithBatchDims(-1)", func(*hostile) gather.Option { return gather.WithBatchDims(-1) }},
	{"WithBatchDims(MinInt)", func(*hostile) gather.Option { return gather.WithBatchDims(math.MinInt) }},
	{"WithBatchDims(MaxInt)", func(*hostile) gather.Option { return gather.WithBatchDims(math.MaxInt) }},
	{"WithFusedBatchDims", func(*hostile) gather.Option { return gather.WithFusedBatchDims() }},
	{"Clamp", func(*hostile) gather.Option { return gather.WithOutOfRange(gather.Clamp) }},
	{"Skip", func(*hostile) gather.Option { return gather.WithOutOfRange(gather.Skip) }},
	{"ZeroFill", func(*hostile) gather.Option { return gather.WithOutOfRange(gather.ZeroFill) }},
	{"WithOutOfRange(99)", func(*hostile) gather.Option { return gather.WithOutOfRange(99) }},
	{"WithNonNegativeIndices", func(*hostile) gather.Option { return gather.WithNonNegativeIndices() }},
	{"Add", func(*hostile) gather.Option { return gather.WithReduction(gather.Add) }},
	{"Mul", func(*hostile) gather.Option { return gather.WithReduction(gather.Mul) }},
	{"Mean", func(*hostile) gather.Option { return gather.WithReduction(gather.Mean) }},
	{"Max", func(*hostile) gather.Option { return gather.WithReduction(gather.Max) }},
	{"SqrtN", func(*hostile) gather.Option { return gather.WithReduction(gather.SqrtN) }},
	{"WithLengths", func(*hostile) gather.Option { return gather.WithLengths() }},
	{"WithLastOffset", func(*hostile) gather.Option { return gather.WithLastOffset() }},
	{"WithDefaultIndex(1)", func(*hostile) gather.Option { return gather.WithDefaultIndex(1) }},
	{"WithDefaultIndex(MinInt)", func(*hostile) gather.Option { return gather.WithDefaultIndex(math.MinInt) }},
	{"WithDefaultIndex(MaxInt)", func(*hostile) gather.Option { return gather.WithDefaultIndex(math.MaxInt) }},
	{"lowest", func(*hostile) gather.Option { return gather.WithFillMode(gather.FillLowest) }},
	{"WithFillMode(99)", func(*hostile) gather.Option { return gather.WithFillMode(99) }},
	{"WithReduction(99)", func(*hostile) gather.Option { return gather.WithReduction(99) }},
	{"without init", func(*hostile) gather.Option { return gather.WithInitValue(false) }},
	{"WithReuse", func(h *hostile) gather.Option {
		for {
			name, v := values.draw(h)
			if d, ok := v.(*tensor.Dense); ok || v == nil {
				h.drawn = append(h.drawn, name)
				return gatherdense.WithReuse(d)
			}
		}
	}},
}

// failures are errors, as AsIndexError may be given them.
var failures = pool[error]{
	{"no error", func(*hostile) error { return nil }},
	{"an IndexError", func(*hostile) error { return &gather.IndexError{} }},
	{"a nil IndexError", func(*hostile) error { return (*gather.IndexError)(nil) }},
	{"a wrapped IndexError", func(*hostile) error { return noUnwrap{&gather.IndexError{}} }},
	{"an error that holds itself", func(*hostile) error { return holdsItself{} }},
	{"another error", func(*hostile) error { return gather.ErrShape }},
}

// ops are operators, also of no package of this module, and nil ones.
var ops = func() pool[G.Op] {
	g := G.NewGraph()
	data, indices, tuples := input(g, "data", dense2(3, 2)), input(g, "indices", dense([]int64{2, 0}, 2)), input(g, "tuples", dense([]int64{2, 0}, 2, 1))
	gathered := G.Must(gather.Gather(data, indices, 0)).Op()
	scattered := G.Must(gather.ScatterND(data, tuples, input(g, "updates", dense2(2, 2)))).Op()
	return pool[G.Op]{
		{"no operator", func(*hostile) G.Op { return nil }},
		{"Gather", func(*hostile) G.Op { return gathered }},
		{"ScatterND", func(*hostile) G.Op { return scattered }},
		{"a nil Gather", func(*hostile) G.Op { return reflect.Zero(reflect.TypeOf(gathered)).Interface().(G.Op) }},
		{"a nil ScatterND", func(*hostile) G.Op { return reflect.Zero(reflect.TypeOf(scattered)).Interface().(G.Op) }},
		{"a struct around nothing", func(*hostile) G.Op { return struct{ diff.Operator }{} }},
		{"Square", func(*hostile) G.Op { return G.Must(G.Square(data)).Op() }},
	}
}()

// nodes are nodes that fit some operator, and all that fit none.
var nodes = pool[*G.Node]{
	{"float64 (3, 2)", named(tensor.Float64, "data", 3, 2)},
	{"float64 (2, 2)", named(tensor.Float64, "updates", 2, 2)},
	{"float64 (2, 3, 2)", named(tensor.Float64, "whole updates", 2, 3, 2)},
	{"float64 (3, 2) with a value", func(h *hostile) *G.Node { return input(h.g, "bound", dense2(3, 2)) }},
	{"int64 (2)", named(tensor.Int64, "indices", 2)},
	{"int64 (2, 1)", named(tensor.Int64, "tuples", 2, 1)},
	{"int64 (2, 2)", named(tensor.Int64, "pairs", 2, 2)},
	{"int64 (2, 0)", named(tensor.Int64, "empty tuples", 2, 0)},
	{"int32 (2, 1, 1)", named(tensor.Int32, "ids", 2, 1, 1)},
	{"int32 (1)", named(tensor.Int32, "lengths", 1)},
	{"int32 scalar", func(h *hostile) *G.Node { return G.NewScalar(h.g, tensor.Int32, G.WithName("scalar")) }},
	{"float64 scalar", func(h *hostile) *G.Node { return G.NewScalar(h.g, tensor.Float64, G.WithName("float")) }},
	{"an inner node", func(h *hostile) *G.Node { return G.Must(G.Square(named(tensor.Float64, "data", 3, 2)(h))) }},
	{"strings", named(tensor.String, "strings", 3, 2)},
	{"empty", named(tensor.Float64, "empty", 0, 3)},
	{"too many elements", named(tensor.Float64, "huge", math.MaxInt, 2)},
	{"rank 40", named(tensor.Float64, "rank 40", make([]int, 40)...)},
	{"a long name", named(tensor.Int64, strings.Repeat("a very long name ", 10_000), 2)},

	{"a constant", constant(dense([]int64{2, 0}, 2))},
	{"a constant matrix", constant(dense([]float64{1, 2, 3, 4}, 2, 2))},
	{"a constant scalar", constant(int64(1))},
	{"a constant scalar tensor", constant(dense([]int16{1}))},
	{"an empty constant", constant(dense([]int64(nil), 0))},
	{"a zero constant", constant(&tensor.Dense{})},
	{"a constant in the graph", func(h *hostile) *G.Node { return G.NewConstant(dense2(3, 2), G.In(h.g)) }},
	{"a constant in another graph", func(*hostile) *G.Node { return G.NewConstant(dense2(3, 2), G.In(G.NewGraph())) }},
	{"an added constant", func(h *hostile) *G.Node { return h.g.AddNode(G.NewConstant(dense([]int64{2, 0}, 2))) }},

	{"nil", func(*hostile) *G.Node { return nil }},
	{"a zero Node", func(*hostile) *G.Node { return new(G.Node) }},
	{"an unnamed vector", func(h *hostile) *G.Node { return G.NewVector(h.g, tensor.Int64, G.WithShape(2)) }},
	{"an unnamed scalar", func(h *hostile) *G.Node { return G.NewScalar(h.g, tensor.Int64) }},
	{"no shape", func(h *hostile) *G.Node { return G.NewMatrix(h.g, tensor.Int64, G.WithName("shapeless")) }},
	{"no type", func(h *hostile) *G.Node { return G.NewUniqueNode(G.In(h.g), G.WithName("typeless")) }},
	{"a shape without a type", func(h *hostile) *G.Node { return G.NewUniqueNode(G.In(h.g), G.WithName("typeless"), G.WithShape(2)) }},
	{"a type variable", func(h *hostile) *G.Node {
		return G.NewUniqueNode(G.In(h.g), G.WithType(hm.TypeVariable('a')), G.WithName("variable"))
	}},
	{"a type variable with a shape", typed(hm.TypeVariable('a'))},
	{"a tensor of a type variable", typed(G.TensorType{Dims: 1, Of: hm.TypeVariable('a')})},
	{"a function", func(h *hostile) *G.Node { return typed(hm.NewFnType(tensor.Int64, tensor.Int64))(h) }}, // Gorgonia pools these
	{"a dtype without a type", typed(tensor.Dtype{})},
	{"a column as a vector", func(h *hostile) *G.Node {
		return G.NewVector(h.g, tensor.Int64, G.WithShape(2, 1), G.WithName("column"))
	}},
	{"no graph", func(h *hostile) *G.Node { return named(tensor.Int64, "lost", 2)(h).Clone().(*G.Node) }},
	{"another graph", func(*hostile) *G.Node { return input(G.NewGraph(), "elsewhere", dense([]int64{1, 0}, 2)) }},
}

func named(dt tensor.Dtype, name string, shape ...int) func(*hostile) *G.Node {
	return func(h *hostile) *G.Node {
		return G.NewTensor(h.g, dt, len(shape), G.WithShape(shape...), G.WithName(name))
	}
}

func constant(v any) func(*hostile) *G.Node {
	return func(*hostile) *G.Node { return G.NewConstant(v) }
}

// typed is a node of shape (2) and any type.
func typed(of hm.Type) func(*hostile) *G.Node {
	return func(h *hostile) *G.Node {
		// The type comes last: with the shape behind it Gorgonia counts its dims.
		return G.NewUniqueNode(G.In(h.g), G.WithShape(2), G.WithType(of), G.WithName("typed"))
	}
}

// values are tensors and scalars that fit some operator, and all that fit none.
var values = pool[any]{
	{"float64 (3, 2)", func(*hostile) any { return dense2(3, 2) }},
	{"float64 (2, 2)", func(*hostile) any { return dense2(2, 2) }},
	{"float64 (2, 3, 2)", func(*hostile) any { return dense(offsets(2, 3, 2).Data, 2, 3, 2) }},
	{"int64 (2)", func(*hostile) any { return dense([]int64{2, 0}, 2) }},
	{"int64 (2, 1)", func(*hostile) any { return dense([]int64{2, 0}, 2, 1) }},
	{"int64 (2, 2)", func(*hostile) any { return dense([]int64{2, 1, 0, 1}, 2, 2) }},
	{"int64 (2, 0)", func(*hostile) any { return dense([]int64(nil), 2, 0) }},
	{"int32 (2, 1, 1)", func(*hostile) any { return dense([]int32{0, 7}, 2, 1, 1) }},
	{"int32 (1)", func(*hostile) any { return dense([]int32{2}, 1) }},
	{"int32 scalar", func(*hostile) any { return dense([]int32{9}) }},
	{"float64 scalar", func(*hostile) any { return dense([]float64{1}) }},
	{"a Gorgonia int64", func(*hostile) any { return G.NewI64(1) }},
	{"a Gorgonia float64", func(*hostile) any { return G.NewF64(1) }},
	{"out of range", func(*hostile) any { return dense([]int64{math.MinInt64, math.MaxInt64}, 2) }},
	{"empty", func(*hostile) any { return dense([]float64(nil), 0) }},
	{"empty (0, 3)", func(*hostile) any { return dense([]float64(nil), 0, 3) }},
	{"empty (0, MaxInt)", func(*hostile) any { return dense([]float64(nil), 0, math.MaxInt) }},
	{"strings", func(*hostile) any { return dense([]string{"a", "b", "c", "d", "e", "f"}, 3, 2) }},
	{"complex", func(*hostile) any { return dense([]complex128{1, 2, 3, 4, 5, 6}, 3, 2) }},
	{"bool", func(*hostile) any { return dense([]bool{true, false, true, false, true, false}, 3, 2) }},
	{"pointers", func(*hostile) any { return dense(make([]*int, 6), 3, 2) }},
	{"column-major", func(*hostile) any { return tensor.New(tensor.WithShape(3, 2), tensor.AsFortran(offsets(3, 2).Data)) }},
	{"transposed", func(*hostile) any {
		d := dense(offsets(2, 3).Data, 2, 3)
		if err := d.T(); err != nil {
			panic(err)
		}
		return d
	}},

	{"nil", func(*hostile) any { return nil }},
	{"a nil Dense", func(*hostile) any { return (*tensor.Dense)(nil) }},
	{"a nil CS", func(*hostile) any { return (*tensor.CS)(nil) }},
	{"a nil scalar", func(*hostile) any { return (*G.F64)(nil) }},
	{"a zero Dense", func(*hostile) any { return new(tensor.Dense) }},
	{"a zero CS", func(*hostile) any { return new(tensor.CS) }},
	{"a CS", func(*hostile) any {
		return tensor.CSRFromCoord(tensor.Shape{3, 2}, []int{0, 1}, []int{0, 1}, []float64{1, 2})
	}},
	{"masked", func(*hostile) any {
		d := dense(offsets(3, 2).Data, 3, 2)
		d.ResetMask(true)
		return d
	}},
	// Strides and shapes are the tensor's own slices.
	{"a stride that wraps to 0", strided(5, 1<<(bits.UintSize-2))},
	{"a stride that wraps below 0", strided(3, math.MaxInt)},
	{"a negative stride", strided(5, -1)},
	{"a stride of 0", strided(5, 0)},
	{"a negative dim", shaped(-3, 2)},
	{"more than it holds", shaped(1000, 2)},
	{"dims that wrap", shaped(1<<(bits.UintSize/2), 1<<(bits.UintSize/2))},
	{"dims that wrap below 0", shaped(math.MaxInt, 3)},
}

func strided(n, stride int) func(*hostile) any {
	return func(*hostile) any {
		d := dense(make([]float64, n), n)
		d.Strides()[0] = stride
		return d
	}
}

func shaped(rows, columns int) func(*hostile) any {
	return func(*hostile) any {
		d := dense(offsets(3, 2).Data, 3, 2)
		d.Shape()[0], d.Shape()[1] = rows, columns
		return d
	}
}
