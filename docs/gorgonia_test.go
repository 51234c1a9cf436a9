package docs_test

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/nn"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

type node = *G.Node

// A wrong operator is one of Gorgonia's: what it gives on a machine, and what this library
// gives, are a line of the table in gorgonia.md.
type wrong struct {
	operator, input string
	machine         gradtest.Machine
	x               gradtest.Input
	theirs, ours    func(x node) (node, error)
	show            func(gradtest.Result) string
	instead         string
}

// both stands for an operator that is wrong on both machines alike.
const both = gradtest.Lisp + 1

func x(shape []int, values ...float64) gradtest.Input {
	return gradtest.Input{Value: tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values)), Differentiate: true}
}

func upTo(shape ...int) gradtest.Input {
	values := make([]float64, tensor.Shape(shape).TotalSize())
	for i := range values {
		values[i] = float64(i)
	}
	return x(shape, values...)
}

func list(values []float64) string {
	text := make([]string, len(values))
	for i, v := range values {
		text[i] = strconv.FormatFloat(v, 'g', 4, 64)
	}
	return "`[" + strings.Join(text, " ") + "]`"
}

func output(r gradtest.Result) string { return list(r.Output) }
func firstFour(r gradtest.Result) string {
	return strings.TrimSuffix(list(r.Output[:4]), "]`") + " …]`"
}
func gradient(r gradtest.Result) string { return list(r.Grads[0]) }
func shape(r gradtest.Result) string    { return fmt.Sprint(r.Shape) }

// of1 is a function of x and ones.
func of1(f func(a, b node) (node, error)) func(node) (node, error) {
	return func(x node) (node, error) {
		return f(x, G.NodeFromAny(x.Graph(), tensor.New(tensor.WithBacking([]float64{1, 1})), G.WithName("ones")))
	}
}

