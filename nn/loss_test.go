package nn_test

import (
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"
	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestLossesInGraphs compares with the slow formulas on both machines, and the gradient with
// differences: all options, ranks 2 to 4, layouts that are not packed.
func TestLossesInGraphs(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	for _, shape := range [][]int{{4, 3}, {3, 2}, {2, 5, 3}, {2, 3, 2, 2}} {
		scores := oracle.From(gradtest.Normals(rng, tensor.Shape(shape).TotalSize()), shape...)
		classes := oracle.New[int64](append(shape[:1:1], shape[2:]...)...)
		for i := range classes.Data {
			classes.Data[i] = int64(rng.Intn(shape[1]))
		}
		weights := make([]float64, shape[1])
		for i := range weights {
			weights[i] = 0.5 + rng.Float64()
		}
		for name, c := range map[string]struct {
			want    oracle.Loss
			options []nn.LossOption
		}{
			"mean":                  {oracle.Loss{Reduction: "mean"}, nil},
			"sum":                   {oracle.Loss{Reduction: "sum"}, []nn.LossOption{nn.WithReduction(gather.Add)}},
			"none":                  {oracle.Loss{Reduction: "none"}, []nn.LossOption{nn.WithReduction(gather.None)}},
			"ignored":               {oracle.Loss{Reduction: "sum", Ignores: true, Ignored: 0}, []nn.LossOption{nn.WithReduction(gather.Add), nn.WithIgnored(0)}},
			"smoothing":             {oracle.Loss{Reduction: "mean", Smoothing: 0.25}, []nn.LossOption{nn.WithSmoothing(0.25)}},
			"weights":               {oracle.Loss{Reduction: "mean", Weights: weights}, nil},
			"weights, smoothing":    {oracle.Loss{Reduction: "none", Weights: weights, Smoothing: 0.5}, []nn.LossOption{nn.WithReduction(gather.None), nn.WithSmoothing(0.5)}},
			"NLL":                   {oracle.Loss{Reduction: "mean", LogProbs: true}, nil},
			"NLL of each, weighted": {oracle.Loss{Reduction: "none", LogProbs: true, Weights: weights}, []nn.LossOption{nn.WithReduction(gather.None)}},
		} {
			for _, l := range []layout.Layout{layout.RowMajor, layout.ColumnMajor, layout.Transposed, layout.EverySecond} {
				in := []gradtest.Input{
					{Value: layout.Lay(l, scores.Data, math.NaN(), shape...).Dense, Differentiate: true},
					{Value: layout.Lay(l, classes.Data, 99, classes.Shape...).Dense},
					{Value: layout.Lay(l, weights, math.NaN(), len(weights)).Dense},
				}
				got, err := gradtest.Graph(in[:2+min(1, len(c.want.Weights))], func(in []*G.Node) (*G.Node, error) {
					options := c.options
					if len(in) > 2 {
						options = append(slices.Clone(options), nn.WithClassWeights(in[2]))
					}
					if c.want.LogProbs {
						return nn.NLL(in[0], in[1], options...)
					}
					return nn.CrossEntropy(in[0], in[1], options...)
				}, rng)
				if err != nil {
					t.Fatalf("%s of %v, %v: %v", name, shape, l, err)
				}
				for i, w := range c.want.Of(scores, classes).Data {
					if !gradtest.Close(got.Output[i], w, 1e-12) {
						t.Errorf("%s of %v, %v: %v at %d, want %v", name, shape, l, got.Output[i], i, w)
					}
				}
			}
		}
	}
}

// inputs are a matrix of scores, their classes and weights.
func lossInputs(g *G.ExprGraph) (scores, classes, weights *G.Node) {
	scores = G.NewMatrix(g, tensor.Float32, G.WithShape(4, 3), G.WithName("scores"), G.WithInit(G.Zeroes()))
	classes = G.NewVector(g, tensor.Int64, G.WithShape(4), G.WithName("classes"))
	weights = G.NewVector(g, tensor.Float32, G.WithShape(3), G.WithName("weights"), G.WithInit(G.Ones()))
	return scores, classes, weights
}

// TestLossErrors wants an error for everything that is wrong when the graph is built.
func TestLossErrors(t *testing.T) {
	g := G.NewGraph()
	scores, classes, weights := lossInputs(g)
	vector := func(dt tensor.Dtype, n int) *G.Node {
		return G.NewVector(g, dt, G.WithShape(n), G.WithName("another"))
	}
	column := G.NewMatrix(g, tensor.Int64, G.WithShape(4, 1), G.WithName("column"))
	unnamed := G.NewVector(g, tensor.Int64, G.WithShape(4))
	for _, c := range []struct {
		scores, classes *G.Node
		options         []nn.LossOption
		want            string
		is              error
	}{
		{weights, classes, nil, "CrossEntropy: scores have shape (3), (examples, classes) or (examples, classes, …) is needed", gather.ErrShape},
		{scores, column, nil, "CrossEntropy: classes have shape (4, 1), (4) is needed for scores of shape (4, 3)", gather.ErrShape},
		{scores, vector(tensor.Int64, 3), nil, "CrossEntropy: classes have shape (3), (4) is needed for scores of shape (4, 3)", gather.ErrShape},
		{scores, vector(tensor.Float32, 4), nil, "CrossEntropy: classes have dtype float32, integers are needed", gather.ErrDtype},
		{column, classes, nil, "CrossEntropy: scores have dtype int64, allowed are float32 and float64", gather.ErrDtype},
		{scores, classes, []nn.LossOption{nn.WithClassWeights(vector(tensor.Float32, 4))}, "CrossEntropy: weights have shape (4), (3) is needed, one for each class", gather.ErrShape},
		{scores, classes, []nn.LossOption{nn.WithClassWeights(vector(tensor.Float64, 3))}, "CrossEntropy: weights have dtype float64, scores have float32, they must be equal", gather.ErrDtype},
		{scores, classes, []nn.LossOption{nn.WithSmoothing(1.5)}, "CrossEntropy: WithSmoothing(1.5), a number from 0 to 1 is allowed", gather.ErrOption},
		{scores, classes, []nn.LossOption{nn.WithSmoothing(math.NaN())}, "CrossEntropy: WithSmoothing(NaN), a number from 0 to 1 is allowed", gather.ErrOption},
		{scores, classes, []nn.LossOption{nn.WithReduction(gather.Max)}, "CrossEntropy: WithReduction(max), Mean, Add and None are allowed", gather.ErrOption},
		{nil, classes, nil, "CrossEntropy: scores is nil, a node is needed", nil},
		{scores, unnamed, nil, "CrossEntropy: classes are an input node without a name", nil},
	} {
		_, err := nn.CrossEntropy(c.scores, c.classes, c.options...)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := nn.NLL(scores, classes, nn.WithSmoothing(0.1)); !errors.Is(err, gather.ErrOption) {
		t.Errorf("NLL with smoothing: %v", err)
	}
}

// TestLossBadClass: a class out of range is an IndexError that names the operands, negative
// ones too.
func TestLossBadClass(t *testing.T) {
	for class, want := range map[int64]string{
		3:    "CrossEntropy(scores, classes): classes[2]: 3 out of range [0, 3) for scores axis 1",
		-1:   "CrossEntropy(scores, classes): classes[2]: -1 out of range [0, 3) for scores axis 1; WithIgnored(-1) leaves such examples out",
		-100: "CrossEntropy(scores, classes): classes[2]: -100 out of range [0, 3) for scores axis 1; WithIgnored(-100) leaves such examples out",
	} {
		g := G.NewGraph()
		scores, classes, _ := lossInputs(g)
		loss := G.Must(nn.CrossEntropy(scores, classes, nn.WithIgnored(-7)))
		if _, err := G.Grad(loss, scores); err != nil {
			t.Fatal(err)
		}
		machine := G.NewTapeMachine(g)
		if err := G.Let(classes, tensor.New(tensor.WithBacking([]int64{0, -7, class, 5}))); err != nil {
			t.Fatal(err)
		}
		bad, ok := gather.AsIndexError(machine.RunAll())
		if !ok || bad.Error() != want || bad.Index != class || bad.Size != 3 || !slices.Equal(bad.Position, []int{2}) {
			t.Errorf("%v, want %s", bad, want)
		}
		machine.Close()
	}
}

// TestLossSettingsAreHashed: operators that differ in one setting are two nodes.
func TestLossSettingsAreHashed(t *testing.T) {
	g := G.NewGraph()
	scores, classes, weights := lossInputs(g)
	seen := map[uint32]string{}
	for name, options := range map[string][]nn.LossOption{
		"none given": nil, "sum": {nn.WithReduction(gather.Add)}, "none": {nn.WithReduction(gather.None)},
		"ignored 0": {nn.WithIgnored(0)}, "ignored 1": {nn.WithIgnored(1)}, "smoothing": {nn.WithSmoothing(0.1)}, "more smoothing": {nn.WithSmoothing(0.2)},
		"weights": {nn.WithClassWeights(weights)},
	} {
		n := G.Must(nn.CrossEntropy(scores, classes, options...))
		if other, ok := seen[n.Hashcode()]; ok {
			t.Errorf("%s and %s are one node", name, other)
		}
		seen[n.Hashcode()] = name
		if again := G.Must(nn.CrossEntropy(scores, classes, options...)); again != n {
			t.Errorf("%s twice is two nodes", name)
		}
	}
	if n := G.Must(nn.NLL(scores, classes)); seen[n.Hashcode()] != "" {
		t.Error("NLL and CrossEntropy are one node")
	}
}

// TestLossHasNoSecondDerivative: it is refused, and not left out.
func TestLossHasNoSecondDerivative(t *testing.T) {
	g := G.NewGraph()
	scores, classes, _ := lossInputs(g)
	gradients, err := G.Grad(G.Must(nn.CrossEntropy(scores, classes)), scores)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := G.Grad(G.Must(nn.Sum(G.Must(nn.Square(gradients[0])))), scores); err == nil || !strings.Contains(err.Error(), "second derivative") {
		t.Errorf("the second derivative: %v", err)
	}
	// Classes have none at all.
	if _, err := G.Grad(G.Must(nn.CrossEntropy(scores, classes)), classes); err == nil {
		t.Error("classes have a gradient")
	}
}

// TestRegressionErrors: shapes that would broadcast are refused.
func TestRegressionErrors(t *testing.T) {
	g := G.NewGraph()
	scores, classes, weights := lossInputs(g)
	column := G.NewMatrix(g, tensor.Float32, G.WithShape(3, 1), G.WithName("column"))
	for _, f := range []func() (*G.Node, error){
		func() (*G.Node, error) { return nn.MSE(column, weights) },
		func() (*G.Node, error) { return nn.Huber(column, weights, 1) },
		func() (*G.Node, error) { return nn.BCEWithLogits(column, weights) },
	} {
		if _, err := f(); !errors.Is(err, gather.ErrShape) || !strings.Contains(err.Error(), "(3, 1), wanted have (3), they must be equal: use Reshape") {
			t.Errorf("%v", err)
		}
	}
	for _, delta := range []float64{0, -1, math.NaN()} {
		if _, err := nn.Huber(column, column, delta); !errors.Is(err, gather.ErrOption) {
			t.Errorf("delta %v: %v", delta, err)
		}
	}
	for _, p := range []float64{-0.1, 1, math.NaN()} {
		if _, err := nn.Dropout(scores, p, 1); !errors.Is(err, gather.ErrOption) {
			t.Errorf("probability %v: %v", p, err)
		}
	}
	if _, err := nn.Dropout(classes, 0.5, 1); !errors.Is(err, gather.ErrDtype) {
		t.Errorf("Dropout of integers: %v", err)
	}
	if _, err := nn.Sum(scores, 2); !errors.Is(err, gather.ErrAxis) || !strings.HasPrefix(err.Error(), "Sum: ") {
		t.Errorf("Sum along axis 2: %v", err)
	}
}
