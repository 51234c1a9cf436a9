package onnxruntime

import (
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
)

// difference is a deliberate difference from ONNX Runtime.
type difference struct {
	name   string
	reason string
	// holds says whether the difference covers a case in which the outcomes disagree, in just the way they do.
	holds func(c *Case, ours, theirs Outcome) bool
}

// differences are all of them. TestDifferences shows each with an example.
var differences = []difference{
	{
		name:   "tuples of length 0",
		reason: "ONNX wants at least 1; ONNX Runtime takes 0 and means the whole of data",
		holds: func(c *Case, ours, theirs Outcome) bool {
			return c.isND() && ours.Err != nil && lastDim(c.Inputs[1].Shape) == 0
		},
	},
	{
		name:   "batch dims that differ",
		reason: "ONNX wants them equal; ONNX Runtime only divides the number of batches of indices by that of data",
		holds: func(c *Case, ours, theirs Outcome) bool {
			b := int(c.integer("batch_dims", 0))
			data, indices := c.Inputs[0].Shape, c.Inputs[1].Shape
			return c.OpType == "GatherND" && errors.Is(ours.Err, dense.ErrShape) &&
				min(len(data), len(indices)) > b && !slices.Equal(data[:b], indices[:b])
		},
	},
	{
		name:   "batch_dims out of range",
		reason: "ONNX wants 0 <= batch_dims < min(r, q); ONNX Runtime takes -1 where the result is empty, and q",
		holds: func(c *Case, ours, theirs Outcome) bool {
			b := c.integer("batch_dims", 0)
			least := min(len(c.Inputs[0].Shape), len(c.Inputs[1].Shape))
			return c.OpType == "GatherND" && errors.Is(ours.Err, dense.ErrOption) && (b < 0 || b >= int64(least))
		},
	},
	{
		name:   "bad index of an empty slice",
		reason: "ONNX calls it an error; ONNX Runtime's GatherND does not look at indices when nothing is to be copied",
		holds: func(c *Case, ours, theirs Outcome) bool {
			return c.OpType == "GatherND" && isIndexError(ours) && elements(theirs.Value.Shape) == 0
		},
	},
	{
		name:   "Gather of slices of strings",
		reason: "ONNX Runtime copies the first string of each slice and leaves the others empty",
		holds: func(c *Case, ours, theirs Outcome) bool {
			data := c.Inputs[0]
			if c.OpType != "Gather" || data.DType != String || ours.Err != nil || theirs.Err != nil {
				return false
			}
			axis := (int(c.integer("axis", 0)) + len(data.Shape)) % len(data.Shape)
			slice := elements(data.Shape[axis+1:])
			for _, i := range differing(ours.Value, theirs.Value) {
				if i%slice == 0 || theirs.Value.Strings[i] != "" {
					return false
				}
			}
			return true
		},
	},
}

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

// integer returns an attribute, or its default.
func (c *Case) integer(name string, otherwise int64) int64 {
	if x, ok := c.Attributes[name].(int64); ok {
		return x
	}
	return otherwise
}

func (c *Case) isND() bool { return c.OpType == "GatherND" || c.OpType == "ScatterND" }

// lastDim returns the last dim of a shape, or 1 for a scalar.
func lastDim(shape []int) int {
	if len(shape) == 0 {
		return 1
	}
	return shape[len(shape)-1]
}

// isIndexError says whether a side of ours found an index out of range.
func isIndexError(o Outcome) bool {
	var bad *dense.IndexError
	return errors.As(o.Err, &bad)
}
