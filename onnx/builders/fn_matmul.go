package builders

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// product is the matrix product of the last two axes of each operand, of which
// either may be transposed. The axes in front are broadcast to each other.
type product struct{ transposeA, transposeB bool }

func (f product) String() string {
	name := "MatMul"
	if f.transposeA {
		name += ", the first transposed"
	}
	if f.transposeB {
		name += ", the second transposed"
	}
	return name
}

// A multiplication is the sizes of a product: (m, k) times (k, n), for every
// matrix of the batch.
type multiplication struct {
	m, k, n int
	batch   tensor.Shape
	a, b    tensor.Shape // the batches of the operands
}

func (f product) sizes(a, b tensor.Shape) (multiplication, error) {
	if len(a) < 2 || len(b) < 2 {
		return multiplication{}, fault.Errorf(dense.ErrShape, "shapes %v and %v, ranks of at least 2 are allowed", a, b)
	}
	s := multiplication{a: a[:len(a)-2], b: b[:len(b)-2]}
	rows := func(shape tensor.Shape, transposed bool) (int, int) {
		r, c := shape[len(shape)-2], shape[len(shape)-1]
		if transposed {
			return c, r
		}
		return r, c
	}
	var k int
	s.m, s.k = rows(a, f.transposeA)
	k, s.n = rows(b, f.transposeB)
	if s.k != k {
		return s, fault.Errorf(dense.ErrShape, "shapes %v and %v: rows of %d elements and columns of %d", a, b, s.k, k)
	}
	var err error
	s.batch, err = broadcast(s.a, s.b)
	return s, err
}

// folded are the sizes of one product where all matrices of the batch have the same
// second operand: the rows of the first then lie one below the other.
func (s multiplication) folded(f product) multiplication {
	if n := count(s.batch); !f.transposeA && count(s.b) == 1 && count(s.a) == n {
		return multiplication{m: n * s.m, k: s.k, n: s.n}
	}
	return s
}

func (f product) result(in []operand) (operand, error) {
	a, b := in[0], in[1]
	if a.dtype != b.dtype {
		return a, fault.Errorf(dense.ErrDtype, "inputs of types %v and %v, they must be of one type", typeName(a.dtype), typeName(b.dtype))
	}
	switch a.dtype {
	case tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64:
	default:
		return a, fault.Errorf(dense.ErrDtype, "inputs of type %v are not supported, float, double and integers of 32 and 64 bits are", typeName(a.dtype))
	}
	s, err := f.sizes(a.shape, b.shape)
	return operand{a.dtype, append(append(tensor.Shape{}, s.batch...), s.m, s.n)}, err
}

func (f product) run(out *tensor.Dense, in []*tensor.Dense) error {
	s, err := f.sizes(in[0].Shape(), in[1].Shape())
	if err != nil {
		return err
	}
	f.multiply(s.folded(f), out, in)
	return nil
}

// multiply runs the product of those sizes.
func (f product) multiply(s multiplication, out *tensor.Dense, in []*tensor.Dense) {
	if count(s.batch)*s.m*s.k*s.n == 0 {
		return
	}
	lib := G.WhichBLAS()
	switch out.Dtype() {
	case tensor.Float32:
		multiply(s, out, in, fast(f, s, lib.Sgemm, gonum.Implementation{}.Saxpy))
	case tensor.Float64:
		multiply(s, out, in, fast(f, s, lib.Dgemm, gonum.Implementation{}.Daxpy))
	case tensor.Int32, tensor.Uint32:
		multiply(s, out, in, func(c, a, b []uint32) { plainProduct(f, s, c, a, b) })
	default:
		multiply(s, out, in, func(c, a, b []uint64) { plainProduct(f, s, c, a, b) })
	}
}

