package builders

import (
	"fmt"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// A places says where in a packed tensor of shape whole the elements of a tensor
// of shape part have their places, part's element at coordinates c at
//
//	offset + c[0]*steps[0] + c[1]*steps[1] + …
//
// Reshape, Transpose, Expand and Slice each are a copy from such places.
type places struct {
	part, whole tensor.Shape
	steps       []int
	offset      int
}

// String prints every field.
func (p places) String() string {
	return fmt.Sprintf("%v of %v from %d by %v", p.part, p.whole, p.offset, p.steps)
}

// each visits the elements of part in runs: n of them from at on have their
// places at from, from+step, …
func (p places) each(visit func(at, from, n, step int)) {
	r := runsOf(p.part, p.steps)
	r.each(func(at int, from []int) { visit(at, p.offset+from[0], r.n, r.step[0]) })
}

// distinct tells that no two elements of the part have one place. It may be false
// where that is so.
func (p places) distinct() bool {
	shape, steps := merged(p.part, [][]int{p.steps})
	order := make([]int, len(shape))
	for d := range shape {
		order[d] = d
	}
	distance := func(d int) int { return max(steps[0][d], -steps[0][d]) }
	slices.SortFunc(order, func(a, b int) int { return distance(a) - distance(b) })
	reach := 0 // of the axes with smaller steps
	for _, d := range order {
		if distance(d) <= reach {
			return false
		}
		reach += distance(d) * (shape[d] - 1)
	}
	return true
}

// copying takes the elements of a part out of the whole.
type copying struct{ places }

func (f copying) String() string { return "copy " + f.places.String() }

func (f copying) result(in []operand) (operand, error) {
	if !slices.Equal(in[0].shape, f.whole) {
		return operand{}, fault.Errorf(dense.ErrShape, "an input of shape %v", in[0].shape)
	}
	return operand{in[0].dtype, f.part}, nil
}

func (f copying) run(out *tensor.Dense, in []*tensor.Dense) error {
	f.move(in[0], out, true)
	return nil
}

// move copies the elements of part out of their places in whole, or back.
func (p places) move(whole, part *tensor.Dense, out bool) {
	if count(p.part) == 0 {
		return
	}
	switch t := part.Dtype(); {
	case t == tensor.String:
		moveAs[string](p, whole, part, out)
	case t.Size() == 1:
		moveAs[uint8](p, whole, part, out)
	case t.Size() == 2:
		moveAs[uint16](p, whole, part, out)
	case t.Size() == 4:
		moveAs[uint32](p, whole, part, out)
	case t.Size() == 8:
		moveAs[uint64](p, whole, part, out)
	default:
		moveAs[complex128](p, whole, part, out)
	}
}

func moveAs[T any](p places, whole, part *tensor.Dense, out bool) {
	w, v := elements[T](whole), elements[T](part)
	r := runsOf(p.part, p.steps)
	step := r.step[0]
	visit := func(at, n int, places []int) {
		from := p.offset + places[0]
		switch {
		case step == 1 && out:
			copy(v[at:at+n], w[from:from+n])
		case step == 1:
			copy(w[from:from+n], v[at:at+n])
		case out:
			for i := range n {
				v[at+i] = w[from+i*step]
			}
		default:
			for i := range n {
				w[from+i*step] = v[at+i]
			}
		}
	}
	r.split(func() func(at, n int, places []int) { return visit })
}

func (f copying) gradients([]operand, operand) []*term {
	return []*term{of(summing(f), grad())}
}

// summing is the adjoint of copying: every element of the part is added to its
// place in zeros.
type summing struct{ places }

func (f summing) String() string { return "sum " + f.places.String() }

func (f summing) result(in []operand) (operand, error) {
	if !slices.Equal(in[0].shape, f.part) {
		return operand{}, fault.Errorf(dense.ErrShape, "an input of shape %v", in[0].shape)
	}
	switch in[0].dtype {
	case tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64:
		return operand{in[0].dtype, f.whole}, nil
	}
	return operand{}, fault.Errorf(dense.ErrDtype, "a sum of %v is not supported", typeName(in[0].dtype))
}

func (f summing) run(out *tensor.Dense, in []*tensor.Dense) error {
	if count(f.part) == 0 {
		return nil
	}
	if f.distinct() {
		f.move(out, in[0], false)
		return nil
	}
	switch out.Dtype() {
	case tensor.Float32:
		// In float64, so that the error does not grow with the number of terms.
		dst := elements[float32](out)
		sums := make([]float64, len(dst))
		sumPlaces(f.places, sums, elements[float32](in[0]))
		for i, s := range sums {
			dst[i] = float32(s)
		}
	case tensor.Float64:
		sumPlaces(f.places, elements[float64](out), elements[float64](in[0]))
	case tensor.Int32, tensor.Uint32:
		sumPlaces(f.places, elements[uint32](out), elements[uint32](in[0]))
	default:
		sumPlaces(f.places, elements[uint64](out), elements[uint64](in[0]))
	}
	return nil
}

func sumPlaces[S, T number](p places, sums []S, src []T) {
	p.each(func(at, from, n, step int) {
		if step == 0 {
			sum := sums[from]
			for _, x := range src[at : at+n] {
				sum += S(x)
			}
			sums[from] = sum
			return
		}
		for i := range n {
			sums[from+i*step] += S(src[at+i])
		}
	})
}

func (f summing) gradients([]operand, operand) []*term {
	return []*term{of(copying(f), grad())}
}

// reshaped are the places of a tensor under another shape of the same size.
func reshaped(from, to tensor.Shape) places {
	return places{part: to, whole: from, steps: rowMajor(to)}
}

// permuted are the places of a tensor with its axes in another order.
func permuted(from tensor.Shape, perm []int) places {
	p := places{whole: from}
	steps := rowMajor(from)
	for _, axis := range perm {
		p.part, p.steps = append(p.part, from[axis]), append(p.steps, steps[axis])
	}
	return p
}

// expanded are the places of a tensor that is repeated along axes of size 1 and
// along new ones in front, as broadcasting has it. The shapes must fit.
func expanded(from, to tensor.Shape) places {
	p := places{part: to, whole: from, steps: make([]int, len(to))}
	steps := rowMajor(from)
	for d := range from {
		if e := len(to) - len(from) + d; from[d] == to[e] {
			p.steps[e] = steps[d]
		}
	}
	return p
}

// sumTo sums a term of shape from to shape to, which broadcasts to it.
func sumTo(t *term, from, to tensor.Shape) *term {
	if slices.Equal(from, to) {
		return t
	}
	return of(summing{expanded(to, from)}, t)
}

// broadcast is the shape of two operands that are broadcast to each other.
func broadcast(a, b tensor.Shape) (tensor.Shape, error) {
	long, short := a, b
	if len(short) > len(long) {
		long, short = short, long
	}
	shape := append(tensor.Shape{}, long...)
	for d, n := range short {
		e := len(long) - len(short) + d
		switch {
		case shape[e] == 1:
			shape[e] = n
		case n != 1 && n != shape[e]:
			return nil, fault.Errorf(dense.ErrShape, "shapes %v and %v do not broadcast to each other", a, b)
		}
	}
	return shape, nil
}
