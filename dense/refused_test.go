package dense_test

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// masked is a tensor with a mask over all its elements.
func masked() *tensor.Dense {
	return tensor.New(tensor.WithShape(3, 4), tensor.WithBacking(make([]float64, 12), make([]bool, 12)))
}

// device is an engine whose memory Go cannot reach.
type device struct{ tensor.StdEng }

func (device) AllocAccessible() bool { return false }

// bent makes a tensor claim another memory layout than it has.
func bent(d *tensor.Dense, shape, strides []int) *tensor.Dense {
	d.Info().Init(shape, strides)
	return d
}

// TestUnusableTensors gives each operator, as each of its arguments, tensors
// that it cannot read or write.
func TestUnusableTensors(t *testing.T) {
	type tagged struct {
		_ string
		_ int
	}
	var null *tensor.Dense
	sparse := tensor.CSRFromCoord(tensor.Shape{3, 4}, []int{0, 2}, []int{1, 3}, []float64{5, 6})
	for _, c := range []struct {
		name string
		make func() tensor.Tensor
		err  error
		text string // in the error, with the argument for %s
	}{
		{"masked", func() tensor.Tensor { return masked() }, dense.ErrLayout, "%s is masked, a tensor without a mask is needed"},
		{"sparse", func() tensor.Tensor { return sparse }, dense.ErrLayout, "%s is *tensor.CS, a *tensor.Dense is needed"},
		{"nil", func() tensor.Tensor { return nil }, dense.ErrLayout, "%s is nil, a *tensor.Dense is needed"},
		{"a nil Dense", func() tensor.Tensor { return null }, dense.ErrLayout, "%s is nil, a *tensor.Dense is needed"},
		{"a zero Dense", func() tensor.Tensor { return new(tensor.Dense) }, dense.ErrDtype, "%s: there is no dtype"},
		{"pointers", func() tensor.Tensor { return values(dims{3, 4}, make([]*int, 12)...) }, dense.ErrDtype, "%s: dtype"},
		{"unsafe pointers", func() tensor.Tensor { return values(dims{3, 4}, make([]unsafe.Pointer, 12)...) }, dense.ErrDtype, "%s: dtype"},
		{"a struct with a string", func() tensor.Tensor { return values(dims{3, 4}, make([]tagged, 12)...) }, dense.ErrDtype, "%s: dtype tagged holds pointers"},
		{"an array of slices", func() tensor.Tensor { return values(dims{3, 4}, make([][2][]byte, 12)...) }, dense.ErrDtype, "%s: dtype"},
		{"interfaces", func() tensor.Tensor { return values(dims{3, 4}, make([]any, 12)...) }, dense.ErrDtype, "%s: dtype"},
		{"memory of a device", func() tensor.Tensor {
			d := upTo(1, 3, 4)
			tensor.WithEngine(device{})(d)
			return d
		}, dense.ErrLayout, "the memory of %s is on a device"},
		{"a number of bytes that is 0 as an int", func() tensor.Tensor {
			return bent(values(dims{1}, make([][1 << 16]byte, 1)...), dims{1 << (bits.UintSize - 16)}, []int{1})
		}, dense.ErrLayout, fmt.Sprintf("%%s of shape (%d) and strides [1] needs %[1]d elements of memory, it has 1", 1<<(bits.UintSize-16))},
		{"negative strides", func() tensor.Tensor { return bent(upTo(1, 3, 4), dims{3, 4}, []int{-4, 1}) }, dense.ErrLayout, "%s has negative strides [-4 1]"},
		{"strides beyond the memory", func() tensor.Tensor { return bent(upTo(1, 3, 4), dims{3, 4}, []int{4, 2}) }, dense.ErrLayout,
			"%s of shape (3, 4) and strides [4 2] needs 15 elements of memory, it has 12"},
		{"a shape beyond the memory", func() tensor.Tensor { return bent(upTo(1, 3, 4), dims{3, 5}, []int{5, 1}) }, dense.ErrLayout,
			"%s of shape (3, 5) and strides [5 1] needs 15 elements of memory, it has 12"},
		{"one element too many", func() tensor.Tensor { return bent(upTo(1, 3, 4), dims{1, 13}, []int{13, 1}) }, dense.ErrLayout,
			"%s of shape (1, 13) and strides [13 1] needs 13 elements of memory, it has 12"},
		{"strides one element beyond", func() tensor.Tensor { return bent(upTo(1, 3, 4), dims{3, 4}, []int{3, 2}) }, dense.ErrLayout,
			"%s of shape (3, 4) and strides [3 2] needs 13 elements of memory, it has 12"},
		{"a stride that wraps", func() tensor.Tensor { return bent(upTo(1, 3, 4), dims{5, 4}, []int{1 << (bits.UintSize - 2), 1}) }, dense.ErrLayout,
			fmt.Sprintf("needs %d elements of memory, it has 12", uint(math.MaxUint))},
		{"a stride that wraps, and a negative one", func() tensor.Tensor { return bent(upTo(1, 3, 4), dims{5, 4}, []int{1 << (bits.UintSize - 2), -1}) },
			dense.ErrLayout, "%s has negative strides"},
		{"a negative dim", func() tensor.Tensor { return bent(upTo(1, 3, 4), dims{3, -4}, []int{4, 1}) }, shapes.ErrShape,
			"%s shape (3, -4) has the negative dim -4 at axis 1"},
		{"a negative dim and none", func() tensor.Tensor { return bent(upTo(1, 3, 4), dims{-3, 0}, []int{0, 1}) }, shapes.ErrShape,
			"%s shape (-3, 0) has the negative dim -3 at axis 0"},
		{"too many elements", func() tensor.Tensor { return bent(upTo(1, 3, 4), dims{1 << (bits.UintSize - 2), 4}, []int{4, 1}) }, shapes.ErrShape,
			"%s shape (" + strconv.Itoa(1<<(bits.UintSize-2)) + ", 4) has more elements than an int can count"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := c.make()
			data, indices := upTo(1, 3, 4), values(dims{3, 1}, 0, 1, 2)
			refuses := func(call, argument string, err error) {
				t.Helper()
				text := strings.ReplaceAll(c.text, "%s", argument)
				if !errors.Is(err, c.err) || !strings.Contains(err.Error(), text) {
					t.Errorf("%s: error %v, want one with %q", call, err, text)
				}
			}
			for _, op := range operators {
				op := &call{op: op}
				_, err := op.run(bad, indices)
				refuses(op.op, "data", err)
				_, err = op.run(data, bad)
				refuses(op.op, "indices", err)
				refuses("Add"+op.op, "indices", op.runAdd(data, upTo(1, 3, 4), bad))
				refuses("Add"+op.op, "updates", op.runAdd(data, bad, indices))
				refuses("Add"+op.op, "dst", op.runAdd(bad, data, indices))
				if dst, ok := bad.(*tensor.Dense); ok && dst != nil {
					_, err = op.run(data, indices, dense.WithReuse(dst))
					refuses(op.op, "dst", err)
				}
			}
		})
	}
}

