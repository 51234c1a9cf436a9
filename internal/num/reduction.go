package num

import "strconv"

// Minima and maxima of floats are computed in several places, which differ on purpose. The
// result is NaN where a term is, but for Greatest and exps:
//
//	combine in simd         as Go's min and max: -0 is less than 0. Of several NaN any payload
//	                        may stay: the processor's instructions take one of two, in some order
//	keeps in simd           a branch that leaves out most calls of combine: same values
//	better in adjoint       as combine, chosen for each pass; terms that equal the result share
//	                        its gradient, zeros of both signs alike, and NaN with NaN
//	winRow in bag           the terms that equal a result of combine, by the same rule
//	Greatest in bag,        NaN only if the first term is, which takes less time: a later one
//	exps in loss            makes the sum of the exponentials NaN
//	onnx/builders           as PyTorch: see extremesBetween, pick and share there

// Reduction is how a scatter combines an update with what its target holds.
type Reduction uint8

// The reductions.
const (
	None Reduction = iota
	Add
	Sub
	Mul
	Min
	Max
	Mean

	Reductions = iota // the length of a table with an entry for each reduction
	// SqrtN is a reduction of bags, which make a sum of it: no table of loops has it.
	SqrtN Reduction = Reductions
)

// String is the reduction's name, in ONNX's spelling where ONNX has it.
func (r Reduction) String() string {
	if names := [...]string{"none", "add", "sub", "mul", "min", "max", "mean", "sqrtn"}; int(r) < len(names) {
		return names[r]
	}
	return "reduction " + strconv.Itoa(int(r))
}
