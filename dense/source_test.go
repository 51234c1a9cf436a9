package dense_test

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// A source makes calls of bytes.
type source struct{ cases.Source }

// randomSource has enough bytes for most calls.
func randomSource(rng *rand.Rand) *source { return &source{cases.Random(rng)} }

func choice[T any](s *source, from []T) T { return cases.Choice(&s.Source, from) }

// call draws a call of the operator. Its shapes always fit.
func (s *source) call(op string) *call {
	c := &call{op: op, data: s.Data(1 + s.Choose(5))}
	r := len(c.data)
	c.axis = s.Choose(r)
	var shape []int
	switch op {
	case "Gather":
		b := s.Choose(c.axis + 1)
		shape = append(append(shape, c.data[:b]...), s.Tuples(s.Choose(4))...)
		if q := len(shape); b < q && s.Rarely(2) {
			b -= q
		}
		c.batchDims = b
	case "GatherElements":
		shape = s.Lines(c.data, c.axis)
	case "GatherND":
		c.axis = 0
		b := s.Choose(r)
		shape = append(append(shape, c.data[:b]...), s.Tuples(s.Choose(3))...)
		shape = append(shape, 1+s.Choose(r-b))
		c.batchDims, c.fused = b, s.Rarely(3)
	}
	if op != "GatherND" && s.Rarely(2) {
		c.axis -= r
	}
	c.policy.NonNegative = s.Rarely(3)
	switch s.Choose(3) {
	case 1:
		c.policy.ZeroFill = true
	case 2:
		c.policy.Clamp = true
	}
	c.in, c.at, c.out, c.reuse = choice(s, layout.All), choice(s, layout.All), choice(s, layout.All), s.Rarely(2)
	c.indexType = choice(s, indexTypes)
	c.indices = oracle.New[int64](shape...)
	s.Indices(c.indices, c.data, c.policy.NonNegative, c.addressed, c.indexType.read)
	c.policy.Padding = s.Pad(c.indices.Data, c.indexType.read)
	return c
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
		{"empty data", "Gather GatherElements GatherND", func(c *call, out result) bool { return tensor.ProdInts(c.data) == 0 }},
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
		{"clamped index", "Gather GatherElements GatherND", func(c *call, out result) bool {
			if !c.policy.Clamp {
				return false
			}
			rejecting := *c
			rejecting.policy.Clamp = false
			_, bad := rejecting.expected()
			return bad != nil && len(out.Data) > 0
		}},
		{"padding between others", "Gather GatherElements GatherND", func(c *call, out result) bool {
			return c.policy.Padded && slices.Contains(c.indices.Data, c.policy.ID) && len(out.Data) > 0 && slices.Max(out.Data) > 0
		}},
		{"negative index accepted", "Gather GatherElements GatherND", func(c *call, out result) bool {
			return len(out.Data) > 0 && !zeros(out) && slices.Min(c.indices.Data) < 0
		}},
		{"strided data", "Gather GatherElements GatherND", func(c *call, out result) bool { return c.in.Strided(c.data) }},
		{"strided indices", "Gather GatherElements GatherND", func(c *call, out result) bool {
			return c.at.Strided(c.indices.Shape)
		}},
		{"strided result", "Gather GatherElements GatherND", func(c *call, out result) bool {
			return out.bad == nil && c.reuse && c.out.Strided(c.gather().Result())
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
