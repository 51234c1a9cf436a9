package graph

import (
	"sync"

	G "gorgonia.org/gorgonia"
)

// Do runs the operator.
func (op *Operator) Do(inputs ...G.Value) (G.Value, error) {
	if scalar := NewScalar(op.description.Result); scalar != nil {
		// Into the scalar itself: a tensor for it would be made to be read once.
		return op.UsePreallocDo(scalar, inputs...)
	}
	in := pool.Get().(*Inputs)
	defer in.put()
	t, err := in.Read(op, inputs)
	if err != nil {
		return nil, err
	}
	out, err := op.description.Run(nil, t)
	if err != nil {
		return nil, Explain(op, err)
	}
	return Value(out), nil
}

// UsePreallocDo is Do, into a value of the result's dtype and shape. An operator
// whose runner makes a tensor of its own returns that.
func (op *Operator) UsePreallocDo(prealloc G.Value, inputs ...G.Value) (G.Value, error) {
	in := pool.Get().(*Inputs)
	defer in.put()
	t, err := in.Read(op, inputs)
	if err != nil {
		return nil, err
	}
	var out Output
	dst, err := out.Take(op, prealloc)
	if err != nil {
		return nil, err
	}
	made, err := op.description.Run(dst, t)
	given, err := out.Finish(Explain(op, err))
	if err == nil && made != dst {
		return Value(made), nil
	}
	return given, err
}

// pool holds Inputs: on the stack they would not stay, as a Runner might keep
// what it is given.
var pool = sync.Pool{New: func() any { return new(Inputs) }}

// put gives Inputs back to the pool, without the tensors.
func (in *Inputs) put() {
	in.Release()
	pool.Put(in)
}
