package oracle

import (
	"fmt"
	"iter"
	"slices"
)

// Array is an n-dimensional array in row-major order. Shape is empty for a scalar, which has one element.
type Array[T any] struct {
	Shape []int
	Data  []T
}

// New returns an array of zero values.
func New[T any](shape ...int) Array[T] {
	return Array[T]{Shape: slices.Clone(shape), Data: make([]T, size(shape))}
}

// From returns an array of the given shape that holds data itself, not a copy.
func From[T any](data []T, shape ...int) Array[T] {
	if len(data) != size(shape) {
		panic(fmt.Sprintf("oracle: %d values for shape %v", len(data), shape))
	}
	return Array[T]{Shape: slices.Clone(shape), Data: data}
}

// At returns the element at the given coordinates.
func (a Array[T]) At(coordinates ...int) T { return a.Data[a.offset(coordinates)] }

// Set stores v at the given coordinates.
func (a Array[T]) Set(v T, coordinates ...int) { a.Data[a.offset(coordinates)] = v }

// Clone returns a copy that shares nothing with a.
func (a Array[T]) Clone() Array[T] {
	return Array[T]{Shape: slices.Clone(a.Shape), Data: slices.Clone(a.Data)}
}

// offset checks each coordinate against its own axis: checking the sum alone would let (0, 5) of a (2, 3) array pass as (1, 2).
func (a Array[T]) offset(coordinates []int) int {
	if len(coordinates) != len(a.Shape) {
		panic(fmt.Sprintf("oracle: coordinates %v in shape %v", coordinates, a.Shape))
	}
	offset := 0
	for axis, c := range coordinates {
		if c < 0 || c >= a.Shape[axis] {
			panic(fmt.Sprintf("oracle: coordinates %v outside shape %v", coordinates, a.Shape))
		}
		offset = offset*a.Shape[axis] + c
	}
	return offset
}

// Coordinates yields every coordinate vector of a shape in row-major order, the last axis fastest. A scalar shape has one
// coordinate vector, the empty one; a shape with an axis of size 0 has none. Each vector is the caller's to keep.
func Coordinates(shape []int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		if size(shape) == 0 {
			return
		}
		odometer, rank := make([]int, len(shape)), len(shape)
		var room []int // for the next of them: one allocation for many
		for {
			if room == nil || len(room) < rank {
				room = make([]int, 64*rank)
			}
			vector := room[:rank:rank]
			room = room[rank:]
			copy(vector, odometer)
			if !yield(vector) {
				return
			}
			axis := len(shape) - 1
			for axis >= 0 && odometer[axis] == shape[axis]-1 {
				odometer[axis] = 0
				axis--
			}
			if axis < 0 {
				return
			}
			odometer[axis]++
		}
	}
}

// size is the number of elements of a shape.
func size(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// join returns the concatenation of its parts in new memory.
func join(parts ...[]int) []int {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	all := make([]int, 0, n) // slices.Concat takes twice as long for so few
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}
