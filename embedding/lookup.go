package embedding

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/graph"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/update"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Mode is how a bag makes one row of several.
type Mode uint8

const (
	// Sum adds the rows, each times its weight if there are weights. An empty bag is
	// zeros.
	Sum Mode = iota
	// Mean divides that sum by the sum of the weights, without weights the number of
	// rows. An empty bag is zeros, and so is one whose weights have the sum 0.
	Mean
	// Max takes the greatest number of each column, or NaN if there is one. The
	// gradient of a column is divided evenly between the rows that have it. An empty
	// bag is zeros.
	Max
	// SqrtN divides the sum by the root of the sum of the squares of the weights,
	// without weights of the number of rows: TensorFlow's combiner sqrtn. An empty bag is
	// zeros, and so is one of weights of 0.
	SqrtN
)

// String is the name of the mode.
func (m Mode) String() string {
	if m > SqrtN {
		return "unknown"
	}
	return [...]string{"Sum", "Mean", "Max", "SqrtN"}[m]
}

// A Lookup is a place in a graph where rows of a table are looked up: one row for
// each id, or one for each bag of ids. It is an input node of the graph, whose
// value is filled by [Lookup.Set] or [Lookup.SetBags] before each run. Before the first
// it is NaN; after that a run without Set uses the old rows.
//
// A Lookup is made by [Table.Lookup] or [Table.Bag]. It may be used by several
// goroutines, but a run of the graph reads its value and writes its gradient: do not
// Set or Step it during a run.
type Lookup struct {
	mu     sync.Mutex
	number uint64 // lookups are locked in this order
	node   *G.Node
	value  *tensor.Dense // of the node
	name   string
	whole  bool // each row stands in its place, and there are no ids

	request
	picked        // by the last Set
	next   picked // what a Set reads into, before it is sure of it

	ready    bool    // set, and no step since
	before   G.Value // the gradient that was there before the run
	checksum uint64  // of value, on LispMachine; 0: none
	shares   []byte  // the gradients of the winners
	normal   bag.Normal
	// bordersOfStep are those of the bags, for the step.
	bordersOfStep bag.Borders
}

// Lookup adds to a graph a node of the shape shape ++ d..., with a row of the table
// for each id:
//
//	node[j…, p…] = table[ids[j…], p…]
//
// It is an input node, whose name no other input of the graph may have, now or
// later: to Gorgonia two inputs of one name, type and shape are one node. A lookup in a
// table of rank 1 needs a shape, (1) for one id, since a scalar node cannot be filled.
//
// Errors: [dense.ErrShape].
func (t *Table) Lookup(g *G.ExprGraph, name string, shape ...int) (*Lookup, error) {
	return t.place(&Lookup{name: name, request: request{call: fault.Call("Lookup", []string{name}), shape: tensor.Shape(shape).Clone(), bags: -1}}, g)
}

// Bag adds to a graph a node of the shape (bags, d...), with a row for each bag of
// ids: the sum, the mean or the maximum of their rows of the table. Over the positions i
// of bag b that have a row it is
//
//	Sum    node[b, p…] = Σ weights[i]·table[ids[i], p…]
//	Mean   node[b, p…] = (Σ weights[i]·table[ids[i], p…]) / Σ weights[i]
//	SqrtN  node[b, p…] = (Σ weights[i]·table[ids[i], p…]) / √Σ weights[i]²
//	Max    node[b, p…] = max table[ids[i], p…]
//
// where weights that are not given are 1. Those of TensorFlow's embedding_lookup_sparse are
// called sum, mean and sqrtn.
//
// A sum starts from 0 and adds the positions in order. See [Lookup.SetBags] for
// what a bag is, and [Table.Lookup] for the node.
//
// Errors: [dense.ErrShape], [dense.ErrOption].
func (t *Table) Bag(g *G.ExprGraph, name string, bags int, mode Mode) (*Lookup, error) {
	call := fault.Call("Bag", []string{name})
	if mode > SqrtN {
		return nil, fault.Errorf(dense.ErrOption, "%s: mode %d, allowed are Sum, Mean, Max and SqrtN", call, mode)
	}
	if bags < 0 {
		return nil, fault.Errorf(dense.ErrShape, "%s: %d bags, none may be negative", call, bags)
	}
	return t.place(&Lookup{name: name, request: request{call: call, shape: tensor.Shape{bags}, bags: bags, mode: mode}}, g)
}

// lookups counts them.
var lookups atomic.Uint64

