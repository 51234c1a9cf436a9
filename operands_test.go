package gather_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/turns"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestErrorNamesOperands runs a graph with several lookups: the error tells which
// one failed.
func TestErrorNamesOperands(t *testing.T) {
	long := strings.Repeat("a long name ", 1000)
	for _, c := range []struct {
		name  string
		build func(g *G.ExprGraph, items, ids *G.Node) (*G.Node, error)
		want  string
		names []string
	}{
		{"input nodes", func(g *G.ExprGraph, items, ids *G.Node) (*G.Node, error) { return gather.Gather(items, ids, 0) },
			`Gather(items, "item ids"): indices[1]: 3 out of range [-3, 3) for data axis 0; see WithOutOfRange`, []string{"items", "item ids"}},
		{"an inner node", func(g *G.ExprGraph, items, ids *G.Node) (*G.Node, error) {
			return gather.Gather(G.Must(G.Square(items)), ids, 0)
		}, `Gather("square(%0)", "item ids"): indices[1]: 3 out of range`, []string{"square(%0)", "item ids"}},
		{"constants", func(g *G.ExprGraph, items, ids *G.Node) (*G.Node, error) {
			return gather.ScatterND(items, G.NewConstant(dense([]int64{0, 3}, 2, 1)), ids)
		}, `ScatterND(items, "gather: constant 1", "item ids"): indices[1 0]: 3 out of range`, nil},
		{"a long name", func(g *G.ExprGraph, items, ids *G.Node) (*G.Node, error) {
			return gather.Gather(items, input(g, long, dense([]int64{4}, 1)), 0)
		}, `Gather(items, "` + long[:80] + `…"): indices[0]: 4 out of range`, []string{"items", long}},
	} {
		t.Run(c.name, func(t *testing.T) {
			onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
				g := G.NewGraph()
				items := input(g, "items", dense([]float64{1, 2, 3}, 3))
				var ids *G.Node
				if c.name == "constants" {
					ids = input(g, "item ids", dense([]float64{0, 3}, 2))
				} else {
					ids = input(g, "item ids", dense([]int64{0, 3}, 2))
				}
				_, err := c.build(g, items, ids)
				ok(t, err)
				err = runForward(m, g)
				bad, found := gather.AsIndexError(err)
				if !found || !strings.HasPrefix(bad.Error(), c.want) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %.400v, want %s", err, c.want)
				}
				if found && c.names != nil && !slices.Equal(bad.Operands, c.names) {
					t.Errorf("operands %.200q, want %.200q", bad.Operands, c.names)
				}
			})
		})
	}
}

// TestErrorOfGradientNamesOperands runs gradient operators on bad indices: they
// name the operands of the operator they belong to.
func TestErrorOfGradientNamesOperands(t *testing.T) {
	g := G.NewGraph()
	items := input(g, "items", dense([]float64{1, 2, 3}, 3))
	ids := input(g, "item ids", dense([]int64{0, 1}, 2))
	values := input(g, "values", dense([]float64{4, 5}, 2))
	tuples := input(g, "tuples", dense([]int64{0, 1}, 2, 1))
	picked, err := gather.Gather(items, ids, 0)
	ok(t, err)
	added, err := diff.ScatterAdd(picked.Op(), values, ids, items.Shape())
	ok(t, err)
	put, err := gather.ScatterND(items, tuples, values, gather.WithReduction(gather.Mul))
	ok(t, err)
	grad, err := diff.ScatterGradUpdates(put.Op(), items, items, tuples, values)
	ok(t, err)
	second, err := grad.Op().(G.SDOp).SymDiff(G.Nodes{items, items, tuples, values}, grad, values)
	ok(t, err)

	x, w, far, farTuple := dense([]float64{1, 2, 3}, 3), dense([]float64{4, 5}, 2), dense([]int64{0, 3}, 2), dense([]int64{0, 3}, 2, 1)
	const gathered, scattered = `Gather(items, "item ids"): indices[1]: 3`, `ScatterND(items, tuples, values): indices[1 0]: 3`
	for _, c := range []struct {
		name string
		node *G.Node
		in   []G.Value
		want string
	}{
		{"ScatterAdd", added, []G.Value{w, far}, gathered},
		{"ScatterGradUpdates", grad, []G.Value{x, x, farTuple, w}, scattered},
		{"the gradient of its gradient", second[0], []G.Value{w, x, farTuple, w}, scattered},
		{"the second derivative", second[3], []G.Value{w, x, x, farTuple, w}, scattered},
	} {
		_, err := c.node.Op().Do(c.in...)
		if bad, found := gather.AsIndexError(err); !found || !strings.HasPrefix(bad.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
		prealloc := tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(c.node.Shape()...))
		_, err = c.node.Op().(G.UsePreallocDoer).UsePreallocDo(prealloc, c.in...)
		if bad, found := gather.AsIndexError(err); !found || !strings.HasPrefix(bad.Error(), c.want) {
			t.Errorf("%s into a given value: got %v, want %s", c.name, err, c.want)
		}
	}
}