var wrongs = []wrong{
	{"LogSoftMax(x), beside SoftMax(x) in one graph", "`[1 2 3]`", both, x([]int{3}, 1, 2, 3),
		func(x node) (node, error) {
			p := G.Must(G.SoftMax(x))
			return G.Sub(G.Must(G.Add(p, G.Must(G.LogSoftMax(x)))), p)
		},
		func(x node) (node, error) {
			p := G.Must(nn.Softmax(x, 0))
			return nn.Sub(G.Must(nn.Add(p, G.Must(nn.LogSoftmax(x, 0)))), p)
		}, output, "`nn.LogSoftmax`"},
	{"Mean(x, 2), rank 4", "(3, 2, 4, 2) of 0 to 47", both, upTo(3, 2, 4, 2),
		func(x node) (node, error) { return G.Mean(x, 2) }, func(x node) (node, error) { return nn.Mean(x, 2) }, firstFour, "`nn.Mean`"},
	{"Sum(x, 2), rank 4", "(3, 2, 4, 2) of 0 to 47", both, upTo(3, 2, 4, 2),
		func(x node) (node, error) { return G.Sum(x, 2) }, func(x node) (node, error) { return nn.Sum(x, 2) }, firstFour, "`nn.Sum`"},
	{"Square(Reshape(x))", "x after a run with Grad, `[1 2 3]` before", gradtest.Tape, x([]int{3}, 1, 2, 3),
		func(x node) (node, error) { return G.Square(G.Must(G.Reshape(x, tensor.Shape{3, 1}))) },
		func(x node) (node, error) { return nn.Square(G.Must(nn.Reshape(x, 3, 1))) }, nil, "`nn.Reshape`"},
	{"Reshape of what another operator uses, too", "gradient of x + Reshape(x)², `[1 2]`", gradtest.Lisp, x([]int{2}, 1, 2),
		func(x node) (node, error) {
			return G.Add(x, G.Must(G.Reshape(G.Must(G.Square(G.Must(G.Reshape(x, tensor.Shape{2, 1})))), tensor.Shape{2})))
		},
		func(x node) (node, error) {
			return nn.Add(x, G.Must(nn.Reshape(G.Must(nn.Square(G.Must(nn.Reshape(x, 2, 1)))), 2)))
		}, gradient, "`nn.Reshape`"},
	{"Slice(x, S(0, 1))", "shape of a row of (2, 3)", both, upTo(2, 3),
		func(x node) (node, error) { return G.Slice(x, G.S(0, 1)) }, func(x node) (node, error) { return nn.Slice(x, 0, 0, 1) }, shape, "`nn.Slice`"},
	{"Max(x)", "gradient, `[1 2 3]`", gradtest.Lisp, x([]int{3}, 1, 2, 3),
		func(x node) (node, error) { return G.Max(x) }, func(x node) (node, error) { return nn.Max(x) }, gradient, "`nn.Max`"},
	{"Max(x)", "gradient, `[2 2 1]`", gradtest.Tape, x([]int{3}, 2, 2, 1),
		func(x node) (node, error) { return G.Max(x) }, func(x node) (node, error) { return nn.Max(x) }, gradient, "`nn.Max`"},
	{"MaxBetween(x, 1)", "gradient, `[0 3]`", gradtest.Lisp, x([]int{2}, 0, 3), of1(G.MaxBetween), of1(nn.Maximum), gradient, "`nn.Maximum`"},
	{"MinBetween(x, 1)", "gradient, `[0 3]`", gradtest.Lisp, x([]int{2}, 0, 3), of1(G.MinBetween), of1(nn.Minimum), gradient, "`nn.Minimum`"},
	{"Concat(1, x, 2·x), rank 3", "gradient, (2, 1, 2)", gradtest.Lisp, upTo(2, 1, 2),
		func(x node) (node, error) { return G.Concat(1, x, G.Must(G.Mul(x, G.NewConstant(2.)))) },
		func(x node) (node, error) { return nn.Concat(1, x, G.Must(nn.Mul(x, G.NewConstant(2.)))) }, gradient, "`nn.Concat`"},
	{"LogSumExp(x, 0)", "`[1 2 1000]`", both, x([]int{3}, 1, 2, 1000),
		func(x node) (node, error) { return G.LogSumExp(x, 0) }, func(x node) (node, error) { return nn.LogSumExp(x, 0) }, output, "`nn.LogSumExp`"},
	{"InverseSqrt(x)", "gradient, `[1 4]`", gradtest.Tape, x([]int{2}, 1, 4), G.InverseSqrt,
		func(x node) (node, error) { return nn.Div(G.NewConstant(1.), G.Must(nn.Sqrt(x))) }, gradient, "`nn.Div`, `nn.Sqrt`"},
	{"Log2(x)", "gradient, `[1 4]`", gradtest.Tape, x([]int{2}, 1, 4), G.Log2,
		func(x node) (node, error) { return nn.Div(G.Must(nn.Log(x)), G.NewConstant(0.6931471805599453)) }, gradient, "`nn.Log`"},
	{"OuterProd(x, 2·x)", "gradient, `[1 2 3]`", gradtest.Tape, x([]int{3}, 1, 2, 3),
		func(x node) (node, error) { return G.OuterProd(x, G.Must(G.Mul(x, G.NewConstant(2.)))) },
		func(x node) (node, error) {
			return nn.Mul(G.Must(nn.Unsqueeze(x, 1)), G.Must(nn.Mul(x, G.NewConstant(2.))))
		}, gradient, "`nn.Mul` of (n, 1) and (n)"},
	{"Upsample2D(x, 2)", "gradient, (1, 1, 1, 2)", gradtest.Lisp, upTo(1, 1, 1, 2),
		func(x node) (node, error) { return G.Upsample2D(x, 2) },
		func(x node) (node, error) { return nn.Reshape(G.Must(nn.Concat(-1, x, x, x, x)), 1, 1, 2, 4) }, gradient, "TapeMachine"},
	{"GlobalAveragePool2D(x)", "gradient, (1, 1, 1, 2); Grad panics", gradtest.Lisp, upTo(1, 1, 1, 2),
		G.GlobalAveragePool2D, func(x node) (node, error) { return nn.Mean(x, 2, 3) }, gradient, "`nn.Mean(x, 2, 3)`"},
}

// TestWrongOperators runs Gorgonia's operators that gorgonia.md accuses, and those it
// recommends, and wants the lines of its table: it fails when one of them changes.
func TestWrongOperators(t *testing.T) {
	text, err := os.ReadFile("gorgonia.md")
	if err != nil {
		t.Fatal(err)
	}
	run := func(w wrong, f func(node) (node, error), machine gradtest.Machine) string {
		build := func(in []*G.Node) (*G.Node, error) { return f(in[0]) }
		forward, err := gradtest.Forward(gradtest.Tape, []gradtest.Input{w.x}, build)
		if err != nil {
			t.Fatalf("%s: %v", w.operator, err)
		}
		u := make([]float64, len(forward.Output))
		for i := range u {
			u[i] = 1
		}
		r, err := gradtest.Backward(machine, []gradtest.Input{w.x}, build, u)
		switch {
		case w.show == nil && err == nil:
			return list(w.x.Value.(*tensor.Dense).Float64s())
		case w.show == nil:
			_, after, _ := strings.Cut(err.Error(), " to ")
			return "`" + after + "`"
		case err != nil:
			t.Fatalf("%s: %v", w.operator, err)
		}
		return w.show(r)
	}
	for _, w := range wrongs {
		machines, where := []gradtest.Machine{w.machine}, w.machine.String()
		if w.machine == both {
			machines, where = []gradtest.Machine{gradtest.Tape, gradtest.Lisp}, "both"
		}
		var theirs, ours string
		for _, m := range machines {
			// Ours first: theirs may change x.
			right, given := run(w, w.ours, m), run(w, w.theirs, m)
			if given == right || ours != "" && (right != ours || given != theirs) {
				t.Errorf("%s on %v: %s, here %s", w.operator, m, given, right)
			}
			ours, theirs = right, given
		}
		line := fmt.Sprintf("| %s | %s | %v | %s | %s | %s |", w.operator, w.input, where, theirs, ours, w.instead)
		if !strings.Contains(string(text), line) {
			t.Errorf("gorgonia.md does not have\n%s", line)
		}
	}
}

