package graph

import (
	"sync"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A Runner runs an operator on its inputs as tensors. It writes to dst and
// returns it, or returns a new tensor if dst is nil.
type Runner func(dst *tensor.Dense, in []tensor.Tensor) (*tensor.Dense, error)

// Do is the Do of an operator.
func Do(op G.Op, values []G.Value, run Runner) (G.Value, error) {
	in := pool.Get().(*Inputs)
	defer in.put()
	t, err := in.Read(op, values)
	if err != nil {
		return nil, err
	}
	out, err := run(nil, t)
	if err != nil {
		return nil, Explain(op, err)
	}
	return Value(out), nil
}

// UsePreallocDo is the UsePreallocDo of an operator: Do, into a value of the
// result's dtype and shape.
func UsePreallocDo(op G.Op, prealloc G.Value, values []G.Value, run Runner) (G.Value, error) {
	in := pool.Get().(*Inputs)
	defer in.put()
	t, err := in.Read(op, values)
	if err != nil {
		return nil, err
	}
	var out Output
	dst, err := out.Take(op, prealloc)
	if err != nil {
		return nil, err
	}
	_, err = run(dst, t)
	return out.Give(Explain(op, err))
}

// pool holds Inputs: on the stack they would not stay, as a Runner might keep
// what it is given.
var pool = sync.Pool{New: func() any { return new(Inputs) }}

// put gives Inputs back to the pool, without the tensors.
func (in *Inputs) put() {
	in.Release()
	*in = Inputs{}
	pool.Put(in)
}