// TestOtherErrorsNameOperands runs operators on values that they cannot use.
func TestOtherErrorsNameOperands(t *testing.T) {
	g := G.NewGraph()
	items := input(g, "items", dense([]float64{1, 2, 3}, 3))
	ids := input(g, "item ids", dense([]int64{0, 1}, 2))
	picked, err := gather.Gather(items, ids, 0)
	ok(t, err)
	masked := dense([]float64{1, 2, 3}, 3)
	masked.ResetMask(true)
	_, err = picked.Op().Do(masked, dense([]int64{0}, 1))
	if want := `Gather(items, "item ids"): data is masked, a tensor without a mask is needed`; err == nil || err.Error() != want || !errors.Is(err, gather.ErrLayout) {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = picked.Op().(G.UsePreallocDoer).UsePreallocDo(dense([]float32{1}, 1), dense([]float64{1, 2}, 2), dense([]int64{0}, 1))
	if want := `Gather(items, "item ids"): dst has dtype float32, the result float64`; err == nil || err.Error() != want || !errors.Is(err, gather.ErrDtype) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestDtypes runs data of every dtype forward on both machines. LispMachine can
// go backward from floats alone, so the others need ExecuteFwdOnly.
func TestDtypes(t *testing.T) {
	dtype(t, []bool{true, false, false, true, true, false})
	dtype(t, []int{math.MinInt, -1, 0, 1, 2, math.MaxInt})
	dtype(t, []int8{math.MinInt8, -1, 0, 1, 2, math.MaxInt8})
	dtype(t, []int16{math.MinInt16, -1, 0, 1, 2, math.MaxInt16})
	dtype(t, []int32{math.MinInt32, -1, 0, 1, 2, math.MaxInt32})
	dtype(t, []int64{math.MinInt64, -1, 0, 1, 2, math.MaxInt64})
	dtype(t, []uint{0, 1, 2, 3, 4, math.MaxUint})
	dtype(t, []uint8{0, 1, 2, 3, 4, math.MaxUint8})
	dtype(t, []uint16{0, 1, 2, 3, 4, math.MaxUint16})
	dtype(t, []uint32{0, 1, 2, 3, 4, math.MaxUint32})
	dtype(t, []uint64{0, 1, 2, 3, 4, math.MaxUint64})
	dtype(t, []float16.Float16{0, 0x3c00, 0xc000, 0x7c00, 0x0001, 0x7bff})
	dtype(t, []gather.BF16{0, 0x3f80, 0xc000, 0x7f80, 0x0001, 0x7f7f})
	dtype(t, []float32{0, -1.5, math.MaxFloat32, math.SmallestNonzeroFloat32, 3, float32(math.Inf(1))})
	dtype(t, []float64{0, -1.5, math.MaxFloat64, math.SmallestNonzeroFloat64, 3, math.Inf(-1)})
	dtype(t, []complex64{0, 1i, -2, complex(3, -4), 5, 6})
	dtype(t, []complex128{0, 1i, -2, complex(3, -4), 5, 6})
	dtype(t, []string{"", "a", "βγ", "a long one, longer than sixteen bytes", "e", "f"})
	// LispMachine panics on a struct, whatever is done with it: it makes a
	// gradient for every input.
	dtypeOn(t, machines[:1], []point{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}})
}

// point is a type of a user's own, without pointers.
type point struct{ X, Y int32 }

func dtype[T comparable](t *testing.T, values []T) { dtypeOn(t, machines, values) }

// dtypeOn gathers from a matrix of the six values, into tensors and into a
// scalar.
func dtypeOn[T comparable](t *testing.T, machines []gradtest.Machine, values []T) {
	for _, c := range []call{
		{op: "Gather", axis: 1, indices: oracle.From([]int64{2, -3, 2, 1}, 2, 2)},
		{op: "GatherElements", indices: oracle.From([]int64{1, 0, -1}, 1, 3)},
		{op: "GatherND", indices: oracle.From([]int64{1, -1, 0, 0}, 2, 2)},
		{op: "GatherND", indices: oracle.From([]int64{1, -2}, 2)},
	} {
		for _, m := range machines {
			t.Run(fmt.Sprintf("%T %v %v", values[0], c, m), func(t *testing.T) {
				g := G.NewGraph()
				data := dense(values, 2, 3)
				out, err := c.apply(input(g, "data", data), input(g, "indices", c.indexTensor()))
				ok(t, err)
				if out.Dtype() != data.Dtype() {
					t.Errorf("dtype %v, data has %v", out.Dtype(), data.Dtype())
				}
				var read G.Value
				G.Read(out, &read)
				ok(t, runForward(m, g))
				runtime.GC() // it must see the strings of the result
				want, _ := c.forward(offsets(2, 3))
				same(t, "shape", read.Shape(), want.Shape)
				var expected []T
				for _, offset := range want.Data {
					expected = append(expected, values[int(offset)])
				}
				same(t, "values", elements[T](t, read), expected)
			})
		}
	}
}

// elements are the values of a row-major tensor, a scalar tensor or a Gorgonia
// scalar.
func elements[T any](t *testing.T, v G.Value) []T {
	t.Helper()
	switch values := v.Data().(type) {
	case []T:
		return slices.Clone(values)
	case T:
		return []T{values}
	case uint16:
		// Package tensor gives the element of a scalar tensor the predeclared
		// type of its kind: a 16-bit float comes as uint16.
		return []T{reflect.ValueOf(values).Convert(reflect.TypeFor[T]()).Interface().(T)}
	default:
		t.Fatalf("%T holds %T", v, values)
		return nil
	}
}

// TestIndexDtypes reads the same places with indices of every integer dtype.
func TestIndexDtypes(t *testing.T) {
	places := []int64{2, 0, 1, 1}
	for _, c := range []struct {
		name  string
		value any
	}{
		{"int", indicesOf[int](places)}, {"uint", indicesOf[uint](places)},
		{"int8", indicesOf[int8](places)}, {"uint8", indicesOf[uint8](places)},
		{"int16", indicesOf[int16](places)}, {"uint16", indicesOf[uint16](places)},
		{"int32", indicesOf[int32](places)}, {"uint32", indicesOf[uint32](places)},
		{"int64", indicesOf[int64](places)}, {"uint64", indicesOf[uint64](places)},
	} {
		t.Run(c.name, func(t *testing.T) {
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				build := func(in []*G.Node) (*G.Node, error) { return gather.GatherElements(in[0], in[1], 1) }
				got, err := gradtest.Backward(m, []gradtest.Input{
					{Value: dense([]float64{1, 2, 3, 4, 5, 6}, 2, 3), Differentiate: true}, {Value: c.value},
				}, build, []float64{1, 10, 100, 1000})
				ok(t, err)
				same(t, "values", got.Output, []float64{3, 1, 5, 5})
				same(t, "gradient", got.Grads[0], []float64{10, 0, 1, 0, 1100, 0})
			})
		})
	}
}

