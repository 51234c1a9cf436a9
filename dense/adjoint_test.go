package dense_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/gradtest"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/tensor"
)

// TestSumsAreInOrder has sums that come out otherwise when an update is taken
// before its turn, when the sum of the updates is added to dst at the end, or
// when it is not rounded at each step.
func TestSumsAreInOrder(t *testing.T) {
	half := func(v ...float32) []float16.Float16 {
		out := make([]float16.Float16, len(v))
		for i, f := range v {
			out[i] = float16.Fromfloat32(f)
		}
		return out
	}
	brain := func(v ...float32) []dense.BF16 {
		out := make([]dense.BF16, len(v))
		for i, f := range v {
			out[i] = toBF16(f)
		}
		return out
	}
	inf := float32(math.Inf(1))
	// From 2^24 on, float32 numbers are 2 apart; float16 from 2^11, bfloat16
	// from 2^8. A sum half way between two goes to the one with an even last bit.
	for _, c := range []struct {
		name               string
		dst, updates, want *tensor.Dense // updates of dst[0], the last one of dst[1]
	}{
		{"float32, dst first", values[float32](dims{2}, 1<<24, 5), values[float32](dims{3}, 1, 1, 1), values[float32](dims{2}, 1<<24, 6)},
		{"float32, small ones first", values[float32](dims{2}, 1, 5), values[float32](dims{3}, 1, 1<<24, 1), values[float32](dims{2}, 1<<24+2, 6)},
		{"float32, large one first", values[float32](dims{2}, 0, 5), values[float32](dims{3}, 1<<24, 1, 1), values[float32](dims{2}, 1<<24, 6)},
		{"float64", values(dims{2}, 1<<53, 5.0), values(dims{3}, 1.0, 1, 1), values(dims{2}, 1<<53, 6.0)},
		{"float16", values(dims{2}, half(2048, 5)...), values(dims{3}, half(1, 1, 1)...), values(dims{2}, half(2048, 6)...)},
		{"float16, small ones first", values(dims{2}, half(1, 5)...), values(dims{3}, half(1, 2048, 1)...), values(dims{2}, half(2050, 6)...)},
		{"float16, to an even number", values(dims{2}, half(2050, 5)...), values(dims{3}, half(1, 0, 1)...), values(dims{2}, half(2052, 6)...)},
		{"float16 overflows", values(dims{2}, half(65504, 5)...), values(dims{3}, half(32, -32, 1)...), values(dims{2}, half(inf, 6)...)},
		{"bfloat16", values(dims{2}, brain(256, 5)...), values(dims{3}, brain(1, 1, 1)...), values(dims{2}, brain(256, 6)...)},
		{"bfloat16, small ones first", values(dims{2}, brain(1, 5)...), values(dims{3}, brain(1, 256, 1)...), values(dims{2}, brain(258, 6)...)},
		{"bfloat16, to an even number", values(dims{2}, brain(258, 5)...), values(dims{3}, brain(1, 0, 1)...), values(dims{2}, brain(260, 6)...)},
		{"complex64", values[complex64](dims{2}, complex(1<<24, 1), 5), values[complex64](dims{3}, 1+1i, complex(1, 1<<24), 1i), values[complex64](dims{2}, complex(1<<24, 1<<24+2), 5+1i)},
		{"complex128", values(dims{2}, 1i, 5), values(dims{3}, 1+2i, 1, 1i), values(dims{2}, 2+3i, 5+1i)},
		{"int8 wraps", values[int8](dims{2}, 127, 5), values[int8](dims{3}, 1, 127, 1), values[int8](dims{2}, -1, 6)},
		{"uint64 wraps", values[uint64](dims{2}, math.MaxUint64, 5), values[uint64](dims{3}, 1, 7, 1), values[uint64](dims{2}, 7, 6)},
		{"infinities", values[float32](dims{2}, inf, 5), values[float32](dims{3}, 1, 1, -inf), values[float32](dims{2}, inf, -inf)},
	} {
		for _, op := range operators {
			t.Run(op+" "+c.name, func(t *testing.T) {
				dst, updates, indices := c.dst.Clone().(*tensor.Dense), c.updates, index(0, 0, 1)
				if op == "GatherND" {
					indices = values(dims{3, 1}, 0, 0, 1)
				}
				if err := (&call{op: op}).runAdd(dst, updates, indices); err != nil {
					t.Fatal(err)
				}
				if !layout.Identical(dst.Uint8s(), c.want.Uint8s()) {
					t.Errorf("got %v, want %v", dst, c.want)
				}
			})
		}
	}
	t.Run("NaN", func(t *testing.T) {
		for _, dst := range []*tensor.Dense{values(dims{2}, float32(math.NaN()), 1), values(dims{2}, brain(1, 1)...), values(dims{2}, half(1, 1)...)} {
			updates := map[tensor.Dtype]*tensor.Dense{
				tensor.Float32: values[float32](dims{2}, 1, 1), dense.BFloat16: values(dims{2}, dense.BF16(0x7f81), 0), dense.Float16: values(dims{2}, float16.NaN(), 0),
			}[dst.Dtype()]
			if err := dense.AddGather(dst, updates, index(0, 1), 0); err != nil {
				t.Fatal(err)
			}
			nan := map[tensor.Dtype]func() bool{
				tensor.Float32: func() bool { return packed[float32](dst)[0] != packed[float32](dst)[0] },
				dense.BFloat16: func() bool { return fromBF16(packed[dense.BF16](dst)[0]) != fromBF16(packed[dense.BF16](dst)[0]) },
				dense.Float16:  func() bool { return packed[float16.Float16](dst)[0].IsNaN() },
			}[dst.Dtype()]
			if !nan() {
				t.Errorf("%v: %v at [0] is a number", dst.Dtype(), dst)
			}
		}
	})
}