// TestIndexDtypes refuses whatever is not an integer, a float16 and a named
// integer among them, which are integers to package reflect.
func TestIndexDtypes(t *testing.T) {
	type number int
	for _, c := range []struct {
		dtype   string
		indices *tensor.Dense
	}{
		{"float64", values(dims{2, 2}, 0.0, 1, 0, 1)},
		{"float32", values[float32](dims{2, 2}, 0, 1, 0, 1)},
		{"Float16", values(dims{2, 2}, make([]float16.Float16, 4)...)},
		{"BF16", values(dims{2, 2}, make([]dense.BF16, 4)...)},
		{"complex64", values[complex64](dims{2, 2}, 0, 1, 0, 1)},
		{"bool", values(dims{2, 2}, false, true, false, true)},
		{"string", values(dims{2, 2}, "0", "1", "0", "1")},
		{"number", values[number](dims{2, 2}, 0, 1, 0, 1)},
		{"rgb", values(dims{2, 2}, make([]rgb, 4)...)},
	} {
		t.Run(c.dtype, func(t *testing.T) {
			for _, op := range operators {
				_, err := (&call{op: op}).run(upTo(1, 2, 2), c.indices)
				want := fmt.Sprintf("%s: indices have dtype %s, allowed are int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64 and uintptr", op, c.dtype)
				if !errors.Is(err, dense.ErrDtype) || err.Error() != want {
					t.Errorf("error\n%v, want\n%s", err, want)
				}
			}
		})
	}
}

