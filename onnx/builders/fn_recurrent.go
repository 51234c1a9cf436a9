package builders

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// recurrent runs one direction of an RNN, a GRU or an LSTM over its steps. Its
// operands are
//
//	z (steps, batch, gates × hidden)  what the gates get from the input, biases included
//	r (gates × hidden, hidden)        what they get from the state before
//	h, c (batch, hidden)              the states at the start, if there are any
//	b (hidden)                        the recurrent bias of a GRU's last gate, if it is linear and has one
//
// and its result is (steps, batch, parts × hidden): the state of each step and
// behind it what the way back needs, which for an LSTM begins with c.
type recurrent struct {
	cell                   string // RNN, GRU or LSTM
	steps, batch, hidden   int
	reverse                bool // from the last step to the first
	linear                 bool // the reset gate of a GRU comes behind its matrix product
	startH, startC, bias   bool // which of these operands are there
	gate, candidate, state string
}

func (f recurrent) String() string {
	return fmt.Sprintf("%s of %d by %d by %d, reverse %v, linear %v, operands %v %v %v, %s %s %s",
		f.cell, f.steps, f.batch, f.hidden, f.reverse, f.linear, f.startH, f.startC, f.bias, f.gate, f.candidate, f.state)
}

// gates is how many blocks of hidden rows r has, and parts how many the result.
func (f recurrent) gates() int { return map[string]int{"RNN": 1, "GRU": 3, "LSTM": 4}[f.cell] }

func (f recurrent) parts() int {
	if f.linear {
		return 5
	}
	return map[string]int{"RNN": 1, "GRU": 4, "LSTM": 6}[f.cell]
}

// operandShapes are those of the operands.
func (f recurrent) operandShapes() []tensor.Shape {
	list := []tensor.Shape{{f.steps, f.batch, f.gates() * f.hidden}, {f.gates() * f.hidden, f.hidden}}
	for _, there := range []bool{f.startH, f.startC} {
		if there {
			list = append(list, tensor.Shape{f.batch, f.hidden})
		}
	}
	if f.bias {
		list = append(list, tensor.Shape{f.hidden})
	}
	return list
}

func (f recurrent) result(in []operand) (operand, error) {
	for i, shape := range f.operandShapes() {
		if !isFloat(in[i].dtype) || in[i].dtype != in[0].dtype {
			return in[i], fault.Errorf(dense.ErrDtype, "inputs of types %v and %v, they must be of one type, float or double", typeName(in[0].dtype), typeName(in[i].dtype))
		}
		if !slices.Equal(in[i].shape, shape) {
			return in[i], fault.Errorf(dense.ErrShape, "an input of shape %v, %v is allowed", in[i].shape, shape)
		}
	}
	return operand{in[0].dtype, tensor.Shape{f.steps, f.batch, f.parts() * f.hidden}}, nil
}

func (f recurrent) run(out *tensor.Dense, in []*tensor.Dense) error {
	if count(out.Shape()) == 0 {
		return nil
	}
	if out.Dtype() == tensor.Float32 {
		recur(f, newPass(f, in, elements[float32](out), G.WhichBLAS().Sgemm))
	} else {
		recur(f, newPass(f, in, elements[float64](out), G.WhichBLAS().Dgemm))
	}
	return nil
}

// gemm is C = alpha A B + beta C, as BLAS has it.
type gemm[T float] func(a, b blas.Transpose, m, n, k int, alpha T, left []T, widthLeft int, right []T, widthRight int, beta T, out []T, width int)

// A pass is a run over the steps, forward or back.
type pass[T float] struct {
	z, r, h, c, b []T
	out           []T
	row           int // of out
	multiply      gemm[T]
	f             recurrent

	gate, candidate, state curve
}

func newPass[T float](f recurrent, in []*tensor.Dense, out []T, multiply gemm[T]) *pass[T] {
	p := &pass[T]{f: f, out: out, row: f.parts() * f.hidden, multiply: multiply,
		gate: curves[f.gate], candidate: curves[f.candidate], state: curves[f.state]}
	p.z, p.r = elements[T](in[0]), elements[T](in[1])
	rest := in[2:]
	take := func(there bool, n int) []T {
		if !there {
			return make([]T, n)
		}
		list := elements[T](rest[0])
		rest = rest[1:]
		return list
	}
	p.h, p.c, p.b = take(f.startH, f.batch*f.hidden), take(f.startC, f.batch*f.hidden), take(f.bias, f.hidden)
	return p
}

// order are the steps from the first to the last that runs.
func (f recurrent) order(i int) int {
	if f.reverse {
		return f.steps - 1 - i
	}
	return i
}

