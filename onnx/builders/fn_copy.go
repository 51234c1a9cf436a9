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
	shape, steps := merged(p.part, p.steps)
	if len(shape) == 0 {
		visit(0, p.offset, 1, 0)
		return
	}
	inner := len(shape) - 1
	n, step, at := shape[inner], steps[inner], 0
	walk(shape[:inner], func(sums []int) {
		visit(at, p.offset+sums[0], n, step)
		at += n
	}, steps[:inner])
}

// walk visits the coordinates of a shape that is not empty in row-major order,
// with the sum of coordinate times step for each of the steps.
func walk(shape tensor.Shape, visit func(sums []int), steps ...[]int) {
	coordinates, sums := make([]int, len(shape)), make([]int, len(steps))
	for d := 0; d >= 0; {
		visit(sums)
		for d = len(shape) - 1; d >= 0; d-- {
			turn := 1
			if coordinates[d]++; coordinates[d] == shape[d] {
				coordinates[d], turn = 0, 1-shape[d]
			}
			for i, s := range steps {
				sums[i] += turn * s[d]
			}
			if turn == 1 {
				break
			}
		}
	}
}

// merged makes one axis of neighbours that lie behind each other, so that runs
// are as long as they can be. The shape is not empty.
func merged(shape tensor.Shape, steps []int) (tensor.Shape, []int) {
	var n tensor.Shape
	var s []int
	for d := range shape {
		last := len(n) - 1
		switch {
		case shape[d] == 1:
		case last >= 0 && s[last] == steps[d]*shape[d]:
			n[last], s[last] = n[last]*shape[d], steps[d]
		default:
			n, s = append(n, shape[d]), append(s, steps[d])
		}
	}
	return n, s
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
	p.each(func(at, from, n, step int) {
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
	})
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
	switch out.Dtype() {
	case tensor.Float32:
		// In float64, so that the error does not grow with the number of terms.
		sums := make([]float64, len(elements[float32](out)))
		sumPlaces(f.places, sums, elements[float32](in[0]))
		for i, s := range sums {
			elements[float32](out)[i] = float32(s)
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
