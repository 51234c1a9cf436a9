// Package loops has the loops that a user would write in plain Go for a gather or a
// scatter: each for one form of a call, over typed slices, with a check of each index.
package loops

import "github.com/x448/float16"

//go:generate go run ./generate

// Number is the elements that Go can add and compare.
type Number interface {
	float32 | float64 | int64 | uint8
}

// Half is a 16-bit float, which is added and compared as a float32.
type Half = float16.Float16

// Index is the dtypes of indices.
type Index interface{ int32 | int64 }

// Loop is one loop of a nest, with its strides in data and in indices.
type Loop struct{ N, Data, Index int }

// Nest is a call. Items, the results of a gather and the updates of a scatter, are in
// row-major order, those of the outer loops before those of the indices and of the inner loops.
type Nest struct {
	Outer [3]Loop
	// N indices, or tuples of len(Sizes) indices, follow one another. Step is their distance
	// in data, where it is not 0: in the operators of elements.
	N, Step        int
	Sizes, Strides []int // of the axes that a tuple addresses
	Inner          [3]Loop
}

// Width is the number of elements of a row.
func (n *Nest) Width() int { return n.Inner[0].N * n.Inner[1].N * n.Inner[2].N }

// Move is what is done with an element.
type Move int

const (
	Gather Move = iota
	Set
	Add
	Max
)

// Form is what an index or a tuple of them addresses.
type Form int

const (
	Elements Form = iota // an element of the line that it stands in
	Single               // one element
	Run                  // neighbours, one by one
	Copied               // neighbours, by Go's copy
	Strided              // elements with strides
)

// CopyFrom is the number of neighbours from which Go's copy is faster than a loop.
const CopyFrom = 8

// Key chooses a loop. One without a check is for indices that have been checked.
type Key struct {
	Move    Move
	Form    Form
	Tuple   bool
	Checked bool
}

// Func is a loop. It returns the position of the first bad index, or -1.
type Func[T Number | Half, I Index] func(data, items []T, indices []I, n *Nest) int

// Bag reduces rows of a table of so many columns, pitch elements from one to the next. Bag i has the positions from borders[i] to borders[i+1], or where
// there are no borders k of them. It returns the position of the first bad index, or -1.
type Bag[T Number | Half, I Index] func(out, table []T, indices, borders []I, columns, pitch, k int) int

// Table is all loops of a dtype and a dtype of indices.
type Table[T Number | Half, I Index] struct {
	Loops      map[Key]Func[T, I]
	Bags       map[Move][2]Bag[T, I] // of one column, contiguous, and of any number
	SegmentMax Func[T, I]            // data and items change places: an id is of an item
	Means      func(sums []T, counts []int, columns int)
}

// Check returns the position of the first index or tuple that is out of range, or -1.
func Check[I Index](indices []I, sizes []int) int {
	if len(sizes) == 1 {
		size := I(sizes[0])
		for at, x := range indices {
			if x < -size || x >= size {
				return at
			}
		}
		return -1
	}
	for at := 0; at < len(indices); at += len(sizes) {
		for l, x := range indices[at : at+len(sizes)] {
			if size := I(sizes[l]); x < -size || x >= size {
				return at + l
			}
		}
	}
	return -1
}

// Means and HalfMeans make means of sums. What has no rows is 0 and stays so.
func Means[T Number](sums []T, counts []int, columns int) {
	for i, n := range counts {
		for c := range sums[i*columns : (i+1)*columns] {
			sums[i*columns+c] /= T(max(n, 1))
		}
	}
}

func HalfMeans(sums []Half, counts []int, columns int) {
	for i, n := range counts {
		for c, sum := range sums[i*columns : (i+1)*columns] {
			sums[i*columns+c] = float16.Fromfloat32(sum.Float32() / float32(max(n, 1)))
		}
	}
}

// Pack copies what has strides into row-major order.
func Pack[T any](dst, src []T, outer [3]Loop, run Loop) {
	at := 0
	for a := range outer[0].N {
		for b := range outer[1].N {
			for c := range outer[2].N {
				from := a*outer[0].Data + b*outer[1].Data + c*outer[2].Data
				row := dst[at : at+run.N]
				at += run.N
				if run.Data == 1 && run.N >= CopyFrom {
					copy(row, src[from:])
					continue
				}
				for d := range row {
					row[d] = src[from+d*run.Data]
				}
			}
		}
	}
}