func indicesOf[T int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64](places []int64) *tensor.Dense {
	values := make([]T, len(places))
	for i, v := range places {
		values[i] = T(v)
	}
	return dense(values, 2, 2)
}

// TestScatterDtypesInGraph runs graphs of dtypes that have no gradient there.
func TestScatterDtypesInGraph(t *testing.T) {
	run := func(name string, data, updates *tensor.Dense, want any, opts ...gather.Option) {
		t.Run(name, func(t *testing.T) {
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				g := G.NewGraph()
				out, err := gather.ScatterElements(input(g, "data", data), input(g, "indices", dense([]uint8{2, 0, 2}, 3)), input(g, "updates", updates), 0, opts...)
				ok(t, err)
				var value G.Value
				G.Read(out, &value)
				ok(t, runForward(m, g))
				if got := fmt.Sprint(value.Data()); got != fmt.Sprint(want) {
					t.Errorf("got %v, want %v", got, want)
				}
			})
		})
	}
	add := gather.WithReduction(gather.Add)
	run("string", dense([]string{"a", "b", "c"}, 3), dense([]string{"x", "y", "z"}, 3), []string{"y", "b", "z"})
	run("bool", dense([]bool{false, true, false}, 3), dense([]bool{true, false, false}, 3), []bool{false, true, true}, add)
	run("uint16", dense([]uint16{1, 2, 65535}, 3), dense([]uint16{1, 5, 1}, 3), []uint16{6, 2, 1}, add)
	run("int64, mean", dense([]int64{1, 2, 3}, 3), dense([]int64{-4, 6, 0}, 3), []int64{3, 2, -1}, gather.WithReduction(gather.Mean))
	run("complex128", dense([]complex128{1, 2i, 3}, 3), dense([]complex128{1i, 2, 2}, 3), []complex128{2, 2i, 6i}, gather.WithReduction(gather.Mul))
	run("bfloat16", dense([]gather.BF16{0, 0x3f80, 0}, 3), dense([]gather.BF16{0x3f80, 0x4000, 0x3f80}, 3), []gather.BF16{0x4000, 0x3f80, 0x4000}, add)
}

