package builders

import (
	"gonum.org/v1/gonum/blas"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// recurrentGradient is the way back of recurrent: of the result's gradient, the
// result and the operands, the gradients of the operands behind each other.
type recurrentGradient recurrent

func (f recurrentGradient) String() string { return "gradient of " + recurrent(f).String() }

func (f recurrentGradient) size() int {
	n := 0
	for _, shape := range recurrent(f).operandShapes() {
		n += count(shape)
	}
	return n
}

func (f recurrentGradient) result(in []operand) (operand, error) {
	return operand{in[0].dtype, tensor.Shape{f.size()}}, nil
}

func (f recurrentGradient) run(out *tensor.Dense, in []*tensor.Dense) error {
	if count(in[0].Shape()) == 0 {
		return nil
	}
	if out.Dtype() == tensor.Float32 {
		recurBack(recurrent(f), elements[float32](out), elements[float32](in[0]), newPass(recurrent(f), in[2:], elements[float32](in[1]), G.WhichBLAS().Sgemm))
	} else {
		recurBack(recurrent(f), elements[float64](out), elements[float64](in[0]), newPass(recurrent(f), in[2:], elements[float64](in[1]), G.WhichBLAS().Dgemm))
	}
	return nil
}

func (f recurrentGradient) gradients(in []operand, _ operand) []*term { return onlyOnce(f, len(in)) }

// A wayBack is what the steps of the way back hand to each other, and where they
// add to.
type wayBack[T float] struct {
	z, r, b  []T // the gradients
	h, c     []T // those of the state after the step that is under way, then of that before it
	deltas   []T // of the product with the state before: z's, but for a linear GRU's last gate
	scaled   []T // of a GRU's state times its reset gate, and then that product
	products []T
}

// recurBack runs from the last step that ran to the first.
func recurBack[T float](f recurrent, out, grad []T, p *pass[T]) {
	n, width := f.hidden, f.gates()*f.hidden
	w := &wayBack[T]{h: make([]T, f.batch*n), c: make([]T, f.batch*n), deltas: make([]T, f.batch*width), b: make([]T, n)}
	w.scaled, w.products = make([]T, f.batch*n), make([]T, f.batch*n)
	w.z, w.r = out[:len(p.z)], out[len(p.z):][:len(p.r)]
	for i := f.steps - 1; i >= 0; i-- {
		t := f.order(i)
		h, rowH := p.before(i, 0)
		c, rowC := p.before(i, 1)
		for b := range f.batch {
			at := (t*f.batch + b) * p.row
			y, g := p.out[at:][:p.row], grad[at:][:p.row]
			dh, z := w.h[b*n:][:n], w.z[(t*f.batch+b)*width:][:width]
			for j := range n {
				dh[j] += g[j]
			}
			switch f.cell {
			case "RNN":
				for j := range n {
					z[j] = dh[j] * T(p.gate.slope(float64(y[j])))
					dh[j] = 0
				}
			case "LSTM":
				p.lstmBack(z, dh, w.c[b*n:], y, g, c[b*rowC:])
			default:
				p.updateBack(z, dh, y, h[b*rowH:])
			}
		}
		z := w.z[t*f.batch*width:][:f.batch*width]
		copy(w.deltas, z)
		if f.cell == "GRU" {
			p.resetBack(w, t, z, h, rowH)
		}
		whole := width
		if f.cell == "GRU" && !f.linear {
			whole = 2 * n // the last gate has seen another state
		}
		p.multiply(blas.NoTrans, blas.NoTrans, f.batch, n, whole, 1, w.deltas, width, p.r, n, 1, w.h, n)
		p.multiply(blas.Trans, blas.NoTrans, whole, n, f.batch, 1, w.deltas, width, h, rowH, 1, w.r, n)
	}
	rest := out[len(p.z)+len(p.r):]
	for _, part := range []struct {
		there bool
		list  []T
	}{{f.startH, w.h}, {f.startC, w.c}, {f.bias, w.b}} {
		if part.there {
			rest = rest[copy(rest, part.list):]
		}
	}
}

// lstmBack is one row: z and dc, which become those of the sums and of the c
// before. All of h goes by way of the sums.
func (p *pass[T]) lstmBack(z, dh, dc, y, g, c []T) {
	n := p.f.hidden
	for j := range n {
		i, o, keep, candidate := float64(y[2*n+j]), float64(y[3*n+j]), float64(y[4*n+j]), float64(y[5*n+j])
		state := p.state.at(float64(y[n+j]))
		d := float64(dh[j])
		cell := float64(dc[j]) + float64(g[n+j]) + d*o*p.state.slope(state)
		z[j] = T(cell * candidate * p.gate.slope(i))
		z[n+j] = T(d * state * p.gate.slope(o))
		z[2*n+j] = T(cell * float64(c[j]) * p.gate.slope(keep))
		z[3*n+j] = T(cell * i * p.candidate.slope(candidate))
		dc[j], dh[j] = T(cell*keep), 0
	}
}

// updateBack is the second half of a GRU's row: z of the update gate and of the
// candidate, and what of h goes past both.
func (p *pass[T]) updateBack(z, dh, y, h []T) {
	n := p.f.hidden
	for j := range n {
		gate, candidate, d := float64(y[n+j]), float64(y[3*n+j]), float64(dh[j])
		z[j] = T(d * (float64(h[j]) - candidate) * p.gate.slope(gate))
		z[2*n+j] = T(d * (1 - gate) * p.candidate.slope(candidate))
		dh[j] = T(d * gate)
	}
}

// resetBack is the first half of a GRU's step: z of the reset gate, and, where it
// scales the state, what goes through that.
func (p *pass[T]) resetBack(w *wayBack[T], t int, z, h []T, rowH int) {
	f, n, width := p.f, p.f.hidden, p.f.gates()*p.f.hidden
	last := p.r[2*n*n:]
	if !f.linear {
		p.multiply(blas.NoTrans, blas.NoTrans, f.batch, n, n, 1, z[2*n:], width, last, n, 0, w.products, n)
	}
	for b := range f.batch {
		y := p.out[(t*f.batch+b)*p.row:][:p.row]
		for j := range n {
			at := b*width + 2*n + j
			reset := y[2*n+j]
			slope := T(p.gate.slope(float64(reset)))
			if f.linear {
				w.deltas[at] = z[at] * reset
				w.b[j] += w.deltas[at]
				z[at-n] = z[at] * y[4*n+j] * slope
			} else {
				state := h[b*rowH+j]
				w.scaled[b*n+j] = reset * state
				w.h[b*n+j] += w.products[b*n+j] * reset
				z[at-n] = w.products[b*n+j] * state * slope
			}
			w.deltas[at-n] = z[at-n]
		}
	}
	if !f.linear {
		p.multiply(blas.Trans, blas.NoTrans, n, n, f.batch, 1, z[2*n:], width, w.scaled, n, 1, w.r[2*n*n:], n)
	}
}
