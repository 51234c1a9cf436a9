package dense_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// A layout is a way to lay out a tensor in memory. The tensor is a view of a
// larger one, its parent: parent axes are cut as cut says, and the axes of the
// view are those of the parent in the order that turn says.
type layout struct {
	name        string
	columnMajor bool
	turn        func(rank int) []int // nil: the same order
	turnFirst   bool                 // transpose before slicing, not after it
	cut         func(axis, rank int) bool
	step        int // of the cut axes
}

func (l layout) String() string { return l.name }

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

var rowMajor = layout{name: "row-major"}

// layouts are all that package tensor can make, of which some are not what they
// seem: a column-major tensor says that it needs no iterator, a lazily
// transposed one still has the memory of before, and a slice of the outer axis
// alone is packed like a tensor of its own.
var layouts = []layout{
	rowMajor,
	{name: "column-major", columnMajor: true},
	{name: "transposed", turn: reversed},
	{name: "rotated", turn: rotated},
	{name: "outer axis sliced", cut: first, step: 1},
	{name: "inner axis sliced", cut: last, step: 1},
	{name: "every axis sliced", cut: every, step: 1},
	{name: "every second element", cut: every, step: 2},
	{name: "column-major, sliced", columnMajor: true, cut: every, step: 1},
	{name: "sliced, transposed", cut: every, step: 1, turn: reversed},
	{name: "transposed, sliced", cut: every, step: 1, turn: rotated, turnFirst: true},
}

// suits reports whether package tensor can make a tensor of the shape in the
// layout. It loses the stride of a vector that it transposes, has only one
// stride for a column-major vector, and makes a scalar of a slice with one
// element.
func (l layout) suits(shape []int) bool {
	size := product(shape)
	if size == 0 || len(shape) == 0 {
		return false
	}
	flat := len(shape) == 2 && (shape[0] == 1 || shape[1] == 1)
	return l.cut == nil || size > 1 && !(flat && (l.columnMajor || l.turn != nil))
}

// block is a tensor on memory with guards before and after it.
type block[T any] struct {
	dense   *tensor.Dense
	backing []T
	places  []int // of the elements in backing, in row-major order
	before  []T   // a copy of backing
}

// guard is how many elements lie before and behind a block.
const guard = 5

// lay makes a tensor that holds the values. All other memory is set to junk.
// Where the layout does not suit the shape, it is row-major.
func lay[T any](l layout, values []T, junk T, shape ...int) *block[T] {
	if len(values) == 0 {
		return &block[T]{dense: tensor.NewDense(dtypeOf[T](), slices.Clone(shape))} // Of would write to a list of dtypes
	}
	if !l.suits(shape) {
		l = rowMajor
	}
	rank := len(shape)
	axes := make([]int, rank) // parent axis of each axis
	for i := range axes {
		axes[i] = i
	}
	if l.turn != nil {
		axes = l.turn(rank)
	}
	parent, cuts, starts, steps := make([]int, rank), make([]tensor.Slice, rank), make([]int, rank), make([]int, rank)
	for i, axis := range axes {
		n := shape[i]
		parent[axis], steps[axis] = n, 1
		if l.cut != nil && n > 1 && l.cut(axis, rank) {
			starts[axis], steps[axis] = 1, l.step
			parent[axis] = 1 + n*l.step + axis // another margin for each axis
			cuts[axis] = tensor.S(1, 1+n*l.step, l.step)
		}
	}
	strides := stridesOf(parent, l.columnMajor)
	b := &block[T]{backing: make([]T, product(parent)+2*guard)}
	for i := range b.backing {
		b.backing[i] = junk
	}
	origin := guard
	for axis, start := range starts {
		origin += start * strides[axis]
	}
	b.places = []int{origin}
	for i, axis := range axes {
		var places []int
		for _, place := range b.places {
			for c := range shape[i] {
				places = append(places, place+c*steps[axis]*strides[axis])
			}
		}
		b.places = places
	}
	for i, place := range b.places {
		b.backing[place] = values[i]
	}
	b.before = slices.Clone(b.backing)

	opts := []tensor.ConsOpt{tensor.WithShape(parent...), tensor.WithBacking(b.backing[guard : len(b.backing)-guard])}
	if l.columnMajor {
		opts = append(opts, tensor.AsFortran(nil))
	}
	b.dense = tensor.New(opts...)
	transpose := func() {
		if l.turn != nil {
			must(b.dense.T(axes...))
		}
	}
	slice := func(cuts []tensor.Slice) {
		if slices.ContainsFunc(cuts, func(s tensor.Slice) bool { return s != nil }) {
			view, err := b.dense.Slice(cuts...)
			must(err)
			b.dense = view.(*tensor.Dense)
		}
	}
	if l.turnFirst {
		transpose()
		turned := make([]tensor.Slice, rank)
		for i, axis := range axes {
			turned[i] = cuts[axis]
		}
		slice(turned)
	} else {
		slice(cuts)
		transpose()
	}
	return b
}