// TestEmpty has results, indices and data without elements. Gradients exist
// then, too: zeros, of the shape of data.
func TestEmpty(t *testing.T) {
	for _, c := range []struct {
		name string
		data []int
		call call
	}{
		{"no index", []int{3, 4}, call{op: "Gather", indices: oracle.New[int64](0)}},
		{"no index, other dims", []int{3, 4}, call{op: "Gather", axis: 1, indices: oracle.New[int64](2, 0)}},
		{"no batch", []int{0, 3}, call{op: "Gather", axis: 1, batchDims: 1, indices: oracle.New[int64](0, 2)}},
		{"slices without elements", []int{3, 0}, call{op: "Gather", indices: oracle.From([]int64{2, -3}, 2)}},
		{"slices without elements, inner axis", []int{0, 3}, call{op: "Gather", axis: 1, indices: oracle.From([]int64{2, -3}, 2)}},
		{"no index on an axis without elements", []int{0, 3}, call{op: "Gather", indices: oracle.New[int64](0)}},
		{"any index, if all are filled with zeros", []int{0, 3}, call{op: "Gather", indices: oracle.From([]int64{5, -1}, 2), policy: oracle.Policy{ZeroFill: true}}},

		{"no index", []int{3, 4}, call{op: "GatherElements", indices: oracle.New[int64](0, 4)}},
		{"no index beside the axis", []int{3, 4}, call{op: "GatherElements", indices: oracle.New[int64](2, 0)}},
		{"no data", []int{0, 4}, call{op: "GatherElements", axis: 1, indices: oracle.New[int64](0, 9)}},

		{"no tuple", []int{3, 4}, call{op: "GatherND", indices: oracle.New[int64](0, 2)}},
		{"no tuple, other dims", []int{3, 4}, call{op: "GatherND", indices: oracle.New[int64](2, 0, 1)}},
		{"slices without elements", []int{3, 0}, call{op: "GatherND", indices: oracle.From([]int64{2, -3}, 2, 1)}},
		{"no batch", []int{0, 4}, call{op: "GatherND", batchDims: 1, indices: oracle.New[int64](0, 1)}},
		{"no batch, fused", []int{2, 0, 4}, call{op: "GatherND", batchDims: 2, fused: true, indices: oracle.New[int64](2, 0, 3, 1)}},
	} {
		t.Run(c.call.op+", "+c.name, func(t *testing.T) {
			data := offsets(c.data...)
			want, bad := c.call.forward(data)
			if bad != nil {
				t.Fatal(bad)
			}
			u := gradtest.Integers(newRand(11), len(want.Data))
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				got, err := gradtest.Backward(m, []gradtest.Input{{Value: dense(data.Data, c.data...), Differentiate: true}, {Value: c.call.indexTensor()}}, c.call.build, u)
				ok(t, err)
				same(t, "shape", got.Shape, want.Shape)
				same(t, "values", got.Output, want.Data)
				same(t, "gradient", got.Grads[0], make([]float64, len(data.Data)))
			})
		})
	}
}

