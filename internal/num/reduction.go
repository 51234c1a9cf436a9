package num

import "strconv"

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
