package shapes

import (
	"slices"
	"strings"

	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// GatherElements returns the shape of GatherElements' result, which is i,
// after checking r >= 1, q = r, -r <= axis < r and i[d] <= s[d] for every
// d other than the axis. The dim of indices at the axis is free.
//
// Sources: ONNX GatherElements-13, with <= as its equations need and ONNX
// Runtime and PyTorch accept; OpenVINO GatherElements-6 demands equality.
func GatherElements(data, indices tensor.Shape, axis int) (tensor.Shape, error) {
	return gatherElements(make(tensor.Shape, 0, rankHint), data, indices, axis)
}

// gatherElements must not be inlined, or GatherElements would grow too large to
// be: see rankHint.
//
//go:noinline
func gatherElements(out, data, indices tensor.Shape, axis int) (tensor.Shape, error) {
	if err := elements("GatherElements", data, indices, axis); err != nil {
		return nil, err
	}
	return append(out, indices...), nil
}

// elements checks what GatherElements and ScatterElements demand of indices.
func elements(op string, data, indices tensor.Shape, axis int) error {
	a, err := dataAxis(op, axis, len(data))
	if err != nil {
		return err
	}
	if len(indices) != len(data) {
		return shapeError(op, "indices %v has rank %d, data %v has rank %d: the ranks must be equal%s%s",
			fault.Shape(indices), len(indices), fault.Shape(data), len(data), fault.ScalarHint(indices, fault.Ones(len(data))), elementsHint(op, data, indices, a))
	}
	for d, n := range indices {
		if d != a && n > data[d] {
			return shapeError(op, "indices %v has %d at axis %d, at most %d is allowed for data %v and axis %d",
				fault.Shape(indices), n, d, data[d], fault.Shape(data), a)
		}
	}
	if !fault.Countable(data) {
		return uncountable(op, "data", data)
	}
	if !fault.Countable(indices) {
		return uncountable(op, "indices", indices)
	}
	return nil
}

// elementsHint goes behind a message about indices of a lower rank than data: which
// shape they have, or which operator they were meant for.
func elementsHint(op string, data, indices tensor.Shape, a int) string {
	if len(indices) >= len(data) {
		return ""
	}
	whole := "Gather"
	if op == "ScatterElements" {
		whole = "ScatterUpdate"
	}
	dims := strings.Split(strings.Trim(fault.Shape(data), "()"), ", ")
	if a < len(dims) {
		dims[a] = "n"
		// An index for each line of data, as a vector of actions is.
		if rest := slices.Delete(data.Clone(), a, a+1); slices.Equal(rest, indices) {
			dims[a] = "1"
		}
	}
	return "; use (" + strings.Join(dims, ", ") + "), or " + whole + " for whole slices"
}
