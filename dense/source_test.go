package dense_test

import (
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/oracle"
)

// A source makes calls of bytes: random ones in the property tests, the
// fuzzer's in the fuzz targets. A choice takes one byte; when there are no more
// bytes, each choice is the first.
type source struct {
	bytes   []byte
	maxData int // elements of data; 0 is few, for a fast oracle
}

// randomSource has enough bytes for most calls.
func randomSource(rng *rand.Rand) *source {
	s := &source{bytes: make([]byte, 400)}
	rng.Read(s.bytes)
	return s
}

func (s *source) choose(n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return int(b) % n
}

// rarely is true once in n times.
func (s *source) rarely(n int) bool { return s.choose(n) == n-1 }

func choice[T any](s *source, from []T) T { return from[s.choose(len(from))] }

// dims draws a number of dims. Small sizes are among them, zero rarely, and all
// together they make at most limit elements.
func (s *source) dims(n, limit int) []int {
	shape := make([]int, n)
	for i := range shape {
		d := choice(s, []int{3, 4, 2, 5, 1, 7, 3, 4, 2, 5, 1, 6, 3, 4, 9, 0})
		if d > limit {
			d = 1
		}
		shape[i] = d
		limit /= max(d, 1)
	}
	return shape
}

const (
	maxData  = 400 // elements of data, unless the source says more
	maxIndex = 64  // index tuples of a batch
)

// call draws a call of the operator. Its shapes always fit.
func (s *source) call(op string) *call {
	c := &call{op: op, data: s.dims(1+s.choose(5), max(maxData, s.maxData))}
	r := len(c.data)
	c.axis = s.choose(r)
	var shape []int
	switch op {
	case "Gather":
		b := s.choose(c.axis + 1)
		shape = append(append(shape, c.data[:b]...), s.dims(s.choose(4), maxIndex)...)
		if q := len(shape); b < q && s.rarely(2) {
			b -= q
		}
		c.batchDims = b
	case "GatherElements":
		for axis, n := range c.data {
			switch {
			case axis == c.axis:
				n = s.dims(1, 12)[0]
			case s.rarely(4):
				n = s.choose(n + 1) // fewer lines than data has
			}
			shape = append(shape, n)
		}
	case "GatherND":
		c.axis = 0
		b := s.choose(r)
		shape = append(append(shape, c.data[:b]...), s.dims(s.choose(3), maxIndex)...)
		shape = append(shape, 1+s.choose(r-b))
		c.batchDims, c.fused = b, s.rarely(3)
	}
	if op != "GatherND" && s.rarely(2) {
		c.axis -= r
	}
	c.policy = oracle.Policy{NonNegative: s.rarely(3), ZeroFill: s.rarely(3)}
	c.in, c.at, c.out, c.reuse = choice(s, layouts), choice(s, layouts), choice(s, layouts), s.rarely(2)
	c.indexType = choice(s, indexTypes)
	c.indices = oracle.New[int64](shape...)
	s.fill(c)
	return c
}

// fill draws the indices. In most calls all are in range; in the others, some
// are just outside, or far.
func (s *source) fill(c *call) {
	wrong := s.rarely(4)
	i := 0
	for position := range oracle.Coordinates(c.indices.Shape) {
		size := int64(c.data[c.addressed(position)])
		index := int64(s.choose(256))
		switch {
		case size == 0: // any index is out of range
		case c.policy.NonNegative:
			index %= size
		default:
			index = index%(2*size) - size
		}
		if wrong && s.rarely(8) {
			index = choice(s, []int64{
				size, -size - 1, -1, 2 * size, -2 * size, size + 1, math.MaxInt64, math.MinInt64, math.MaxInt64 - size + 1,
				math.MinInt64 + size, math.MaxInt32, math.MinInt32, 1 << 31, 1<<32 + 1, 1 << 32, -1 << 32, 127, -128, 255,
			})
		}
		c.indices.Data[i] = c.indexType.read(index)
		i++
	}
}

// addressed is the axis of data that the index at a position addresses.
func (c *call) addressed(position []int) int {
	switch {
	case c.op == "GatherND":
		return c.batchDims + position[len(position)-1]
	case c.axis < 0:
		return c.axis + len(c.data)
	}
	return c.axis
}

