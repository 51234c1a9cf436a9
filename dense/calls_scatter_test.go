package dense_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// A destination is where a scatter writes.
type destination int

const (
	newTensor destination = iota // to a tensor it makes
	given                        // to one given by WithReuse
	inPlace                      // to data itself, by WithReuse(data)
)

// String is for the names of calls.
func (d destination) String() string { return [...]string{"a new tensor", "a given one", "data"}[d] }

// A scatterCall is one use of a scatter, with its tensors.
type scatterCall struct {
	cases.Scatter
	indexType indexType
	to        destination
	values    int64 // a seed: data and updates are made of it

	in, at, up, out layout.Layout // of data, of indices, of updates and of a given dst
}

// String has all that is needed to repeat the call.
func (c *scatterCall) String() string {
	return fmt.Sprintf("%v, data %v, indices %v %v, updates %v, to %v %v, values %d",
		c.Scatter, c.in, c.indexType, c.at, c.up, c.to, c.out, c.values)
}

// options are the call's settings, but for the destination.
func (c *scatterCall) options() []dense.Option {
	var opts []dense.Option
	if c.Rule.Reduction != oracle.None {
		opts = append(opts, dense.WithReduction(dense.Reduction(c.Rule.Reduction)))
	}
	if c.Rule.NoInit {
		opts = append(opts, dense.WithInitValue(false))
	}
	if c.Rule.Skip {
		opts = append(opts, dense.WithOutOfRange(dense.Skip))
	}
	if c.Rule.NonNegative {
		opts = append(opts, dense.WithNonNegativeIndices())
	}
	return append(opts, withPadding(c.Rule.Padding)...)
}

// run calls the operator.
func (c *scatterCall) run(data, indices, updates tensor.Tensor, opts ...dense.Option) (*tensor.Dense, error) {
	opts = append(c.options(), opts...)
	switch c.Op {
	case "ScatterElements":
		return dense.ScatterElements(data, indices, updates, c.Axis, opts...)
	case "ScatterND":
		return dense.ScatterND(data, indices, updates, opts...)
	case "ScatterUpdate":
		return dense.ScatterUpdate(data, indices, updates, c.Axis, opts...)
	}
	panic(c.Op)
}

// scatter runs the call on data of the type, and compares the result, memory
// around it, and the error with what the oracle says.
func (e elements[T]) scatter(c *scatterCall) error {
	x, w := e.drawn(c.values, tensor.ProdInts(c.Data)), e.drawn(c.values+1, tensor.ProdInts(c.Updates))
	data, updates := layout.Lay(c.in, x, e.of(-1), c.Data...), layout.Lay(c.up, w, e.of(-2), c.Updates...)
	indices := c.indexType.lay(c.at, c.Indices.Data, c.Indices.Shape...)

	out, opts := data, []dense.Option(nil)
	isString := dtypeOf[T]().Kind() == reflect.String
	switch {
	case c.to == inPlace && !isString:
		opts = append(opts, dense.WithReuse(data.Dense))
	case c.to == given && !isString:
		out = layout.Lay(c.out, e.drawn(c.values+2, len(x)), e.of(-3), c.Data...)
		opts = append(opts, dense.WithReuse(out.Dense))
	default:
		out = nil
	}
	got, err := c.run(data.Dense, indices.tensor(), updates.Dense, opts...)

	if changed := errors.Join(indices.Touched(), updates.Touched()); changed != nil {
		return fmt.Errorf("an input changed: %w", changed)
	}
	if out != data {
		if changed := data.Touched(); changed != nil {
			return fmt.Errorf("data changed: %w", changed)
		}
	}
	if !e.reduces(c.Rule.Reduction) {
		return c.refused(err, dtypeOf[T]())
	}
	arith := e.arithmetic()
	if c.Rule.NoInit && arith.Div != nil {
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
	want, bad := cases.Scattered(c.Scatter, x, w, arith)
	if bad != nil && out == data {
		if changed := out.Touched(); changed != nil {
			return fmt.Errorf("data changed before the error: %w", changed)
		}
	}
	if wrong := c.sameError(err, bad); wrong != nil || bad != nil {
		return wrong
	}
	if !slices.Equal(got.Shape(), c.Data) {
		return fmt.Errorf("shape %v, want %v", got.Shape(), c.Data)
	}
	if out == nil {
		return e.different(packed[T](got), want)
	}
	if got != out.Dense {
		return errors.New("the result is not the tensor of WithReuse")
	}
	if err := out.Stray(); err != nil {
		return fmt.Errorf("written beside the result: %w", err)
	}
	return e.different(out.Values(), want)
}

// refused checks the error for a reduction that elements do not have: it names
// the operator, the dtype and the reduction.
func (c *scatterCall) refused(err error, dt tensor.Dtype) error {
	if !errors.Is(err, dense.ErrDtype) {
		return fmt.Errorf("error %v, want ErrDtype", err)
	}
	text := err.Error()
	for _, part := range []string{c.Op + ": values of dtype ", dt.Name() + " have no reduction " + c.Rule.Reduction.String()} {
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
		Op: c.Op, Position: bad.Position, Index: bad.Index, Axis: bad.Axis, Size: bad.Size, NonNegative: c.Rule.NonNegative,
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("error %+v, want %+v", got, want)
	}
	return nil
}
