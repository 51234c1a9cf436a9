package onnxruntime

// difference is a deliberate difference from ONNX Runtime.
type difference struct {
	name   string
	reason string
	holds  func(c *Case, ours, theirs Outcome) bool
}

// differences are all of them. A run of 20 000 cases fails when one of them no longer occurs.
var differences = []difference{}

// explain returns the name of the listed difference that covers a disagreement, or "".
func explain(c *Case, ours, theirs Outcome, what string) string {
	if what == "" {
		return ""
	}
	for _, d := range differences {
		if d.holds(c, ours, theirs) {
			return d.name
		}
	}
	return ""
}
