package embedding_test

import (
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A scene is a table of (5, 2), a lookup of three words and two bags of it, and a
// machine that trains them.
type scene struct {
	t       *testing.T
	table   *embedding.Table
	weights *tensor.Dense
	g       *G.ExprGraph
	words   *embedding.Lookup
	bags    *embedding.Lookup
	target  *G.Node
	lisp    bool
	machine G.VM
}

func newScene(t *testing.T, lisp bool, opts ...embedding.TableOption) *scene {
	s := &scene{t: t, lisp: lisp, g: G.NewGraph()}
	s.weights = tensor.New(tensor.WithShape(5, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21, 30, 31, 40, 41}))
	var err error
	s.table, err = embedding.New(s.weights, opts...)
	ok(t, err)
	s.words, err = s.table.Lookup(s.g, "words", 3)
	ok(t, err)
	s.bags, err = s.table.Bag(s.g, "bags", 2, embedding.Sum)
	ok(t, err)
	s.target = G.NewVector(s.g, tensor.Float64, G.WithShape(2), G.WithName("target"), G.WithValue(vector(1.0, 1)))
	sum := func(n *G.Node) *G.Node { return G.Must(G.Sum(G.Must(G.Square(n)))) }
	loss := G.Must(G.Add(G.Must(G.Add(sum(s.words.Node()), sum(s.bags.Node()))), sum(s.target)))
	if !lisp {
		_, err = G.Grad(loss, s.words.Node(), s.bags.Node())
		ok(t, err)
		s.machine = G.NewTapeMachine(s.g)
	}
	return s
}

func (s *scene) run() {
	s.t.Helper()
	if s.lisp {
		s.machine = G.NewLispMachine(s.g)
	} else {
		s.machine.Reset()
	}
	ok(s.t, s.machine.RunAll())
}

func (s *scene) set() {
	s.t.Helper()
	ok(s.t, s.words.Set(vector(int64(0), 3, 0)))
	ok(s.t, s.bags.SetBags(vector(int64(1), 2, 3), vector(int64(0), 2), nil))
}

func newSGD(t *testing.T, opts ...embedding.Option) embedding.Optimizer {
	t.Helper()
	o, err := embedding.NewSGD(opts...)
	ok(t, err)
	return o
}

// unchanged demands that a call is an error with some words, and that no row
// changes.
func (s *scene) unchanged(what string, err error, words ...string) {
	s.t.Helper()
	if err == nil {
		s.t.Errorf("%s: no error", what)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			s.t.Errorf("%s: error %q does not say %q", what, err, word)
		}
	}
	if got := s.weights.Float64s(); !slices.Equal(got, []float64{0, 1, 10, 11, 20, 21, 30, 31, 40, 41}) {
		s.t.Errorf("%s: the table is %v", what, got)
	}
}
