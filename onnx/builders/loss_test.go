package builders

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// lossOf is the loss by its definition, for log-probabilities.
func lossOf(logs array, target []int, weight *array, ignore int, reduction string) array {
	shape := slices.Delete(slices.Clone(logs.shape), 1, 2)
	sum, weights := 0.0, 0.0
	i := 0
	each := made(shape, func(at []int) float64 {
		class := target[i]
		i++
		if class == ignore {
			return 0
		}
		w := 1.0
		if weight != nil {
			w = weight.at(class)
		}
		weights += w
		loss := -w * logs.at(slices.Insert(slices.Clone(at), 1, class)...)
		sum += loss
		return loss
	})
	switch reduction {
	case "none":
		return each
	case "sum":
		return array{[]int{}, []float64{sum}}
	}
	return array{[]int{}, []float64{sum / weights}}
}

// TestLosses holds values against the definition and gradients against differences, on both
// machines.
func TestLosses(t *testing.T) {
	const none = math.MinInt
	rng, number := rand.New(rand.NewSource(1)), 0
	for _, op := range []string{"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"} {
		for _, shape := range [][]int{{3, 4}, {2, 3, 2}, {2, 3, 1, 2, 2}, {1, 1}} {
			for _, reduction := range []string{"", "mean", "sum", "none"} {
				for _, weighted := range []bool{false, true} {
					for _, ignore := range []int{none, 0, -1, 100} {
						targets := make([]int, count(slices.Delete(slices.Clone(shape), 1, 2)))
						for i := range targets {
							if targets[i] = rng.Intn(shape[1]); i == 1 && ignore != none {
								targets[i] = ignore
							}
						}
						if ignore == 0 && shape[1] == 1 {
							continue // all are ignored
						}
						if number++; !turns.Case(3, number) {
							continue
						}
						c := lossCase{op, shape, targets, weighted, ignore, reduction}
						t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) { c.run(t, rng) })
					}
				}
			}
		}
	}
}

type lossCase struct {
	op        string
	shape     []int
	targets   []int
	weighted  bool
	ignore    int
	reduction string
}

func (c lossCase) run(t *testing.T, rng *rand.Rand) {
	normal := func([]int) float64 { return rng.NormFloat64() }
	x := made(c.shape, normal)
	inputs := []gradtest.Input{{Value: value(slices.Clone(x.values), c.shape...), Differentiate: true}}
	var weight *array
	if c.weighted {
		w := made([]int{c.shape[1]}, func([]int) float64 { return 0.3 + rng.Float64() })
		weight = &w
		inputs = append(inputs, gradtest.Input{Value: value(slices.Clone(w.values), c.shape[1]), Differentiate: true})
	}
	attrs := attributes{}
	if c.reduction != "" {
		attrs["reduction"] = c.reduction
	}
	if c.ignore != math.MinInt {
		attrs["ignore_index"] = int64(c.ignore)
	}
	var longs []int64
	for _, n := range c.targets {
		longs = append(longs, int64(n))
	}
	shape := slices.Delete(slices.Clone(c.shape), 1, 2)
	build := func(in []*G.Node) (*G.Node, error) {
		target := G.NewTensor(in[0].Graph(), tensor.Int64, len(shape), G.WithName("target"), G.WithShape(shape...), G.WithValue(value(longs, shape...)))
		out, err := builders[c.op](onnx.Node{OpType: c.op, Opset: 13, Attributes: attrs}, append([]*G.Node{in[0], target}, in[1:]...)...)
		if err != nil {
			return nil, err
		}
		return out[0], nil
	}
	got, err := gradtest.Graph(inputs, build, rng)
	if err != nil {
		t.Fatal(err)
	}
	logs := x
	if c.op == "SoftmaxCrossEntropyLoss" {
		logs = exponentials(true, 1)([]array{x})
	}
	want := lossOf(logs, c.targets, weight, c.ignore, c.reduction)
	if len(got.Output) != len(want.values) {
		t.Fatalf("%d values, want %d", len(got.Output), len(want.values))
	}
	for i, v := range want.values {
		if !gradtest.Close(got.Output[i], v, 1e-12) {
			t.Fatalf("got %v, want %v", got.Output, want.values)
		}
	}
}

