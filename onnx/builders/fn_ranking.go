package builders

import (
	"fmt"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// ranking is where the k largest elements of each line are, or the smallest, in their
// order; of equal ones the first come first.
type ranking struct {
	lines
	k        int
	smallest bool
	axis     int // of the lines
}

func (f ranking) String() string {
	return fmt.Sprintf("places of the %d extremes of %d by %d by %d along axis %d, smallest %v", f.k, f.outer, f.n, f.step, f.axis, f.smallest)
}

func (f ranking) result(in []operand) (operand, error) {
	if rankings[in[0].dtype] == nil {
		return in[0], fault.Errorf(dense.ErrDtype, "an input of type %v is not supported, float, double and integers are", typeName(in[0].dtype))
	}
	if f.axis >= len(in[0].shape) {
		return in[0], fault.Errorf(dense.ErrShape, "an input of shape %v", in[0].shape)
	}
	shape := in[0].shape.Clone()
	shape[f.axis] = f.k
	return operand{tensor.Int64, shape}, nil
}

func (f ranking) run(out *tensor.Dense, in []*tensor.Dense) error {
	rankings[in[0].Dtype()](f, elements[int64](out), in[0])
	return nil
}

// rankings are the loops, by dtype.
var rankings = map[tensor.Dtype]func(f ranking, out []int64, in *tensor.Dense){
	tensor.Float32: rank[float32], tensor.Float64: rank[float64],
	tensor.Int8: rank[int8], tensor.Int16: rank[int16], tensor.Int32: rank[int32], tensor.Int64: rank[int64],
	tensor.Uint8: rank[uint8], tensor.Uint16: rank[uint16], tensor.Uint32: rank[uint32], tensor.Uint64: rank[uint64],
}

func rank[T number](f ranking, out []int64, in *tensor.Dense) {
	src := elements[T](in)
	if len(out) == 0 {
		return
	}
	f.each(func(line, first int) {
		value := func(at int64) T { return src[first+int(at)*f.step] }
		// before tells that x, at i, comes in front of y, at j.
		before := func(x T, i int64, y T, j int64) bool {
			if x == y || x != x && y != y {
				return i < j
			}
			return (x > y || x != x) != f.smallest
		}
		compare := func(i, j int64) int {
			if before(value(i), i, value(j), j) {
				return -1
			}
			return 1
		}
		// A heap of those that were best so far, with the last of them in front.
		best := make([]int64, 0, f.k)
		for i := range int64(f.n) {
			if len(best) < f.k {
				if best = append(best, i); len(best) == f.k {
					slices.SortFunc(best, func(i, j int64) int { return compare(j, i) })
				}
			} else if last := best[0]; before(value(i), i, value(last), last) {
				best[0] = i
				sink(best, func(i, j int64) bool { return compare(j, i) < 0 })
			}
		}
		slices.SortFunc(best, compare)
		to := line/f.step*f.k*f.step + line%f.step
		for i, at := range best {
			out[to+i*f.step] = at
		}
	})
}

// sink moves the first element of a heap down to where none below it is before it.
func sink(heap []int64, before func(i, j int64) bool) {
	for at := 0; ; {
		child := 2*at + 1
		if child >= len(heap) {
			return
		}
		if next := child + 1; next < len(heap) && before(heap[next], heap[child]) {
			child = next
		}
		if !before(heap[child], heap[at]) {
			return
		}
		heap[at], heap[child] = heap[child], heap[at]
		at = child
	}
}

func (f ranking) gradients(in []operand, _ operand) []*term { return make([]*term, len(in)) }
