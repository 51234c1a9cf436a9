package diff_test

import (
	"fmt"
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/internal/gradtest"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestScatterTangents differentiates the gradients of the gradients with respect
// to the gradient: they carry tangents forwards, and their gradients exist, too.
func TestScatterTangents(t *testing.T) {
	for _, c := range scatters {
		for _, r := range []gather.Reduction{gather.None, gather.Add, gather.Sub, gather.Mean, gather.Mul} {
			for _, init := range []bool{true, false} {
				for of, gradient := range gradients {
					t.Run(fmt.Sprintf("%s/%v/init=%v/of %s", c.name, r, init, of), func(t *testing.T) {
						rng := newRand(int64(r) + 20)
						values := func(shape []int) *tensor.Dense {
							return tensorOf(gradtest.Normals(rng, size(shape)), shape...)
						}
						jvp := derivativesOf(t, c, gradient, gather.WithReduction(r), gather.WithInitValue(init))[0]
						tangent := c.data
						if of == "updates" {
							tangent = c.updates
						}
						product := r == gather.Mul && (init || of == "updates")
						_, err := gradtest.Graph([]gradtest.Input{
							{Value: values(tangent), Differentiate: true},
							{Value: values(c.data), Differentiate: product && init && of == "updates"},
							{Value: c.indices},
							{Value: values(c.updates), Differentiate: product},
						}, func(in []*G.Node) (*G.Node, error) { return G.ApplyOp(jvp, in...) }, rng)
						ok(t, err)
					})
				}
			}
		}
	}
}
