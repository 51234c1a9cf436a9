package main

import "math"

// bigram is the model to beat: it counts which character follows which.
//
//	P(next | last) = (count[last][next] + k) / (sum of count[last] + k·V)
//
// for a vocabulary of V tokens, the end of a name included.
type bigram struct {
	count [][]float64
	sum   []float64
	k     float64
}

// newBigram counts the training names, and takes for k whichever of a few
// values does best on the held-out names. Choosing there is a favour to the
// baseline, one that the model it is compared with does not get.
func newBigram(c *corpus) *bigram {
	v := len(c.symbols)
	b := &bigram{count: make([][]float64, v), sum: make([]float64, v)}
	for i := range b.count {
		b.count[i] = make([]float64, v)
	}
	for _, tokens := range c.train {
		last := end
		for _, next := range tokens {
			b.count[last][next]++
			b.sum[last]++
			last = next
		}
	}
	best := math.Inf(1)
	for _, k := range []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3} {
		trial := bigram{b.count, b.sum, k}
		if bits := trial.bits(c.held); bits < best {
			best, b.k = bits, k
		}
	}
	return b
}

// bits is the mean of -log2 P over all characters of names and their ends.
func (b *bigram) bits(names [][]int) float64 {
	var total float64
	var n int
	for _, tokens := range names {
		last := end
		for _, next := range tokens {
			p := (b.count[last][next] + b.k) / (b.sum[last] + b.k*float64(len(b.sum)))
			total -= math.Log2(p)
			n++
			last = next
		}
	}
	return total / float64(n)
}
