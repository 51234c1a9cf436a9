package cases

import (
	"slices"

	"gorgonia.org/gather/internal/oracle"
)

// A Gather is one use of a gather or of its adjoint, but for the values of data.
type Gather struct {
	Op        string // as ONNX spells it
	Axis      int
	BatchDims int
	Fused     bool                // GatherND's result has its batch dims in one
	Data      []int               // shape
	Indices   oracle.Array[int64] // as they are read
	Policy    oracle.Policy
}

// Addressed is the axis of data that the index at a position addresses.
func (c Gather) Addressed(position []int) int {
	if c.Op == "GatherND" {
		return c.BatchDims + position[len(position)-1]
	}
	return fromEnd(c.Axis, len(c.Data))
}

// Gathered is the result by the oracle. That of GatherND has its batch dims apart.
func Gathered[T any](c Gather, data []T) (oracle.Array[T], *oracle.BadIndex) {
	x := oracle.From(data, c.Data...)
	switch c.Op {
	case "Gather":
		return oracle.Gather(x, c.Indices, c.Axis, c.BatchDims, c.Policy)
	case "GatherElements":
		return oracle.GatherElements(x, c.Indices, c.Axis, c.Policy)
	}
	return oracle.GatherND(x, c.Indices, c.BatchDims, c.Policy)
}

// Added is dst plus the adjoint of the gather applied to updates, by the oracle.
func Added[T any](c Gather, dst, updates []T, add func(a, b T) T) ([]T, *oracle.BadIndex) {
	x, u := oracle.From(dst, c.Data...), oracle.From(updates, c.positions()...)
	var out oracle.Array[T]
	var bad *oracle.BadIndex
	switch c.Op {
	case "Gather":
		out, bad = oracle.AddGather(x, u, c.Indices, c.Axis, c.BatchDims, c.Policy, add)
	case "GatherElements":
		out, bad = oracle.AddGatherElements(x, u, c.Indices, c.Axis, c.Policy, add)
	default:
		out, bad = oracle.AddGatherND(x, u, c.Indices, c.BatchDims, c.Policy, add)
	}
	return out.Data, bad
}

// positions is the shape of what Gathered gives, whatever the indices are.
func (c Gather) positions() []int {
	indices := c.Indices.Shape
	last := len(indices) - 1
	switch c.Op {
	case "Gather":
		a := fromEnd(c.Axis, len(c.Data))
		return slices.Concat(c.Data[:a], indices[fromEnd(c.BatchDims, len(indices)):], c.Data[a+1:])
	case "GatherElements":
		return indices
	}
	return slices.Concat(indices[:last], c.Data[c.BatchDims+indices[last]:])
}

// Result is the shape of the operator's result, whatever the indices are.
func (c Gather) Result() []int {
	shape := c.positions()
	if !c.Fused || c.BatchDims < 2 {
		return shape
	}
	fused := 1
	for _, n := range shape[:c.BatchDims] {
		fused *= n
	}
	return slices.Concat([]int{fused}, shape[c.BatchDims:])
}

// fromEnd counts a negative axis from the end.
func fromEnd(axis, rank int) int {
	if axis < 0 {
		return axis + rank
	}
	return axis
}
