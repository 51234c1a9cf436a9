package gradtest

import "math"

// Close reports whether a and b differ by at most tolerance, or by at most tolerance times the larger of their magnitudes.
// Equal infinities are close; NaN is close to nothing, since a gradient that has one is wrong.
func Close(a, b, tolerance float64) bool {
	if a == b {
		return true
	}
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		return false
	}
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}