// TestDropoutOfGorgonia: its gradient is divided by the probability of dropping, and of two
// Dropouts of one node the second is the first.
func TestDropoutOfGorgonia(t *testing.T) {
	for probability, want := range map[float64]float64{0.25: 4, 0.1: 10} {
		r, err := gradtest.Backward(gradtest.Tape, []gradtest.Input{upTo(1000)}, func(in []*G.Node) (*G.Node, error) {
			return G.Sum(G.Must(G.Dropout(in[0], probability)))
		}, []float64{1})
		if err != nil {
			t.Fatal(err)
		}
		kept := 0
		for i, g := range r.Grads[0] {
			switch {
			case g == 0:
			case g != want:
				t.Fatalf("the gradient at %d is %v, not %v", i, g, want)
			default:
				kept++
			}
		}
		if kept < 600 {
			t.Errorf("%d of 1000 are kept", kept)
		}
	}
	g := G.NewGraph()
	n := G.NodeFromAny(g, upTo(3).Value, G.WithName("x"))
	if G.Must(G.Dropout(n, 0.1)) != G.Must(G.Dropout(n, 0.9)) {
		t.Error("two Dropouts are two nodes")
	}
}

// TestFailingOperators: what gorgonia.md says to fail with an error or a panic.
func TestFailingOperators(t *testing.T) {
	other := func(x node, values ...float64) node {
		return G.NewVector(x.Graph(), tensor.Float64, G.WithShape(len(values)), G.WithName("other"), G.WithValue(tensor.New(tensor.WithBacking(values))))
	}
	for name, c := range map[string]struct {
		machine gradtest.Machine
		x       gradtest.Input
		f       func(x node) (node, error)
	}{
		"Concat along axis 1":         {gradtest.Lisp, upTo(2, 3), func(x node) (node, error) { return G.Concat(1, x, G.Must(G.Tanh(x))) }},
		"Pow":                         {gradtest.Lisp, upTo(3), func(x node) (node, error) { return G.Pow(x, G.NewConstant(2.)) }},
		"Norm":                        {gradtest.Lisp, upTo(2, 3), func(x node) (node, error) { return G.Norm(x, 1, 1) }},
		"InverseSqrt":                 {gradtest.Lisp, x([]int{2}, 1, 4), G.InverseSqrt},
		"Sparsemax":                   {gradtest.Lisp, upTo(2, 3), func(x node) (node, error) { return G.Sparsemax(x, 1) }},
		"OuterProd":                   {gradtest.Lisp, x([]int{2}, 1, 2), func(x node) (node, error) { return G.OuterProd(x, other(x, 1, 2, 3)) }},
		"OuterProd of two lengths":    {gradtest.Tape, x([]int{2}, 1, 2), func(x node) (node, error) { return G.OuterProd(x, other(x, 1, 2, 3)) }},
		"LogSumExp of a matrix":       {gradtest.Tape, upTo(2, 3), func(x node) (node, error) { return G.LogSumExp(x, 1) }},
		"Slice with a step, axis 1":   {gradtest.Tape, upTo(2, 5), func(x node) (node, error) { return G.Slice(x, nil, G.S(0, 5, 2)) }},
		"Grad of GlobalAveragePool2D": {gradtest.Tape, upTo(1, 1, 2, 2), G.GlobalAveragePool2D},
	} {
		build := func(in []*G.Node) (*G.Node, error) { return c.f(in[0]) }
		r, err := gradtest.Forward(gradtest.Tape, []gradtest.Input{c.x}, build)
		if err == nil {
			u := make([]float64, len(r.Output))
			_, err = gradtest.Backward(c.machine, []gradtest.Input{c.x}, build, u)
		}
		if err == nil {
			t.Errorf("%s works on %v", name, c.machine)
		}
	}
}

