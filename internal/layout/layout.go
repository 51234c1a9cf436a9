// Package layout makes tensors in every memory layout that package tensor has,
// between guards, for tests only.
//
// A tensor is a view of a larger one, its parent. All memory that is none of the
// tensor's elements holds junk, and a Block tells whether it still does.
package layout

import (
	"slices"

	"gorgonia.org/tensor"
)

// A Layout is a way to lay out a tensor in memory: the axes of its parent are cut as
// cut says, and its own are those of the parent in the order that turn says.
type Layout struct {
	name        string
	columnMajor bool
	turn        func(rank int) []int // nil: the same order
	turnFirst   bool                 // transpose before slicing, not after it
	cut         func(axis, rank int) bool
	step        int // of the cut axes
}

// String names the layout, for the names of tests.
func (l Layout) String() string { return l.name }

var (
	reversed = func(rank int) []int {
		axes := make([]int, rank)
		for i := range axes {
			axes[i] = rank - 1 - i
		}
		return axes
	}
	rotated = func(rank int) []int {
		axes := make([]int, rank)
		for i := range axes {
			axes[i] = (i + 1) % rank
		}
		return axes
	}
	first = func(axis, _ int) bool { return axis == 0 }
	last  = func(axis, rank int) bool { return axis == rank-1 }
	every = func(int, int) bool { return true }
)

// The layouts that tests name.
var (
	RowMajor    = Layout{name: "row-major"}
	ColumnMajor = Layout{name: "column-major", columnMajor: true}
	Transposed  = Layout{name: "transposed", turn: reversed}
	InnerSliced = Layout{name: "inner axis sliced", cut: last, step: 1}
	EverySecond = Layout{name: "every second element", cut: every, step: 2}
)

// All are all that package tensor can make, of which some are not what they
// seem: a column-major tensor says that it needs no iterator, a lazily
// transposed one still has the memory of before, and a slice of the outer axis
// alone is packed like a tensor of its own.
var All = []Layout{
	RowMajor,
	ColumnMajor,
	Transposed,
	{name: "rotated", turn: rotated},
	{name: "outer axis sliced", cut: first, step: 1},
	InnerSliced,
	{name: "every axis sliced", cut: every, step: 1},
	EverySecond,
	{name: "column-major, sliced", columnMajor: true, cut: every, step: 1},
	{name: "sliced, transposed", cut: every, step: 1, turn: reversed},
	{name: "transposed, sliced", cut: every, step: 1, turn: rotated, turnFirst: true},
}

// Suits reports whether package tensor can make a tensor of the shape in the
// layout. It loses the stride of a vector that it transposes, has only one
// stride for a column-major vector, and makes a scalar of a slice with one
// element.
func (l Layout) Suits(shape []int) bool {
	size := tensor.ProdInts(shape)
	if size == 0 || len(shape) == 0 {
		return false
	}
	flat := len(shape) == 2 && (shape[0] == 1 || shape[1] == 1)
	return l.cut == nil || size > 1 && !(flat && (l.columnMajor || l.turn != nil))
}

// Strided reports whether a tensor of the shape has gaps between the elements of
// every axis.
func (l Layout) Strided(shape []int) bool { return l.step == 2 && l.Suits(shape) }

// parent says of what a tensor of the shape is cut.
type parent struct {
	shape  []int
	axes   []int          // that of the parent for each axis of the tensor
	cuts   []tensor.Slice // nil: an axis is whole
	starts []int
	steps  []int
}

func (l Layout) parent(shape []int) parent {
	rank := len(shape)
	p := parent{
		shape: make([]int, rank), axes: make([]int, rank), cuts: make([]tensor.Slice, rank), starts: make([]int, rank), steps: make([]int, rank),
	}
	for i := range p.axes {
		p.axes[i] = i
	}
	if l.turn != nil {
		p.axes = l.turn(rank)
	}
	for i, axis := range p.axes {
		n := shape[i]
		p.shape[axis], p.steps[axis] = n, 1
		if l.cut != nil && n > 1 && l.cut(axis, rank) {
			p.starts[axis], p.steps[axis] = 1, l.step
			p.shape[axis] = 1 + n*l.step + axis // another margin for each axis
			p.cuts[axis] = tensor.S(1, 1+n*l.step, l.step)
		}
	}
	return p
}

// view makes the tensor on the memory of its parent.
func (l Layout) view(p parent, memory any) *tensor.Dense {
	opts := []tensor.ConsOpt{tensor.WithShape(p.shape...), tensor.WithBacking(memory)}
	if l.columnMajor {
		opts = append(opts, tensor.AsFortran(nil))
	}
	d := tensor.New(opts...)
	transpose := func() {
		if l.turn != nil {
			must(d.T(p.axes...))
		}
	}
	slice := func(cuts []tensor.Slice) {
		if slices.ContainsFunc(cuts, func(s tensor.Slice) bool { return s != nil }) {
			view, err := d.Slice(cuts...)
			must(err)
			d = view.(*tensor.Dense)
		}
	}
	if !l.turnFirst {
		slice(p.cuts)
		transpose()
		return d
	}
	transpose()
	turned := make([]tensor.Slice, len(p.axes))
	for i, axis := range p.axes {
		turned[i] = p.cuts[axis]
	}
	slice(turned)
	return d
}

// Strides is the distance of neighbours along each axis of a packed tensor.
func Strides(shape []int, columnMajor bool) []int {
	strides := make([]int, len(shape))
	stride := 1
	for i := range shape {
		axis := len(shape) - 1 - i
		if columnMajor {
			axis = i
		}
		strides[axis] = stride
		stride *= shape[axis]
	}
	return strides
}

// must is for calls that cannot fail on what stands above.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
