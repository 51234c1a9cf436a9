package builders

import (
	"fmt"
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// integerProduct is the matrix product of bytes less their zero points, which are
// operands behind the matrices if there are any.
type integerProduct struct{ zeroA, zeroB bool }

func (f integerProduct) String() string {
	return fmt.Sprintf("MatMulInteger, zero points %v and %v", f.zeroA, f.zeroB)
}

// exactTerms is how many products of two differences of bytes, which are at most 255, a
// float32 sums without an error, in any order: 2^24 / 255².
const exactTerms = 258

func (f integerProduct) result(in []operand) (operand, error) {
	for _, o := range in {
		if !bytes.Has(o.dtype) {
			return operand{}, fault.Errorf(dense.ErrDtype, "an input of type %v, int8 and uint8 are allowed", typeName(o.dtype))
		}
	}
	s, err := product{}.sizes(in[0].shape, in[1].shape)
	if err != nil {
		return operand{}, err
	}
	for i, zero := range f.zeros(in) {
		line := in[i].shape.Clone() // of one row or column of each matrix
		line[len(line)-1-i] = 1
		if shape, err := broadcast(line, zero.shape); len(zero.shape) > 0 && (err != nil || !slices.Equal(shape, line)) {
			return operand{}, fault.Errorf(dense.ErrShape, "a zero point of shape %v for an input of shape %v", zero.shape, in[i].shape)
		}
	}
	return operand{tensor.Int32, append(append(tensor.Shape{}, s.batch...), s.m, s.n)}, nil
}

// zeros are the zero points of both operands; a missing one is a 0 of rank 0.
func (f integerProduct) zeros(in []operand) [2]operand {
	var zeros [2]operand
	rest := in[2:]
	if f.zeroA {
		zeros[0], rest = rest[0], rest[1:]
	}
	if f.zeroB {
		zeros[1] = rest[0]
	}
	return zeros
}

func (f integerProduct) run(out *tensor.Dense, in []*tensor.Dense) error {
	s, err := product{}.sizes(in[0].Shape(), in[1].Shape())
	if err != nil || count(out.Shape())*s.k == 0 {
		return err
	}
	var zeros [2]*tensor.Dense
	rest := in[2:]
	if f.zeroA {
		zeros[0], rest = rest[0], rest[1:]
	}
	if f.zeroB {
		zeros[1] = rest[0]
	}
	// A part of the rows of B at a time, and of the columns of A, whose sums are exact.
	sums := elements[int32](out)
	for from := 0; from < s.k; from += exactTerms {
		part := s
		part.k = min(exactTerms, s.k-from)
		a := partLess(in[0], zeros[0], within(append(s.a.Clone(), s.m, part.k), in[0].Shape(), append(make([]int, len(s.a)+1), from)))
		b := partLess(in[1], zeros[1], within(append(s.b.Clone(), part.k, s.n), in[1].Shape(), append(make([]int, len(s.b)), from, 0)))
		c := newTensor(operand{tensor.Float32, out.Shape()})
		product{}.multiply(part.folded(product{}), c, []*tensor.Dense{a, b})
		for i, x := range elements[float32](c) {
			sums[i] += int32(x)
		}
	}
	return nil
}

// partLess is a part of a tensor of bytes less their zero points.
func partLess(x, zero *tensor.Dense, p places) *tensor.Dense {
	out := newTensor(operand{tensor.Float32, p.part})
	if zero == nil {
		zero = newTensor(operand{x.Dtype(), tensor.Shape{}})
	}
	if x.Dtype() == tensor.Int8 {
		differences[int8](out, x, zero, p)
	} else {
		differences[uint8](out, x, zero, p)
	}
	return out
}

func differences[T int8 | uint8](out, x, zero *tensor.Dense, p places) {
	dst, src, zeros := elements[float32](out), elements[T](x), elements[T](zero)
	r := runsOf(p.part, p.steps, expanded(zero.Shape(), p.part).steps)
	r.split(func() func(at, n int, from []int) {
		return func(at, n int, from []int) {
			to, values := dst[at:at+n], src[p.offset+from[0]:]
			if r.step[1] == 0 {
				less := int32(zeros[from[1]])
				for i := range to {
					to[i] = float32(int32(values[i*r.step[0]]) - less)
				}
				return
			}
			for i := range to {
				to[i] = float32(int32(values[i*r.step[0]]) - int32(zeros[from[1]+i*r.step[1]]))
			}
		}
	})
}

// An integer has no gradient.
func (f integerProduct) gradients(in []operand, _ operand) []*term { return make([]*term, len(in)) }
