package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/num"
)

// A tupleCall is a reduction of items that tuples address, small whole numbers, so that
// no sum is rounded.
type tupleCall struct {
	dims           []int
	n, inner       int
	atomic, noInit bool
	idx            []int64
	start, updates []float32
}

func newTupleCall(rng *rand.Rand, dims []int, n, inner int) tupleCall {
	s := tupleCall{dims: dims, n: n, inner: inner, idx: make([]int64, n*len(dims))}
	span := inner
	for _, size := range dims {
		span *= size
	}
	for i := range s.idx {
		size := int64(dims[i%len(dims)])
		s.idx[i] = rng.Int64N(2*size) - size
	}
	s.start, s.updates = make([]float32, span), make([]float32, n*inner)
	for _, values := range [][]float32{s.start, s.updates} {
		for i := range values {
			values[i] = float32(rng.IntN(9))
		}
	}
	return s
}

// run does the call to data, and returns the position of the first bad index, or -1.
func (s tupleCall) run(data []float32, mean bool) int {
	c := newCall()
	defer c.Put()
	c.Data, c.Items, c.Idx = num.Bytes(data), num.Bytes(s.updates), num.Bytes(s.idx)
	c.Batch, c.Outer, c.N, c.Inner, c.Span = 1, 1, s.n, s.inner, len(data)
	c.Atomic, c.NoInit = s.atomic, s.noInit
	stride := len(data)
	for _, size := range s.dims {
		stride /= size
		c.Axes = append(c.Axes, Axis{Size: size, Stride: stride})
	}
	if mean {
		return c.mean(num.Float32)
	}
	return c.reduce(num.Float32, num.Add)
}

// want is the result by the plainest of loops.
func (s tupleCall) want(mean bool) []float32 {
	values, terms := append([]float32(nil), s.start...), make([]float32, len(s.start))
	if !s.noInit {
		for i := range terms {
			terms[i] = 1
		}
	}
	for t := range s.n {
		at := 0
		for d, size := range s.dims {
			j := int(s.idx[t*len(s.dims)+d])
			at = at*size + (j+size)%size
		}
		for i, u := range s.updates[t*s.inner:][:s.inner] {
			target := at*s.inner + i
			if terms[target] == 0 {
				values[target] = 0
			}
			values[target] += u
			terms[target]++
		}
	}
	for i, n := range terms {
		if mean && n > 0 {
			values[i] /= n
		}
	}
	return values
}

// TestTuples goes over tuples more than once: in place, from the neutral element,
// with means and with owners.
func TestTuples(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range []tupleCall{
		newTupleCall(rng, []int{70, 90}, 40000, 1),
		newTupleCall(rng, []int{9, 8, 300}, 33000, 1),
		newTupleCall(rng, []int{5, 4, 3, 7}, 700, 3),
		newTupleCall(rng, []int{30, 20}, 2500, 17),
		newTupleCall(rng, []int{300, 200}, 1, 5),
		newTupleCall(rng, []int{3, 4}, 0, 5),
	} {
		for kinds := range 8 {
			s.atomic, s.noInit = kinds&1 != 0, kinds&2 != 0
			mean := kinds&4 != 0
			want := s.want(mean)
			name := fmt.Sprintf("%v %d of %d, atomic %t, without old %t, mean %t", s.dims, s.n, s.inner, s.atomic, s.noInit, mean)
			onThreads(t, func(t *testing.T) {
				data := append([]float32(nil), s.start...)
				if bad := s.run(data, mean); bad >= 0 || !bytes.Equal(num.Bytes(data), num.Bytes(want)) {
					t.Errorf("%s: wrong values, bad index %d", name, bad)
				}
			})
		}
	}
}

// TestTuplesBad has a bad index, and a worse one behind it: the first is
// reported, and a call in place leaves data alone.
func TestTuplesBad(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, s := range []tupleCall{
		newTupleCall(rng, []int{70, 90}, 40000, 1),
		newTupleCall(rng, []int{90, 8, 30}, 33000, 1),
		newTupleCall(rng, []int{300, 200}, 2500, 17),
	} {
		for _, tuple := range []int{0, 513, s.n / 2, s.n - 1} {
			for axis, size := range s.dims {
				for _, s.atomic = range []bool{false, true} {
					position := tuple*len(s.dims) + axis
					before, last := s.idx[position], s.idx[len(s.idx)-1]
					s.idx[position], s.idx[len(s.idx)-1] = int64(size), -1000
					onThreads(t, func(t *testing.T) {
						data := append([]float32(nil), s.start...)
						bad := s.run(data, axis == 0)
						if bad != position {
							t.Errorf("%v: bad index %d, want %d", s.dims, bad, position)
						}
						if s.atomic && !bytes.Equal(num.Bytes(data), num.Bytes(s.start)) {
							t.Errorf("%v: data has changed", s.dims)
						}
					})
					s.idx[position], s.idx[len(s.idx)-1] = before, last
				}
			}
		}
	}
}
