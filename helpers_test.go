package gather_test

import (
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/race"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// machines are Gorgonia's two: every graph test runs on both.
var machines = []gradtest.Machine{gradtest.Tape, gradtest.Lisp}

// onMachines runs a test on each machine.
func onMachines(t *testing.T, test func(t *testing.T, m gradtest.Machine)) {
	for _, m := range machines {
		t.Run(m.String(), func(t *testing.T) { test(t, m) })
	}
}

// onFailingMachines runs a test whose run of a graph fails. Under the race
// detector LispMachine is left out: a failing run of it is a data race of
// Gorgonia's own.
func onFailingMachines(t *testing.T, test func(t *testing.T, m gradtest.Machine)) {
	onMachines(t, func(t *testing.T, m gradtest.Machine) {
		if m == gradtest.Lisp && race.Enabled {
			t.Skip("a failing run of LispMachine races within Gorgonia")
		}
		test(t, m)
	})
}

// call is a gather with its options and its indices.
type call struct {
	op        string // as ONNX spells it
	axis      int
	batchDims int
	indices   oracle.Array[int64]
	policy    oracle.Policy
	fused     bool
}

// String names the call, for the names of tests.
func (c call) String() string {
	s := fmt.Sprintf("%s axis=%d batch_dims=%d indices=%v", c.op, c.axis, c.batchDims, c.indices.Shape)
	if c.fused {
		s += " fused"
	}
	return s
}

func (c call) options() []gather.Option {
	var opts []gather.Option
	if c.batchDims != 0 {
		opts = append(opts, gather.WithBatchDims(c.batchDims))
	}
	if c.fused {
		opts = append(opts, gather.WithFusedBatchDims())
	}
	if c.policy.NonNegative {
		opts = append(opts, gather.WithNonNegativeIndices())
	}
	if c.policy.ZeroFill {
		opts = append(opts, gather.WithOutOfRange(gather.ZeroFill))
	}
	if c.policy.Clamp {
		opts = append(opts, gather.WithOutOfRange(gather.Clamp))
	}
	return opts
}

// apply makes the node.
func (c call) apply(data, indices *G.Node) (*G.Node, error) {
	switch c.op {
	case "Gather":
		return gather.Gather(data, indices, c.axis, c.options()...)
	case "GatherElements":
		return gather.GatherElements(data, indices, c.axis, c.options()...)
	}
	return gather.GatherND(data, indices, c.options()...)
}

// build is apply for package gradtest, whose inputs are data and indices.
func (c call) build(in []*G.Node) (*G.Node, error) { return c.apply(in[0], in[1]) }

// of is the call without a graph, on data of a shape.
func (c call) of(data []int) cases.Gather {
	return cases.Gather{Op: c.op, Axis: c.axis, BatchDims: c.batchDims, Fused: c.fused, Data: data, Indices: c.indices, Policy: c.policy}
}

// forward is the result by the oracle.
func (c call) forward(data oracle.Array[float64]) (oracle.Array[float64], *oracle.BadIndex) {
	out, bad := cases.Gathered(c.of(data.Shape), data.Data)
	if bad == nil {
		out.Shape = c.of(data.Shape).Result()
	}
	return out, bad
}

// backward is the gradient of data by the oracle, where u is that of the
// result.
func (c call) backward(t *testing.T, data []int, u []float64) []float64 {
	t.Helper()
	gradient, bad := cases.Added(c.of(data), make([]float64, product(data)), u, func(a, b float64) float64 { return a + b })
	if bad != nil {
		t.Fatal(bad)
	}
	return gradient
}

// indexTensor holds the call's indices as int64.
func (c call) indexTensor() *tensor.Dense { return dense(c.indices.Data, c.indices.Shape...) }

// dense makes a tensor on a copy of the values; without a shape, a scalar.
func dense[T any](values []T, shape ...int) *tensor.Dense {
	if len(values) == 0 {
		return tensor.New(tensor.Of(dtypeOf[T]()), tensor.WithShape(shape...))
	}
	if len(shape) == 0 {
		return tensor.New(tensor.FromScalar(values[0]))
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(slices.Clone(values)))
}

func dtypeOf[T any]() tensor.Dtype { return tensor.Dtype{Type: reflect.TypeFor[T]()} }

// offsets are the values 0, 1, 2, … so that each value tells its place.
func offsets(shape ...int) oracle.Array[float64] {
	a := oracle.New[float64](shape...)
	for i := range a.Data {
		a.Data[i] = float64(i)
	}
	return a
}

// ones is the gradient of a sum of n values.
func ones(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = 1
	}
	return values
}

// narrow is the same numbers as float32.
func narrow(values []float64) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}

// randomIndices draws indices in [-n, n) for the axis of size n that each
// position addresses. Drawn from a small range, many of them are duplicates.
func randomIndices(rng *rand.Rand, size func(position []int) int, shape ...int) oracle.Array[int64] {
	a := oracle.New[int64](shape...)
	for p := range oracle.Coordinates(shape) {
		n := size(p)
		a.Set(int64(rng.Intn(2*n)-n), p...)
	}
	return a
}

// input makes a named input node.
func input(g *G.ExprGraph, name string, value any) *G.Node {
	return G.NodeFromAny(g, value, G.WithName(name))
}

// runForward runs a graph on a new machine, without gradients.
func runForward(m gradtest.Machine, g *G.ExprGraph) error {
	var vm G.VM
	if m == gradtest.Tape {
		vm = G.NewTapeMachine(g)
	} else {
		vm = G.NewLispMachine(g, G.ExecuteFwdOnly())
	}
	defer vm.Close()
	return vm.RunAll()
}

// same fails the test unless the values are equal, bit for bit but for NaN.
func same[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// isMachineError is errors.Is for the error of RunAll, whose type has no
// Unwrap.
func isMachineError(err, target error) bool {
	for {
		if errors.Is(err, target) {
			return true
		}
		var wrapped interface{ Err() error }
		if !errors.As(err, &wrapped) {
			return false
		}
		err = wrapped.Err()
	}
}

// newRand is a source of random numbers of its own for each test.
func newRand(seed int64) *rand.Rand { return rand.New(rand.NewSource(seed)) }

// ok fails the test at once if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}
