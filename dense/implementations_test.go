package dense_test

import (
	"math/rand"
	"testing"

	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/tensor"
)

// TestImplementations runs random calls under each implementation of the
// kernels that this machine has, on rows long enough for all of them.
func TestImplementations(t *testing.T) {
	n := runs(800)
	for _, i := range simd.Implementations {
		t.Run(i.Name, func(t *testing.T) {
			defer simd.Use(i)()
			rng := rand.New(rand.NewSource(9))
			long := 0
			for range n {
				op := choice(randomSource(rng), operators)
				for _, check := range []func(c *call) error{
					choice(randomSource(rng), dtypes).gather,
					choice(randomSource(rng), numbers).add,
					dtypeNamed("float32").add,
					dtypeNamed("float64").add,
				} {
					s := randomSource(rng)
					s.MaxData = 3000
					c := s.call(op)
					c.in, c.out = layout.RowMajor, layout.RowMajor // other layouts are walked through
					if err := check(c); err != nil {
						t.Fatalf("%v: %v", c, err)
					}
					if op != "GatherElements" && len(c.data) > 2 && tensor.ProdInts(c.data[2:]) > 32 {
						long++
					}
				}
			}
			if long < n/10 {
				t.Errorf("only %d calls have long rows", long)
			}
		})
	}
}
