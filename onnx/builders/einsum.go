package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Einsum is the sum of products that an equation says, as NumPy's einsum has it:
//
//	"bij,bjk->bik"   Y[b,i,k] = Σ_j A[b,i,j] B[b,j,k]
//
// A letter names an axis of an input; twice in one input it is the diagonal. What the
// result does not name is summed; without "->" it has the letters that occur once, in
// the order of the alphabet. "..." stands for axes that are broadcast. An axis of size 1
// is broadcast to the others of its letter. Inputs are multiplied in pairs, from the
// first on; what two of them share and the rest does not is summed by a matrix product:
// see [MatMul]. float, double and integers of 32 and 64 bits. Opsets from 12 on.
func Einsum(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("Einsum", n, inputs, func(c *call) (*G.Node, error) {
		switch x := c.node.Attributes["equation"].(type) {
		case string:
			e, err := parseEquation(x, c.inputs)
			if err != nil {
				return nil, err
			}
			return e.evaluate()
		case nil:
			return nil, fault.Errorf(dense.ErrOption, "no equation")
		default:
			return nil, c.wrongKind("equation", x, "a string")
		}
	})
}

// evaluate multiplies the factors in pairs.
func (e *equation) evaluate() (*G.Node, error) {
	for i := range e.factors {
		if err := e.factors[i].diagonal(); err != nil {
			return nil, err
		}
	}
	a := e.factors[0]
	for i, b := range e.factors[1:] {
		needed := slices.Clone(e.result)
		for _, later := range e.factors[i+2:] {
			needed = append(needed, later.axes...)
		}
		var err error
		if a, err = contract(a, b, needed); err != nil {
			return nil, err
		}
	}
	if err := a.sumOthers(e.result); err != nil {
		return nil, err
	}
	return a.node, a.order(e.result)
}

// A factor is a node with the letters of its axes.
type factor struct {
	node *G.Node
	axes []axisName
}

func (f *factor) shape() tensor.Shape { return f.node.Shape().Clone() }

// size is that of an axis, 1 where the factor does not have it.
func (f *factor) size(name axisName) int {
	if at := slices.Index(f.axes, name); at >= 0 {
		return f.node.Shape()[at]
	}
	return 1
}

// copied replaces the node by the elements at those places.
func (f *factor) copied(p places, axes []axisName) (err error) {
	f.axes = axes
	if slices.Equal(p.part, p.whole) && slices.Equal(p.steps, rowMajor(p.whole)) {
		return nil
	}
	f.node, err = apply(copying{p}, f.node)
	return err
}

// diagonal leaves one axis of those that have one letter, and none of those of size 1,
// which are broadcast.
func (f *factor) diagonal() error {
	shape := f.shape()
	p := places{whole: shape}
	var axes []axisName
	for d, step := range rowMajor(shape) {
		if shape[d] == 1 {
			continue
		}
		if at := slices.Index(axes, f.axes[d]); at >= 0 {
			p.steps[at] += step
			continue
		}
		axes, p.part, p.steps = append(axes, f.axes[d]), append(p.part, shape[d]), append(p.steps, step)
	}
	return f.copied(p, axes)
}

// sumOthers sums over the axes that are not needed.
func (f *factor) sumOthers(needed []axisName) (err error) {
	shape := f.shape()
	p := places{part: shape, steps: make([]int, len(shape))}
	var axes []axisName
	var kept []int
	for d, name := range f.axes {
		if slices.Contains(needed, name) {
			axes, kept, p.whole = append(axes, name), append(kept, d), append(p.whole, shape[d])
		}
	}
	if len(kept) == len(shape) {
		return nil
	}
	for i, step := range rowMajor(p.whole) {
		p.steps[kept[i]] = step
	}
	f.axes = axes
	f.node, err = apply(summing{p}, f.node)
	return err
}

// order puts the axes into an order. Those that the factor does not have get the size 1.
func (f *factor) order(axes []axisName) error {
	shape := f.shape()
	steps := rowMajor(shape)
	p := places{whole: shape}
	for _, name := range axes {
		n, step := 1, 0
		if at := slices.Index(f.axes, name); at >= 0 {
			n, step = shape[at], steps[at]
		}
		p.part, p.steps = append(p.part, n), append(p.steps, step)
	}
	return f.copied(p, slices.Clone(axes))
}

// contract multiplies two factors, and sums over the axes that are not needed.
func contract(a, b factor, needed []axisName) (factor, error) {
	if err := a.sumOthers(slices.Concat(needed, b.axes)); err != nil {
		return a, err
	}
	if err := b.sumOthers(slices.Concat(needed, a.axes)); err != nil {
		return a, err
	}
	var batch, left, summed, right []axisName
	for _, name := range a.axes {
		switch {
		case !slices.Contains(b.axes, name):
			left = append(left, name)
		case slices.Contains(needed, name):
			batch = append(batch, name)
		default:
			summed = append(summed, name)
		}
	}
	for _, name := range b.axes {
		if !slices.Contains(a.axes, name) {
			right = append(right, name)
		}
	}
	all := slices.Concat(batch, left, right)
	if len(summed) == 0 {
		if err := a.order(all); err != nil {
			return a, err
		}
		if err := b.order(all); err != nil {
			return a, err
		}
		y, err := apply(pairing{"Mul"}, a.node, b.node)
		return factor{y, all}, err
	}
	shape := append(a.sizes(batch), append(a.sizes(left), b.sizes(right)...)...)
	var f product
	var err error
	if f.transposeA, err = a.matrices(batch, left, summed); err != nil {
		return a, err
	}
	if f.transposeB, err = b.matrices(batch, summed, right); err != nil {
		return a, err
	}
	y, err := apply(f, a.node, b.node)
	if err != nil {
		return a, err
	}
	if !slices.Equal(y.Shape(), shape) {
		y, err = reshape(y, shape)
	}
	return factor{y, all}, err
}

func (f *factor) sizes(axes []axisName) tensor.Shape {
	shape := tensor.Shape{}
	for _, name := range axes {
		shape = append(shape, f.size(name))
	}
	return shape
}

// matrices makes the factor one matrix for each element of the batch, with rows and
// columns; turned where columns in front of rows need no copy.
func (f *factor) matrices(batch, rows, columns []axisName) (turned bool, err error) {
	turned = len(rows) > 0 && len(columns) > 0 && slices.Equal(f.axes, slices.Concat(batch, columns, rows))
	if turned {
		rows, columns = columns, rows
	}
	shape := tensor.Shape{count(f.sizes(batch)), count(f.sizes(rows)), count(f.sizes(columns))}
	if len(batch) == 0 {
		shape = shape[1:]
	}
	if err := f.order(slices.Concat(batch, rows, columns)); err != nil || slices.Equal(f.node.Shape(), shape) {
		return turned, err
	}
	f.node, err = reshape(f.node, shape)
	return turned, err
}
