package dense_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"
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

// A scatterer is a dtype on which scatters can be run.
type scatterer interface {
	dtype
	scatter(c *scatterCall) error
	bits(t *testing.T, c *scatterCall) []byte
	reduces(r oracle.Reduction) bool
}

// reduces reports whether elements have a reduction.
func (e elements[T]) reduces(r oracle.Reduction) bool {
	arith := e.arithmetic()
	switch r {
	case oracle.None:
		return true
	case oracle.Add:
		return arith.Add != nil
	case oracle.Sub:
		return arith.Sub != nil
	case oracle.Mul:
		return arith.Mul != nil
	case oracle.Min:
		return arith.Min != nil
	case oracle.Max:
		return arith.Max != nil
	}
	return arith.Mean != nil
}

// arithmetic is all that elements have: a bool has no adjoint, but it has
// reductions, and an uintptr is a uint.
func (e elements[T]) arithmetic() oracle.Arith[T] {
	switch any(e.of(0)).(type) {
	case bool:
		return any(oracle.Bools()).(oracle.Arith[T])
	case uintptr:
		u := oracle.Integers[uint]()
		lift := func(f func(a, b uint) uint) func(a, b uintptr) uintptr {
			return func(a, b uintptr) uintptr { return uintptr(f(uint(a), uint(b))) }
		}
		return any(oracle.Arith[uintptr]{
			One: 1, Add: lift(u.Add), Sub: lift(u.Sub), Mul: lift(u.Mul), Min: lift(u.Min), Max: lift(u.Max),
			Mean: func(values []uintptr) uintptr {
				wide := make([]uint, len(values))
				for i, v := range values {
					wide[i] = uint(v)
				}
				return uintptr(u.Mean(wide))
			},
		}).(oracle.Arith[T])
	}
	return e.arith
}

// extremes are the elements that are easy to get wrong: the ends of the range,
// and what floats have beside numbers.
func (e elements[T]) extremes() []T {
	inf, nan := math.Inf(1), math.NaN()
	var all any
	switch any(e.of(0)).(type) {
	case int8:
		all = []int8{math.MinInt8, math.MaxInt8}
	case int16:
		all = []int16{math.MinInt16, math.MaxInt16}
	case int32:
		all = []int32{math.MinInt32, math.MaxInt32}
	case int64:
		all = []int64{math.MinInt64, math.MaxInt64}
	case int:
		all = []int{math.MinInt, math.MaxInt}
	case uint8:
		all = []uint8{math.MaxUint8}
	case uint16:
		all = []uint16{math.MaxUint16}
	case uint32:
		all = []uint32{math.MaxUint32}
	case uint64:
		all = []uint64{math.MaxUint64}
	case uint:
		all = []uint{math.MaxUint}
	case float16.Float16:
		all = []float16.Float16{float16.Inf(1), float16.Inf(-1), float16.NaN(), 0x8000, 0x7bff}
	case dense.BF16:
		all = []dense.BF16{0x7f80, 0xff80, 0x7fc0, 0x8000, 0x7f7f}
	case float32:
		all = []float32{float32(inf), float32(-inf), float32(nan), float32(math.Copysign(0, -1)), math.MaxFloat32}
	case float64:
		all = []float64{inf, -inf, nan, math.Copysign(0, -1), math.MaxFloat64}
	case complex64:
		all = []complex64{complex(float32(inf), 0), complex(0, float32(nan))}
	case complex128:
		all = []complex128{complex(inf, 0), complex(0, nan)}
	default:
		return nil
	}
	return all.([]T)
}

// drawn is n elements that a seed determines. Few numbers occur, so that
// updates tie; some are zero, and one in ten is an extreme.
func (e elements[T]) drawn(seed int64, n int) []T {
	extremes := e.extremes()
	out := make([]T, n)
	state := uint64(seed)*2654435761 + 12345
	for i := range out {
		state = state*6364136223846793005 + 1442695040888963407
		v := int64(state >> 33)
		out[i] = e.of(v%19 - 6)
		if len(extremes) > 0 && v/19%10 == 0 && seed%3 > 0 {
			out[i] = extremes[int(v/190)%len(extremes)]
		}
	}
	return out
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

// different is difference, to which all NaN are one: a processor chooses their
// bits as it likes.
func (e elements[T]) different(got, want []T) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	for i := range got {
		if isNaN(got[i]) && isNaN(want[i]) {
			continue
		}
		if err := difference(got[i:i+1], want[i:i+1]); err != nil {
			return fmt.Errorf("place %d of %d: %w: got %v, want %v", i, len(got), err, got, want)
		}
	}
	return nil
}

// isNaN reports whether an element is no number. Of a complex number with one
// NaN and one infinite part it is up to the compiler which part is which.
func isNaN[T any](v T) bool {
	switch v := any(v).(type) {
	case float16.Float16:
		return v.IsNaN()
	case dense.BF16:
		return math.IsNaN(float64(fromBF16(v)))
	case float32:
		return math.IsNaN(float64(v))
	case float64:
		return math.IsNaN(v)
	case complex64:
		return math.IsNaN(float64(real(v))) || math.IsNaN(float64(imag(v)))
	case complex128:
		return math.IsNaN(real(v)) || math.IsNaN(imag(v))
	}
	return false
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
