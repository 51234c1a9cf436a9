package builders

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// An integer has a power of a negative exponent where that is an integer too, and
// 0 elsewhere.
func TestPowerOfIntegers(t *testing.T) {
	for _, c := range []struct{ x, y, want int32 }{
		{2, 10, 1024}, {-3, 3, -27}, {5, 0, 1}, {0, 0, 1}, {0, 3, 0},
		{1, -7, 1}, {-1, -2, 1}, {-1, -3, -1}, {2, -1, 0}, {-2, -1, 0}, {0, -1, 0},
	} {
		assert.Equal(t, c.want, power(c.x, c.y), "%d to the power of %d", c.x, c.y)
	}
}