// TestEmptyIsStillChecked has bad indices where no element is read for them.
func TestEmptyIsStillChecked(t *testing.T) {
	for _, c := range []struct {
		name string
		data []int
		call call
	}{
		{"an axis without elements", []int{0, 3}, call{op: "Gather", indices: oracle.From([]int64{0}, 1)}},
		{"slices without elements", []int{3, 0}, call{op: "Gather", indices: oracle.From([]int64{3}, 1)}},
		{"slices without elements", []int{3, 0}, call{op: "GatherND", indices: oracle.From([]int64{-4}, 1, 1)}},
	} {
		t.Run(c.call.op+", "+c.name, func(t *testing.T) {
			onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
				_, err := gradtest.Forward(m, []gradtest.Input{{Value: dense[float64](nil, c.data...)}, {Value: c.call.indexTensor()}}, c.call.build)
				if _, found := gather.AsIndexError(err); !found {
					t.Errorf("got %v, want an IndexError", err)
				}
			})
		})
	}
}

// TestScatterEmpty has no updates, or no data. Gradients exist then, too.
func TestScatterEmpty(t *testing.T) {
	for _, c := range []scatterCall{
		{cases.Scatter{Op: "ScatterElements", Data: []int{3, 4}, Indices: oracle.New[int64](0, 4), Updates: []int{0, 4}}},
		{cases.Scatter{Op: "ScatterElements", Axis: 1, Data: []int{3, 4}, Indices: oracle.New[int64](0, 9), Updates: []int{0, 9}}},
		{cases.Scatter{Op: "ScatterElements", Axis: 1, Data: []int{0, 4}, Indices: oracle.New[int64](0, 9), Updates: []int{0, 9}}},
		{cases.Scatter{Op: "ScatterND", Data: []int{3, 4}, Indices: oracle.New[int64](0, 2), Updates: []int{0}}},
		{cases.Scatter{Op: "ScatterND", Data: []int{3, 4}, Indices: oracle.New[int64](2, 0, 1), Updates: []int{2, 0, 4}}},
		{cases.Scatter{Op: "ScatterND", Data: []int{3, 0}, Indices: oracle.From([]int64{2, -3}, 2, 1), Updates: []int{2, 0}}},
		{cases.Scatter{Op: "ScatterUpdate", Data: []int{3, 4}, Axis: 1, Indices: oracle.New[int64](0), Updates: []int{3, 0}}},
	} {
		for _, rule := range scatterRules {
			if c.Op == "ScatterUpdate" && rule != (oracle.Rule{}) {
				continue
			}
			c := c
			c.Rule = rule
			t.Run(fmt.Sprint(c, c.Indices.Shape), func(t *testing.T) {
				x := offsets(c.Data...).Data
				u := gradtest.Integers(newRand(5), len(x))
				onMachines(t, func(t *testing.T, m gradtest.Machine) {
					got, err := gradtest.Backward(m, c.inputs(dense(x, c.Data...), dense([]float64{}, c.Updates...)), c.build, u)
					ok(t, err)
					c.check(t, got, u, x, []float64{})
				})
			})
		}
	}
}

