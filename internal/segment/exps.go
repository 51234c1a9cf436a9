package segment

// Exps writes exp(x - most) of rows of len(most) columns to out, and adds them to sum, each
// column for itself. No element is above the most of its column, unless it is NaN.
func Exps[T Float](out, x []T, most, sum []float64) { expsOfRows(out, x, most, sum) }