// TestDstUnchangedByErrors puts a bad index behind many good ones, in work that
// is shared between goroutines and in work that is not.
func TestDstUnchangedByErrors(t *testing.T) {
	large := largeCalls(rand.New(rand.NewSource(7)))
	for _, c := range smallCalls {
		large = append(large, &c)
	}
	for _, c := range large {
		t.Run(fmt.Sprintf("%s %v", c.op, c.data), func(t *testing.T) {
			c.indices = c.indices.Clone()
			at := int64s.lay(layout.RowMajor, c.indices.Data, c.indices.Shape...)
			out, err := c.run(upTo(1, c.data...), at.tensor())
			if err != nil {
				t.Fatal(err)
			}
			updates := upTo(1, out.Shape()...)
			c.indices.Data[len(c.indices.Data)-1] = 1 << 30
			for _, l := range []layout.Layout{layout.RowMajor, layout.Transposed, layout.EverySecond} {
				start := make([]float64, tensor.ProdInts(c.data))
				dst := layout.Lay(l, start, -1, c.data...)
				err := c.runAdd(dst.Dense, updates, int64s.lay(layout.RowMajor, c.indices.Data, c.indices.Shape...).tensor())
				var bad *dense.IndexError
				if !errors.As(err, &bad) {
					t.Errorf("error %v, want an IndexError", err)
				}
				if err := dst.Touched(); err != nil {
					t.Errorf("dst: %.200v", err)
				}
			}
		})
	}
}

// TestZeroFillAddsNothing: an update whose index is out of range is dropped,
// and a NaN among the dropped ones changes nothing.
func TestZeroFillAddsNothing(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		op               string
		updates, indices *tensor.Dense
	}{
		{"Gather", values(dims{3, 2}, nan, nan, 10, 20, nan, nan), index(3, 1, math.MinInt64)},
		{"GatherElements", values(dims{3, 2}, nan, 20, 10, nan, nan, nan), values(dims{3, 2}, 3, 1, 1, -4, 99, 3)},
		{"GatherND", values(dims{3}, nan, 20, nan), values(dims{3, 2}, 0, 2, 1, 1, 3, 0)},
	} {
		t.Run(c.op, func(t *testing.T) {
			dst := upTo(1, 3, 2)
			if err := (&call{op: c.op}).runAdd(dst, c.updates, c.indices, zeroFill...); err != nil {
				t.Fatal(err)
			}
			want := []float64{1, 2, 3 + 10, 4 + 20, 5, 6}
			if c.op == "GatherND" {
				want[2] = 3
			}
			if err := difference(packed[float64](dst), want); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAdjointIdentity checks <gather(x), u> = <x, adjoint(u)> with random
// integers, without an oracle between the two.
func TestAdjointIdentity(t *testing.T) {
	forAll(t, 200, func(s *source, op string) error {
		c := s.call(op)
		if _, bad := c.expected(); bad != nil {
			return nil
		}
		shape := c.gather().Result()
		indices := c.indexType.lay(c.at, c.indices.Data, c.indices.Shape...)
		forward := func(x []float64) ([]float64, error) {
			y, err := c.run(layout.Lay(c.in, x, math.NaN(), c.data...).Dense, indices.tensor())
			if err != nil {
				return nil, err
			}
			return packed[float64](y), nil
		}
		adjoint := func(u []float64) ([]float64, error) {
			dst := layout.Lay(c.in, make([]float64, tensor.ProdInts(c.data)), math.NaN(), c.data...)
			err := c.runAdd(dst.Dense, layout.Lay(c.out, u, math.NaN(), shape...).Dense, indices.tensor())
			return dst.Values(), err
		}
		if err := gradtest.AdjointIdentity(forward, adjoint, tensor.ProdInts(c.data), rand.New(rand.NewSource(int64(len(s.Bytes))))); err != nil {
			return fmt.Errorf("%v: %w", c, err)
		}
		return nil
	})
}
