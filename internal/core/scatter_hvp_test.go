package core_test

import (
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// TestScatterHVP compares the second derivatives of random products with the
// sums over pairs of updates that define them. No product of the values is
// rounded, and the numbers are complex, so that a missing conjugate shows.
func TestScatterHVP(t *testing.T) {
	defer kernel.UseTiles(0)() // back to what it was
	rng := rand.New(rand.NewSource(8))
	for i := range 4000 {
		kernel.UseTiles(tileSizes[i%len(tileSizes)])
		c := randomScatter(rng)
		if c.p.Op == plan.ScatterUpdate {
			continue
		}
		c.p.Reduction = num.Mul
		x, w, g := complexes.all(powers(rng, product(c.data))), complexes.all(powers(rng, product(c.updates))), complexes.all(powers(rng, product(c.data)))
		dx, dw := complexes.all(powers(rng, len(x))), complexes.all(powers(rng, len(w)))
		byData, ofData, ofUpdates := secondDerivatives(c, x, w, g, dx, dw)
		for _, d := range []struct {
			second core.HVP
			change []complex128
			from   []int
			want   []complex128
			to     []int
		}{
			{core.UpdatesByData, dx, c.data, byData, c.updates},
			{core.DataByUpdates, dw, c.updates, ofData, c.data},
			{core.UpdatesByUpdates, dw, c.updates, ofUpdates, c.updates},
		} {
			in := func(v []complex128, shape []int) *tensor.Dense {
				return laid(rng.Intn(layouts), v, complexes.of(7), shape...)
			}
			var dst *tensor.Dense
			if rng.Intn(2) == 0 {
				dst = in(slices.Repeat([]complex128{9}, product(d.to)), d.to)
			}
			got, err := d.second.Apply(c.p, dst, in(d.change, d.from), in(g, c.data), in(x, c.data), c.indexTensor(), in(w, c.updates))
			if err == nil {
				err = complexes.sameElements(got, d.want, d.to)
			}
			if err != nil {
				t.Fatalf("second derivative %d of %v, x %v, w %v, gradient %v, change %v: %v", d.second, c, x, w, g, d.change, err)
			}
		}
	}
}

// secondDerivatives are the gradients of
//
//	Σ conj(g[j]) (dx[j] ∏ w[p] + x[j] Σ dw[p] ∏ w[q])
//
// with respect to updates, by the change of data; with respect to data, by that
// of updates; and with respect to updates, by that of updates. p and q ≠ p are
// updates of j. Without init the x[j] is a 1, and there is no dx[j].
func secondDerivatives(c scatterCase, x, w, g, dx, dw []complex128) (byData, ofData, ofUpdates []complex128) {
	byData, ofData, ofUpdates = make([]complex128, len(w)), make([]complex128, len(x)), make([]complex128, len(w))
	conj := func(v complex128) complex128 { return complex(real(v), -imag(v)) }
	// without is the product of the updates of a target but for some.
	without := func(j int, but ...int) complex128 {
		product := complex128(1)
		for p, v := range w {
			if c.places[p] == j && !slices.Contains(but, p) {
				product *= v
			}
		}
		return product
	}
	for p, j := range c.places {
		factor := x[j]
		if c.p.NoInit {
			factor = 1
		} else {
			byData[p] = g[j] * conj(dx[j]*without(j, p))
			ofData[j] += g[j] * conj(dw[p]*without(j, p))
		}
		for q := range w {
			if q != p && c.places[q] == j {
				ofUpdates[p] += g[j] * conj(factor*dw[q]*without(j, p, q))
			}
		}
	}
	return byData, ofData, ofUpdates
}
