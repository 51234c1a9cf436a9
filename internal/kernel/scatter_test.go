package kernel

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestClear clears what the indices address.
func TestClear(t *testing.T) {
	for shape, s := range reduceShapes {
		rng := rand.New(rand.NewPCG(13, 14))
		idx := s.indices(rng)
		for i, width := range []int{2, 4, 8, 16} {
			old, updates := smallNumbers(rng, s.batch*s.span()*width), make([]byte, s.items()*width)
			want := bytes.Clone(old)
			for _, at := range s.targets(idx) {
				clear(want[at*width:][:width])
			}
			s.eachPlace(t, fmt.Sprintf("width %d", width), 5*shape+i, idx, old, updates, want, func(c *testCall) int {
				c.Width = width
				return c.describe().Clear()
			})
		}
	}
}
