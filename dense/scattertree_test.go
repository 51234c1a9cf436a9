package dense_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// TestGatherTree has beams that can be followed with a finger. Steps, parents
// and results are written step by step, each with its batches, each of those
// with its beams.
func TestGatherTree(t *testing.T) {
	const end = 10
	for _, c := range []struct {
		name           string
		shape          dims
		steps, parents []int32
		lengths        []int32
		want           []int32
	}{
		{"TensorFlow's example", dims{4, 1, 3},
			[]int32{1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -1, -1},
			[]int32{0, 0, 0, 0, 1, 1, 2, 1, 2, -1, -1, -1}, []int32{3},
			[]int32{2, 2, 2, 6, 5, 6, 7, 8, 9, end, end, end}},
		{"two batches of different lengths", dims{3, 2, 2},
			[]int32{1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14},
			[]int32{9, 9, 9, 9, 1, 0, 1, 1, 1, 0, 9, 9}, []int32{3, 2},
			// Batch 0, beam 0: 11 came from beam 1, whose 6 came from beam 0, whose 1 is the first.
			[]int32{1, 2, 4, 4, 6, 5, 7, 8, 11, 12, end, end}},
		{"all behind the first end", dims{4, 1, 2},
			[]int32{1, 2, end, 4, 5, end, 7, 8},
			[]int32{0, 0, 0, 1, 0, 1, 0, 1}, []int32{4},
			[]int32{1, 2, end, 4, end, end, end, end}},
		{"the end at the first step", dims{3, 1, 2},
			[]int32{end, 2, 3, 4, 5, 6},
			[]int32{0, 0, 0, 1, 0, 1}, []int32{3},
			[]int32{end, 2, end, 4, end, 6}},
		{"a length of one follows nobody", dims{2, 1, 2}, []int32{1, 2, 3, 4}, []int32{7, 7, 7, 7}, []int32{1}, []int32{1, 2, end, end}},
		{"a length of zero", dims{2, 1, 2}, []int32{1, 2, 3, 4}, []int32{7, 7, 7, 7}, []int32{0}, []int32{end, end, end, end}},
		{"a negative length", dims{2, 1, 2}, []int32{1, 2, 3, 4}, []int32{7, 7, 7, 7}, []int32{-3}, []int32{end, end, end, end}},
		{"a length beyond the last step", dims{2, 1, 2}, []int32{1, 2, 3, 4}, []int32{7, 7, 1, 0}, []int32{99}, []int32{2, 1, 3, 4}},
		{"no steps", dims{0, 1, 2}, nil, nil, []int32{5}, nil},
		{"no batches", dims{2, 0, 2}, nil, nil, nil, nil},
		{"no beams", dims{2, 1, 0}, nil, nil, []int32{5}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := dense.GatherTree(values(c.shape, c.steps...), values(c.shape, c.parents...),
				values(dims{c.shape[1]}, c.lengths...), values(dims{}, int32(end)))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Shape(), c.shape) {
				t.Errorf("shape %v, want %v", got.Shape(), c.shape)
			}
			if err := difference(packed[int32](got), c.want); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGatherTreeErrors gives GatherTree what it refuses.
func TestGatherTreeErrors(t *testing.T) {
	ids, lengths, end := upTo(0, 2, 3, 2), upTo(1, 3), values(dims{}, 9.0)
	for _, c := range []struct {
		name                        string
		steps, parents, length, end *tensor.Dense
		opts                        []dense.Option
		err                         error
		text                        string
	}{
		{"ids of rank 2", upTo(0, 2, 3), upTo(0, 2, 3), lengths, end, nil, dense.ErrShape,
			"GatherTree: step_ids (2, 3) has rank 2, (max_time, batch, beam) is needed: shapes do not fit"},
		{"parents of another shape", ids, upTo(0, 2, 2, 3), lengths, end, nil, dense.ErrShape,
			"GatherTree: parent_ids (2, 2, 3) must have the shape of step_ids (2, 3, 2): shapes do not fit"},
		{"a length for each beam", ids, ids, upTo(1, 2), end, nil, dense.ErrShape,
			"GatherTree: max_seq_len (2) must have the shape (3), one length a batch of step_ids (2, 3, 2): shapes do not fit"},
		{"an end token with a dim", ids, ids, lengths, upTo(9, 1), nil, dense.ErrShape,
			"GatherTree: end_token (1) must be a scalar: shapes do not fit"},
		{"two dtypes", ids, values(dims{2, 3, 2}, make([]int32, 12)...), lengths, end, nil, dense.ErrDtype,
			"GatherTree: parent_ids has dtype int32, step_ids has float64: they must be of one dtype: dtype not allowed"},
		{"an axis", ids, ids, lengths, end, []dense.Option{dense.WithNonNegativeIndices()}, dense.ErrOption,
			"GatherTree: WithNonNegativeIndices does not apply: option not allowed"},
		{"masked", ids, masked(), lengths, end, nil, dense.ErrLayout, "GatherTree: parent_ids is masked; unmasked tensors are allowed: tensor not usable"},
		{"a destination of another shape", ids, ids, lengths, end, []dense.Option{dense.WithReuse(upTo(0, 2, 2, 3))}, dense.ErrShape,
			"GatherTree: the destination has shape (2, 2, 3), the result (2, 3, 2): shapes do not fit"},
		{"the steps as destination", ids, upTo(0, 2, 3, 2), lengths, end, []dense.Option{dense.WithReuse(ids)}, dense.ErrLayout,
			"GatherTree: the destination overlaps step_ids in memory: tensor not usable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := dense.GatherTree(c.steps, c.parents, c.length, c.end, c.opts...)
			if !errors.Is(err, c.err) || err.Error() != c.text || got != nil {
				t.Errorf("error\n%v, want\n%s", err, c.text)
			}
		})
	}
	for name, c := range map[string]struct{ ids, lengths, end *tensor.Dense }{
		"complex64": {values(dims{1, 1, 1}, complex64(0)), values(dims{1}, complex64(0)), values(dims{}, complex64(0))},
		"bool":      {values(dims{1, 1, 1}, false), values(dims{1}, false), values(dims{}, false)},
		"string":    {values(dims{1, 1, 1}, "0"), values(dims{1}, "0"), values(dims{}, "0")},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dense.GatherTree(c.ids, c.ids, c.lengths, c.end)
			want := fmt.Sprintf("GatherTree: step_ids has dtype %s, integers and real floats are allowed: dtype not allowed", name)
			if !errors.Is(err, dense.ErrDtype) || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

// treeOf runs a tree of one batch with two beams and three steps, of which the
// last has the given parents.
func treeOf[T any](parents, others []T, length, end T) (*tensor.Dense, error) {
	p := slices.Concat(others, others, parents)
	return dense.GatherTree(values(dims{3, 1, 2}, slices.Repeat(others, 3)...), values(dims{3, 1, 2}, p...), values(dims{1}, length), values(dims{}, end))
}

// TestGatherTreeBadParents gives parents that are no beams; those that nobody
// follows may be anything.
func TestGatherTreeBadParents(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	half := float16.Fromfloat32
	for _, c := range []struct {
		name string
		run  func() (*tensor.Dense, error)
		want int64 // the parent in the error
	}{
		{"the number of beams", func() (*tensor.Dense, error) { return treeOf([]int64{2, 0}, []int64{0, 1}, 3, 9) }, 2},
		{"negative", func() (*tensor.Dense, error) { return treeOf([]int64{-1, 0}, []int64{0, 1}, 3, 9) }, -1},
		{"least int64", func() (*tensor.Dense, error) { return treeOf([]int64{math.MinInt64, 0}, []int64{0, 1}, 3, 9) }, math.MinInt64},
		{"above 53 bits", func() (*tensor.Dense, error) { return treeOf([]int64{math.MaxInt64 - 1, 0}, []int64{0, 1}, 3, 9) }, math.MaxInt64 - 1},
		{"greatest uint64", func() (*tensor.Dense, error) { return treeOf([]uint64{math.MaxUint64, 0}, []uint64{0, 1}, 3, 9) }, math.MaxInt64},
		{"int8", func() (*tensor.Dense, error) { return treeOf([]int8{-128, 0}, []int8{0, 1}, 3, 9) }, -128},
		{"a float", func() (*tensor.Dense, error) { return treeOf([]float64{2.5, 0}, []float64{0, 1}, 3, 9) }, 2},
		{"NaN", func() (*tensor.Dense, error) { return treeOf([]float32{float32(nan), 0}, []float32{0, 1}, 3, 9) }, math.MinInt64},
		{"+Inf", func() (*tensor.Dense, error) { return treeOf([]float64{inf, 0}, []float64{0, 1}, 3, 9) }, math.MaxInt64},
		{"float16", func() (*tensor.Dense, error) {
			return treeOf([]float16.Float16{half(-1), half(0)}, []float16.Float16{half(0), half(1)}, half(3), half(9))
		}, -1},
		{"bfloat16", func() (*tensor.Dense, error) {
			return treeOf([]dense.BF16{toBF16(2), toBF16(0)}, []dense.BF16{toBF16(0), toBF16(1)}, toBF16(3), toBF16(9))
		}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.run()
			want := &dense.IndexError{Op: "GatherTree", Position: []int{2, 0, 0}, Index: c.want, Axis: 2, Size: 2, NonNegative: true}
			var bad *dense.IndexError
			if !errors.As(err, &bad) || !reflect.DeepEqual(bad, want) || got != nil {
				t.Errorf("error %+v, want %v", err, want)
			}
		})
	}
	t.Run("not followed", func(t *testing.T) {
		got, err := treeOf([]int64{5, -7}, []int64{0, 1}, 2, 9)
		if err != nil {
			t.Fatal(err)
		}
		if err := difference(packed[int64](got), []int64{0, 1, 0, 1, 9, 9}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a fraction is cut off", func(t *testing.T) {
		got, err := treeOf([]float64{1.75, -0.75}, []float64{0, 1}, 3.5, 9)
		if err != nil {
			t.Fatal(err)
		}
		if err := difference(packed[float64](got), []float64{1, 0, 1, 0, 0, 1}); err != nil {
			t.Error(err)
		}
	})
}

// A tree is a call of GatherTree.
type tree struct {
	shape                   dims
	steps, parents, lengths []int64
	end                     int64
	layouts                 [4]layout // of steps, parents, lengths and the result
	reuse                   bool
}

func (s *source) tree() *tree {
	c := &tree{shape: s.dims(3, 200), end: int64(s.choose(5)), reuse: s.rarely(2)}
	n := product(c.shape)
	c.steps, c.parents, c.lengths = make([]int64, n), make([]int64, n), make([]int64, c.shape[1])
	wrong := s.rarely(4)
	for i := range n {
		c.steps[i] = int64(s.choose(9))
		c.parents[i] = int64(s.choose(c.shape[2]))
		if wrong && s.rarely(10) {
			c.parents[i] = choice(s, []int64{-1, int64(c.shape[2]), 100, -100})
		}
	}
	for i := range c.lengths {
		c.lengths[i] = int64(s.choose(c.shape[0]+3)) - 1
	}
	for i := range c.layouts {
		c.layouts[i] = choice(s, layouts)
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
	steps, parents := lay(c.layouts[0], of(c.steps), number[T](1), c.shape...), lay(c.layouts[1], of(c.parents), number[T](0), c.shape...)
	lengths := lay(c.layouts[2], of(c.lengths), number[T](1), c.shape[1])
	end := tensor.New(tensor.FromScalar(number[T](c.end)))
	var opts []dense.Option
	var out *block[T]
	if c.reuse {
		out = lay(c.layouts[3], of(c.steps), number[T](7), c.shape...)
		opts = append(opts, dense.WithReuse(out.dense))
	}
	got, err := dense.GatherTree(steps.dense, parents.dense, lengths.dense, end, opts...)
	if changed := errors.Join(steps.touched(), parents.touched(), lengths.touched()); changed != nil {
		return fmt.Errorf("an input changed: %w", changed)
	}
	if bad != nil {
		var is *dense.IndexError
		want := &dense.IndexError{Op: "GatherTree", Position: bad.Position, Index: bad.Index, Axis: 2, Size: bad.Size, NonNegative: true}
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
	if err := out.stray(); err != nil {
		return fmt.Errorf("written beside the result: %w", err)
	}
	return difference(out.values(), of(want.Data))
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
		made := fmt.Sprintf("%q", s.bytes)
		if err := checkTree(s); err != nil {
			t.Fatalf("%v\nmade of []byte(%s)", err, made)
		}
	}
}
