package nn_test

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/badinput"
	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// functions are all that take nodes.
var functions = map[string]any{
	"CrossEntropy": nn.CrossEntropy, "Accuracy": nn.Accuracy, "NLL": nn.NLL, "MSE": nn.MSE, "L1": nn.L1, "Huber": nn.Huber, "BCEWithLogits": nn.BCEWithLogits, "WithClassWeights": nn.WithClassWeights,
	"WithIgnored": nn.WithIgnored, "WithSmoothing": nn.WithSmoothing, "WithReduction": nn.WithReduction,
	"Linear": nn.Linear, "Conv": nn.Conv, "MaxPool": nn.MaxPool, "AvgPool": nn.AvgPool, "LayerNorm": nn.LayerNorm, "RMSNorm": nn.RMSNorm,
	"GroupNorm": nn.GroupNorm, "BatchNorm": nn.BatchNorm, "Attention": nn.Attention, "MatMul": nn.MatMul, "Dropout": nn.Dropout,
	"ReLU": nn.ReLU, "LeakyReLU": nn.LeakyReLU, "ELU": nn.ELU, "GELU": nn.GELU, "GELUTanh": nn.GELUTanh, "SiLU": nn.SiLU, "Softplus": nn.Softplus,
	"Sigmoid": nn.Sigmoid, "Tanh": nn.Tanh, "Softmax": nn.Softmax, "LogSoftmax": nn.LogSoftmax,
	"Sum": nn.Sum, "Mean": nn.Mean, "Max": nn.Max, "Min": nn.Min, "LogSumExp": nn.LogSumExp, "ArgMax": nn.ArgMax,
	"Add": nn.Add, "Sub": nn.Sub, "Mul": nn.Mul, "Div": nn.Div, "Pow": nn.Pow, "Maximum": nn.Maximum, "Minimum": nn.Minimum, "Where": nn.Where,
	"Equal": nn.Equal, "Less": nn.Less, "Greater": nn.Greater, "Not": nn.Not, "Cast": nn.Cast, "Detach": nn.Detach, "Einsum": nn.Einsum, "Stack": nn.Stack,
	"Neg": nn.Neg, "Abs": nn.Abs, "Exp": nn.Exp, "Log": nn.Log, "Sqrt": nn.Sqrt, "Square": nn.Square, "Clamp": nn.Clamp,
	"Reshape": nn.Reshape, "Flatten": nn.Flatten, "Squeeze": nn.Squeeze, "Unsqueeze": nn.Unsqueeze, "Transpose": nn.Transpose, "Concat": nn.Concat, "Slice": nn.Slice,
}

// TestBadArguments calls every function with nodes that it should not be given, in all pairs,
// and with other arguments that cannot be. None panics, and each gives a node or an error.
func TestBadArguments(t *testing.T) {
	calls := map[string]func(t *testing.T){}
	for name, f := range functions {
		calls[name] = func(t *testing.T) { attack(t, name, reflect.ValueOf(f)) }
	}
	badinput.Calls(t, ".", calls)
}

// foreign are words that a user of this package need not know.
var foreign = regexp.MustCompile(`[a-z]-\d+:|opset|input \d|Gemm`)

func attack(t *testing.T, name string, f reflect.Value) {
	nodes := 0
	for i := range f.Type().NumIn() {
		if f.Type().In(i) == reflect.TypeFor[*G.Node]() || f.Type().In(i) == reflect.TypeFor[[]*G.Node]() {
			nodes++
		}
	}
	badinput.Tuples(badinput.Nodes(G.NewGraph()), min(nodes, 2), func(names []string, given []*G.Node) {
		for variant := range 4 {
			next := 0
			var in []reflect.Value
			for i := range f.Type().NumIn() {
				in = append(in, argument(f.Type().In(i), variant, func() *G.Node {
					next++
					if len(given) == 0 {
						return nil
					}
					return given[(next-1)%len(given)]
				}))
			}
			badinput.Try(t, fmt.Sprint(names, variant), func() {
				var out []reflect.Value
				if f.Type().IsVariadic() {
					out = f.CallSlice(in)
				} else {
					out = f.Call(in)
				}
				if len(out) == 2 && out[0].IsNil() == out[1].IsNil() {
					t.Errorf("%v, variant %d: %v, %v", names, variant, out[0], out[1])
				}
				// Errors are about this function, and not about a version of ONNX's.
				if len(out) == 2 && !out[1].IsNil() && (!strings.HasPrefix(fmt.Sprint(out[1]), name) || foreign.MatchString(fmt.Sprint(out[1]))) {
					t.Errorf("%v, variant %d: %v", names, variant, out[1])
				}
			})
		}
	})
}

