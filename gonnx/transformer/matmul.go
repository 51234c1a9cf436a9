package transformer

import (
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/pkg/errors"
	"github.com/x448/float16"
	blasgonum "gonum.org/v1/gonum/blas/gonum"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

var matMuls = []version{
	{since: 1, inputs: []parameter{{name: "A", of: floats}, {name: "B", same: true}}, least: 2, outputs: 1, apply: matMul},
	{since: 9, inputs: []parameter{{name: "A", of: slices.Concat(floats, wideInts)}, {name: "B", same: true}}, least: 2, outputs: 1, apply: matMul},
	{since: 13, inputs: []parameter{{name: "A", of: slices.Concat(floats16, wideInts)}, {name: "B", same: true}}, least: 2, outputs: 1, apply: matMul},
}

// A product describes a call of MatMul: batches of (m, k) by (k, n), each batch at
// offsets of its own in A and in B.
type product struct {
	m, k, n int
	a, b    []int // offsets of the matrices of each batch
	shape   tensor.Shape
	dtype   tensor.Dtype
}

// matMul multiplies matrices: the last two axes of A, (m, k), by those of B, (k, n);
// the axes before are broadcast. A vector A is a row, a vector B a column, and that
// axis is left out of the result. gonnx has the operator, too. It copies B for every
// matrix of A, and multiplies in pieces of 64 by 64, which takes twice as long.
//
// As in BLAS, what an element 0 of a float A is multiplied by does not count, not
// even an infinity.
func matMul(_ call, in []*tensor.Dense) ([]*tensor.Dense, error) {
	p, err := newProduct(in[0], in[1])
	if err != nil {
		return nil, err
	}
	out, err := blank(p.shape, p.dtype)
	if err != nil {
		return nil, err
	}
	if size(p.shape) == 0 || p.k == 0 {
		return []*tensor.Dense{out}, nil
	}
	switch p.dtype {
	case tensor.Float32:
		multiply(p, elements[float32](out), elements[float32](in[0]), elements[float32](in[1]), blasgonum.Implementation{}.Saxpy)
	case tensor.Float64:
		multiply(p, elements[float64](out), elements[float64](in[0]), elements[float64](in[1]), blasgonum.Implementation{}.Daxpy)
	case tensor.Int32:
		multiply(p, elements[int32](out), elements[int32](in[0]), elements[int32](in[1]), axpy[int32])
	case tensor.Int64:
		multiply(p, elements[int64](out), elements[int64](in[0]), elements[int64](in[1]), axpy[int64])
	case tensor.Uint32:
		multiply(p, elements[uint32](out), elements[uint32](in[0]), elements[uint32](in[1]), axpy[uint32])
	case tensor.Uint64:
		multiply(p, elements[uint64](out), elements[uint64](in[0]), elements[uint64](in[1]), axpy[uint64])
	case dense.Float16:
		multiplyHalves[float16.Float16](p, out, in)
	default:
		multiplyHalves[dense.BF16](p, out, in)
	}
	return []*tensor.Dense{out}, nil
}

func newProduct(a, b *tensor.Dense) (product, error) {
	shapeA, shapeB := a.Shape().Clone(), b.Shape().Clone()
	if len(shapeA) == 0 || len(shapeB) == 0 {
		return product{}, errors.Wrapf(dense.ErrShape, "A has shape %v and B %v, scalars have no product", shapeA, shapeB)
	}
	row, column := len(shapeA) == 1, len(shapeB) == 1
	if row {
		shapeA = tensor.Shape{1, shapeA[0]}
	}
	if column {
		shapeB = tensor.Shape{shapeB[0], 1}
	}
	ra, rb := len(shapeA), len(shapeB)
	p := product{m: shapeA[ra-2], k: shapeA[ra-1], n: shapeB[rb-1], dtype: a.Dtype()}
	if p.k != shapeB[rb-2] {
		return p, errors.Wrapf(dense.ErrShape, "A has shape %v and B %v: %d columns, %d rows", a.Shape(), b.Shape(), p.k, shapeB[rb-2])
	}
	batches, err := broadcast(shapeA[:ra-2], shapeB[:rb-2])
	if err != nil {
		return p, err
	}
	p.shape = batches.Clone()
	if !row {
		p.shape = append(p.shape, p.m)
	}
	if !column {
		p.shape = append(p.shape, p.n)
	}
	if rb == 2 { // one B for all rows of A, whatever batch they are of
		p.m *= size(batches)
		p.a, p.b = []int{0}, []int{0}
		return p, nil
	}
	eachRow(batches, [][]int{stridesTo(shapeA[:ra-2], batches), stridesTo(shapeB[:rb-2], batches)}, func(n int, offsets, steps []int) {
		for i := range n {
			p.a = append(p.a, (offsets[0]+i*steps[0])*p.m*p.k)
			p.b = append(p.b, (offsets[1]+i*steps[1])*p.k*p.n)
		}
	})
	return p, nil
}

// An axpyFunc adds a times x to y, n elements of each. Its signature is that of BLAS;
// steps are 1 here.
type axpyFunc[T any] func(n int, a T, x []T, stepX int, y []T, stepY int)

// axpy is for the types that gonum has not. Integers wrap around.
func axpy[T int32 | int64 | uint32 | uint64](n int, a T, x []T, _ int, y []T, _ int) {
	y = y[:n]
	for i, v := range x[:n] {
		y[i] += a * v
	}
}

// multiply runs the product of each batch; out is zero. Large ones are split by
// rows over the processors: sums are the same for any number of them.
func multiply[T number](p product, out, a, b []T, axpy axpyFunc[T]) {
	for i := range p.a {
		a, b, out := a[p.a[i]:], b[p.b[i]:], out[i*p.m*p.n:]
		parts := min(runtime.GOMAXPROCS(0), p.m)
		if p.m*p.n*p.k < worthSplitting || parts < 2 {
			multiplyRows(p, 0, p.m, out, a, b, axpy)
			continue
		}
		var all sync.WaitGroup
		for part := range parts {
			all.Add(1)
			go func() {
				defer all.Done()
				multiplyRows(p, part*p.m/parts, (part+1)*p.m/parts, out, a, b, axpy)
			}()
		}
		all.Wait()
	}
}

type number interface {
	int32 | int64 | uint32 | uint64 | float32 | float64
}

const (
	worthSplitting = 1 << 19   // products, 0.1 ms
	panelBytes     = 96 * 1024 // a part of B that stays in the second cache
)

// multiplyRows adds up some rows of the result, out of as many rows of B at a time
// as the cache keeps for the next row.
func multiplyRows[T number](p product, from, to int, out, a, b []T, axpy axpyFunc[T]) {
	var x T
	panel := max(panelBytes/(p.n*int(unsafe.Sizeof(x))), 8)
	for start := 0; start < p.k; start += panel {
		end := min(start+panel, p.k)
		for i := from; i < to; i++ {
			row := out[i*p.n : (i+1)*p.n]
			for l := start; l < end; l++ {
				axpy(p.n, a[i*p.k+l], b[l*p.n:], 1, row, 1)
			}
		}
	}
}

// multiplyHalves sums in float32, and rounds once.
func multiplyHalves[T halfwidth](p product, out *tensor.Dense, in []*tensor.Dense) {
	sums := make([]float32, size(p.shape))
	multiply(p, sums, converted(elements[T](in[0]), widen[T]), converted(elements[T](in[1]), widen[T]), blasgonum.Implementation{}.Saxpy)
	for i, x := range sums {
		elements[T](out)[i] = narrow[T](x)
	}
}