// fast is the product of two matrices by BLAS, which may leave out what it
// multiplies by zero, where the product with NaN and with infinity is NaN: such
// matrices are multiplied as the formula stands.
func fast[T float](f product, s multiplication, gemm func(a, b blas.Transpose, m, n, k int, alpha T, left []T, widthLeft int, right []T, widthRight int, beta T, out []T, width int), plus axpy[T]) func(c, a, b []T) {
	_, plain := G.WhichBLAS().(gonum.Implementation)
	return func(c, a, b []T) {
		switch {
		case plain && s.n >= fewestColumns && (!slices.Contains(a, 0) || finite(b)):
			panels(f, s, c, a, b, plus)
		case !finite(a) || !finite(b):
			plainProduct(f, s, c, a, b)
		default:
			gemm(flag(f.transposeA), flag(f.transposeB), s.m, s.n, s.k, 1, a, f.widthA(s), b, f.widthB(s), 0, c, s.n)
		}
	}
}

// multiply calls one for every matrix of the batch.
func multiply[T number](s multiplication, out *tensor.Dense, in []*tensor.Dense, one func(c, a, b []T)) {
	c, a, b := elements[T](out), elements[T](in[0]), elements[T](in[1])
	r := runsOf(s.batch, expanded(s.a, s.batch).steps, expanded(s.b, s.batch).steps)
	r.each(func(at int, from []int) {
		for l := range r.n {
			i, j, to := (from[0]+l*r.step[0])*s.m*s.k, (from[1]+l*r.step[1])*s.k*s.n, (at+l)*s.m*s.n
			one(c[to:to+s.m*s.n], a[i:i+s.m*s.k], b[j:j+s.k*s.n])
		}
	})
}

// plainProduct is the product as its formula stands.
func plainProduct[T number](f product, s multiplication, c, a, b []T) {
	rowA, columnA := s.k, 1
	if f.transposeA {
		rowA, columnA = 1, s.m
	}
	rowB, columnB := s.n, 1
	if f.transposeB {
		rowB, columnB = 1, s.k
	}
	for i := range s.m {
		for j := range s.n {
			var sum T
			for l := range s.k {
				sum += a[i*rowA+l*columnA] * b[l*rowB+j*columnB]
			}
			c[i*s.n+j] = sum
		}
	}
}

// finite tells whether no element is NaN or infinite: what is either is not 0 if
// subtracted from itself. Four sums do not wait for each other.
func finite[T float](x []T) bool {
	var a, b, c, d T
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = a+(x[0]-x[0]), b+(x[1]-x[1]), c+(x[2]-x[2]), d+(x[3]-x[3])
	}
	for _, v := range x {
		a += v - v
	}
	return a+b+c+d == 0
}

func flag(transposed bool) blas.Transpose {
	if transposed {
		return blas.Trans
	}
	return blas.NoTrans
}

// widthA is the length of a row of the first operand as it stands in memory.
func (f product) widthA(s multiplication) int {
	if f.transposeA {
		return s.m
	}
	return s.k
}

// widthB is that of the second operand.
func (f product) widthB(s multiplication) int {
	if f.transposeB {
		return s.k
	}
	return s.n
}

// gradients of C = A B are those of every textbook, G Bᵀ and Aᵀ G, in the order
// that gives the transposed ones where the operands are transposed.
func (f product) gradients(in []operand, y operand) []*term {
	batch := y.shape[:len(y.shape)-2]
	back := func(t *term, to tensor.Shape) *term {
		full := append(append(tensor.Shape{}, batch...), to[len(to)-2:]...)
		return sumTo(t, full, to)
	}
	a := of(product{false, !f.transposeB}, grad(), input(1))
	if f.transposeA {
		a = of(product{f.transposeB, true}, input(1), grad())
	}
	a = back(a, in[0].shape)
	left, right := input(0), grad()
	if f.transposeB {
		left, right = right, left
	}
	switch {
	case len(in[1].shape) == 2 && !f.transposeA:
		return []*term{a, of(stacked{}, left, right)}
	case f.transposeB:
		return []*term{a, back(of(product{true, f.transposeA}, left, right), in[1].shape)}
	}
	return []*term{a, back(of(product{!f.transposeA, false}, left, right), in[1].shape)}
}