// TestAdjointDtypes refuses values that cannot be added, and two dtypes in one
// sum.
func TestAdjointDtypes(t *testing.T) {
	indices := values(dims{2, 2}, 0, 1, 0, 1)
	for _, d := range dtypes {
		if d.numeric() {
			continue
		}
		t.Run(d.String(), func(t *testing.T) {
			for _, op := range operators {
				dst := d.tensorOf(2, 2)
				out, err := (&call{op: op}).run(dst, indices)
				if err != nil {
					t.Fatal(err)
				}
				err = (&call{op: op}).runAdd(dst, out, indices)
				want := fmt.Sprintf("Add%s: values of dtype %v cannot be added, numbers can", op, dst.Dtype())
				if !errors.Is(err, dense.ErrDtype) || err.Error() != want {
					t.Errorf("error\n%v, want\n%s", err, want)
				}
			}
		})
	}
	t.Run("two dtypes", func(t *testing.T) {
		err := dense.AddGatherElements(upTo(1, 2, 2), values[float32](dims{2, 2}, 1, 2, 3, 4), indices, 0)
		if want := "AddGatherElements: updates must have the dtype float64 of dst, not float32"; !errors.Is(err, dense.ErrDtype) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	})
	t.Run("updates of another shape", func(t *testing.T) {
		err := dense.AddGather(upTo(1, 2, 2), upTo(1, 2, 2), indices, 0)
		want := "AddGather: updates (2, 2) must have the shape (2, 2, 2) of the gather's result"
		if !errors.Is(err, dense.ErrShape) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	})
}

// TestTooLarge asks for a result that no memory holds. Only data without
// elements can have such a shape.
func TestTooLarge(t *testing.T) {
	data := tensor.New(tensor.Of(tensor.Int8), tensor.WithShape(0, 1<<30))
	indices := values(dims{1 << 11}, make([]int, 1<<11)...)
	_, err := dense.Gather(data, indices, 0, dense.WithOutOfRange(dense.ZeroFill))
	if !errors.Is(err, dense.ErrShape) {
		t.Errorf("error %v, want %v", err, dense.ErrShape)
	}
}

// TestAdjointNames has errors of the operator's arguments, which begin with the name of the call that was made.
func TestAdjointNames(t *testing.T) {
	d, scalar, i := upTo(1, 3, 4), tensor.New(tensor.FromScalar(1.0)), values(dims{2}, int64(0), 1)
	for want, err := range map[string]error{
		"AddGather: Gather: axis 5 is not in [-2, 1] for rank 2":                                        dense.AddGather(d, d, i, 5),
		"AddGather: Gather: data is a scalar, rank 1 or more is needed":                                 dense.AddGather(scalar, d, i, 0),
		"AddGather: Gather: WithReduction does not apply, the options are: WithBatchDims":               dense.AddGather(d, d, i, 0, dense.WithReduction(dense.Add)),
		"AddEmbeddingBagOffsets: EmbeddingBagOffsets: table is a scalar, rank 1 or more":                dense.AddEmbeddingBagOffsets(scalar, d, d, i, i, nil),
		"AddEmbeddingBagOffsets: EmbeddingBagOffsets: WithReduction(mul), allowed are add, mean, sqrtn": dense.AddEmbeddingBagOffsets(d, d, d, i, i, nil, dense.WithReduction(dense.Mul)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "WithReuse") {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