// An infinite log-probability of what is ignored does not count, the second result are the
// log-probabilities, and a target that is no class is an error.
func TestLossEdges(t *testing.T) {
	inf := math.Inf(-1)
	n := onnx.Node{Opset: 13, Attributes: attributes{"ignore_index": int64(-1)}}
	out, err := onnx.EvalWith(NegativeLogLikelihoodLoss, n, value([]float64{inf, inf, -1, -2}, 2, 2), value([]int32{-1, 1}, 2), value([]float64{5, 0.5}, 2))
	if err != nil || elements[float64](out[0])[0] != 2 {
		t.Errorf("got %v, %v", out, err)
	}
	x := value([]float32{1, 2, 3, 4}, 2, 2)
	out, err = onnx.EvalWith(SoftmaxCrossEntropyLoss, onnx.Node{Opset: 13}, x, value([]int64{0, 1}, 2))
	if err != nil || len(out) != 2 || math.Abs(float64(elements[float32](out[1])[1])+0.31326169) > 1e-6 {
		t.Errorf("got %v, %v", out, err)
	}
	out, err = onnx.EvalWith(SoftmaxCrossEntropyLoss, onnx.Node{Opset: 13, Outputs: []string{"y"}}, x, value([]int64{0, 1}, 2))
	if err != nil || out[1] != nil {
		t.Errorf("got %v, %v", out, err)
	}
	for _, class := range []int64{-1, 2} {
		_, err := onnx.EvalWith(SoftmaxCrossEntropyLoss, onnx.Node{Opset: 13}, x, value([]int64{0, class}, 2))
		if want := fmt.Sprintf("SoftmaxCrossEntropyLoss of 2 classes: target 1 is %d, the classes are in [0, 2)", class); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestCompress takes elements and slices, with gradients, and checks in every run how many.
func TestCompress(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, c := range []struct {
		attrs     attributes
		shape     []int
		condition []bool
		want      func(in []array) array
	}{
		{nil, []int{2, 3}, []bool{false, true, true, false, false, true}, moved([]int{3}, func(c []int) []int { return [][]int{{0, 1}, {0, 2}, {1, 2}}[c[0]] })},
		{nil, []int{2, 3}, []bool{true}, moved([]int{1}, func(c []int) []int { return []int{0, 0} })},
		{attributes{"axis": int64(0)}, []int{3, 2}, []bool{true, false, true}, moved([]int{2, 2}, func(c []int) []int { return []int{2 * c[0], c[1]} })},
		{attributes{"axis": int64(-1)}, []int{2, 3}, []bool{false, true}, moved([]int{2, 1}, func(c []int) []int { return []int{c[0], 1} })},
	} {
		x := made(c.shape, func([]int) float64 { return rng.NormFloat64() })
		got, err := gradtest.Graph([]gradtest.Input{{Value: value(slices.Clone(x.values), c.shape...), Differentiate: true}}, func(in []*G.Node) (*G.Node, error) {
			condition := G.NewVector(in[0].Graph(), tensor.Bool, G.WithName("condition"), G.WithShape(len(c.condition)), G.WithValue(value(c.condition, len(c.condition))))
			out, err := Compress(onnx.Node{Opset: 11, Attributes: c.attrs}, in[0], condition)
			if err != nil {
				return nil, err
			}
			return out[0], nil
		}, rng)
		if err != nil {
			t.Fatal(err)
		}
		if want := c.want([]array{x}); !slices.Equal(got.Output, want.values) || !slices.Equal(got.Shape, want.shape) {
			t.Errorf("%v: got %v %v, want %v", c.condition, got.Shape, got.Output, want)
		}
	}
	got, err := onnx.EvalWith(Compress, onnx.Node{Opset: 11}, value([]string{"a", "b"}, 2), value([]bool{false, false}, 2))
	if err != nil || got[0].Shape()[0] != 0 {
		t.Errorf("got %v, %v", got, err)
	}
	g := G.NewGraph()
	given := []bool{true, false, true}
	x := f32(3).node(g, "x")
	out, err := Compress(onnx.Node{Opset: 11}, x, G.NewVector(g, tensor.Bool, G.WithName("c"), G.WithShape(3), G.WithValue(value(given, 3))))
	if err != nil {
		t.Fatal(err)
	}
	if err := G.Let(x, value([]float32{1, 2, 3}, 3)); err != nil {
		t.Fatal(err)
	}
	vm := G.NewTapeMachine(g)
	defer vm.Close()
	given[0], given[1] = false, true // as many
	if err := vm.RunAll(); err != nil || !slices.Equal(out[0].Value().Data().([]float32), []float32{2, 3}) {
		t.Errorf("got %v, %v", out[0].Value(), err)
	}
	vm.Reset()
	given[0] = true
	if err := vm.RunAll(); err == nil || !strings.Contains(err.Error(), "condition is true 3 times, and was 2 times when the graph was built") {
		t.Errorf("got %v", err)
	}
}

// A length that no sequence has is an error of the run.
func TestSequenceLengths(t *testing.T) {
	for _, n := range []int32{-1, 5} {
		_, err := onnx.EvalWith(RNN, onnx.Node{Opset: 14}, value(make([]float32, 8), 4, 1, 2), value(make([]float32, 4), 1, 2, 2), value(make([]float32, 4), 1, 2, 2), nil, value([]int32{n}, 1))
		if want := fmt.Sprintf("sequence_lens[0] is %d, 0 to 4 are allowed", n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
