package builders

import (
	"fmt"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// running sums along lines: each element is the sum of all up to its place, or
// from there on if backward, and without its own if exclusive.
type running struct {
	exclusive, backward bool
	lines
}

func (f running) String() string {
	return fmt.Sprintf("CumSum of %d by %d by %d, exclusive %v, backward %v", f.outer, f.n, f.step, f.exclusive, f.backward)
}

func (f running) result(in []operand) (operand, error) {
	if runningSums[in[0].dtype] == nil {
		return in[0], fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float, double and integers of 32 and 64 bits are", typeName(in[0].dtype))
	}
	return in[0], nil
}

func (f running) run(out *tensor.Dense, in []*tensor.Dense) error {
	runningSums[out.Dtype()](f, out, in[0])
	return nil
}

// runningSums are the loops, by dtype. float is summed in double.
var runningSums = map[tensor.Dtype]func(f running, out, in *tensor.Dense){
	tensor.Float32: sumRunning[float64, float32], tensor.Float64: sumRunning[float64, float64],
	tensor.Int32: sumRunning[int32, int32], tensor.Int64: sumRunning[int64, int64],
	tensor.Uint32: sumRunning[uint32, uint32], tensor.Uint64: sumRunning[uint64, uint64],
}

func sumRunning[S, T number](f running, out, in *tensor.Dense) {
	dst, src := elements[T](out), elements[T](in)
	if len(dst) == 0 {
		return
	}
	f.each(func(_, first int) {
		var sum S
		for i := range f.n {
			at := first + i*f.step
			if f.backward {
				at = first + (f.n-1-i)*f.step
			}
			if f.exclusive {
				dst[at] = T(sum)
			}
			sum += S(src[at])
			if !f.exclusive {
				dst[at] = T(sum)
			}
		}
	})
}

func (f running) gradients([]operand, operand) []*term {
	f.backward = !f.backward
	return []*term{of(f, grad())}
}

// picking is where the largest or smallest element of each line is: the first one
// of equal ones, or the last.
type picking struct {
	smallest, last bool
	lines
	shape tensor.Shape // of the result
}

func (f picking) String() string {
	return fmt.Sprintf("place of the extreme of %d by %d by %d as %v, smallest %v, last %v", f.outer, f.n, f.step, f.shape, f.smallest, f.last)
}

func (f picking) result(in []operand) (operand, error) {
	if picks[in[0].dtype] == nil {
		return in[0], fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float, double and integers are", typeName(in[0].dtype))
	}
	return operand{tensor.Int64, f.shape}, nil
}

func (f picking) run(out *tensor.Dense, in []*tensor.Dense) error {
	picks[in[0].Dtype()](f, out, in[0])
	return nil
}

// picks are the loops, by dtype.
var picks = map[tensor.Dtype]func(f picking, out, in *tensor.Dense){
	tensor.Float32: pick[float32], tensor.Float64: pick[float64],
	tensor.Int8: pick[int8], tensor.Int16: pick[int16], tensor.Int32: pick[int32], tensor.Int64: pick[int64],
	tensor.Uint8: pick[uint8], tensor.Uint16: pick[uint16], tensor.Uint32: pick[uint32], tensor.Uint64: pick[uint64],
}

func pick[T number](f picking, out, in *tensor.Dense) {
	dst, src := elements[int64](out), elements[T](in)
	if len(dst) == 0 {
		return
	}
	f.each(func(line, first int) {
		best, at := src[first], 0
		for i := range f.n {
			x := src[first+i*f.step]
			better := x > best
			if f.smallest {
				better = x < best
			}
			// NaN is the extreme of all, as in PyTorch.
			better = (better || x != x) && best == best
			if better || f.last && x == best {
				best, at = x, i
			}
		}
		dst[line] = int64(at)
	})
}

func (f picking) gradients([]operand, operand) []*term { return make([]*term, 1) }
