package core

import (
	"slices"

	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// SoftmaxMap is a softmax over segments, or one of its derivatives.
type SoftmaxMap uint8

const (
	Softmax       SoftmaxMap = iota // of data
	SoftmaxVJP                      // of the gradient of the result, and of the result
	SoftmaxSecond                   // of a tangent, and of what SoftmaxVJP is of
)

// SoftmaxArguments are the operands of a map, before the segment ids.
var SoftmaxArguments = [...][]string{Softmax: {"data"}, SoftmaxVJP: {"grad", "result"}, SoftmaxSecond: {"tangent", "grad", "result"}}

// Apply runs a map, on tensors that are all of one shape and dtype. The result is dst,
// or a new tensor if dst is nil. Rows whose segment id is skipped are 0.
func (m SoftmaxMap) Apply(p plan.Params, dst *tensor.Dense, ids tensor.Tensor, in ...tensor.Tensor) (_ *tensor.Dense, err error) {
	defer report(p.Op.String(), &err)
	var s segments
	shape, err := s.read(make(tensor.Shape, 0, plan.RankHint), &p, in[len(in)-1], ids)
	if err != nil {
		return nil, err
	}
	defer s.ids.release()
	var views [3]view
	for i, t := range in {
		v := &views[i]
		if err := v.read(p.Op.String(), SoftmaxArguments[m][i], t); err != nil {
			return nil, err
		}
		if !slices.Equal(v.shape, s.data.shape) {
			return nil, fault.Errorf(shapes.ErrShape, "%v: %s %v must have the shape %v of data", p.Op, v.name, fault.Shape(v.shape), fault.Shape(s.data.shape))
		}
		if v.dtype != s.data.dtype {
			return nil, fault.Errorf(elem.ErrDtype, "%v: %s has dtype %v, data has %v", p.Op, v.name, elem.Name(v.dtype), elem.Name(s.data.dtype))
		}
	}
	var out view
	made, err := result(&out, p.Op.String(), dst, shape, s.data.dtype, &views[0], &views[1], &views[2], &s.ids.view)
	if err != nil || out.size == 0 {
		return made, err
	}
	if s.rows.list != nil {
		return made, m.withoutPadding(&s, &out, views[:len(in)])
	}
	return made, m.run(&s, &out, views[:len(in)])
}

// withoutPadding is run on copies of the rows that are in segments. All others are 0.
func (m SoftmaxMap) withoutPadding(s *segments, out *view, in []view) error {
	lo, hi, shape := s.rows.lo, s.rows.hi, s.data.shape
	k := kept{s.rows.list[lo:hi], [3]int{1, shape[0], product(shape[1:])}, slices.Concat([]int{hi - lo}, shape[1:])}
	to := out.anew(k.shape)
	if lo < hi {
		for i := range in {
			in[i] = k.of(&in[i])
		}
		left, width := *s, s.ids.idWidth()
		left.ids.loaded, left.rows = s.ids.loaded[lo*width:], segmentRows{hi: hi - lo}
		if err := m.run(&left, &to, in); err != nil {
			return err
		}
	}
	return k.toUpdates(out, &to)
}

func (m SoftmaxMap) run(s *segments, out *view, in []view) error {
	var mem [3][]byte
	for i := range in {
		mem[i] = packedMemory(&in[i])
	}
	rows, to := bag.Rows{Starts: s.starts(), Columns: product(s.data.shape[1:])}, out.blank()
	outside(&to, s.rows.lo, s.rows.hi)
	if s.data.kind == num.Float32 {
		softmax[float32](m, to.mem, mem, rows)
	} else {
		softmax[float64](m, to.mem, mem, rows)
	}
	return out.store(&to, nil)
}

func softmax[T bag.Float](m SoftmaxMap, out []byte, in [3][]byte, rows bag.Rows) {
	to, a, b, c := num.As[T](out), num.As[T](in[0]), num.As[T](in[1]), num.As[T](in[2])
	switch m {
	case SoftmaxVJP:
		bag.Gradient(to, a, b, rows)
	case SoftmaxSecond:
		bag.Second(to, a, b, c, rows)
	default:
		bag.Softmax(to, a, rows)
	}
}

// outside clears the rows that are in no bag.
func outside(out *view, lo, hi int) {
	row := len(out.mem) / out.shape[0]
	clear(out.mem[:lo*row])
	clear(out.mem[hi*row:])
}

// starts are where segments with rows begin, and behind the last one its end.
func (s *segments) starts() []int {
	if s.ids.is32 {
		return startsOf(num.As[int32](s.ids.loaded), s.rows.lo, s.rows.hi)
	}
	return startsOf(num.As[int64](s.ids.loaded), s.rows.lo, s.rows.hi)
}

func startsOf[I int32 | int64](ids []I, lo, hi int) []int {
	starts := make([]int, 0, 64)
	before := I(-1)
	for i, v := range ids[lo:hi] {
		if v != before {
			starts, before = append(starts, lo+i), v
		}
	}
	return append(starts, hi)
}
