package embedding

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Whole adds to a graph a node of the table's shape, which holds all of its rows:
//
//	node[p…] = table[p…]
//
// It is for the dense layers of a model, which an [Optimizer] then steps with the rows
// that were looked up, and [Save] saves with them: training goes on to the same bits,
// which it does not with a solver of Gorgonia's that remembers something. See
// [Table.Lookup] for the node, and for its name. [Lookup.Set] of nil copies the rows to
// the node, before each run: the node is not the table's own memory, since TapeMachine
// writes results over inputs now and then. A row that is the padding of ids is as any
// other.
//
// Errors: [dense.ErrShape] for more than 2147483647 rows.
func (t *Table) Whole(g *G.ExprGraph, name string) (*Lookup, error) {
	l := &Lookup{name: name, whole: true, request: request{call: fault.Call("Whole", []string{name}), bags: -1}}
	if t != nil {
		l.shape = tensor.Shape{t.rows}
	}
	return t.place(l, g)
}

// readWhole makes the rows of the next Set all rows.
func (l *Lookup) readWhole(ids tensor.Tensor) error {
	if ids != nil {
		return errors.Errorf("%s: ids are given to a lookup of all rows: call Set(nil)", l.call)
	}
	p := &l.next
	for r := len(p.rows); r < l.table.rows; r++ {
		p.rows = append(p.rows, int64(r))
	}
	return nil
}
