package embedding

import (
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Whole adds to a graph a node of the table's shape, which holds all of its rows:
//
//	node[p…] = table[p…]
//
// It is for the dense layers of a model, which an [Optimizer] then steps together with the
// looked-up rows, and [Save] saves together with them. A resumed training then computes
// the same bits, which it does not with a solver of Gorgonia's that has states. See
// [Table.Lookup] for the node and its name. [Lookup.Set] of nil copies the rows to
// the node before each run: the node has memory of its own, since TapeMachine sometimes
// writes results over inputs. WithPadding does not matter here.
//
// Errors: [dense.ErrShape] for more than 2147483647 rows, or 1048576 without numbers.
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
	p.rows = slices.Grow(p.rows, l.table.rows-len(p.rows))
	for r := len(p.rows); r < l.table.rows; r++ {
		p.rows = append(p.rows, int64(r))
	}
	return nil
}
