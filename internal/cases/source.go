package cases

import (
	"math"
	"math/rand"

	"gorgonia.org/gather/internal/oracle"
)

// A Source makes calls of bytes: random ones in the property tests, the
// fuzzer's in the fuzz targets. A choice takes one byte.
type Source struct {
	Bytes []byte
	Rest  *rand.Rand // chooses when there are no more bytes; nil: each choice is the first

	MaxRank int   // of data; 0 is 4
	MaxData int   // elements of data, if more than 400
	Sizes   []int // what a dim is chosen from; nil: up to 9
	Wide    bool  // one scatter in 16 has rows of 32 to 91 elements
}

const (
	maxData  = 400 // elements of data: few, for a fast oracle
	maxIndex = 64  // index tuples of a batch
)

// sizes has small ones most of the time, and zero rarely.
var sizes = []int{3, 4, 2, 5, 1, 7, 3, 4, 2, 5, 1, 6, 3, 4, 9, 0}

// Random has bytes enough for most calls.
func Random(rng *rand.Rand) Source {
	s := Source{Bytes: make([]byte, 600)}
	rng.Read(s.Bytes)
	return s
}

// Choose is one of 0 to n-1, where n is at most 256.
func (s *Source) Choose(n int) int {
	if len(s.Bytes) == 0 {
		if s.Rest != nil {
			return s.Rest.Intn(n)
		}
		return 0
	}
	b := s.Bytes[0]
	s.Bytes = s.Bytes[1:]
	return int(b) % n
}

// Rarely is true once in n times.
func (s *Source) Rarely(n int) bool { return s.Choose(n) == n-1 }

// Choice is one of a list.
func Choice[T any](s *Source, from []T) T { return from[s.Choose(len(from))] }

// Dims draws a number of dims, which all together make at most limit elements.
func (s *Source) Dims(n, limit int) []int {
	from := s.Sizes
	if from == nil {
		from = sizes
	}
	shape := make([]int, n)
	for i := range shape {
		d := Choice(s, from)
		if d > limit {
			d = 1
		}
		shape[i] = d
		limit /= max(d, 1)
	}
	return shape
}

// Data draws the shape of data of a rank.
func (s *Source) Data(rank int) []int { return s.Dims(rank, max(maxData, s.MaxData)) }

// Tuples draws the shape of the indices of a batch, but for the length of a tuple.
func (s *Source) Tuples(rank int) []int { return s.Dims(rank, maxIndex) }

// Lines draws the shape of indices into elements of data along an axis.
func (s *Source) Lines(data []int, axis int) []int {
	shape := make([]int, len(data))
	for i, n := range data {
		switch {
		case i == axis:
			n = s.Dims(1, 12)[0]
		case s.Rarely(4):
			n = s.Choose(n + 1) // fewer lines than data has
		}
		shape[i] = n
	}
	return shape
}

// Indices draws values of the indices, which count on the axis of data that
// addressed names. In most calls all are in range; in the others, some are just
// outside, or far. What an index is when it is read is for the type of the indices
// to say.
func (s *Source) Indices(indices oracle.Array[int64], data []int, nonNegative bool, addressed func(position []int) int, read func(int64) int64) {
	wrong := s.Rarely(4)
	i := 0
	for position := range oracle.Coordinates(indices.Shape) {
		size := int64(data[addressed(position)])
		index := int64(s.Choose(256))
		switch {
		case size == 0: // any index is out of range
		case nonNegative:
			index %= size
		default:
			index = index%(2*size) - size
		}
		if wrong && s.Rarely(8) {
			index = Choice(s, []int64{
				size, -size - 1, -1, 2 * size, -2 * size, size + 1, math.MaxInt64, math.MinInt64, math.MaxInt64 - size + 1,
				math.MinInt64 + size, math.MaxInt32, math.MinInt32, 1 << 31, 1<<32 + 1, 1 << 32, -1 << 32, 127, -128, 255,
			})
		}
		indices.Data[i] = read(index)
		i++
	}
}

// Pad draws a padding, in one call of three, and replaces some of the indices by it, if
// their type has such a number.
func (s *Source) Pad(indices []int64, read func(int64) int64) oracle.Padding {
	if !s.Rarely(3) {
		return oracle.Padding{}
	}
	p := oracle.Padding{Padded: true, ID: Choice(s, []int64{-1, 0, 1, 300, math.MinInt64, math.MaxInt64})}
	if n := min(len(indices), 256); n > 0 && s.Rarely(2) {
		p.ID = indices[s.Choose(n)]
	}
	for i := range indices {
		if read(p.ID) == p.ID && s.Rarely(4) {
			indices[i] = p.ID
		}
	}
	return p
}
