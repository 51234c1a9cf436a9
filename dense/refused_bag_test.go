package dense_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// inputs are the call's tensors on memory that shows what is changed.
type bagInputs[T comparable] struct {
	table, weights   *layout.Block[T]
	indices, borders indexBlock
}

func (e elements[T]) bagInputs(c *bagCall) (in bagInputs[T]) {
	in.table = layout.Lay(c.in, e.draws(c, tensor.ProdInts(c.table), 5), e.of(-1), c.table...)
	in.indices = c.indexType.lay(c.at, c.indices.Data, c.indices.Shape...)
	in.borders = c.borderType.lay(c.at, c.borders, len(c.borders))
	if c.weighted {
		in.weights = layout.Lay(c.out, e.draws(c, len(c.indices.Data), 11), e.of(-2), c.indices.Shape...)
	}
	return in
}

// weight is weights as an argument.
func (in *bagInputs[T]) weight() tensor.Tensor {
	if in.weights == nil {
		return nil
	}
	return in.weights.Dense
}

func (in *bagInputs[T]) weightValues() []T {
	if in.weights == nil {
		return nil
	}
	return in.weights.Values()
}

func (in *bagInputs[T]) touched() error {
	err := errors.Join(in.table.Touched(), in.indices.Touched(), in.borders.Touched())
	if in.weights != nil {
		err = errors.Join(err, in.weights.Touched())
	}
	return err
}

// draws are elements with ties among them and, of floats, some that show a wrong
// comparison.
func (e elements[T]) draws(c *bagCall, n, step int) []T {
	out := make([]T, n)
	strange := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1e-40}
	for i := range out {
		out[i] = e.of(int64(i*i*step%23 - 7))
		if c.odd == 0 || (i*step+1)%c.odd != 0 {
			continue
		}
		x := strange[(i/c.odd+step)%len(strange)]
		switch v := any(&out[i]).(type) {
		case *float32:
			*v = float32(x)
		case *float64:
			*v = x
		}
	}
	return out
}

// reducesBag tells whether the dtype has what the call needs.
func (e elements[T]) reducesBag(c *bagCall) bool {
	switch {
	case c.normalized():
		return e.arith.Div != nil && e.arith.Conj == nil
	case c.weighted:
		return e.arith.Mul != nil
	case c.rule.Reduction == oracle.Max:
		return e.arith.Max != nil
	case c.rule.Reduction == oracle.Mean:
		return e.arith.Mean != nil
	}
	return e.arith.Add != nil
}

// bag runs the call, and compares the result, memory around it, and the error with
// what the oracle says.
func (e elements[T]) bag(c *bagCall) error {
	if !e.reducesBag(c) || e.name == "bool" {
		return nil
	}
	in := e.bagInputs(c)
	want, bad := e.expectedBag(c, &in)
	var opts []dense.Option
	var out *layout.Block[T]
	if c.reuse && bad == nil && !c.badBorder() {
		out = layout.Lay(c.out, e.all(make([]int64, len(want.Data))), e.of(-3), want.Shape...)
		opts = append(opts, dense.WithReuse(out.Dense))
	}
	got, err := c.run(in.table.Dense, in.indices.tensor(), in.borders.tensor(), in.weight(), opts...)
	if changed := in.touched(); changed != nil {
		return fmt.Errorf("an input changed: %w", changed)
	}
	if wrong := c.sameError(err, bad); wrong != nil || err != nil {
		return wrong
	}
	if !slices.Equal(got.Shape(), want.Shape) {
		return fmt.Errorf("shape %v, want %v", got.Shape(), want.Shape)
	}
	if out == nil {
		return e.compareBag(c, &in, packed[T](got), want.Data)
	}
	if got != out.Dense {
		return errors.New("the result is not the tensor of WithReuse")
	}
	if err := out.Stray(); err != nil {
		return fmt.Errorf("written beside the result: %w", err)
	}
	return e.compareBag(c, &in, out.Values(), want.Data)
}

// compareBag compares results bit for bit or, where weights are divided, with the formula.
func (e elements[T]) compareBag(c *bagCall, in *bagInputs[T], got, want []T) error {
	if !c.normalized() {
		return alike(got, want)
	}
	near, bad := oracle.WeightedBag(oracle.From(widened(in.table.Values()), c.table...), c.indices, c.bags(), widened(in.weightValues()), c.rule)
	if bad != nil {
		return bad
	}
	return nearTo(got, near, len(c.indices.Data))
}

