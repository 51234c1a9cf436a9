package oracle

import (
	"fmt"
	"slices"
)

// Policy says what an index value may be.
type Policy struct {
	NonNegative bool // -1 is out of range, instead of meaning the last
	ZeroFill    bool // out of range is no error: a gather gives the zero value there, and its adjoint drops that update
	Clamp       bool // out of range is no error: below 0 is 0, beyond the last is the last, unless there is none
	Padding
}

// Padding is an index that stands for nothing, whatever the policy, if Padded.
type Padding struct {
	Padded bool
	ID     int64
}

// has reports whether the index at a position is the padding or, of tuples, one of the same tuple is.
func (p Padding) has(indices Array[int64], position []int, tuples bool) bool {
	if !p.Padded {
		return false
	}
	if !tuples {
		return indices.At(position...) == p.ID
	}
	last := len(position) - 1
	for component := range indices.Shape[last] {
		if indices.At(join(position[:last], []int{component})...) == p.ID {
			return true
		}
	}
	return false
}

// Kept are segment ids with -1, which is no segment, for those that are the padding.
func (p Padding) Kept(ids []int64) []int64 {
	kept := slices.Clone(ids)
	for i, id := range kept {
		if p.Padded && id == p.ID {
			kept[i] = -1
		}
	}
	return kept
}

// BadIndex describes the first index out of range in row-major order of the indices.
type BadIndex struct {
	Position []int // coordinates within the indices tensor, the tuple component of GatherND and ScatterND included
	Index    int64 // the value found there
	Axis     int   // the axis of data which the value addresses
	Size     int   // the size of that axis
}

// Error makes a BadIndex printable in tests.
func (b *BadIndex) Error() string {
	return fmt.Sprintf("indices%v: %d out of range for axis %d of size %d", b.Position, b.Index, b.Axis, b.Size)
}

// dropped marks an index that ZeroFill, Skip of a scatter, or a padding turned into nothing.
const dropped = -1

// resolve checks every index, in row-major order, against the axis of data it addresses, and returns them as coordinates
// counted from 0. All are checked, also those that no element of data is read for, as with data of shape (0, 3) and axis 1.
func resolve(indices Array[int64], dataShape []int, tuples bool, addresses func(position []int) (axis int), policy Policy) (Array[int], *BadIndex) {
	resolved := New[int](indices.Shape...)
	for position := range Coordinates(indices.Shape) {
		axis := addresses(position)
		index := indices.At(position...)
		coordinate, ok := coordinateOf(index, dataShape[axis], policy.NonNegative)
		switch {
		case policy.has(indices, position, tuples):
			resolved.Set(dropped, position...)
		case ok:
			resolved.Set(coordinate, position...)
		case policy.Clamp && dataShape[axis] > 0 && index < 0:
			resolved.Set(0, position...)
		case policy.Clamp && dataShape[axis] > 0:
			resolved.Set(dataShape[axis]-1, position...)
		case policy.ZeroFill:
			resolved.Set(dropped, position...)
		default:
			return Array[int]{}, &BadIndex{Position: position, Index: index, Axis: axis, Size: dataShape[axis]}
		}
	}
	return resolved, nil
}

// coordinateOf compares before it adds: math.MinInt64 has no positive twin, and no index may wrap into the range.
func coordinateOf(index int64, size int, nonNegative bool) (int, bool) {
	s := int64(size)
	switch {
	case 0 <= index && index < s:
		return int(index), true
	case !nonNegative && -s <= index && index < 0:
		return int(index + s), true
	}
	return 0, false
}

// fromEnd counts a negative axis from the end.
func fromEnd(axis, rank int) int {
	if axis < 0 {
		return axis + rank
	}
	return axis
}
