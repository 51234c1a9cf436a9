package embedding

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"testing"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// training is what generate.py has written of a table.
type training struct {
	Rows, Dim       int
	Mode, Optimizer string
	Rate, Eps       float64
	Decay           float64
	Accumulator     float64
	Betas           []float64
	Padding         *int64
	Start           []float64
	Steps           []step
}

type step struct {
	IDs      []int64
	Offsets  []int64
	Weights  []float64
	Value    []float64
	Gradient []float64
	Table    []float64
}

// near is how far a number may be from PyTorch's, relative to the larger of it and 1.
const near = 1e-5

// TestReplay trains each table on both machines. Each step begins with the rows that
// PyTorch has then, so that what is rounded in the file does not add up.
func TestReplay(t *testing.T) {
	cases := read(t)
	modes := map[string]int{}
	for i, c := range cases {
		modes[c.Mode+" "+c.Optimizer]++
		for _, lisp := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/%s/%s/lisp=%v", i, c.Mode, c.Optimizer, lisp), func(t *testing.T) { replay(t, c, lisp) })
		}
	}
	if len(cases) < 300 || len(modes) != 13 {
		t.Errorf("%d cases of %d kinds: %v", len(cases), len(modes), modes)
	}
}

func read(t *testing.T) (cases []training) {
	t.Helper()
	f, err := os.Open("vectors.jsonl.gz")
	ok(t, err)
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	ok(t, err)
	lines := json.NewDecoder(bufio.NewReader(z))
	var head struct{ Version string }
	ok(t, lines.Decode(&head))
	if head.Version == "" {
		t.Fatal("the first line names no version")
	}
	for {
		var c training
		err := lines.Decode(&c)
		if errors.Is(err, io.EOF) {
			return cases
		}
		ok(t, err)
		cases = append(cases, c)
	}
}

func (c *training) optimizer() (embedding.Optimizer, error) {
	opts := []embedding.Option{embedding.WithLearnRate(c.Rate)}
	switch c.Optimizer {
	case "Adagrad":
		return embedding.NewAdagrad(append(opts, embedding.WithEps(c.Eps), embedding.WithLearnRateDecay(c.Decay), embedding.WithInitialAccumulator(c.Accumulator))...)
	case "Adam":
		return embedding.NewAdam(append(opts, embedding.WithEps(c.Eps), embedding.WithBeta1(c.Betas[0]), embedding.WithBeta2(c.Betas[1]))...)
	}
	return embedding.NewSGD(opts...)
}

func (c *training) lookup(table *embedding.Table, g *G.ExprGraph, s step) (*embedding.Lookup, error) {
	if c.Mode == "lookup" {
		return table.Lookup(g, "ids", len(s.IDs))
	}
	mode := map[string]embedding.Mode{"sum": embedding.Sum, "weights": embedding.Sum, "mean": embedding.Mean, "max": embedding.Max}[c.Mode]
	return table.Bag(g, "bags", len(s.Offsets), mode)
}

func vector[T any](x []T) *tensor.Dense {
	if len(x) == 0 {
		var none T
		return tensor.New(tensor.Of(tensor.New(tensor.WithBacking([]T{none})).Dtype()), tensor.WithShape(0))
	}
	return tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x))
}

func replay(t *testing.T, c training, lisp bool) {
	weights := tensor.New(tensor.WithShape(c.Rows, c.Dim), tensor.WithBacking(append([]float64(nil), c.Start...)))
	var opts []embedding.TableOption
	if c.Padding != nil {
		opts = append(opts, embedding.WithPadding(*c.Padding))
	}
	table, err := embedding.New(weights, opts...)
	ok(t, err)
	optimizer, err := c.optimizer()
	ok(t, err)
	for i, s := range c.Steps {
		g := G.NewGraph()
		l, err := c.lookup(table, g, s)
		ok(t, err)
		if c.Mode == "lookup" {
			err = l.Set(vector(s.IDs))
			for p, id := range s.IDs { // a padding is zeros here, and its row in PyTorch
				if c.Padding != nil && id == *c.Padding {
					clear(s.Value[p*c.Dim:][:c.Dim])
				}
			}
		} else {
			var perID tensor.Tensor
			if c.Mode == "weights" {
				perID = vector(s.Weights)
			}
			err = l.SetBags(vector(s.IDs), vector(s.Offsets), perID)
		}
		ok(t, err)
		n := l.Node()
		gradient := G.NewMatrix(g, tensor.Float64, G.WithShape(n.Shape()...), G.WithName("gradient"),
			G.WithValue(tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(s.Gradient))))
		loss := G.Must(G.Sum(G.Must(G.HadamardProd(n, gradient))))
		var machine G.VM
		if lisp {
			machine = G.NewLispMachine(g)
		} else {
			_, err := G.Grad(loss, n)
			ok(t, err)
			machine = G.NewTapeMachine(g)
		}
		ok(t, machine.RunAll())
		compare(t, fmt.Sprintf("step %d: value", i), n.Value().(*tensor.Dense).Float64s(), s.Value)
		ok(t, optimizer.Step(l))
		ok(t, machine.Close())
		compare(t, fmt.Sprintf("step %d: table", i), weights.Float64s(), s.Table)
		copy(weights.Float64s(), s.Table)
	}
}

func compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, x := range got {
		if !(math.Abs(x-want[i]) <= near*max(1, math.Abs(want[i]))) {
			t.Errorf("%s: number %d is %v, PyTorch has %v", what, i, x, want[i])
		}
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}
