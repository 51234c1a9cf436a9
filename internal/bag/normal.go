package bag

import (
	"math"
	"slices"
	"sync"

	"gorgonia.org/gather/internal/num"
)

// A mean with weights, and SqrtN with or without, are sums whose weights are divided:
//
//	Mean    out[b, c] = Σ (w(p)/W) table[idx[p], c]     W = Σ w(p)
//	SqrtN   out[b, c] = Σ (w(p)/√Q) table[idx[p], c]    Q = Σ w(p)²
//
// over the positions p of bag b that are not left out. W and Q are made in float64, in the
// order of the positions, and a quotient is rounded to the kind. A bag that has positions
// and the divisor 0 is zeros, and gives no gradient.

// Normal is the memory of the weights of such bags.
type Normal struct {
	weights  []byte
	divisors []float64 // of each bag, 1 if it has no positions
	wide     []float64
	grad     []byte
}

var normals = sync.Pool{New: func() any { return new(Normal) }}

// Normalizes reports whether the bags are those of a sum with other weights. Rows of no columns need none: there may be more
// bags of those than memory for their divisors.
func (d *Description) Normalizes() bool {
	return d.Inner > 0 && (d.Reduction == num.SqrtN || d.Reduction == num.Mean && d.Weights != nil)
}

// Sum describes bags for which Normalizes is true as those of a sum. Its weights are memory of n, up to the next call.
func (n *Normal) Sum(d *Description) Description {
	n.weights, n.divisors = num.Resize(n.weights, d.positions()*d.Kind.Width()), num.Resize(n.divisors, d.Bags)
	n.wide = num.Resize(n.wide, d.positions())
	n.run(d, n.weights, d.Weights, (*job).divideWeights)
	return Description{
		Kind: d.Kind, Reduction: num.Add, Table: d.Table, Rows: d.Rows, Inner: d.Inner, Pitch: d.Pitch, Stored: d.Stored,
		Idx: d.Idx, Idx32: d.Idx32, NonNegative: d.NonNegative, SkipBad: d.SkipBad,
		Weights: n.weights, Borders: d.Borders, Default: d.Default, Empty: d.Empty,
	}
}

// run runs a job on weights, which are of the kind, or nil for ones, by bags.
func (n *Normal) run(d *Description, out, weights []byte, piece func(j *job, lo, hi int) int) {
	j := d.begin(out, weights, nil)
	j.divisors, j.wide = n.divisors, n.wide
	j.run(piece, d.Bags, 16*(j.n/max(1, d.Bags)+1))
}

// Gradient is the gradient of the results, (Bags, row) in bytes, with zeros for the bags
// whose divisor is 0: their weights are 0, which times a NaN is none.
func (n *Normal) Gradient(grad []byte, row int) []byte {
	if !slices.Contains(n.divisors, 0) {
		return grad
	}
	n.grad = append(n.grad[:0], grad[:len(n.divisors)*row]...)
	n.clear(n.grad, row)
	return n.grad
}

// clear clears the rows of the bags whose divisor is 0.
func (n *Normal) clear(rows []byte, row int) {
	for b, divisor := range n.divisors {
		if divisor == 0 {
			clear(rows[b*row:][:row])
		}
	}
}

// weightsGradient is WeightsGradient of such bags: with t(p) what that of a sum is, and w̄
// the divided weights, the gradient is
//
//	Mean    (t(p) - Σ w̄(q) t(q)) / W
//	SqrtN   (t(p) - w̄(p) Σ w̄(q) t(q)) / √Q    over the positions q of the bag of p
//
// made in float64 and rounded.
func (n *Normal) weightsGradient(d *Description, out, grad []byte) int {
	n.Sum(d)
	bad := d.dotsOf(out, grad)
	if bad < 0 {
		n.wide = num.Resize(n.wide, 2*d.positions())
		n.run(d, out, n.weights, (*job).correctWeights)
	}
	return bad
}

func (j *job) divideWeights(lo, hi int) int {
	all := j.widenWeights(lo, hi)
	for bag, in := range j.chunks(interval{lo, hi}, 1) {
		sum, count, weights := 0.0, 0, j.wide[in.lo:in.hi]
		for q, w := range weights {
			if j.leftOut(in.lo + q) {
				continue
			}
			if j.Reduction == num.SqrtN {
				w = float64(w * w) // not fused with the addition
			}
			sum += w
			count++
		}
		switch {
		case count == 0:
			sum = 1
		case j.Reduction == num.SqrtN:
			sum = math.Sqrt(sum)
		}
		if j.divisors[bag.lo] = sum; sum == 0 {
			clear(weights)
			continue
		}
		for q := range weights {
			weights[q] /= sum
		}
	}
	num.Floats[j.Kind].Write(j.out[all.lo*j.width:all.hi*j.width], j.wide[all.lo:all.hi])
	return -1
}

func (j *job) correctWeights(lo, hi int) int {
	all := j.widenWeights(lo, hi)
	weights, gradients, floats := j.wide[:j.n], j.wide[j.n:], num.Floats[j.Kind]
	floats.Read(gradients[all.lo:all.hi], j.out[all.lo*j.width:all.hi*j.width])
	for bag, in := range j.chunks(interval{lo, hi}, 1) {
		sum, divisor := 0.0, j.divisors[bag.lo]
		for q := in.lo; q < in.hi; q++ {
			if !j.leftOut(q) {
				sum += float64(weights[q] * gradients[q])
			}
		}
		for q := in.lo; q < in.hi; q++ {
			switch {
			case j.leftOut(q):
			case divisor == 0:
				gradients[q] = 0
			case j.Reduction == num.SqrtN:
				gradients[q] = (gradients[q] - float64(weights[q]*sum)) / divisor
			default:
				gradients[q] = (gradients[q] - sum) / divisor
			}
		}
	}
	floats.Write(j.out[all.lo*j.width:all.hi*j.width], gradients[all.lo:all.hi])
	return -1
}

// widenWeights writes the weights of the positions of some bags to wide, or ones.
func (j *job) widenWeights(lo, hi int) interval {
	first := j.First(lo, j.n)
	in := interval{first, max(first, j.First(hi, j.n))}
	if j.grad != nil {
		num.Floats[j.Kind].Read(j.wide[in.lo:in.hi], j.grad[in.lo*j.width:in.hi*j.width])
		return in
	}
	num.Fill(j.wide[in.lo:in.hi], 1)
	return in
}