// TestScalarIndices gives Gather a scalar of each type that Gorgonia has, and a
// scalar tensor of one that it does not have. The dim of the axis is gone then.
func TestScalarIndices(t *testing.T) {
	for _, c := range []struct {
		index any
		row   []float64
	}{
		{int(-1), []float64{5, 6}},
		{int64(-2), []float64{3, 4}},
		{int32(1), []float64{3, 4}},
		{uint8(2), []float64{5, 6}},
		{tensor.New(tensor.FromScalar(int64(0))), []float64{1, 2}},
		{tensor.New(tensor.FromScalar(uint16(2))), []float64{5, 6}},
	} {
		t.Run(fmt.Sprintf("%T %[1]v", c.index), func(t *testing.T) {
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				build := func(in []*G.Node) (*G.Node, error) { return gather.Gather(in[0], in[1], 0) }
				got, err := gradtest.Backward(m, []gradtest.Input{
					{Value: dense([]float64{1, 2, 3, 4, 5, 6}, 3, 2), Differentiate: true}, {Value: c.index},
				}, build, []float64{7, 8})
				ok(t, err)
				same(t, "shape", got.Shape, []int{2})
				same(t, "values", got.Output, c.row)
				row := int(c.row[0]) / 2 // 1, 3, 5 stand in rows 0, 1, 2
				want := make([]float64, 6)
				want[2*row], want[2*row+1] = 7, 8
				same(t, "gradient", got.Grads[0], want)
			})
		})
	}
	for _, index := range []any{float64(1), float32(1), true} {
		t.Run(fmt.Sprintf("%T is no integer", index), func(t *testing.T) {
			g := G.NewGraph()
			_, err := gather.Gather(input(g, "data", dense([]float64{1, 2}, 2)), input(g, "index", index), 0)
			if !errors.Is(err, gather.ErrDtype) {
				t.Errorf("got %v, want ErrDtype", err)
			}
		})
	}
}

