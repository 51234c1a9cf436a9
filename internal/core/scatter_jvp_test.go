package core_test

import (
	"math"
	"math/rand"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/adjoint"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/tensor"
)

// TestScatterTangents is the adjoint identity: a derivative and its tangent are
// adjoint to each other,
//
//	<grad, jvp(tangent)> = <vjp(grad), tangent>
//
// where the first factor of a product is conjugated.
func TestScatterTangents(t *testing.T) {
	defer adjoint.UseTiles(0)() // back to what it was
	rng := rand.New(rand.NewSource(3))
	for i := range 3000 {
		adjoint.UseTiles(tileSizes[i%len(tileSizes)])
		s := randomSource(rng)
		c := randomScatter(s)
		if c.Rule.Reduction == oracle.Min || c.Rule.Reduction == oracle.Max {
			continue
		}
		x, w, g := powers(s, tensor.ProdInts(c.Data)), powers(s, tensor.ProdInts(c.Updates)), powers(s, tensor.ProdInts(c.Data))
		run := func(d core.ScatterMap, v []float64, shape []int) []complex128 {
			var dst *layout.Block[complex128]
			if d != core.VJPUpdates && s.Choose(2) == 0 { // the result has the shape of data, and what is in dst must go
				dst = laid(s, slices.Repeat([]complex128{9}, len(x)), 7, c.Data...)
			}
			out, err := d.Apply(c.params(), tensorOf(dst), laid(s, complexes.all(v), 7, shape...).Dense, laid(s, complexes.all(x), 7, c.Data...).Dense,
				c.indexTensor(), laid(s, complexes.all(w), 7, c.Updates...).Dense)
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			if dst != nil {
				return dst.Values()
			}
			return read[complex128](out)
		}
		for _, pair := range []struct {
			vjp, jvp core.ScatterMap
			shape    []int
		}{{core.VJPData, core.JVPData, c.Data}, {core.VJPUpdates, core.JVPUpdates, c.Updates}} {
			tangent := powers(s, tensor.ProdInts(pair.shape))
			left := inner(complexes.all(g), run(pair.jvp, tangent, pair.shape))
			right := inner(run(pair.vjp, g, c.Data), complexes.all(tangent))
			if math.Abs(real(left-right)) > 1e-9 || math.Abs(imag(left-right)) > 1e-9 {
				t.Fatalf("%v: <grad, jvp> = %v, <vjp, tangent> = %v for data %v, updates %v, gradient %v, tangent %v of shape %v",
					c, left, right, x, w, g, tangent, pair.shape)
			}
		}
	}
}

func inner(a, b []complex128) complex128 {
	sum := 0i
	for i, v := range a {
		sum += complex(real(v), -imag(v)) * b[i]
	}
	return sum
}
