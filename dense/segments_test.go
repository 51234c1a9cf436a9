package dense_test

import (
	"errors"
	options "flag" // flag is a dtype of these tests
	"fmt"
	"hash/fnv"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

var segmentCases = options.Int("segmentcases", 5000, "random calls of each reduction of segments to compare with the oracle")

// segmentOps are the reductions of segments.
var segmentOps = []struct {
	name      string
	reduction oracle.Reduction
	run       func(data, ids tensor.Tensor, n int, opts ...dense.Option) (*tensor.Dense, error)
}{
	{"SegmentSum", oracle.Add, dense.SegmentSum},
	{"SegmentMean", oracle.Mean, dense.SegmentMean},
	{"SegmentMin", oracle.Min, dense.SegmentMin},
	{"SegmentMax", oracle.Max, dense.SegmentMax},
	{"SegmentProd", oracle.Mul, dense.SegmentProd},
}

// A segmentCall is one use of a reduction of segments.
type segmentCall struct {
	op          int
	data        []int
	ids         []int64
	segments    int
	skip, reuse bool
	padding     oracle.Padding
	empty       float64
	idType      indexType
	in, at, out layout.Layout
	values      int64
}

func (c *segmentCall) String() string {
	return fmt.Sprintf("%s data %v %v, ids %v %v %v, %d segments, skip=%v %+v, empty %v, result %v reuse=%v, values %d",
		segmentOps[c.op].name, c.data, c.in, c.idType, c.at, c.ids, c.segments, c.skip, c.padding, c.empty, c.out, c.reuse, c.values)
}

// segments draws a call. Now and then an id is out of range, or out of order.
func (s *source) segments() *segmentCall {
	c := &segmentCall{op: s.Choose(len(segmentOps)), data: s.Data(1 + s.Choose(3)), segments: s.Choose(6), values: int64(s.Choose(256))}
	if s.Rarely(4) {
		c.data = []int{s.Choose(40), 1 + s.Choose(9)}
	}
	c.skip, c.reuse, c.empty = s.Rarely(2), s.Rarely(2), choice(s, []float64{0, 1, 2, math.Copysign(0, -1)})
	c.in, c.at, c.out, c.idType = choice(s, layout.All), choice(s, layout.All), choice(s, layout.All), choice(s, indexTypes)
	for range c.data[0] {
		v := int64(s.Choose(max(1, c.segments)))
		if s.Rarely(16) {
			v = choice(s, []int64{-1, -5, int64(c.segments), 100})
		}
		c.ids = append(c.ids, c.idType.read(v))
	}
	if !s.Rarely(20) {
		slices.Sort(c.ids)
	}
	c.padding = s.Pad(c.ids, c.idType.read)
	return c
}

// wrong says what is wrong with the ids: the position of the first that is, and whether
// that is out of range.
func (c *segmentCall) wrong() (position int, outside bool) {
	before := int64(math.MinInt64)
	for i, v := range c.ids {
		if c.padding.Padded && v == c.padding.ID {
			continue
		}
		if outside = !c.skip && (v < 0 || v >= int64(c.segments)); outside || v < before {
			return i, outside
		}
		before = v
	}
	return -1, false
}

// segments runs the call on data of the type.
func (e elements[T]) segments(c *segmentCall) error {
	op := segmentOps[c.op]
	x := e.drawn(c.values, tensor.ProdInts(c.data))
	data, ids := layout.Lay(c.in, x, e.of(-1), c.data...), c.idType.lay(c.at, c.ids, len(c.ids))
	shape := append([]int{c.segments}, c.data[1:]...)
	opts := append(withPadding(c.padding), dense.WithEmptySegment(c.empty))
	if c.skip {
		opts = append(opts, dense.WithOutOfRange(dense.Skip))
	}
	var out *layout.Block[T]
	if c.reuse {
		out = layout.Lay(c.out, e.drawn(c.values+1, tensor.ProdInts(shape)), e.of(-3), shape...)
		opts = append(opts, dense.WithReuse(out.Dense))
	}
	got, err := op.run(data.Dense, ids.tensor(), c.segments, opts...)
	if changed := errors.Join(data.Touched(), ids.Touched()); changed != nil {
		return fmt.Errorf("an input changed: %w", changed)
	}
	if !e.reduces(op.reduction) {
		if !errors.Is(err, dense.ErrDtype) {
			return fmt.Errorf("error %v, want ErrDtype", err)
		}
		return nil
	}
	if position, outside := c.wrong(); position >= 0 {
		var bad *dense.IndexError
		switch {
		case !outside && !errors.Is(err, dense.ErrShape):
			return fmt.Errorf("error %v, want ErrShape", err)
		case outside && (!errors.As(err, &bad) || bad.Position[0] != position || bad.Index != c.ids[position] || bad.Argument != "segmentIDs" || bad.Op != op.name || bad.Size != c.segments):
			return fmt.Errorf("error %v, want an IndexError for segmentIDs[%d]", err, position)
		}
		return nil
	}
	if err != nil {
		return err
	}
	want := oracle.Segments(oracle.From(x, c.data...), c.padding.Kept(c.ids), c.segments, op.reduction, e.number(c.empty), e.arithmetic())
	if !slices.Equal(got.Shape(), shape) {
		return fmt.Errorf("shape %v, want %v", got.Shape(), shape)
	}
	if out == nil {
		return e.different(packed[T](got), want.Data)
	}
	if err := out.Stray(); err != nil {
		return fmt.Errorf("written beside the result: %w", err)
	}
	return e.different(out.Values(), want.Data)
}

// number is a small number as an element, or -0 where there is one.
func (e elements[T]) number(x float64) T {
	a := e.arithmetic()
	n := a.Zero
	if math.Signbit(x) {
		return a.Mul(n, a.Sub(n, a.One))
	}
	for range int(x) {
		n = a.Add(n, a.One)
	}
	return n
}

type segmenter interface {
	segments(c *segmentCall) error
}

func checkSegments(s *source) error {
	d := choice(s, numbers)
	c := s.segments()
	if err := d.(segmenter).segments(c); err != nil {
		return fmt.Errorf("%v of %v: %w", c, d, err)
	}
	return nil
}

// TestRandomSegments compares random reductions of segments with the oracle, bit for
// bit: dtypes, layouts, empty segments, ids that are skipped, and errors.
func TestRandomSegments(t *testing.T) {
	n := *segmentCases * len(segmentOps)
	if testing.Short() {
		n /= 10
	}
	h := fnv.New64a()
	fmt.Fprint(h, t.Name())
	rng := rand.New(rand.NewSource(int64(h.Sum64())))
	for range n {
		s := randomSource(rng)
		made := s.Bytes
		if err := checkSegments(s); err != nil {
			t.Fatalf("%v\nmade of []byte(%q)", err, made)
		}
	}
}

func FuzzSegments(f *testing.F) {
	fuzz(f, "", func(s *source, _ string) error { return checkSegments(s) })
}

func FuzzSegmentSoftmax(f *testing.F) {
	fuzz(f, "", func(s *source, _ string) error { return checkSoftmax(s) })
}

// checkSoftmax compares a softmax with the oracle.
func checkSoftmax(s *source) error {
	c := s.segments()
	x := make([]float64, tensor.ProdInts(c.data))
	for i := range x {
		x[i] = float64(s.Choose(256))/16 - 8
		if s.Rarely(40) {
			x[i] = math.Inf(-1)
		}
	}
	data, ids := layout.Lay(c.in, x, math.NaN(), c.data...), c.idType.lay(c.at, c.ids, len(c.ids))
	opts := withPadding(c.padding)
	if c.skip {
		opts = append(opts, dense.WithOutOfRange(dense.Skip))
	}
	got, err := dense.SegmentSoftmax(data.Dense, ids.tensor(), c.segments, opts...)
	if position, _ := c.wrong(); position >= 0 {
		if err == nil {
			return fmt.Errorf("%v: no error", c)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("%v: %w", c, err)
	}
	want := oracle.SegmentSoftmax(oracle.From(x, c.data...), c.padding.Kept(c.ids), c.segments)
	for i, y := range packed[float64](got) {
		if w := want.Data[i]; !(math.Abs(y-w) <= 1e-14 || math.IsNaN(y) && math.IsNaN(w)) {
			return fmt.Errorf("%v: element %d is %v, want %v", c, i, y, w)
		}
	}
	return nil
}

// TestRandomSoftmax compares random softmaxes with the oracle.
func TestRandomSoftmax(t *testing.T) {
	n := *segmentCases
	if testing.Short() {
		n /= 10
	}
	rng := rand.New(rand.NewSource(4))
	for range n {
		if err := checkSoftmax(randomSource(rng)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSegmentsRefused is what is wrong with each operator's arguments.
func TestSegmentsRefused(t *testing.T) {
	matrix, ids := upTo(1, 3, 2), index(0, 0, 1)
	for _, c := range []struct {
		name string
		run  func() (*tensor.Dense, error)
		want error
		text string
	}{
		{"a scalar", func() (*tensor.Dense, error) { return dense.SegmentSum(values(dims{}, 1.0), ids, 2) }, dense.ErrShape, "SegmentSum: data is a scalar"},
		{"too few ids", func() (*tensor.Dense, error) { return dense.SegmentMin(matrix, index(0, 1), 2) }, dense.ErrShape, "SegmentMin: segmentIDs (2) must have the shape (3)"},
		{"a negative number", func() (*tensor.Dense, error) { return dense.SegmentProd(matrix, ids, -1) }, dense.ErrShape, "SegmentProd: numSegments is -1"},
		{"too many segments", func() (*tensor.Dense, error) { return dense.SegmentSum(matrix, ids, math.MaxInt/4) }, dense.ErrShape, ""},
		{"float ids", func() (*tensor.Dense, error) { return dense.SegmentMean(matrix, upTo(0, 3), 3) }, dense.ErrDtype, "SegmentMean: segmentIDs have dtype float64"},
		{"out of order", func() (*tensor.Dense, error) { return dense.SegmentSum(matrix, index(0, 1, 0), 2) }, dense.ErrShape, "segmentIDs[1] is 1 and segmentIDs[2] is 0, they must be ascending, but for those of WithPadding: sort the rows, or use ScatterUpdate with a reduction"},
		{"out of order beside padding", func() (*tensor.Dense, error) {
			return dense.SegmentSum(matrix, index(1, 7, 0), 2, dense.WithPadding(7))
		}, dense.ErrShape,
			"segmentIDs[0] is 1 and segmentIDs[2] is 0, they must be ascending, but for those of WithPadding: sort the rows, or use ScatterUpdate with a reduction"},
		{"a length beyond int64", func() (*tensor.Dense, error) {
			return dense.EmbeddingBagOffsets(matrix, ids, values(dims{2}, uint64(1), math.MaxUint64), nil, dense.WithLengths())
		}, dense.ErrShape, "lengths[1] is 18446744073709551615, and the sum of those before it 1: there are 3 indices"},
		{"SegmentMax out of range", func() (*tensor.Dense, error) { return dense.SegmentMax(matrix, ids, 1) }, nil, "SegmentMax: segmentIDs[2]: 1 out of range [0, 1) for result axis 0"},
		{"a softmax out of range", func() (*tensor.Dense, error) { return dense.SegmentSoftmax(matrix, ids, 1) }, nil, "SegmentSoftmax: segmentIDs[2]: 1 out of range [0, 1)"},
		{"a softmax of integers", func() (*tensor.Dense, error) { return dense.SegmentSoftmax(index(1, 2, 3), ids, 2) }, dense.ErrDtype, "SegmentSoftmax: data has dtype int64, allowed are float32 and float64"},
		{"the least of complex numbers", func() (*tensor.Dense, error) { return dense.SegmentMin(values(dims{3}, 1i, 2i, 3i), ids, 2) }, dense.ErrDtype, "have no reduction min"},
		{"the greatest of complex numbers", func() (*tensor.Dense, error) { return dense.SegmentMax(values(dims{3}, 1i, 2i, 3i), ids, 2) }, dense.ErrDtype, "have no reduction max, numbers have one, real ones for min and max"},
		{"zeros for what is skipped", func() (*tensor.Dense, error) {
			return dense.SegmentSum(matrix, ids, 2, dense.WithOutOfRange(dense.ZeroFill))
		}, dense.ErrOption, "allowed are Reject and Skip"},
		{"a fraction of an integer", func() (*tensor.Dense, error) {
			return dense.SegmentSum(index(1, 2, 3), ids, 2, dense.WithEmptySegment(0.5))
		}, dense.ErrOption, "WithEmptySegment(0.5)"},
		{"less than an integer", func() (*tensor.Dense, error) {
			return dense.SegmentMax(values(dims{3}, uint8(1), 2, 3), ids, 2, dense.WithEmptySegment(-1))
		}, dense.ErrOption, "WithEmptySegment(-1)"},
		{"an empty segment of a softmax", func() (*tensor.Dense, error) { return dense.SegmentSoftmax(matrix, ids, 2, dense.WithEmptySegment(1)) }, dense.ErrOption, "does not apply"},
	} {
		_, err := c.run()
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		if c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
		if !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %q, want %q in it", c.name, err, c.text)
		}
	}
}
