package core_test

import (
	"math"
	"math/rand"
	"slices"

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// A lossCase is a random call of a loss.
type lossCase struct {
	core.Loss
	oracle          oracle.Loss
	scores, weights []float64 // weights may be nil
	shape           []int
	classes         []int64
}

var lossReductions = map[num.Reduction]string{num.Mean: "mean", num.Add: "sum", num.None: "none"}

func randomLoss(rng *rand.Rand) *lossCase {
	c := &lossCase{Loss: core.Loss{Op: "CrossEntropy"}}
	if c.LogProbs = rng.Intn(4) == 0; c.LogProbs {
		c.Op = "NLL"
	} else if rng.Intn(2) == 0 {
		c.Smoothing = float64(rng.Intn(5)) / 4
	}
	c.Reduction = []num.Reduction{num.Mean, num.Add, num.None}[rng.Intn(3)]
	classes := 1 + rng.Intn(7)
	if rng.Intn(16) == 0 {
		classes = 1 + rng.Intn(300)
	}
	c.shape = []int{rng.Intn(5), classes}
	for range []int{0, 0, 0, 1, 2}[rng.Intn(5)] {
		c.shape = append(c.shape, 1+rng.Intn(4))
	}
	if rng.Intn(200) == 0 {
		c.shape = []int{2, 1 + rng.Intn(3), 600} // several tiles
	}
	classes = c.shape[1]
	if c.Ignores = rng.Intn(2) == 0; c.Ignores {
		c.Ignored = int64(rng.Intn(classes+2) - 1)
	}
	n := oracle.New[float64](c.shape...)
	for range n.Data {
		// In eighths, which are the same in float32.
		c.scores = append(c.scores, float64(rng.Intn(160)-80)/8)
	}
	switch rng.Intn(16) {
	case 0, 1:
		for i := range c.scores {
			c.scores[i] *= 1000
		}
	case 2: // a whole row may be -Inf
		for i := range c.scores {
			if rng.Intn(3) == 0 {
				c.scores[i] = math.Inf(-1)
			}
		}
	}
	examples := oracle.New[int64](append(c.shape[:1:1], c.shape[2:]...)...)
	for range examples.Data {
		class := int64(rng.Intn(classes))
		if c.Ignores && rng.Intn(4) == 0 {
			class = c.Ignored
		}
		c.classes = append(c.classes, class)
	}
	if rng.Intn(2) == 0 {
		for range classes {
			c.weights = append(c.weights, float64(1+rng.Intn(16))/8)
		}
	}
	c.oracle = oracle.Loss{
		LogProbs: c.LogProbs, Ignores: c.Ignores, Ignored: c.Ignored, Smoothing: c.Smoothing,
		Weights: c.weights, Reduction: lossReductions[c.Reduction],
	}
	return c
}

// examples is the shape of the classes.
func (c *lossCase) examples() []int { return append(c.shape[:1:1], c.shape[2:]...) }

// spoil gives one example a class that is none, and not the ignored one.
func (c *lossCase) spoil(rng *rand.Rand) (position []int) {
	bad := []int64{-1, -2, int64(c.shape[1]), int64(c.shape[1]) + 1, math.MinInt64, math.MaxInt64}
	if c.Ignores {
		bad = slices.DeleteFunc(bad, func(class int64) bool { return class == c.Ignored })
	}
	i := rng.Intn(len(c.classes))
	c.classes[i] = bad[rng.Intn(len(bad))]
	position = make([]int, len(c.examples()))
	for d := len(position) - 1; d >= 0; d-- {
		position[d], i = i%c.examples()[d], i/c.examples()[d]
	}
	return position
}

// layClasses lays the classes out in a random layout, of a random integer dtype that has them all.
func (c *lossCase) layClasses(rng *rand.Rand) *tensor.Dense {
	l, low, high := layout.All[rng.Intn(len(layout.All))], int64(0), int64(0)
	for _, class := range c.classes {
		low, high = min(low, class), max(high, class)
	}
	switch kind := rng.Intn(10); {
	case kind == 0 && low >= math.MinInt8 && high <= math.MaxInt8:
		return layAs[int8](l, c)
	case kind == 1 && low >= math.MinInt16 && high <= math.MaxInt16:
		return layAs[int16](l, c)
	case kind == 2 && low >= math.MinInt32 && high <= math.MaxInt32:
		return layAs[int32](l, c)
	case kind == 3 && low >= math.MinInt && high <= math.MaxInt:
		return layAs[int](l, c)
	case kind == 4 && low >= 0 && high <= math.MaxUint8:
		return layAs[uint8](l, c)
	case kind == 5 && low >= 0 && high <= math.MaxUint16:
		return layAs[uint16](l, c)
	case kind == 6 && low >= 0 && high <= math.MaxUint32:
		return layAs[uint32](l, c)
	case kind == 7 && low >= 0:
		return layAs[uint64](l, c)
	case kind == 8 && low >= 0 && high <= math.MaxUint32:
		return layAs[uint](l, c)
	}
	return layAs[int64](l, c)
}

func layAs[T int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint](l layout.Layout, c *lossCase) *tensor.Dense {
	classes := make([]T, len(c.classes))
	for i, class := range c.classes {
		classes[i] = T(class)
	}
	return layout.Lay(l, classes, 1, c.examples()...).Dense
}