// TestRightOperators: those that gorgonia.md does not accuse, on both machines, with gradients
// by differences.
func TestRightOperators(t *testing.T) {
	normal := func(shape ...int) gradtest.Input {
		return x(shape, gradtest.Normals(rand.New(rand.NewSource(9)), tensor.Shape(shape).TotalSize())...)
	}
	for name, c := range map[string]struct {
		in []gradtest.Input
		f  gradtest.Builder
	}{
		"Sum of rank 3, axis 1": {[]gradtest.Input{normal(2, 3, 4)}, func(in []*G.Node) (*G.Node, error) { return G.Sum(in[0], 1) }},
		"Mean of rank 2":        {[]gradtest.Input{normal(2, 3)}, func(in []*G.Node) (*G.Node, error) { return G.Mean(in[0], 1) }},
		"Mul":                   {[]gradtest.Input{normal(2, 3), normal(3, 4)}, func(in []*G.Node) (*G.Node, error) { return G.Mul(in[0], in[1]) }},
		"BatchedMatMul":         {[]gradtest.Input{normal(2, 3, 4), normal(2, 4, 5)}, func(in []*G.Node) (*G.Node, error) { return G.BatchedMatMul(in[0], in[1]) }},
		"Add and HadamardProd":  {[]gradtest.Input{normal(2, 3), normal(2, 3)}, func(in []*G.Node) (*G.Node, error) { return G.HadamardProd(G.Must(G.Add(in[0], in[1])), in[1]) }},
		"BroadcastAdd":          {[]gradtest.Input{normal(2, 3), normal(3)}, func(in []*G.Node) (*G.Node, error) { return G.BroadcastAdd(in[0], in[1], nil, []byte{0}) }},
		"Transpose":             {[]gradtest.Input{normal(2, 3, 4)}, func(in []*G.Node) (*G.Node, error) { return G.Transpose(in[0], 2, 0, 1) }},
		"Tanh, Sigmoid, Softplus, Rectify": {[]gradtest.Input{normal(7)}, func(in []*G.Node) (*G.Node, error) {
			return G.Add(G.Must(G.Tanh(G.Must(G.Sigmoid(in[0])))), G.Must(G.Softplus(G.Must(G.Rectify(in[0])))))
		}},
		"SoftMax":             {[]gradtest.Input{normal(2, 3)}, func(in []*G.Node) (*G.Node, error) { return G.SoftMax(in[0]) }},
		"LogSoftMax":          {[]gradtest.Input{normal(2, 3)}, func(in []*G.Node) (*G.Node, error) { return G.LogSoftMax(in[0]) }},
		"Concat along axis 0": {[]gradtest.Input{normal(2, 3), normal(4, 3)}, func(in []*G.Node) (*G.Node, error) { return G.Concat(0, in[0], in[1]) }},
		"Conv2d": {[]gradtest.Input{normal(2, 2, 4, 5), normal(3, 2, 2, 3)}, func(in []*G.Node) (*G.Node, error) {
			return G.Conv2d(in[0], in[1], tensor.Shape{2, 3}, []int{1, 1}, []int{2, 1}, []int{1, 1})
		}},
		"MaxPool2D": {[]gradtest.Input{normal(2, 2, 4, 4)}, func(in []*G.Node) (*G.Node, error) {
			return G.MaxPool2D(in[0], tensor.Shape{2, 2}, []int{1, 1}, []int{2, 2})
		}},
	} {
		if _, err := gradtest.Graph(c.in, c.f, rand.New(rand.NewSource(1))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBatchNormEndsTheProcess runs Gorgonia's BatchNorm on LispMachine, in a process of its own.
func TestBatchNormEndsTheProcess(t *testing.T) {
	if os.Getenv("BATCHNORM") != "" {
		g := G.NewGraph()
		in := G.NodeFromAny(g, upTo(2, 2, 2, 2).Value, G.WithName("x"))
		y, _, _, _, err := G.BatchNorm(in, nil, nil, 0.9, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		G.Must(G.Sum(y))
		_ = G.NewLispMachine(g).RunAll()
		fmt.Println("it returns")
		return
	}
	command := exec.Command(os.Args[0], "-test.run", "^TestBatchNormEndsTheProcess$", "-test.v")
	command.Env = append(os.Environ(), "BATCHNORM=1")
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panic: ") || strings.Contains(string(out), "it returns") {
		t.Errorf("it does not: %v\n%s", err, out)
	}
}
