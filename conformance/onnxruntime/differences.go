package onnxruntime

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/onnx"
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
		reason: "ONNX wants at least 1 of GatherND; ONNX Runtime takes 0 and means the whole of data",
		holds: func(c *Case, ours, theirs Outcome) bool {
			return c.OpType == "GatherND" && ours.Err != nil && lastDim(c.Inputs[1].Shape) == 0
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
			return c.OpType == "GatherND" && c.hasBadTuple() && isIndexError(ours) && elements(theirs.Value.Shape) == 0
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
	{
		name:   "reduction of strings",
		reason: "ONNX defines none; ONNX Runtime joins strings for add, and refuses the others once there is an update",
		holds: func(c *Case, ours, theirs Outcome) bool {
			return c.Inputs[0].DType == String && c.Attributes.reduction() != "none" && errors.Is(ours.Err, dense.ErrDtype)
		},
	},
	{
		name:   "NaN under min and max",
		reason: "a NaN stays, as in NumPy and PyTorch; ONNX Runtime loses one that a later update is compared with",
		holds: func(c *Case, ours, theirs Outcome) bool {
			nans, _ := c.minMaxDifferences(ours, theirs)
			return nans
		},
	},
	{
		name:   "sign of zero under min and max",
		reason: "-0 is less than 0, as in IEEE 754's minimum and maximum; ONNX Runtime keeps the zero that came last",
		holds: func(c *Case, ours, theirs Outcome) bool {
			nans, zeros := c.minMaxDifferences(ours, theirs)
			return zeros && !nans
		},
	},
	{
		name:   "reduction that the version lacks",
		reason: "ONNX names the allowed ones; ONNX Runtime takes min and max before opset 18, and any other word for none",
		holds: func(c *Case, ours, theirs Outcome) bool {
			allowed := reductions18
			if c.Opset < 18 {
				allowed = reductions16
			}
			var lacks *onnx.VersionError
			return c.isScatterReduction() && !slices.Contains(allowed, c.Attributes.reduction()) && errors.As(ours.Err, &lacks)
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

// minMaxDifferences says of two results of min or max whether they differ in a NaN of ours and in the sign of a zero:
// neither where they differ in anything else.
func (c *Case) minMaxDifferences(ours, theirs Outcome) (nans, zeros bool) {
	reduction := c.Attributes.reduction()
	if reduction != "min" && reduction != "max" || ours.Err != nil || theirs.Err != nil || !c.Inputs[0].DType.isFloat() {
		return false, false
	}
	wide := ours.Value.widen()
	for _, i := range differing(wide, theirs.Value) {
		switch {
		case math.IsNaN(wide.float(i)):
			nans = true
		case wide.float(i) == 0 && theirs.Value.float(i) == 0:
			zeros = true
		default:
			return false, false
		}
	}
	return nans, zeros
}

func (c *Case) isScatterReduction() bool {
	_, ok := c.Attributes["reduction"].(string)
	return ok && (c.OpType == "ScatterElements" || c.OpType == "ScatterND")
}

// hasBadTuple says whether a GatherND has an index out of range.
func (c *Case) hasBadTuple() bool {
	data, indices, b := c.Inputs[0], c.Inputs[1], int(c.integer("batch_dims", 0))
	k := lastDim(indices.Shape)
	for i := range len(indices.Bytes) / 8 {
		size := int64(data.Shape[b+i%k])
		if x := int64(binary.LittleEndian.Uint64(indices.Bytes[8*i:])); x < -size || x >= size {
			return true
		}
	}
	return false
}

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
