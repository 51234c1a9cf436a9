package embedding

import (
	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// WeightGradients are the gradients of the weights that [Lookup.SetBags] was given, in
// their shape:
//
//	Sum    out[i] = t[i], which is Σ table[ids[i], p…]·gradient[b, p…] over p…
//	Mean   out[i] = (t[i] - s) / Σ weights[j]
//	SqrtN  out[i] = (t[i] - weights[i]/√q·s) / √q, with q = Σ weights[j]²
//
// where b is the bag of position i, the sums are over its positions j, and s is
// Σ gradient[b, p…]·node[b, p…] over p…. It is 0 for an id that has no row or is in no
// bag. The result is a new tensor. Call it between a run of the graph and the Step of an
// [Optimizer], while the rows are those that were looked up: a table that has been stepped
// or loaded since is an error.
//
// Errors: [dense.ErrOption] for a lookup that was given no weights, and a table that is
// closed.
func (l *Lookup) WeightGradients() (_ *tensor.Dense, err error) {
	const op = "WeightGradients"
	if err := l.made(op); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	defer core.Recover(op, &err)
	t := l.table
	t.mu.RLock()
	defer t.mu.RUnlock()
	switch {
	case t.closed:
		return nil, errors.WithMessage(errClosed(op), l.call)
	case len(l.weighted) == 0:
		return nil, fault.Errorf(dense.ErrOption, "%s: %s has no weights, SetBags gives them", op, l.call)
	case !l.ready:
		return nil, errors.Errorf("%s: %s was not Set since the last Step: call Set and RunAll before", op, l.call)
	case l.changes != t.changes:
		return nil, errors.Errorf("%s: the rows of %s have been changed since Set", op, l.call)
	}
	grad, err := l.gradient()
	if err != nil {
		return nil, errors.WithMessage(err, op)
	}
	out := tensor.NewDense(t.dtype, l.weighted.Clone())
	if len(l.rows) > 0 && t.rows > 0 {
		bag := l.bag(&l.picked)
		bag.WeightsGradient(out.Raw, grad)
	}
	return out, nil
}