// TestScalarResults has results without dims: from a vector with a scalar
// index, and from a tuple that is as long as data has dims. Their gradients are
// Gorgonia scalars on LispMachine.
func TestScalarResults(t *testing.T) {
	vector, matrix := dense([]float64{1, 2, 3}, 3), dense([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	for _, c := range []struct {
		name     string
		data     *tensor.Dense
		indices  any
		build    gradtest.Builder
		want     float64
		gradient []float64
	}{
		{"Gather", vector, int64(-1), func(in []*G.Node) (*G.Node, error) { return gather.Gather(in[0], in[1], 0) }, 3, []float64{0, 0, 4}},
		{"GatherND, q=1, k=r=1", vector, dense([]int64{1}, 1), func(in []*G.Node) (*G.Node, error) { return gather.GatherND(in[0], in[1]) }, 2, []float64{0, 4, 0}},
		{"GatherND, q=1, k=r=2", matrix, dense([]int64{-1, 0}, 2), func(in []*G.Node) (*G.Node, error) { return gather.GatherND(in[0], in[1]) }, 4, []float64{0, 0, 0, 4, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, single := range []bool{false, true} {
				data := c.data
				if single {
					data = dense(narrow(c.data.Float64s()), c.data.Shape()...)
				}
				onMachines(t, func(t *testing.T, m gradtest.Machine) {
					got, err := gradtest.Backward(m, []gradtest.Input{{Value: data, Differentiate: true}, {Value: c.indices}}, c.build, []float64{4})
					ok(t, err)
					same(t, "shape", got.Shape, []int{})
					same(t, "value", got.Output, []float64{c.want})
					same(t, "gradient", got.Grads[0], c.gradient)
				})
			}
		})
	}
}

// TestScalarsInArithmetic goes on with a scalar result in Gorgonia's own
// arithmetic, which takes Gorgonia's scalars only.
func TestScalarsInArithmetic(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		picked, err := gather.GatherND(in[0], in[1])
		if err != nil {
			return nil, err
		}
		return G.Mul(G.Must(G.Square(picked)), picked)
	}
	got, err := gradtest.Graph([]gradtest.Input{
		{Value: dense([]float64{1.5, 2.5, -0.5, 3}, 2, 2), Differentiate: true}, {Value: dense([]int64{0, -1}, 2)},
	}, build, newRand(5))
	ok(t, err)
	same(t, "value", got.Output, []float64{2.5 * 2.5 * 2.5})
}

// TestGradientOfScalarUpdates differentiates a graph in which the result of a
// scalar gather is used twice, so that its gradient is added to.
func TestGradientOfScalarUpdates(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		first, err := gather.GatherND(in[0], in[1])
		if err != nil {
			return nil, err
		}
		second, err := gather.GatherND(in[0], in[2])
		if err != nil {
			return nil, err
		}
		return G.Add(G.Must(G.Mul(first, second)), first)
	}
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		got, err := gradtest.Backward(m, []gradtest.Input{
			{Value: dense([]float64{2, 3, 5, 7}, 2, 2), Differentiate: true}, {Value: dense([]int64{0, 1}, 2)}, {Value: dense([]int64{1, 0}, 2)},
		}, build, []float64{1})
		ok(t, err)
		same(t, "value", got.Output, []float64{3*5 + 3})
		same(t, "gradient", got.Grads[0], []float64{0, 5 + 1, 3, 0})
	})
}

// layouts are one and the same 3×4 matrix in every layout. The values are 0, 1, 2, …
// in row-major order.
func layouts() map[string]*tensor.Dense {
	in := map[string]*tensor.Dense{}
	for _, l := range layout.All {
		in[l.String()] = layout.Lay(l, offsets(3, 4).Data, 100, 3, 4).Dense
	}
	return in
}

// TestLayouts gives data in every layout to graphs. LispMachine makes gradients
// in the layout of the value.
func TestLayouts(t *testing.T) {
	for name, data := range layouts() {
		for _, c := range []call{
			{op: "Gather", indices: oracle.From([]int64{2, -3, 2, 1, 0}, 5)},
			{op: "Gather", axis: 1, indices: oracle.From([]int64{3, 0, -1, -4, 3, 1}, 3, 2)},
			{op: "Gather", axis: 1, batchDims: 1, indices: oracle.From([]int64{3, 0, -1, -4, 3, 3}, 3, 2)},
			{op: "GatherElements", indices: oracle.From([]int64{2, 0, -1, 0, 1, 1, 0, 0}, 2, 4)},
			{op: "GatherElements", axis: 1, indices: oracle.From([]int64{2, 2, -1, 3, 0, 0}, 3, 2)},
			{op: "GatherND", indices: oracle.From([]int64{2, 0, -1, -1, 0, 3, 2, 0}, 4, 2)},
			{op: "GatherND", batchDims: 1, indices: oracle.From([]int64{2, 0, -1}, 3, 1)},
		} {
			t.Run(name+" "+c.String(), func(t *testing.T) {
				want, _ := c.forward(offsets(3, 4))
				u := gradtest.Integers(newRand(6), len(want.Data))
				gradient := c.backward(t, []int{3, 4}, u)
				onMachines(t, func(t *testing.T, m gradtest.Machine) {
					got, err := gradtest.Backward(m, []gradtest.Input{{Value: data, Differentiate: true}, {Value: c.indexTensor()}}, c.build, u)
					ok(t, err)
					same(t, "values", got.Output, want.Data)
					same(t, "gradient", got.Grads[0], gradient)
				})
			})
		}
	}
}

