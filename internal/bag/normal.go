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
	grad     []byte
}

var normals = sync.Pool{New: func() any { return new(Normal) }}

// Normalizes reports whether the bags are those of a sum with other weights.
func (d *Description) Normalizes() bool {
	return d.Reduction == num.SqrtN || d.Reduction == num.Mean && d.Weights != nil
}

// Sum is the sum that bags are which Normalizes. Its weights are those of n until the next.
func (n *Normal) Sum(d *Description) Description {
	n.weights, n.divisors = num.Resize(n.weights, d.positions()*d.Kind.Width()), num.Resize(n.divisors, d.Bags)
	d.run(job{out: n.weights, divisors: n.divisors, piece: divideWeights}, d.Bags, 16*(d.positions()/max(1, d.Bags)+1))
	sum := *d
	sum.Reduction, sum.Weights = num.Add, n.weights
	return sum
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

// reduceNormal is Reduce of bags that are sums of other weights.
func (d *Description) reduceNormal(out []byte) int {
	n := normals.Get().(*Normal)
	defer normals.Put(n)
	sum := n.Sum(d)
	bad := sum.reduce(out)
	n.clear(out, d.Inner*d.Kind.Width())
	return bad
}

// addNormal is AddGradient of such bags.
func (d *Description) addNormal(dst, grad []byte) int {
	n := normals.Get().(*Normal)
	defer normals.Put(n)
	sum := n.Sum(d)
	return sum.addGradient(dst, n.Gradient(grad, d.Inner*d.Kind.Width()))
}

// weightsNormal is WeightsGradient of such bags: with t(p) what that of a sum is, and w̄
// the divided weights, the gradient is
//
//	Mean    (t(p) - Σ w̄(q) t(q)) / W
//	SqrtN   (t(p) - w̄(p) Σ w̄(q) t(q)) / √Q    over the positions q of the bag of p
//
// made in float64 and rounded.
func (d *Description) weightsNormal(out, grad []byte) int {
	n := normals.Get().(*Normal)
	defer normals.Put(n)
	sum := n.Sum(d)
	bad := sum.dotsOf(out, grad)
	if bad < 0 {
		sum.Reduction = d.Reduction
		sum.run(job{out: out, divisors: n.divisors, piece: correctWeights}, d.Bags, 16*(d.positions()/max(1, d.Bags)+1))
	}
	return bad
}

// leftOut reports whether a position is skipped.
func (r *reader) leftOut(p int) bool {
	_, ok := r.rowAt(p)
	return r.SkipBad && !ok
}

func divideWeights(j *job, lo, hi int) int {
	f := floats[j.Kind]
	for p, end := j.First(lo, j.n), 0; lo < hi; lo, p = lo+1, end {
		end = j.End(lo, p, j.n)
		sum, count := 0.0, 0
		for q := p; q < end; q++ {
			if j.leftOut(q) {
				continue
			}
			w := j.weight(f, q)
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
		j.divisors[lo] = sum
		for q := p; q < end; q++ {
			w := 0.0
			if sum != 0 {
				w = j.weight(f, q) / sum
			}
			f.set(j.out, q, w)
		}
	}
	return -1
}

// weight is that of a position, or 1.
func (r *reader) weight(f *float, p int) float64 {
	if r.Weights == nil {
		return 1
	}
	return f.at(r.Weights, p)
}

func correctWeights(j *job, lo, hi int) int {
	f := floats[j.Kind]
	for p, end := j.First(lo, j.n), 0; lo < hi; lo, p = lo+1, end {
		end = j.End(lo, p, j.n)
		sum, divisor := 0.0, j.divisors[lo]
		for q := p; q < end; q++ {
			if !j.leftOut(q) {
				sum += float64(f.at(j.Weights, q) * f.at(j.out, q))
			}
		}
		for q := p; q < end; q++ {
			switch t := f.at(j.out, q); {
			case j.leftOut(q):
			case divisor == 0:
				f.set(j.out, q, 0)
			case j.Reduction == num.SqrtN:
				f.set(j.out, q, (t-float64(f.at(j.Weights, q)*sum))/divisor)
			default:
				f.set(j.out, q, (t-sum)/divisor)
			}
		}
	}
	return -1
}

// float reads and writes numbers of a kind as float64.
type float struct {
	at  func(mem []byte, i int) float64
	set func(mem []byte, i int, x float64)
}

// floats are the kinds whose bags are normalised.
var floats = [num.Kinds]*float{
	num.Float32:  floatOf(func(x float32) float64 { return float64(x) }, func(x float64) float32 { return float32(x) }),
	num.Float64:  floatOf(func(x float64) float64 { return x }, func(x float64) float64 { return x }),
	num.Float16:  floatOf(func(x uint16) float64 { return float64(num.Float16To32(x)) }, func(x float64) uint16 { return num.Float16From32(float32(x)) }),
	num.BFloat16: floatOf(func(x uint16) float64 { return float64(num.BFloat16To32(x)) }, func(x float64) uint16 { return num.BFloat16From32(float32(x)) }),
}

func floatOf[T any](from func(T) float64, to func(float64) T) *float {
	return &float{
		at:  func(mem []byte, i int) float64 { return from(num.As[T](mem)[i]) },
		set: func(mem []byte, i int, x float64) { num.As[T](mem)[i] = to(x) },
	}
}