// values are the block's elements in row-major order.
func (b *block[T]) values() []T {
	out := make([]T, len(b.places))
	for i, place := range b.places {
		out[i] = b.backing[place]
	}
	return out
}

// restore sets everything back to what it was when the block was made.
func (b *block[T]) restore() { copy(b.backing, b.before) }

// stray returns an error if memory other than the elements changed.
func (b *block[T]) stray() error {
	outside := slices.Clone(b.backing)
	for _, place := range b.places {
		outside[place] = b.before[place]
	}
	return b.sameAs(outside)
}

// touched returns an error if any memory changed.
func (b *block[T]) touched() error { return b.sameAs(b.backing) }

func (b *block[T]) sameAs(now []T) error {
	for i := range b.before {
		if !identical(now[i:i+1], b.before[i:i+1]) {
			return fmt.Errorf("memory at %d of %d (tensor at %v) changed from %v to %v", i, len(now), b.places, b.before[i], now[i])
		}
	}
	return nil
}

// stridesOf is the distance of neighbours along each axis of a packed tensor.
func stridesOf(shape []int, columnMajor bool) []int {
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

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func dtypeOf[T any]() tensor.Dtype { return tensor.Dtype{Type: reflect.TypeFor[T]()} }

// TestLayouts shows that lay means what package tensor means: each element is
// where At finds it.
func TestLayouts(t *testing.T) {
	for _, l := range layouts {
		for _, shape := range [][]int{{7}, {3, 5}, {2, 3, 5}, {3, 1, 4}, {5, 1}, {1, 5}, {1, 1}, {2, 3, 4, 5}} {
			t.Run(fmt.Sprintf("%v %v", l, shape), func(t *testing.T) {
				values := counting(product(shape))
				b := lay(l, values, -1, shape...)
				if !slices.Equal(b.dense.Shape(), shape) {
					t.Fatalf("shape %v, want %v", b.dense.Shape(), shape)
				}
				i := 0
				for coordinates := range oracle.Coordinates(shape) {
					if len(b.dense.Strides()) != len(shape) {
						break // At needs a stride for each axis
					}
					if got, err := b.dense.At(coordinates...); err != nil || got != values[i] {
						t.Errorf("At%v = %v, %v, want %v", coordinates, got, err, values[i])
					}
					i++
				}
				packed := slices.Equal(b.dense.Strides(), stridesOf(shape, false))
				if wanted := l.name == "row-major" || l.name == "outer axis sliced"; len(shape) > 2 && packed != wanted {
					t.Errorf("packed is %v for strides %v", packed, b.dense.Strides())
				}
			})
		}
	}
}

// counting is the values 1 to n, so that none is the zero of ZeroFill.
func counting(n int) []int64 {
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i + 1)
	}
	return values
}