// before is the state before the i-th step to run, and the length of its rows;
// part 0 is h and part 1 is c.
func (p *pass[T]) before(i, part int) ([]T, int) {
	if i == 0 {
		return [][]T{p.h, p.c}[part], p.f.hidden
	}
	t := p.f.order(i - 1)
	return p.out[t*p.f.batch*p.row+part*p.f.hidden:], p.row
}

// recur runs forward.
func recur[T float](f recurrent, p *pass[T]) {
	n, width := f.hidden, f.gates()*f.hidden
	sums := make([]T, f.batch*width)
	scaled := make([]T, f.batch*n)
	for i := range f.steps {
		t := f.order(i)
		h, rowH := p.before(i, 0)
		c, rowC := p.before(i, 1)
		copy(sums, p.z[t*f.batch*width:])
		whole := width // how many columns the product with the whole state has
		if f.cell == "GRU" {
			whole = 2 * n
		}
		p.multiply(blas.NoTrans, blas.Trans, f.batch, whole, n, 1, h, rowH, p.r, n, 1, sums, width)
		if f.linear {
			for j := range scaled {
				scaled[j] = p.b[j%n]
			}
			p.multiply(blas.NoTrans, blas.Trans, f.batch, n, n, 1, h, rowH, p.r[2*n*n:], n, 1, scaled, n)
		}
		for b := range f.batch {
			row, y := sums[b*width:][:width], p.out[(t*f.batch+b)*p.row:][:p.row]
			switch f.cell {
			case "RNN":
				for j := range n {
					y[j] = T(p.gate.at(float64(row[j])))
				}
			case "LSTM":
				p.lstm(y, row, c[b*rowC:])
			default:
				p.reset(y, row, h[b*rowH:], scaled[b*n:])
			}
		}
		if f.cell == "GRU" {
			p.update(t, sums, scaled, h, rowH)
		}
	}
}

// lstm is one row: y gets h, c, and the gates i, o, f and the candidate.
func (p *pass[T]) lstm(y, sums, c []T) {
	n := p.f.hidden
	for j := range n {
		i, o := p.gate.at(float64(sums[j])), p.gate.at(float64(sums[n+j]))
		keep, g := p.gate.at(float64(sums[2*n+j])), p.candidate.at(float64(sums[3*n+j]))
		cell := keep*float64(c[j]) + i*g
		y[j], y[n+j] = T(o*p.state.at(cell)), T(cell)
		y[2*n+j], y[3*n+j], y[4*n+j], y[5*n+j] = T(i), T(o), T(keep), T(g)
	}
}

// reset is the first half of a GRU's row: its gates z and r, and what r scales.
func (p *pass[T]) reset(y, sums, h, scaled []T) {
	n := p.f.hidden
	for j := range n {
		z, r := p.gate.at(float64(sums[j])), p.gate.at(float64(sums[n+j]))
		y[n+j], y[2*n+j] = T(z), T(r)
		if p.f.linear {
			y[4*n+j] = scaled[j]
			sums[2*n+j] += T(r) * scaled[j]
		} else {
			scaled[j] = T(r) * h[j]
		}
	}
}

// update is the second half of a GRU's step, for all rows.
func (p *pass[T]) update(t int, sums, scaled, h []T, rowH int) {
	f, n, width := p.f, p.f.hidden, p.f.gates()*p.f.hidden
	if !f.linear {
		p.multiply(blas.NoTrans, blas.Trans, f.batch, n, n, 1, scaled, n, p.r[2*n*n:], n, 1, sums[2*n:], width)
	}
	for b := range f.batch {
		y := p.out[(t*f.batch+b)*p.row:][:p.row]
		for j := range n {
			candidate := p.candidate.at(float64(sums[b*width+2*n+j]))
			z := float64(y[n+j])
			y[3*n+j] = T(candidate)
			y[j] = T((1-z)*candidate + z*float64(h[b*rowH+j]))
		}
	}
}

// gradients are parts of what one pass backwards gives.
func (f recurrent) gradients(in []operand, _ operand) []*term {
	args := []*term{grad(), out()}
	for i := range in {
		args = append(args, input(i))
	}
	back := of(recurrentGradient(f), args...)
	whole := tensor.Shape{recurrentGradient(f).size()}
	var terms []*term
	offset := 0
	for _, shape := range f.operandShapes() {
		terms = append(terms, of(copying{places{part: shape, whole: whole, steps: rowMajor(shape), offset: offset}}, back))
		offset += count(shape)
	}
	return terms
}
