package dense_test

import (
	flags "flag"
	"fmt"
	"hash/fnv"
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/tensor"
)

var scatterCases = flags.Int("scattercases", 5000, "random calls of each scatter to compare with the oracle")

// scatter draws a call of the operator. Its shapes always fit.
func (s *source) scatter(op string) *scatterCall {
	c := &scatterCall{Scatter: s.Scatter(op)}
	c.in, c.at, c.up, c.out = choice(s, layout.All), choice(s, layout.All), choice(s, layout.All), choice(s, layout.All)
	c.to = destination(s.Choose(3))
	c.indexType = choice(s, indexTypes)
	c.values = int64(s.Choose(256))
	c.Fill(&s.Source, c.indexType.read)
	return c
}

// checkScatter is a call of an operator on data of a random dtype.
func checkScatter(s *source, op string) error {
	d := choice(s, dtypes)
	c := s.scatter(op)
	if !d.(scatterer).reduces(c.Rule.Reduction) && s.Choose(8) > 0 {
		c.Rule.Reduction = oracle.None // most calls should not be refused
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
		n /= 20
	}
	for _, op := range cases.ScatterOps {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			h := fnv.New64a()
			fmt.Fprint(h, t.Name())
			rng := rand.New(rand.NewSource(int64(h.Sum64())))
			for range n {
				s := randomSource(rng)
				made := s.Bytes
				if err := checkScatter(s, op); err != nil {
					t.Fatalf("%v\nmade of []byte(%q)", err, made)
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
	for _, i := range simd.Implementations {
		t.Run(i.Name, func(t *testing.T) {
			defer simd.Use(i)()
			rng := rand.New(rand.NewSource(9))
			for ran := 0; ran < n; {
				s := randomSource(rng)
				s.MaxData = 3000
				c := s.scatter("ScatterND")
				if k := c.Indices.Shape[len(c.Indices.Shape)-1]; tensor.ProdInts(c.Data[k:]) < 20 {
					continue
				}
				ran++
				c.in, c.up, c.out = layout.RowMajor, layout.RowMajor, layout.RowMajor // other layouts are walked through
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
		shape := s.Data(1 + s.Choose(4))
		axis := s.Choose(len(shape))
		lines := slices.Clone(shape)
		lines[axis] = s.Choose(shape[axis] + 1)
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

// TestRandomScattersAreOfAllKinds shows that the calls are as varied as they are
// meant to be.
func TestRandomScattersAreOfAllKinds(t *testing.T) {
	seen := map[string]int{}
	rng := rand.New(rand.NewSource(1))
	for range 3000 {
		for _, op := range cases.ScatterOps {
			c := randomSource(rng).scatter(op)
			targets, bad := c.Targets()
			right, skips := bad == nil && len(targets) > 0, slices.Contains(targets, -1)
			for kind, is := range map[string]bool{
				"rank 4":                   len(c.Data) == 4,
				"empty data":               tensor.ProdInts(c.Data) == 0,
				"no updates":               tensor.ProdInts(c.Updates) == 0 && tensor.ProdInts(c.Data) > 0,
				"100 updates":              tensor.ProdInts(c.Updates) >= 100,
				"bad index":                bad != nil,
				"bad, not the first":       bad != nil && tensor.ProdInts(bad.Position) > 0,
				"right":                    right,
				"several updates":          right && c.Repeats(),
				"in place":                 c.to == inPlace,
				"in place, bad":            c.to == inPlace && bad != nil,
				"skips":                    skips,
				"skips, in place":          skips && c.to == inPlace,
				"padding":                  right && c.Rule.Padded && slices.Contains(c.Indices.Data, c.Rule.ID),
				"padding, bad":             bad != nil && c.Rule.Padded && slices.Contains(c.Indices.Data, c.Rule.ID),
				"strided result":           c.to == given && c.out.Strided(c.Data),
				"strided data":             c.in.Strided(c.Data),
				"strided updates":          c.up.Strided(c.Updates),
				"strided indices":          c.at.Strided(c.Indices.Shape),
				"a negative one, accepted": right && slices.ContainsFunc(c.Indices.Data, func(i int64) bool { return i < 0 }),
				"tuples of length 0":       right && op == "ScatterND" && c.Indices.Shape[len(c.Indices.Shape)-1] == 0,
			} {
				if is {
					seen[kind+" of "+op]++
				}
			}
			seen[fmt.Sprintf("%v, init %v of %s", c.Rule.Reduction, !c.Rule.NoInit, op)]++
		}
	}
	wanted := []string{
		"rank 4", "empty data", "no updates", "100 updates", "bad index", "bad, not the first", "right", "several updates", "in place",
		"in place, bad", "padding", "padding, bad", "skips", "skips, in place", "strided result", "strided data", "strided updates", "strided indices", "a negative one, accepted",
	}
	for _, op := range cases.ScatterOps {
		var rules []string
		for _, r := range cases.Reductions {
			rules = append(rules, fmt.Sprintf("%v, init true", r), fmt.Sprintf("%v, init false", r))
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
