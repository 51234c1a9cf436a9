package gradtest

import (
	"math"
	"testing"
)

func TestClose(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name            string
		a, b, tolerance float64
		want            bool
	}{
		{"equal, no tolerance", 0.1, 0.1, 0, true},
		{"near zero the tolerance is absolute", 0, 0.9e-6, 1e-6, true},
		{"near zero, too far", 0, 1.1e-6, 1e-6, false},
		{"large values relative", 1e9, 1e9 + 900, 1e-6, true},
		{"large values, too far", 1e9, 1e9 + 1100, 1e-6, false},
		{"relative to the larger one", 1, 2, 0.5, true},
		{"opposite signs", 1e9, -1e9, 1e-6, false},
		{"same infinity", inf, inf, 0, true},
		{"opposite infinities", inf, -inf, 1, false},
		{"infinity and a number", inf, 1, 1, false},
		{"NaN and NaN", nan, nan, 1, false},
		{"NaN and a number", nan, 1, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Close(c.a, c.b, c.tolerance); got != c.want {
				t.Errorf("Close(%v, %v, %v) = %v", c.a, c.b, c.tolerance, got)
			}
			if got := Close(c.b, c.a, c.tolerance); got != c.want {
				t.Errorf("Close(%v, %v, %v) = %v", c.b, c.a, c.tolerance, got)
			}
		})
	}
}
