package dense_test

import (
	flags "flag"
	"fmt"
	"hash/fnv"
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/oracle"
)

var scatterCases = flags.Int("scattercases", 20000, "random calls of each scatter to compare with the oracle")

// scatter draws a call of the operator. Its shapes always fit.
func (s *source) scatter(op string) *scatterCall {
	c := &scatterCall{op: op, call: call{data: s.dims(1+s.choose(4), max(maxData, s.maxData))}}
	r := len(c.data)
	var shape []int
	switch op {
	case "ScatterElements":
		c.call.op, c.axis = "GatherElements", s.choose(r)
		for axis, n := range c.data {
			switch {
			case axis == c.axis:
				n = s.dims(1, 12)[0]
			case s.rarely(4):
				n = s.choose(n + 1) // fewer lines than data has
			}
			shape = append(shape, n)
		}
		c.updates = shape
	case "ScatterND":
		c.call.op = "GatherND"
		k := s.choose(r + 1)
		shape = s.dims(s.choose(3), maxIndex)
		c.updates = slices.Concat(shape, c.data[k:])
		shape = append(slices.Clone(shape), k)
	case "ScatterUpdate":
		c.call.op, c.axis = "Gather", s.choose(r)
		shape = s.dims(s.choose(3), maxIndex)
		c.updates = slices.Concat(c.data[:c.axis], shape, c.data[c.axis+1:])
	}
	if op != "ScatterND" && s.rarely(2) {
		c.axis -= r
	}
	if op != "ScatterUpdate" {
		c.rule.Reduction = choice(s, reductions)
		c.rule.NoInit = s.rarely(3)
	}
	c.rule.NonNegative = s.rarely(3)
	c.policy.NonNegative = c.rule.NonNegative
	c.in, c.at, c.up, c.out = choice(s, layouts), choice(s, layouts), choice(s, layouts), choice(s, layouts)
	c.to = destination(s.choose(3))
	c.indexType = choice(s, indexTypes)
	c.values = int64(s.choose(256))
	c.indices = oracle.New[int64](shape...)
	s.fill(&c.call)
	return c
}

// checkScatter is a call of an operator on data of a random dtype.
func checkScatter(s *source, op string) error {
	d := choice(s, dtypes)
	c := s.scatter(op)
	if !d.(scatterer).reduces(c.rule.Reduction) && s.choose(8) > 0 {
		c.rule.Reduction = oracle.None // most calls should not be refused
	}
	if err := d.(scatterer).scatter(c); err != nil {
		return fmt.Errorf("%v of %v: %w", c, d, err)
	}
	return nil
}

// TestRandomScatters compares random calls with the oracle: ranks 1 to 4, every
// axis from both ends, reductions with and without the initial value, dtypes,
// layouts and destinations, values and errors. Sums of floats are compared bit
// by bit: their order is part of the meaning.
func TestRandomScatters(t *testing.T) {
	n := *scatterCases
	if testing.Short() {
		n /= 10
	}
	for _, op := range scatterOperators {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			h := fnv.New64a()
			fmt.Fprint(h, t.Name())
			rng := rand.New(rand.NewSource(int64(h.Sum64())))
			for range n {
				s := randomSource(rng)
				made := fmt.Sprintf("%q", s.bytes)
				if err := checkScatter(s, op); err != nil {
					t.Fatalf("%v\nmade of []byte(%s)", err, made)
				}
			}
		})
	}
}

// TestScatterImplementations runs random calls of ScatterND with rows long enough
// for all of them under each implementation of the kernels that this machine has.
func TestScatterImplementations(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 30
	}
	for _, i := range kernel.Implementations {
		t.Run(i.Name, func(t *testing.T) {
			defer kernel.Use(i)()
			rng := rand.New(rand.NewSource(9))
			for ran := 0; ran < n; {
				s := randomSource(rng)
				s.maxData = 3000
				c := s.scatter("ScatterND")
				if k := c.indices.Shape[len(c.indices.Shape)-1]; product(c.data[k:]) < 20 {
					continue
				}
				ran++
				c.in, c.up, c.out = rowMajor, rowMajor, rowMajor // other layouts are walked through
				for _, name := range []string{"float32", "float64", "int8"} {
					if err := dtypeNamed(name).(scatterer).scatter(c); err != nil {
						t.Fatalf("%v of %s: %v", c, name, err)
					}
				}
			}
		})
	}
}

