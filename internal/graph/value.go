package graph

import (
	"sync"
	"unsafe"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Inputs are the values of an operator's inputs as tensors. Those of Gorgonia's scalars
// are from a pool, to which Release returns them.
type Inputs struct {
	tensors []tensor.Tensor
	scalars []*tensor.Dense // those of the tensors that are from the pool
}

// Read takes the values of an operator's inputs.
func (in *Inputs) Read(op G.Op, values []G.Value) ([]tensor.Tensor, error) {
	if len(values) != op.Arity() {
		return nil, errors.Errorf("%v: %d inputs, %d are needed", fault.Operator(op), len(values), op.Arity())
	}
	for i, v := range values {
		switch v := v.(type) {
		case tensor.Tensor:
			in.tensors = append(in.tensors, v)
		case G.Scalar:
			d := takeScalar(v)
			if d == nil {
				return nil, errors.Errorf("%v: %s is a scalar of type %T, which is not known here", fault.Operator(op), argument(op, i), v)
			}
			in.tensors, in.scalars = append(in.tensors, d), append(in.scalars, d)
		default:
			return nil, errors.Errorf("%v: %s is %T, a tensor or a scalar is needed", fault.Operator(op), argument(op, i), v)
		}
	}
	return in.tensors, nil
}

// Release ends the use of the tensors. Only the memory for their list stays.
func (in *Inputs) Release() {
	for _, d := range in.scalars {
		putScalar(d)
	}
	clear(in.tensors)
	clear(in.scalars)
	in.tensors, in.scalars = in.tensors[:0], in.scalars[:0]
}

// NewScalar makes the value for a scalar result, as Gorgonia wants it: one of
// its own scalar types. It returns nil for results that are no scalars, and for
// dtypes that Gorgonia has no scalar type for, whose scalars stay tensors.
func NewScalar(result Operand) G.Scalar {
	if result.Rank > 0 {
		return nil
	}
	switch result.Dtype {
	case tensor.Float64:
		return new(G.F64)
	case tensor.Float32:
		return new(G.F32)
	case tensor.Int:
		return new(G.I)
	case tensor.Int64:
		return new(G.I64)
	case tensor.Int32:
		return new(G.I32)
	case tensor.Uint8:
		return new(G.U8)
	case tensor.Bool:
		return new(G.B)
	}
	return nil
}

// Value is a result as Gorgonia wants it: see NewScalar.
func Value(d *tensor.Dense) G.Value {
	if s := NewScalar(Operand{Rank: len(d.Shape()), Dtype: d.Dtype()}); s != nil {
		writeScalar(s, d)
		return s
	}
	return d
}

// Output is a value that a machine has preallocated, as a tensor to write to.
type Output struct {
	value  G.Value
	scalar *tensor.Dense
}

// Take makes a tensor of the value.
func (out *Output) Take(op G.Op, prealloc G.Value) (*tensor.Dense, error) {
	out.value = prealloc
	switch v := prealloc.(type) {
	case *tensor.Dense:
		// A nil one cannot be written to, but to the operators it means that they
		// are to make a tensor, which then would be lost.
		if v != nil {
			return v, nil
		}
	case G.Scalar:
		if out.scalar = takeScalar(v); out.scalar != nil {
			return out.scalar, nil
		}
	}
	return nil, errors.Errorf("%v: a preallocated %T cannot hold a result", fault.Operator(op), prealloc)
}

// Finish returns the value with what has been written to the tensor.
func (out *Output) Finish(err error) (G.Value, error) {
	if out.scalar != nil {
		defer putScalar(out.scalar)
	}
	if err != nil {
		return nil, err
	}
	if out.scalar != nil {
		writeScalar(out.value.(G.Scalar), out.scalar)
	}
	return out.value, nil
}

// scalars holds scalar tensors for the use of a single call, by dtype.
var scalars sync.Map // tensor.Dtype → *sync.Pool

// takeScalar makes a scalar tensor with the value of a Gorgonia scalar, or
// returns nil if it does not know the type.
func takeScalar(v G.Scalar) *tensor.Dense {
	src := scalarMemory(v)
	if src == nil {
		return nil
	}
	dt := v.Dtype()
	var d *tensor.Dense
	if pool, ok := scalars.Load(dt); ok {
		d = pool.(*sync.Pool).Get().(*tensor.Dense)
	} else {
		pool, _ := scalars.LoadOrStore(dt, &sync.Pool{New: func() any {
			return tensor.NewDense(dt, tensor.Shape{})
		}})
		d = pool.(*sync.Pool).Get().(*tensor.Dense)
	}
	copy(d.Uint8s(), unsafe.Slice((*byte)(src), dt.Size()))
	return d
}

func putScalar(d *tensor.Dense) {
	if pool, ok := scalars.Load(d.Dtype()); ok {
		pool.(*sync.Pool).Put(d)
	}
}

// writeScalar sets a Gorgonia scalar to the value of a tensor of its dtype.
func writeScalar(v G.Scalar, d *tensor.Dense) {
	copy(unsafe.Slice((*byte)(scalarMemory(v)), v.Dtype().Size()), d.Uint8s())
}

// scalarMemory is the memory of a Gorgonia scalar's value.
func scalarMemory(v G.Scalar) unsafe.Pointer {
	switch v := v.(type) {
	case *G.F64:
		return unsafe.Pointer(v)
	case *G.F32:
		return unsafe.Pointer(v)
	case *G.I:
		return unsafe.Pointer(v)
	case *G.I64:
		return unsafe.Pointer(v)
	case *G.I32:
		return unsafe.Pointer(v)
	case *G.U8:
		return unsafe.Pointer(v)
	case *G.B:
		return unsafe.Pointer(v)
	}
	return nil
}

func memory(d *tensor.Dense) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(d.Uint8s())) }