// TestRandomCallsAreOfAllKinds shows that calls are as varied as they are meant
// to be: a generator that draws little would make every other test easy.
func TestRandomCallsAreOfAllKinds(t *testing.T) {
	type result struct {
		oracle.Array[int64]
		bad *oracle.BadIndex
	}
	type drawn struct {
		call *call
		out  result
	}
	calls := map[string][]drawn{}
	for _, op := range operators {
		rng := rand.New(rand.NewSource(1))
		for range 1000 {
			c := randomSource(rng).call(op)
			out, bad := c.expected()
			calls[op] = append(calls[op], drawn{c, result{out, bad}})
		}
	}
	zeros := func(out result) bool { return slices.Contains(out.Data, 0) }
	for _, kind := range []struct {
		name      string
		operators string
		is        func(c *call, out result) bool
	}{
		{"rank 5", "Gather GatherElements GatherND", func(c *call, out result) bool { return len(c.data) == 5 }},
		{"axis from the end", "Gather GatherElements", func(c *call, out result) bool { return c.axis < 0 }},
		{"empty data", "Gather GatherElements GatherND", func(c *call, out result) bool { return product(c.data) == 0 }},
		{"scalar indices", "Gather", func(c *call, out result) bool { return len(c.indices.Shape) == 0 }},
		{"two batch dims", "Gather GatherND", func(c *call, out result) bool { return c.batchDims == 2 }},
		{"batch dims from the end", "Gather", func(c *call, out result) bool { return c.batchDims < 0 }},
		{"fused batch dims", "GatherND", func(c *call, out result) bool { return c.fused && c.batchDims == 2 }},
		{"tuples of three", "GatherND", func(c *call, out result) bool { return c.indices.Shape[len(c.indices.Shape)-1] == 3 }},
		{"fewer lines", "GatherElements", func(c *call, out result) bool { return c.indices.Shape[0] < c.data[0] }},
		{"bad index", "Gather GatherElements GatherND", func(c *call, out result) bool { return out.bad != nil }},
		{"bad index, not the first", "Gather GatherElements GatherND", func(c *call, out result) bool {
			return out.bad != nil && slices.Max(append(out.bad.Position, 0)) > 0
		}},
		{"100 elements", "Gather GatherElements GatherND", func(c *call, out result) bool { return len(out.Data) >= 100 }},
		{"empty result", "Gather GatherElements GatherND", func(c *call, out result) bool { return out.bad == nil && len(out.Data) == 0 }},
		{"scalar result", "Gather GatherND", func(c *call, out result) bool { return out.bad == nil && len(out.Shape) == 0 }},
		{"all in range", "Gather GatherElements GatherND", func(c *call, out result) bool { return len(out.Data) > 1 && !zeros(out) }},
		{"some filled with zeros", "Gather GatherElements GatherND", func(c *call, out result) bool {
			return zeros(out) && slices.Max(out.Data) > 0
		}},
		{"negative index accepted", "Gather GatherElements GatherND", func(c *call, out result) bool {
			return len(out.Data) > 0 && !zeros(out) && slices.Min(c.indices.Data) < 0
		}},
		{"strided data", "Gather GatherElements GatherND", func(c *call, out result) bool { return c.in.step == 2 && c.in.suits(c.data) }},
		{"strided indices", "Gather GatherElements GatherND", func(c *call, out result) bool {
			return c.at.step == 2 && c.at.suits(c.indices.Shape)
		}},
		{"strided result", "Gather GatherElements GatherND", func(c *call, out result) bool {
			return out.bad == nil && c.reuse && c.out.step == 2 && c.out.suits(c.resultShape(out.Shape))
		}},
	} {
		for _, op := range strings.Fields(kind.operators) {
			seen := 0
			for _, d := range calls[op] {
				if kind.is(d.call, d.out) {
					seen++
				}
			}
			if seen < 5 {
				t.Errorf("%s, %s: %d in 1000 calls", op, kind.name, seen)
			}
		}
	}
}