// TestScatterGatherInverse is a law: what ScatterElements has written to places
// that all differ, GatherElements reads there again.
func TestScatterGatherInverse(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	for range 2000 {
		s := randomSource(rng)
		shape := s.dims(1+s.choose(4), maxData)
		axis := s.choose(len(shape))
		lines := slices.Clone(shape)
		lines[axis] = s.choose(shape[axis] + 1)
		x := values(lines, unique(rng, lines, axis, shape[axis])...)
		data, updates := upTo(1, shape...), upTo(1000, lines...)
		y, err := dense.ScatterElements(data, x, updates, axis)
		if err != nil {
			t.Fatal(err)
		}
		back, err := dense.GatherElements(y, x, axis)
		if err != nil {
			t.Fatal(err)
		}
		if err := difference(packed[float64](back), packed[float64](updates)); err != nil {
			t.Fatalf("data %v, indices %v of shape %v, axis %d: %v", shape, packed[int64](x), lines, axis, err)
		}
	}
}

// unique are indices of a shape that differ along each line of the axis, of
// which data has n elements. Half of them count from the end.
func unique(rng *rand.Rand, shape []int, axis, n int) []int64 {
	out := oracle.New[int64](shape...)
	for position := range oracle.Coordinates(shape) {
		if position[axis] > 0 {
			continue
		}
		for i, index := range rng.Perm(n)[:shape[axis]] {
			position[axis] = i
			out.Set(int64(index-n*rng.Intn(2)), position...)
		}
	}
	return out.Data
}

// repeats reports whether some element of data has several updates.
func (c *scatterCall) repeats() bool {
	if c.op == "ScatterUpdate" {
		n := int64(c.data[c.addressed(nil)])
		seen := map[int64]bool{}
		for _, index := range c.indices.Data {
			if index = (index + n) % n; seen[index] {
				return true
			}
			seen[index] = true
		}
		return false
	}
	adding := *c
	adding.rule.Reduction, adding.rule.NoInit = oracle.Add, false
	ones := oracle.From(slices.Repeat([]int64{1}, product(c.updates)), c.updates...)
	counts, _ := scattered(&adding, oracle.New[int64](c.data...), ones, oracle.Integers[int64]())
	return slices.ContainsFunc(counts.Data, func(n int64) bool { return n > 1 })
}

// TestRandomScattersAreOfAllKinds shows that the calls are as varied as they are
// meant to be.
func TestRandomScattersAreOfAllKinds(t *testing.T) {
	seen := map[string]int{}
	rng := rand.New(rand.NewSource(1))
	for range 3000 {
		for _, op := range scatterOperators {
			c := randomSource(rng).scatter(op)
			zeros := oracle.New[int64](c.updates...)
			_, bad := scattered(c, oracle.New[int64](c.data...), zeros, oracle.Integers[int64]())
			right := bad == nil && len(zeros.Data) > 0
			for kind, is := range map[string]bool{
				"rank 4":                   len(c.data) == 4,
				"empty data":               product(c.data) == 0,
				"no updates":               len(zeros.Data) == 0 && product(c.data) > 0,
				"100 updates":              len(zeros.Data) >= 100,
				"bad index":                bad != nil,
				"bad, not the first":       bad != nil && product(bad.Position) > 0,
				"right":                    right,
				"several updates":          right && c.repeats(),
				"in place":                 c.to == inPlace,
				"in place, bad":            c.to == inPlace && bad != nil,
				"strided result":           c.to == given && c.out.step == 2 && c.out.suits(c.data),
				"strided data":             c.in.step == 2 && c.in.suits(c.data),
				"strided updates":          c.up.step == 2 && c.up.suits(c.updates),
				"strided indices":          c.at.step == 2 && c.at.suits(c.indices.Shape),
				"a negative one, accepted": right && slices.ContainsFunc(c.indices.Data, func(i int64) bool { return i < 0 }),
				"tuples of length 0":       right && op == "ScatterND" && c.indices.Shape[len(c.indices.Shape)-1] == 0,
			} {
				if is {
					seen[kind+" of "+op]++
				}
			}
			seen[fmt.Sprintf("%v, init %v of %s", c.rule.Reduction, !c.rule.NoInit, op)]++
		}
	}
	wanted := []string{
		"rank 4", "empty data", "no updates", "100 updates", "bad index", "bad, not the first", "right", "several updates", "in place",
		"in place, bad", "strided result", "strided data", "strided updates", "strided indices", "a negative one, accepted",
	}
	for _, op := range scatterOperators {
		rules := []string{"none, init true"}
		if op != "ScatterUpdate" {
			rules = nil
			for _, r := range reductions {
				rules = append(rules, fmt.Sprintf("%v, init true", r), fmt.Sprintf("%v, init false", r))
			}
		}
		if op == "ScatterND" {
			rules = append(rules, "tuples of length 0")
		}
		for _, kind := range append(rules, wanted...) {
			if name := kind + " of " + op; seen[name] < 20 {
				t.Errorf("%s: %d in 3000 calls", name, seen[name])
			}
		}
	}
}
