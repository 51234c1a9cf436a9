package dense_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// A call is one use of an operator or of its adjoint.
type call struct {
	op        string // as ONNX spells it
	axis      int
	batchDims int
	fused     bool
	policy    oracle.Policy

	data      []int               // shape
	indices   oracle.Array[int64] // as stored in the index type
	indexType indexType
	reuse     bool // write to a tensor in layout out

	in, at, out layout.Layout // of data (dst of an adjoint), of indices and of the result (updates)
}

// String has all that is needed to repeat the call.
func (c *call) String() string {
	return fmt.Sprintf("%s data %v %v, indices %v %v %v = %v, result %v reuse=%v, axis %d batch dims %d fused=%v %+v",
		c.op, c.data, c.in, c.indexType, c.indices.Shape, c.at, c.indices.Data, c.out, c.reuse, c.axis, c.batchDims, c.fused, c.policy)
}

// options are the call's settings.
func (c *call) options() []dense.Option {
	var opts []dense.Option
	if c.batchDims != 0 {
		opts = append(opts, dense.WithBatchDims(c.batchDims))
	}
	if c.fused {
		opts = append(opts, dense.WithFusedBatchDims())
	}
	if c.policy.NonNegative {
		opts = append(opts, dense.WithNonNegativeIndices())
	}
	if c.policy.ZeroFill {
		opts = append(opts, dense.WithOutOfRange(dense.ZeroFill))
	}
	if c.policy.Clamp {
		opts = append(opts, dense.WithOutOfRange(dense.Clamp))
	}
	return append(opts, withPadding(c.policy.Padding)...)
}

// withPadding is the option for a padding, if there is one.
func withPadding(p oracle.Padding) []dense.Option {
	if !p.Padded {
		return nil
	}
	return []dense.Option{dense.WithPadding(p.ID)}
}

// run calls the operator.
func (c *call) run(data, indices tensor.Tensor, opts ...dense.Option) (*tensor.Dense, error) {
	opts = append(c.options(), opts...)
	switch c.op {
	case "Gather":
		return dense.Gather(data, indices, c.axis, opts...)
	case "GatherElements":
		return dense.GatherElements(data, indices, c.axis, opts...)
	case "GatherND":
		return dense.GatherND(data, indices, opts...)
	}
	panic(c.op)
}

// runAdd calls the operator's adjoint.
func (c *call) runAdd(dst, updates, indices tensor.Tensor, opts ...dense.Option) error {
	opts = append(c.options(), opts...)
	switch c.op {
	case "Gather":
		return dense.AddGather(dst, updates, indices, c.axis, opts...)
	case "GatherElements":
		return dense.AddGatherElements(dst, updates, indices, c.axis, opts...)
	case "GatherND":
		return dense.AddGatherND(dst, updates, indices, opts...)
	}
	panic(c.op)
}

// gather is the call without its tensors.
func (c *call) gather() cases.Gather {
	return cases.Gather{Op: c.op, Axis: c.axis, BatchDims: c.batchDims, Fused: c.fused, Data: c.data, Indices: c.indices, Policy: c.policy}
}

// addressed is the axis of data that the index at a position addresses.
func (c *call) addressed(position []int) int { return c.gather().Addressed(position) }

// expected is the result by the oracle, for data that counts from 1: each value
// of the result is the number of the element it came from, or 0.
func (c *call) expected() (oracle.Array[int64], *oracle.BadIndex) {
	return cases.Gathered(c.gather(), counting(tensor.ProdInts(c.data)))
}

// gather runs the call on data of the type, and compares the result, memory
// around it, and the error with what the oracle says.
func (e elements[T]) gather(c *call) error {
	want, bad := c.expected()
	data := layout.Lay(c.in, e.all(counting(tensor.ProdInts(c.data))), e.of(-1), c.data...)
	indices := c.indexType.lay(c.at, c.indices.Data, c.indices.Shape...)

	var opts []dense.Option
	var out *layout.Block[T]
	if c.reuse && bad == nil && dtypeOf[T]().Kind() != reflect.String {
		// What the result must overwrite, and what it must leave alone.
		rubbish := make([]int64, len(want.Data))
		for i := range rubbish {
			rubbish[i] = -2
		}
		out = layout.Lay(c.out, e.all(rubbish), e.of(-3), c.gather().Result()...)
		opts = append(opts, dense.WithReuse(out.Dense))
	}
	got, err := c.run(data.Dense, indices.tensor(), opts...)

	if changed := errors.Join(data.Touched(), indices.Touched()); changed != nil {
		return fmt.Errorf("an input changed: %w", changed)
	}
	if wrong := sameError(c, err, bad); wrong != nil || bad != nil {
		return wrong
	}
	if !slices.Equal(got.Shape(), c.gather().Result()) {
		return fmt.Errorf("shape %v, want %v", got.Shape(), c.gather().Result())
	}
	if out != nil {
		if got != out.Dense {
			return errors.New("the result is not the tensor of WithReuse")
		}
		if err := out.Stray(); err != nil {
			return fmt.Errorf("written beside the result: %w", err)
		}
		return difference(out.Values(), e.all(want.Data))
	}
	return difference(packed[T](got), e.all(want.Data))
}

// add runs the adjoint on a dst and updates of the type.
func (e elements[T]) add(c *call) error {
	shape, start := c.gather().Result(), e.all(counting(tensor.ProdInts(c.data)))
	numbers := make([]int64, tensor.ProdInts(shape))
	for i := range numbers {
		numbers[i] = int64(i*i%23 - 7)
	}
	updates := e.all(numbers)
	want, bad := cases.Added(c.gather(), start, updates, e.arith.Add)

	dst := layout.Lay(c.in, start, e.of(-3), c.data...)
	u := layout.Lay(c.out, updates, e.of(-2), shape...)
	indices := c.indexType.lay(c.at, c.indices.Data, c.indices.Shape...)
	err := c.runAdd(dst.Dense, u.Dense, indices.tensor())

	if changed := errors.Join(u.Touched(), indices.Touched()); changed != nil {
		return fmt.Errorf("an input changed: %w", changed)
	}
	if wrong := sameError(c, err, bad); wrong != nil {
		return wrong
	}
	if bad != nil {
		return dst.Touched()
	}
	if err := dst.Stray(); err != nil {
		return fmt.Errorf("written beside dst: %w", err)
	}
	return difference(dst.Values(), want)
}

// sameError compares an operator's error with the oracle's.
func sameError(c *call, err error, bad *oracle.BadIndex) error {
	if bad == nil {
		return err
	}
	var got *dense.IndexError
	if !errors.As(err, &got) {
		return fmt.Errorf("error %v, want an IndexError for %v", err, bad)
	}
	want := &dense.IndexError{
		Op: c.op, Position: bad.Position, Index: bad.Index, Axis: bad.Axis, Size: bad.Size, NonNegative: c.policy.NonNegative,
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("error %+v, want %+v", got, want)
	}
	return nil
}
