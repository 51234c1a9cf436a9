package dense_test

import (
	options "flag" // flag is a dtype of these tests
	"math"
	"math/rand"
	"testing"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
)

// bagCases is more in a long run, which CI does not make: go test ./dense -run
// TestRandomBags -bagcases 100000.
var bagCases = options.Int("bagcases", 3000, "random calls of each operator of bags, and as many of its adjoint, to compare with the oracle")

// bagCall draws a call of the operator. Its shapes always fit; now and then an
// index, an offset or a segment id does not.
func (s *source) bagCall(op string) *bagCall {
	c := &bagCall{op: op, table: s.Data(1 + s.Choose(3))}
	if s.Rarely(3) { // a row of more than a register
		c.table = []int{1 + s.Choose(9), 17 + s.Choose(120)}
	}
	c.rule = oracle.BagRule{Reduction: choice(s, []oracle.Reduction{oracle.Add, oracle.Mean, oracle.Max, oracle.SqrtN}), Default: -1}
	c.rule.Policy = oracle.Policy{NonNegative: s.Rarely(3), ZeroFill: s.Rarely(3)}
	bags := choice(s, []int{3, 1, 4, 2, 0, 7, 12})
	n := 0
	if s.Rarely(4) {
		n = s.Choose(3) // in no bag
	}
	if op == "EmbeddingBagOffsets" {
		c.lengths = s.Rarely(3)
		c.last = !c.lengths && s.Rarely(3)
	}
	if op != "EmbeddingBagOffsets" || c.lengths {
		n = 0
	}
	k := s.Choose(6)
	for b := range bags {
		size := choice(s, []int{2, 1, 0, 3, 0, 5, 1, 9})
		if op == "EmbeddingBagPacked" {
			size = k
		}
		switch {
		case c.lengths:
			c.borders = append(c.borders, int64(size))
		case op == "EmbeddingBagOffsets":
			c.borders = append(c.borders, int64(n))
		}
		for range size {
			if op == "EmbeddingSegments" || op == "SegmentMax" {
				c.borders = append(c.borders, int64(b))
			}
			n++
		}
	}
	c.segments = bags
	switch op {
	case "EmbeddingBagPacked":
		c.indices = oracle.New[int64](bags, k)
	case "SegmentMax":
		c.table[0], c.rule = n, oracle.BagRule{Reduction: oracle.Max, Default: -1}
		c.indices, c.lowest = oracle.From(counted(n), n), s.Rarely(2)
		if c.skip = s.Rarely(2); c.skip {
			c.segments = max(0, bags-s.Choose(3)) // ids from there on are left out
		}
	default:
		if bags == 0 && op == "EmbeddingBagOffsets" {
			n = s.Choose(3)
		}
		if c.last {
			c.borders = append(c.borders, int64(n))
		}
		c.indices = oracle.New[int64](n)
		if c.table[0] > 0 && s.Rarely(2) {
			c.rule.Default = s.Choose(c.table[0])
		}
	}
	c.weighted = c.rule.Reduction != oracle.Max && s.Rarely(2)
	if c.odd = choice(s, []int{0, 7, 3, 2}); c.normalized() {
		c.odd = 0 // a NaN is compared with the formula in normal_bag_test.go
	}
	c.in, c.at, c.out, c.reuse = choice(s, layout.All), choice(s, layout.All), choice(s, layout.All), s.Rarely(2)
	c.indexType, c.borderType = choice(s, indexTypes), choice(s, indexTypes)
	if op != "SegmentMax" {
		s.fillBag(c)
		if c.rule.Padding = s.Pad(c.indices.Data, c.indexType.read); c.rule.Padded && c.rule.ID == int64(c.rule.Default) {
			c.rule.Default = -1 // else it is ErrOption
		}
	}
	if len(c.borders) > 0 && s.Rarely(12) {
		c.borders[s.Choose(len(c.borders))] += choice(s, []int64{1, -1, 3, -3, 100})
	}
	for i, v := range c.borders {
		c.borders[i] = c.borderType.read(v)
	}
	if op == "SegmentMax" {
		c.paddingID = s.Pad(c.borders, c.borderType.read)
	}
	return c
}

// counted are the numbers from 0 on: each position picks its own row.
func counted(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return list
}

