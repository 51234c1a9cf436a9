package main

import (
	"math"
	"time"

	"github.com/pkg/errors"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// words is how many the model's embedding has: torch.py says so, too.
const words = 1000

// A step is the model in a graph, with its cost and the gradients of its parameters.
type step struct {
	machine G.VM
	weights G.Nodes
	cost    G.Value
	blas    *timedBLAS
}

func newStep(file string, c Case) (*step, error) {
	model, err := onnx.ReadModelFile(file)
	if err != nil {
		return nil, err
	}
	g := G.NewGraph()
	built, err := model.Build(g, builders.All())
	if err != nil {
		return nil, err
	}
	ids, target := inputs(c)
	if err := built.Let("words", ids); err != nil {
		return nil, err
	}
	cost, err := meanSquare(built.Output("y"), G.NodeFromAny(g, target, G.WithName("target")))
	if err != nil {
		return nil, err
	}
	s := &step{weights: built.Trainable(), blas: timeBLAS()}
	G.Read(cost, &s.cost)
	if _, err := G.Grad(cost, s.weights...); err != nil {
		return nil, err
	}
	s.machine = G.NewTapeMachine(g, G.BindDualValues(s.weights...))
	return s, nil
}

// inputs are the words and the target.
func inputs(c Case) (ids, target *tensor.Dense) {
	w := make([]int64, c.Batch*c.Length)
	for i := range w {
		w[i] = int64(i) * 7919 % words
	}
	t := make([]float32, len(w)*c.Width)
	for i := range t {
		t[i] = float32(i%1009)/1009 - 0.5
	}
	return tensor.New(tensor.WithShape(c.Batch, c.Length), tensor.WithBacking(w)),
		tensor.New(tensor.WithShape(c.Batch, c.Length, c.Width), tensor.WithBacking(t))
}

// meanSquare is the mean of the squared distance.
func meanSquare(y, target *G.Node) (*G.Node, error) {
	distance, err := builders.Sub(onnx.Node{OpType: "Sub", Opset: 14}, y, target)
	if err != nil {
		return nil, err
	}
	square, err := builders.Mul(onnx.Node{OpType: "Mul", Opset: 14}, distance[0], distance[0])
	if err != nil {
		return nil, err
	}
	mean, err := builders.ReduceMean(onnx.Node{OpType: "ReduceMean", Opset: 14, Attributes: map[string]any{"keepdims": int64(0)}}, square...)
	if err != nil {
		return nil, err
	}
	return mean[0], nil
}

// run takes a step, and says how long it took and, if timed, how long BLAS did, in
// seconds.
func (s *step) run(timed bool) (all, blas float64, err error) {
	s.blas.use(timed)
	s.machine.Reset()
	s.blas.reset()
	start := time.Now()
	err = s.machine.RunAll()
	return time.Since(start).Seconds(), s.blas.seconds(), errors.WithStack(err)
}

// agrees checks the first step's cost and gradients.
func (s *step) agrees(theirs reply) error {
	if _, _, err := s.run(false); err != nil {
		return err
	}
	cost, ok := s.cost.Data().(float32)
	if !ok {
		return errors.Errorf("the cost is a %T", s.cost.Data())
	}
	squares := 0.0
	for _, n := range s.weights {
		v, err := n.Grad()
		if err != nil {
			return errors.WithMessage(err, n.Name())
		}
		for _, x := range v.Data().([]float32) {
			squares += float64(x) * float64(x)
		}
	}
	if !near(float64(cost), theirs.Cost) || !near(squares, theirs.Squares) {
		return errors.Errorf("cost %v and squares of gradients %v, PyTorch has %v and %v", cost, squares, theirs.Cost, theirs.Squares)
	}
	return nil
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-3*math.Abs(b) }
