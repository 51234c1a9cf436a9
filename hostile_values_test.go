package gather_test

import (
	"math"
	"math/bits"
	"strings"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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