// TestIndexLayouts gives indices in every layout.
func TestIndexLayouts(t *testing.T) {
	c := call{op: "Gather", axis: 1, indices: oracle.From([]int64{3, 0, 1, -1, 2, 0}, 2, 3)}
	want, _ := c.forward(offsets(3, 4))
	u := gradtest.Integers(newRand(7), len(want.Data))
	for _, l := range layout.All {
		t.Run(l.String(), func(t *testing.T) {
			indices := layout.Lay(l, c.indices.Data, 9, 2, 3).Dense
			onMachines(t, func(t *testing.T, m gradtest.Machine) {
				got, err := gradtest.Backward(m, []gradtest.Input{{Value: dense(offsets(3, 4).Data, 3, 4), Differentiate: true}, {Value: indices}}, c.build, u)
				ok(t, err)
				same(t, "values", got.Output, want.Data)
				same(t, "gradient", got.Grads[0], c.backward(t, []int{3, 4}, u))
			})
		})
	}
}

// TestTransposedNodes takes data and the gradient through Gorgonia's Transpose,
// in the graph: the gathers see views, and the gradient comes back as one.
func TestTransposedNodes(t *testing.T) {
	build := func(in []*G.Node) (*G.Node, error) {
		columns, err := G.Transpose(in[0], 1, 0)
		if err != nil {
			return nil, err
		}
		picked, err := gather.Gather(columns, in[1], 0)
		if err != nil {
			return nil, err
		}
		return G.Transpose(picked, 1, 0)
	}
	c := call{op: "Gather", axis: 1, indices: oracle.From([]int64{3, 0, -1, 3}, 4)}
	data := offsets(3, 4)
	want, _ := c.forward(data)
	u := gradtest.Integers(newRand(8), len(want.Data))
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		got, err := gradtest.Backward(m, []gradtest.Input{{Value: dense(data.Data, 3, 4), Differentiate: true}, {Value: c.indexTensor()}}, build, u)
		ok(t, err)
		same(t, "values", got.Output, want.Data)
		same(t, "gradient", got.Grads[0], c.backward(t, data.Shape, u))
	})
}

// TestMasked refuses a masked tensor: which of its elements count is nothing
// that these operators know.
func TestMasked(t *testing.T) {
	masked := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 2, 3, 4}, []bool{false, true, false, false}))
	onFailingMachines(t, func(t *testing.T, m gradtest.Machine) {
		g := G.NewGraph()
		_, err := gather.Gather(input(g, "data", masked), input(g, "indices", dense([]int64{0, 1}, 2)), 0)
		ok(t, err)
		if err := runForward(m, g); !isMachineError(err, gather.ErrLayout) {
			t.Errorf("got %v, want ErrLayout", err)
		}
	})
}

// TestScatterLayouts gives data and updates in every pair of layouts. LispMachine
// makes gradients in the layout of the value.
func TestScatterLayouts(t *testing.T) {
	c := scatterCalls[0]
	for i, of := range layout.All {
		for j, with := range layout.All {
			for k, rule := range scatterRules {
				if !turns.Case(3, i+j+k) {
					continue
				}
				t.Run(fmt.Sprintf("%v data, %v updates, %v", of, with, rule), func(t *testing.T) {
					c := c
					c.Rule = rule
					rng := newRand(4)
					x, w, u := gradtest.Integers(rng, 12), gradtest.Integers(rng, 10), gradtest.Integers(rng, 12)
					onMachines(t, func(t *testing.T, m gradtest.Machine) {
						if !turns.Of(len(machines), int(m), i+j+k) {
							return
						}
						got, err := gradtest.Backward(m, c.inputs(layout.Lay(of, x, 100, 3, 4).Dense, layout.Lay(with, w, 100, 2, 5).Dense), c.build, u)
						ok(t, err)
						c.check(t, got, u, x, w)
					})
				})
			}
		}
	}
}
