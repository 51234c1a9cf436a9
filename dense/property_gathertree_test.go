package dense_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// A tree is a call of GatherTree.
type tree struct {
	shape                   dims
	steps, parents, lengths []int64
	end                     int64
	layouts                 [4]layout.Layout // of steps, parents, lengths and the result
	reuse                   bool
}

func (s *source) tree() *tree {
	c := &tree{shape: s.Dims(3, 200), end: int64(s.Choose(5)), reuse: s.Rarely(2)}
	n := tensor.ProdInts(c.shape)
	c.steps, c.parents, c.lengths = make([]int64, n), make([]int64, n), make([]int64, c.shape[1])
	wrong := s.Rarely(4)
	for i := range n {
		c.steps[i] = int64(s.Choose(9))
		c.parents[i] = int64(s.Choose(c.shape[2]))
		if wrong && s.Rarely(10) {
			c.parents[i] = choice(s, []int64{-1, int64(c.shape[2]), 100, -100})
		}
	}
	for i := range c.lengths {
		c.lengths[i] = int64(s.Choose(c.shape[0]+3)) - 1
	}
	for i := range c.layouts {
		c.layouts[i] = choice(s, layout.All)
	}
	return c
}

// treeDtype is a dtype that GatherTree takes.
type treeDtype interface {
	String() string
	tree(c *tree) error
}

// tree runs the call on ids of the type. The oracle runs on int64: the ids are
// small enough to be the same in every type.
func (e elements[T]) tree(c *tree) error {
	of := func(numbers []int64) []T {
		out := make([]T, len(numbers))
		for i, n := range numbers {
			out[i] = number[T](n)
		}
		return out
	}
	from := func(numbers []int64) []int64 { // as T holds them
		out := make([]int64, len(numbers))
		for i, n := range numbers {
			out[i] = n
			if k := dtypeOf[T]().Kind(); k >= reflect.Uint && k <= reflect.Uintptr && !isHalf[T]() && n < 0 {
				out[i] = int64(uint64(n) & (1<<dtypeOf[T]().Bits() - 1))
				if out[i] < 0 {
					out[i] = math.MaxInt64
				}
			}
		}
		return out
	}
	wantLengths := from(c.lengths)
	for i, n := range wantLengths {
		wantLengths[i] = min(n, 1000) // the oracle counts with an int, which may have 32 bits
	}
	want, bad := oracle.GatherTree(oracle.From(c.steps, c.shape...), oracle.From(from(c.parents), c.shape...),
		oracle.From(wantLengths, c.shape[1]), c.end)
	steps, parents := layout.Lay(c.layouts[0], of(c.steps), number[T](1), c.shape...), layout.Lay(c.layouts[1], of(c.parents), number[T](0), c.shape...)
	lengths := layout.Lay(c.layouts[2], of(c.lengths), number[T](1), c.shape[1])
	end := tensor.New(tensor.FromScalar(number[T](c.end)))
	var opts []dense.Option
	var out *layout.Block[T]
	if c.reuse {
		out = layout.Lay(c.layouts[3], of(c.steps), number[T](7), c.shape...)
		opts = append(opts, dense.WithReuse(out.Dense))
	}
	got, err := dense.GatherTree(steps.Dense, parents.Dense, lengths.Dense, end, opts...)
	if changed := errors.Join(steps.Touched(), parents.Touched(), lengths.Touched()); changed != nil {
		return fmt.Errorf("an input changed: %w", changed)
	}
	if bad != nil {
		var is *dense.IndexError
		want := &dense.IndexError{Op: "GatherTree", Argument: "parentIDs", Position: bad.Position, Index: bad.Index, Axis: 2, Size: bad.Size, NonNegative: true}
		if !errors.As(err, &is) || !reflect.DeepEqual(is, want) {
			return fmt.Errorf("error %v, want %v", err, want)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if out == nil {
		return difference(packed[T](got), of(want.Data))
	}
	if err := out.Stray(); err != nil {
		return fmt.Errorf("written beside the result: %w", err)
	}
	return difference(out.Values(), of(want.Data))
}

func isHalf[T any]() bool {
	var v T
	switch any(v).(type) {
	case float16.Float16, dense.BF16:
		return true
	}
	return false
}

// number is a whole number as an element.
func number[T any](n int64) T {
	var v any
	var zero T
	switch any(zero).(type) {
	case float16.Float16:
		v = float16.Fromfloat32(float32(n))
	case dense.BF16:
		v = toBF16(float32(n))
	default:
		v = reflect.ValueOf(n).Convert(reflect.TypeFor[T]()).Interface()
	}
	return v.(T)
}

// checkTree is a call on ids of a random dtype.
func checkTree(s *source) error {
	d := dtypeNamed(choice(s, []string{
		"int64", "int32", "int", "int16", "int8", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "float16", "bfloat16",
	})).(treeDtype)
	c := s.tree()
	if err := d.tree(c); err != nil {
		return fmt.Errorf("%v %+v: %w", d, c, err)
	}
	return nil
}

// TestRandomTrees compares random calls with the oracle.
func TestRandomTrees(t *testing.T) {
	n := *scatterCases
	if testing.Short() {
		n /= 10
	}
	rng := rand.New(rand.NewSource(11))
	for range n {
		s := randomSource(rng)
		made := s.Bytes
		if err := checkTree(s); err != nil {
			t.Fatalf("%v\nmade of []byte(%q)", err, made)
		}
	}
}