// fillBag draws the indices. In most calls all are in range.
func (s *source) fillBag(c *bagCall) {
	wrong, size := s.Rarely(4), int64(c.table[0])
	for i := range c.indices.Data {
		index := int64(s.Choose(256))
		switch {
		case size == 0: // any index is out of range
		case c.rule.NonNegative:
			index %= size
		default:
			index = index%(2*size) - size
		}
		if wrong && s.Rarely(5) {
			index = choice(s, []int64{size, -size - 1, -1, math.MaxInt64, math.MinInt64, 1 << 32, -1 << 32, 127, -128, 255})
		}
		c.indices.Data[i] = c.indexType.read(index)
	}
}

// checkBag makes a call and its adjoint of a random dtype.
func checkBag(s *source, op string) error {
	d := choice(s, numbers)
	c := s.bagCall(op)
	if err := d.bag(c); err != nil {
		return errors.Wrapf(err, "%v of %v", c, d)
	}
	if err := d.addBag(c); err != nil {
		return errors.Wrapf(err, "adjoint of %v of %v", c, d)
	}
	return errors.Wrapf(d.bagWeights(c), "gradient of weights of %v of %v", c, d)
}

// TestRandomBags compares random calls and their adjoints with the oracle, bit for
// bit: dtypes, layouts, policies, empty bags, and errors.
func TestRandomBags(t *testing.T) {
	for i, op := range bagOperators {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewSource(int64(i)))
			for range runs(*bagCases) {
				s := randomSource(rng)
				made := s.Bytes
				if err := checkBag(s, op); err != nil {
					t.Fatalf("%v\nmade of []byte(%q)", err, made)
				}
			}
		})
	}
}

// TestRandomBagsAreOfAllKinds counts what the calls are like.
func TestRandomBagsAreOfAllKinds(t *testing.T) {
	for _, op := range bagOperators {
		rng := rand.New(rand.NewSource(1))
		found := map[string]int{}
		for range 1000 {
			c := randomSource(rng).bagCall(op)
			if c.badBorder() {
				found["a bad border"]++
				continue
			}
			empty, full := false, false
			for _, positions := range c.bags() {
				empty, full = empty || len(positions) == 0, full || len(positions) > 4
			}
			_, bad := oracle.Bag(oracle.New[int64](c.table...), c.indices, c.bags(), nil, oracle.BagRule{Policy: c.rule.Policy, Reduction: oracle.Add, Default: -1}, oracle.Integers[int64]())
			for name, is := range map[string]bool{
				"an empty bag": empty, "a large bag": full, "no bag": len(c.bags()) == 0, "weights": c.weighted, "a bad index": bad != nil,
				"mean": c.rule.Reduction == oracle.Mean, "sqrtn": c.rule.Reduction == oracle.SqrtN, "a mean with weights": c.rule.Reduction == oracle.Mean && c.weighted,
				"lengths": c.lengths, "a last offset": c.last, "max": c.rule.Reduction == oracle.Max, "default": c.rule.Default >= 0, "skips": c.rule.ZeroFill, "padding": c.rule.Padded || c.paddingID.Padded,
				"lowest": c.lowest, "left out": op == "SegmentMax" && len(c.borders) > 0 && c.borders[len(c.borders)-1] >= int64(c.segments),
			} {
				if is {
					found[name]++
				}
			}
		}
		want := []string{"an empty bag", "a large bag", "no bag", "padding"}
		switch op {
		case "SegmentMax":
			want = append(want, "lowest", "left out", "a bad border")
		case "EmbeddingBagPacked":
			want = append(want, "weights", "a bad index", "mean", "a mean with weights", "sqrtn", "max", "skips")
		default:
			want = append(want, "weights", "a bad index", "mean", "a mean with weights", "sqrtn", "max", "skips", "default", "a bad border")
			if op == "EmbeddingBagOffsets" {
				want = append(want, "lengths", "a last offset")
			}
		}
		for _, name := range want {
			if found[name] < 20 {
				t.Errorf("%s: %d calls of 1000 have %s", op, found[name], name)
			}
		}
	}
}

func FuzzEmbeddingBagOffsets(f *testing.F) { fuzz(f, "EmbeddingBagOffsets", checkBag) }
func FuzzEmbeddingBagPacked(f *testing.F)  { fuzz(f, "EmbeddingBagPacked", checkBag) }
func FuzzEmbeddingSegments(f *testing.F)   { fuzz(f, "EmbeddingSegments", checkBag) }
func FuzzSegmentMax(f *testing.F)          { fuzz(f, "SegmentMax", checkBag) }
