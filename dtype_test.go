package gather_test

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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