// place makes the node.
func (t *Table) place(l *Lookup, g *G.ExprGraph) (_ *Lookup, err error) {
	defer core.Recover(l.call, &err)
	if err := t.made(l.call); err != nil {
		return nil, err
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return nil, errClosed(l.call)
	}
	shape := append(l.shape.Clone(), t.shape[1:]...)
	for i, n := range l.shape {
		if n < 0 {
			return nil, fault.Errorf(dense.ErrShape, "%s: shape %v has the negative dim %d at axis %d", l.call, fault.Shape(l.shape), n, i)
		}
	}
	switch {
	case g == nil:
		return nil, errors.Errorf("%s: the graph is nil", l.call)
	case l.name == "":
		return nil, errors.Errorf("%s: the name is empty, Gorgonia tells inputs apart by their names", l.call)
	case l.whole && t.rows > update.MaxPositions:
		return nil, fault.Errorf(dense.ErrShape, "%s: %d rows, at most %d can be stepped", l.call, t.rows, update.MaxPositions)
	case len(shape) == 0:
		return nil, fault.Errorf(dense.ErrShape, "%s: one id of a table of rank 1 would be a scalar, give the shape 1", l.call)
	}
	if l.whole {
		if err := checkEmptyRows(l.call, "positions", t.shape); err != nil {
			return nil, err
		}
	}
	for _, n := range g.AllNodes() {
		if n.Op() == nil && n.Name() == l.name {
			return nil, errors.Errorf("%s: the graph has an input of this name already, Gorgonia might make one node of both", l.call)
		}
	}
	nodeType := G.TensorType{Dims: len(shape), Of: t.dtype}
	if graph.Taken(g, nodeType, shape, l.name) {
		return nil, errors.Errorf("%s: the graph has a node of the same hash, Gorgonia would take one for the other: give another name", l.call)
	}
	if err := core.Fits(l.call, "a result", shape, t.dtype); err != nil {
		return nil, err
	}
	l.table, l.number = t, lookups.Add(1)
	l.value = tensor.New(tensor.WithShape(shape...), tensor.Of(t.dtype))
	l.fillNaN()
	l.node = G.NewUniqueNode(G.WithType(nodeType), G.In(g), G.WithShape(shape...), G.WithName(l.name), G.WithValue(l.value))
	return l, nil
}

// fillNaN makes a run before the first Set show: NaN in what it computes.
func (l *Lookup) fillNaN() {
	nan := math.NaN()
	switch l.value.Dtype() {
	case tensor.Float32:
		for i := range l.value.Float32s() {
			l.value.Float32s()[i] = float32(nan)
		}
	case tensor.Float64:
		for i := range l.value.Float64s() {
			l.value.Float64s()[i] = nan
		}
	}
}

// Node is the input node. Give it to the model, to gorgonia.Grad and, if you like,
// to gorgonia.BindDualValues, but not to a solver, which would change the looked-up rows
// and not the table. It is nil if the Lookup is.
func (l *Lookup) Node() *G.Node {
	if l == nil {
		return nil
	}
	return l.node
}

// made refuses what no table has made.
func (l *Lookup) made(op string) error {
	switch {
	case l == nil:
		return errors.Errorf("%s: the lookup is nil, Table.Lookup and Table.Bag make one", op)
	case l.table == nil:
		return errors.Errorf("%s: the lookup is the zero Lookup, Table.Lookup and Table.Bag make one", op)
	}
	return nil
}

// Set looks up the rows of some ids: integers of any dtype, in any layout, of the
// shape that the lookup was made with. They are copied. For a lookup of bags they
// are (bags, k): bag i is row i, and k may differ from call to call.
//
// Call it before each run: it fills the node's value. After an error everything is as it
// was before: an id that is out of range is an [*dense.IndexError], and no row has been
// looked up then. A lookup of [Table.Whole] has no ids: Set(nil) copies the table.
//
// Errors: [dense.ErrShape], [dense.ErrDtype], [*dense.IndexError], and a table that is
// closed.
func (l *Lookup) Set(ids tensor.Tensor) (err error) {
	if err := l.made("Set"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.offsets = plan.Settings{}
	return l.set(ids, nil, nil)
}

// SetBags looks up ragged bags. ids are (n), as for [Lookup.Set]; any n will do.
// Bag i has the positions offsets[i] to offsets[i+1]-1, the last one those up to n:
// offsets are (bags), integers of any dtype, ascending, not below 0 and not above
// n. Ids before offsets[0] belong to no bag, but have to be in range. Without
// offsets, as nil, ids are (bags, k).
//
// With [dense.WithLengths] offsets are how many ids each bag has, and have the sum n: the
// lengths of TorchRec. With [dense.WithLastOffset] they are (bags+1), and the last one is n.
//
// weights, which may be nil, are of the table's dtype and the shape of ids: the
// row of each id is multiplied by its weight. Bags of Max have none. Their gradients are
// [Lookup.WeightGradients].
//
// Everything is copied. After an error everything is as it was before.
//
// Errors: [dense.ErrShape], [dense.ErrDtype], [dense.ErrOption],
// [dense.ErrLayout], [*dense.IndexError].
func (l *Lookup) SetBags(ids, offsets, weights tensor.Tensor, opts ...dense.Option) error {
	if err := l.made("SetBags"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bags < 0 {
		return errors.Errorf("%s: SetBags is for bags, and this is a lookup without: use Set", l.call)
	}
	s, _, err := plan.ForTable(l.call, plan.Borders, opts)
	if err != nil {
		return err
	}
	l.offsets = s
	return l.set(ids, offsets, weights)
}
