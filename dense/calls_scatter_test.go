package dense_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// scatterOperators are the three scatters.
var scatterOperators = []string{"ScatterElements", "ScatterND", "ScatterUpdate"}

// reductions are all of them.
var reductions = []oracle.Reduction{oracle.None, oracle.Add, oracle.Sub, oracle.Mul, oracle.Min, oracle.Max, oracle.Mean}

// A destination is where a scatter writes.
type destination int

const (
	newTensor destination = iota // to a tensor it makes
	given                        // to one given by WithReuse
	inPlace                      // to data itself, by WithReuse(data)
)

// String is for the names of calls.
func (d destination) String() string { return [...]string{"a new tensor", "a given one", "data"}[d] }

// A scatterCall is one use of a scatter. The call in it is that of the gather
// with the same indices: it addresses the same axes.
type scatterCall struct {
	call
	op      string // as ONNX spells it
	updates []int  // shape
	rule    oracle.Rule
	to      destination
	values  int64 // a seed: data and updates are made of it

	up layout // of updates
}

// String has all that is needed to repeat the call.
func (c *scatterCall) String() string {
	return fmt.Sprintf("%s data %v %v, indices %v %v %v = %v, updates %v %v, axis %d, %+v, to %v %v, values %d",
		c.op, c.data, c.in, c.indexType, c.indices.Shape, c.at, c.indices.Data, c.updates, c.up, c.axis, c.rule, c.to, c.out, c.values)
}

// options are the call's settings, but for the destination.
func (c *scatterCall) options() []dense.Option {
	var opts []dense.Option
	if c.rule.Reduction != oracle.None {
		opts = append(opts, dense.WithReduction(dense.Reduction(c.rule.Reduction)))
	}
	if c.rule.NoInit {
		opts = append(opts, dense.WithInitValue(false))
	}
	if c.rule.NonNegative {
		opts = append(opts, dense.WithNonNegativeIndices())
	}
	return opts
}

// run calls the operator.
func (c *scatterCall) run(data, indices, updates tensor.Tensor, opts ...dense.Option) (*tensor.Dense, error) {
	opts = append(c.options(), opts...)
	switch c.op {
	case "ScatterElements":
		return dense.ScatterElements(data, indices, updates, c.axis, opts...)
	case "ScatterND":
		return dense.ScatterND(data, indices, updates, opts...)
	case "ScatterUpdate":
		return dense.ScatterUpdate(data, indices, updates, c.axis, opts...)
	}
	panic(c.op)
}

// scattered is the result by the oracle.
func scattered[T any](c *scatterCall, data, updates oracle.Array[T], arith oracle.Arith[T]) (oracle.Array[T], *oracle.BadIndex) {
	switch c.op {
	case "ScatterElements":
		return oracle.ScatterElements(data, c.indices, updates, c.axis, c.rule, arith)
	case "ScatterND":
		return oracle.ScatterND(data, c.indices, updates, c.rule, arith)
	}
	return oracle.ScatterUpdate(data, c.indices, updates, c.axis, c.rule.NonNegative)
}

// scatter runs the call on data of the type, and compares the result, memory
// around it, and the error with what the oracle says.
func (e elements[T]) scatter(c *scatterCall) error {
	x, w := e.drawn(c.values, product(c.data)), e.drawn(c.values+1, product(c.updates))
	data, updates := lay(c.in, x, e.of(-1), c.data...), lay(c.up, w, e.of(-2), c.updates...)
	indices := c.indexType.lay(c.at, c.indices.Data, c.indices.Shape...)

	out, opts := data, []dense.Option(nil)
	isString := dtypeOf[T]().Kind() == reflect.String
	switch {
	case c.to == inPlace && !isString:
		opts = append(opts, dense.WithReuse(data.dense))
	case c.to == given && !isString:
		out = lay(c.out, e.drawn(c.values+2, len(x)), e.of(-3), c.data...)
		opts = append(opts, dense.WithReuse(out.dense))
	default:
		out = nil
	}
	got, err := c.run(data.dense, indices.tensor(), updates.dense, opts...)

	if changed := errors.Join(indices.touched(), updates.touched()); changed != nil {
		return fmt.Errorf("an input changed: %w", changed)
	}
	if out != data {
		if changed := data.touched(); changed != nil {
			return fmt.Errorf("data changed: %w", changed)
		}
	}
	if !e.reduces(c.rule.Reduction) {
		return c.refused(err, dtypeOf[T]())
	}
	arith := e.arithmetic()
	if c.rule.NoInit && arith.Div != nil {
		// Sums start from 0 then, and 0 + -0 is 0, while the oracle starts from the
		// first value.
		arith.Mean = func(values []T) T {
			sum := arith.Zero
			for _, v := range values {
				sum = arith.Add(sum, v)
			}
			return arith.Div(sum, len(values))
		}
	}
	want, bad := scattered(c, oracle.From(x, c.data...), oracle.From(w, c.updates...), arith)
	if bad != nil && out == data {
		if changed := out.touched(); changed != nil {
			return fmt.Errorf("data changed before the error: %w", changed)
		}
	}
	if wrong := c.sameError(err, bad); wrong != nil || bad != nil {
		return wrong
	}
	if !slices.Equal(got.Shape(), c.data) {
		return fmt.Errorf("shape %v, want %v", got.Shape(), c.data)
	}
	if out == nil {
		return e.different(packed[T](got), want.Data)
	}
	if got != out.dense {
		return errors.New("the result is not the tensor of WithReuse")
	}
	if err := out.stray(); err != nil {
		return fmt.Errorf("written beside the result: %w", err)
	}
	return e.different(out.values(), want.Data)
}

// refused checks the error for a reduction that elements do not have: it names
// the operator, the dtype and the reduction.
func (c *scatterCall) refused(err error, dt tensor.Dtype) error {
	if !errors.Is(err, dense.ErrDtype) {
		return fmt.Errorf("error %v, want ErrDtype", err)
	}
	text := err.Error()
	for _, part := range []string{c.op + ": values of dtype ", dt.Name() + " have no reduction " + c.rule.Reduction.String()} {
		if !strings.Contains(text, part) {
			return fmt.Errorf("error %q, want %q in it", text, part)
		}
	}
	return nil
}

// sameError compares the operator's error with the oracle's.
func (c *scatterCall) sameError(err error, bad *oracle.BadIndex) error {
	if bad == nil {
		return err
	}
	var got *dense.IndexError
	if !errors.As(err, &got) {
		return fmt.Errorf("error %v, want an IndexError for %v", err, bad)
	}
	want := &dense.IndexError{
		Op: c.op, Position: bad.Position, Index: bad.Index, Axis: bad.Axis, Size: bad.Size, NonNegative: c.rule.NonNegative,
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("error %+v, want %+v", got, want)
	}
	return nil
}
