package core_test

import (
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/tensor"
)

// TestScatterHVP compares the second derivatives of random products with the
// sums over pairs of updates that define them. No product of the values is
// rounded, and the numbers are complex, so that a missing conjugate shows.
func TestScatterHVP(t *testing.T) {
	defer adjoint.UseTiles(0)() // back to what it was
	rng := rand.New(rand.NewSource(8))
	for i := range 4000 {
		if !turns.Case(3, i) {
			continue
		}
		adjoint.UseTiles(tileSizes[i%len(tileSizes)])
		s := randomSource(rng)
		c := randomScatter(s)
		c.Rule.Reduction = oracle.Mul
		x, w, g := complexes.all(powers(s, tensor.ProdInts(c.Data))), complexes.all(powers(s, tensor.ProdInts(c.Updates))), complexes.all(powers(s, tensor.ProdInts(c.Data)))
		dx, dw := complexes.all(powers(s, len(x))), complexes.all(powers(s, len(w)))
		byData, ofData, ofUpdates := secondDerivatives(c, x, w, g, dx, dw)
		for _, d := range []struct {
			second  core.ScatterMap
			tangent []complex128
			from    []int
			want    []complex128
			to      []int
		}{
			{core.UpdatesByData, dx, c.Data, byData, c.Updates},
			{core.DataByUpdates, dw, c.Updates, ofData, c.Data},
			{core.UpdatesByUpdates, dw, c.Updates, ofUpdates, c.Updates},
		} {
			in := func(v []complex128, shape []int) *tensor.Dense { return laid(s, v, 7, shape...).Dense }
			var dst *layout.Block[complex128]
			if s.Choose(2) == 0 {
				dst = laid(s, slices.Repeat([]complex128{9}, tensor.ProdInts(d.to)), 7, d.to...)
			}
			got, err := d.second.Apply(c.params(), tensorOf(dst), in(d.tangent, d.from), in(g, c.Data), in(x, c.Data), c.indexTensor(), in(w, c.Updates))
			if err == nil {
				err = sameElements(got, dst, d.want, d.to)
			}
			if err != nil {
				t.Fatalf("second derivative %d of %v, x %v, w %v, gradient %v, tangent %v: %v", d.second, c, x, w, g, d.tangent, err)
			}
		}
	}
}

// secondDerivatives are the gradients of
//
//	Σ conj(g[j]) (dx[j] ∏ w[p] + x[j] Σ dw[p] ∏ w[q])
//
// with respect to updates, by the tangent of data; with respect to data, by that
// of updates; and with respect to updates, by that of updates. p and q ≠ p are
// updates of j. Without init the x[j] is a 1, and there is no dx[j].
func secondDerivatives(c scatterCase, x, w, g, dx, dw []complex128) (byData, ofData, ofUpdates []complex128) {
	byData, ofData, ofUpdates = make([]complex128, len(w)), make([]complex128, len(x)), make([]complex128, len(w))
	conj := func(v complex128) complex128 { return complex(real(v), -imag(v)) }
	targets, _ := c.Targets()
	updatesOf := make([][]int, len(x)) // of each element of data
	for p, j := range targets {
		if j >= 0 {
			updatesOf[j] = append(updatesOf[j], p)
		}
	}
	// without is the product of the updates of a target but for some.
	without := func(j int, but ...int) complex128 {
		product := complex128(1)
		for _, p := range updatesOf[j] {
			if !slices.Contains(but, p) {
				product *= w[p]
			}
		}
		return product
	}
	for p, j := range targets {
		if j < 0 {
			continue // skipped
		}
		factor := x[j]
		if c.Rule.NoInit {
			factor = 1
		} else {
			byData[p] = g[j] * conj(dx[j]*without(j, p))
			ofData[j] += g[j] * conj(dw[p]*without(j, p))
		}
		for _, q := range updatesOf[j] {
			if q != p {
				ofUpdates[p] += g[j] * conj(factor*dw[q]*without(j, p, q))
			}
		}
	}
	return byData, ofData, ofUpdates
}
