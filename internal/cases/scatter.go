package cases

import (
	"fmt"
	"slices"

	"gorgonia.org/gather/internal/oracle"
)

// A Scatter is one use of a scatter, but for the values of data and of updates.
type Scatter struct {
	Op      string // as ONNX spells it
	Axis    int
	Data    []int               // shape
	Indices oracle.Array[int64] // as they are read
	Updates []int               // shape
	Rule    oracle.Rule
}

// ScatterOps are the three scatters.
var ScatterOps = []string{"ScatterElements", "ScatterND", "ScatterUpdate"}

// Reductions are all of them.
var Reductions = []oracle.Reduction{oracle.None, oracle.Add, oracle.Sub, oracle.Mul, oracle.Min, oracle.Max, oracle.Mean}

// String has all that is needed to repeat the call, but for the values.
func (c Scatter) String() string {
	return fmt.Sprintf("%s data %v, indices %v = %v, updates %v, axis %d, %+v",
		c.Op, c.Data, c.Indices.Shape, c.Indices.Data, c.Updates, c.Axis, c.Rule)
}

// Addressed is the axis of data that the index at a position addresses.
func (c Scatter) Addressed(position []int) int {
	if c.Op == "ScatterND" {
		return position[len(position)-1]
	}
	return fromEnd(c.Axis, len(c.Data))
}

// Scattered is the result by the oracle.
func Scattered[T any](c Scatter, data, updates []T, arith oracle.Arith[T]) ([]T, *oracle.BadIndex) {
	x, w := oracle.From(data, c.Data...), oracle.From(updates, c.Updates...)
	var out oracle.Array[T]
	var bad *oracle.BadIndex
	switch c.Op {
	case "ScatterElements":
		out, bad = oracle.ScatterElements(x, c.Indices, w, c.Axis, c.Rule, arith)
	case "ScatterND":
		out, bad = oracle.ScatterND(x, c.Indices, w, c.Rule, arith)
	default:
		out, bad = oracle.ScatterUpdate(x, c.Indices, w, c.Axis, c.Rule, arith)
	}
	return out.Data, bad
}

// Gradients are those of data and of updates by the oracle, where grad is that of
// the result. All indices must be in range.
func Gradients[T any](c Scatter, grad, data, updates []T, arith oracle.Arith[T]) (ofData, ofUpdates []T) {
	g, x, w := oracle.From(grad, c.Data...), oracle.From(data, c.Data...), oracle.From(updates, c.Updates...)
	var gx, gw oracle.Array[T]
	switch c.Op {
	case "ScatterElements":
		gx, gw, _ = oracle.ScatterElementsGrad(g, x, c.Indices, w, c.Axis, c.Rule, arith)
	case "ScatterND":
		gx, gw, _ = oracle.ScatterNDGrad(g, x, c.Indices, w, c.Rule, arith)
	default:
		gx, gw, _ = oracle.ScatterUpdateGrad(g, x, c.Indices, w, c.Axis, c.Rule, arith)
	}
	return gx.Data, gw.Data
}

// Targets is which element of data each update goes to, both counted in row-major
// order, or -1 if it is skipped: what a gather with the same indices reads from data
// that counts its elements.
func (c Scatter) Targets() ([]int, *oracle.BadIndex) {
	counting := oracle.New[int](c.Data...).Data
	for i := range counting {
		counting[i] = i + 1
	}
	inverse := map[string]string{"ScatterElements": "GatherElements", "ScatterND": "GatherND", "ScatterUpdate": "Gather"}
	targets, bad := Gathered(Gather{
		Op: inverse[c.Op], Axis: c.Axis, Data: c.Data, Indices: c.Indices, Policy: oracle.Policy{NonNegative: c.Rule.NonNegative, ZeroFill: c.Rule.Skip, Padding: c.Rule.Padding},
	}, counting)
	for i := range targets.Data {
		targets.Data[i]--
	}
	return targets.Data, bad
}

// Repeats reports whether some element of data has several updates. All indices
// must be in range.
func (c Scatter) Repeats() bool {
	targets, _ := c.Targets()
	targets = slices.DeleteFunc(targets, func(j int) bool { return j < 0 })
	slices.Sort(targets)
	return len(slices.Compact(slices.Clone(targets))) < len(targets)
}

// Scatter draws a call of the operator, but for the values of the indices. Its
// shapes always fit.
func (s *Source) Scatter(op string) Scatter {
	rank := s.MaxRank
	if rank == 0 {
		rank = 4
	}
	c := Scatter{Op: op, Data: s.Data(1 + s.Choose(rank))}
	r := len(c.Data)
	if s.Wide && s.Rarely(16) {
		c.Data[r-1] = 32 + s.Choose(60)
	}
	var shape []int
	switch op {
	case "ScatterElements":
		c.Axis = s.Choose(r)
		shape = s.Lines(c.Data, c.Axis)
		c.Updates = slices.Clone(shape)
	case "ScatterND":
		k := s.Choose(r + 1)
		shape = s.Tuples(s.Choose(3))
		c.Updates = slices.Concat(shape, c.Data[k:])
		shape = append(slices.Clone(shape), k)
	case "ScatterUpdate":
		c.Axis = s.Choose(r)
		shape = s.Tuples(s.Choose(3))
		c.Updates = slices.Concat(c.Data[:c.Axis], shape, c.Data[c.Axis+1:])
	}
	if op != "ScatterND" && s.Rarely(2) {
		c.Axis -= r
	}
	c.Rule.Reduction = Choice(s, Reductions)
	c.Rule.NoInit = s.Rarely(3)
	c.Rule.NonNegative, c.Rule.Skip = s.Rarely(3), s.Rarely(3)
	c.Indices = oracle.New[int64](shape...)
	return c
}

// Fill draws the values of the indices, and a padding among them: see Indices and Pad.
func (c *Scatter) Fill(s *Source, read func(int64) int64) {
	s.Indices(c.Indices, c.Data, c.Rule.NonNegative, c.Addressed, read)
	c.Rule.Padding = s.Pad(c.Indices.Data, read)
}