// argument is one of four that a parameter can be.
func argument(t reflect.Type, variant int, node func() *G.Node) reflect.Value {
	switch t {
	case reflect.TypeFor[*G.Node]():
		return reflect.ValueOf(node())
	case reflect.TypeFor[[]*G.Node]():
		return reflect.ValueOf([][]*G.Node{nil, {node()}, {node(), node()}, {node(), nil, node()}}[variant])
	case reflect.TypeFor[int]():
		return reflect.ValueOf([]int{0, -1, math.MaxInt, math.MinInt}[variant])
	case reflect.TypeFor[[]int]():
		return reflect.ValueOf([][]int{nil, {0, 1}, {-1, math.MaxInt}, {1, 1, 1, 1, 1, 1, 1}}[variant])
	case reflect.TypeFor[float64]():
		return reflect.ValueOf([]float64{0, 0.5, math.NaN(), math.Inf(-1)}[variant])
	case reflect.TypeFor[int64]():
		return reflect.ValueOf([]int64{0, -1, math.MaxInt64, math.MinInt64}[variant])
	case reflect.TypeFor[uint64]():
		return reflect.ValueOf(uint64(variant))
	case reflect.TypeFor[gather.Reduction]():
		return reflect.ValueOf(gather.Reduction(variant * 60))
	case reflect.TypeFor[nn.Window]():
		return reflect.ValueOf([]nn.Window{{}, {Kernel: []int{1}}, {Kernel: []int{-1, 0}, Stride: []int{0}}, {Padding: []int{math.MaxInt}, Groups: -3}}[variant])
	case reflect.TypeFor[string]():
		return reflect.ValueOf([]string{"", "i->i", "ij,jk->ik", "i,\x00->..."}[variant])
	case reflect.TypeFor[tensor.Dtype]():
		return reflect.ValueOf([]tensor.Dtype{{}, tensor.Float32, tensor.Bool, tensor.String}[variant])
	case reflect.TypeFor[[]nn.LossOption]():
		return reflect.ValueOf([][]nn.LossOption{nil, {{}}, {nn.WithClassWeights(node())}, {nn.WithSmoothing(math.NaN())}}[variant])
	}
	panic(t)
}

// TestTooLarge makes results that no machine has the memory for, of inputs that are small: an error, when they are run.
func TestTooLarge(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("such results have more elements than an int can count")
	}
	n := 1 << 22
	for name, call := range map[string]func(column, row, none *G.Node) (*G.Node, error){
		"Add":    func(column, row, _ *G.Node) (*G.Node, error) { return nn.Add(column, row) },
		"MatMul": func(column, row, _ *G.Node) (*G.Node, error) { return nn.MatMul(column, row) },
		"Sum":    func(_, _, none *G.Node) (*G.Node, error) { return nn.Sum(none, 0) },
	} {
		g := G.NewGraph()
		node := func(name string, shape ...int) *G.Node {
			return G.NodeFromAny(g, tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(shape...)), G.WithName(name))
		}
		_, err := call(node("column", n, 1), node("row", 1, n), node("none", 0, n*n))
		if err == nil {
			machine := G.NewTapeMachine(g)
			err = machine.RunAll()
			machine.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "a result of shape") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