// expectedBag is the oracle's result; there is none if the borders are wrong.
func (e elements[T]) expectedBag(c *bagCall, in *bagInputs[T]) (oracle.Array[T], *oracle.BadIndex) {
	if c.badBorder() {
		return oracle.Array[T]{}, nil
	}
	rule := c.rule
	if c.normalized() {
		rule.Reduction = oracle.Add // whose errors and shape are the same
	}
	out, bad := oracle.Bag(oracle.From(in.table.Values(), c.table...), c.indices, c.bags(), in.weightValues(), rule, e.arith)
	if bad == nil && c.lowest {
		inner := tensor.ProdInts(c.table[1:])
		for b, positions := range c.bags() {
			if len(positions) == 0 {
				for i := range inner {
					copy(num.Bytes(out.Data[b*inner+i:][:1]), elem.Lowest(elem.KindOf(dtypeOf[T]())))
				}
			}
		}
	}
	return out, bad
}

// addBag runs the call's adjoint.
func (e elements[T]) addBag(c *bagCall) error {
	if !e.reducesBag(c) || e.name == "bool" || c.rule.Reduction != oracle.Add && e.arith.Div == nil {
		return nil
	}
	in := e.bagInputs(c)
	count := len(c.borders)
	switch {
	case c.last:
		count--
	case c.op == "EmbeddingBagPacked":
		count = c.indices.Shape[0]
	case c.op != "EmbeddingBagOffsets":
		count = c.segments
	}
	shape := append([]int{count}, c.table[1:]...)
	updates := layout.Lay(c.out, e.draws(c, tensor.ProdInts(shape), 3), e.of(-2), shape...)
	dst := layout.Lay(c.at, e.draws(c, tensor.ProdInts(c.table), 7), e.of(-3), c.table...)
	var want oracle.Array[T]
	var near oracle.Near
	var bad *oracle.BadIndex
	switch {
	case c.badBorder():
	case c.normalized():
		near, bad = oracle.AddWeightedBag(oracle.From(widened(dst.Values()), c.table...), oracle.From(widened(updates.Values()), shape...), c.indices, c.bags(), widened(in.weightValues()), c.rule)
	default:
		want, bad = oracle.AddBag(oracle.From(dst.Values(), c.table...), oracle.From(updates.Values(), shape...),
			oracle.From(in.table.Values(), c.table...), c.indices, c.bags(), in.weightValues(), c.rule, e.arith)
	}
	var table tensor.Tensor
	if c.rule.Reduction == oracle.Max || c.reuse {
		table = in.table.Dense
	}
	err := c.runAdd(dst.Dense, updates.Dense, table, in.indices.tensor(), in.borders.tensor(), in.weight())
	if changed := errors.Join(in.touched(), updates.Touched()); changed != nil {
		return fmt.Errorf("an input changed: %w", changed)
	}
	if wrong := c.sameError(err, bad); wrong != nil {
		return wrong
	}
	if err != nil {
		return dst.Touched()
	}
	if err := dst.Stray(); err != nil {
		return fmt.Errorf("written beside dst: %w", err)
	}
	if c.normalized() {
		return nearTo(dst.Values(), near, len(c.indices.Data)+count)
	}
	return alike(dst.Values(), want.Data)
}

// sameError compares an error with what is wrong about the call.
func (c *bagCall) sameError(err error, bad *oracle.BadIndex) error {
	var got *dense.IndexError
	switch {
	case c.badBorder():
		if errors.As(err, &got) && got.Argument == "segmentIDs" || errors.Is(err, dense.ErrShape) {
			return nil
		}
		return fmt.Errorf("error %v, want one about the borders", err)
	case bad == nil:
		return err
	case !errors.As(err, &got):
		return fmt.Errorf("error %v, want an IndexError for %v", err, bad)
	}
	want := &dense.IndexError{Op: c.op, Position: bad.Position, Index: bad.Index, Size: bad.Size, NonNegative: c.rule.NonNegative}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("error %+v, want %+v", got, want)
	}
	return nil
}

// alike is difference, for which all NaN are one.
func alike[T comparable](got, want []T) error {
	got = slices.Clone(got)
	for i := range min(len(got), len(want)) {
		if got[i] != got[i] && want[i] != want[i] {
			got[i] = want[i]
		}
	}
	return difference(got, want)
}
