package oracle

import "fmt"

// Reduction says how the updates of one target are combined.
type Reduction int

// The reductions of ONNX and OpenVINO together.
const (
	None Reduction = iota // the last in row-major order replaces data
	Add
	Sub
	Mul
	Min
	Max
	Mean
	SqrtN // of bags
)

// String is the name of the reduction, for the names of tests.
func (r Reduction) String() string {
	names := [...]string{"none", "add", "sub", "mul", "min", "max", "mean", "sqrtn"}
	if r < 0 || int(r) >= len(names) {
		return fmt.Sprintf("Reduction(%d)", int(r))
	}
	return names[r]
}

// Rule holds the options of a scatter. Its zero value is the default of every specification.
type Rule struct {
	Reduction   Reduction
	NoInit      bool // OpenVINO's use_init_val=false: data takes no part where there are updates
	NonNegative bool // -1 is out of range
	Skip        bool // an update whose index is out of range takes no part
	Padding
}

// policy is what the rule says of the indices.
func (r Rule) policy() Policy {
	return Policy{NonNegative: r.NonNegative, ZeroFill: r.Skip, Padding: r.Padding}
}

// ScatterElements copies data and reduces each updates[p] into position p with p[axis] replaced by indices[p]
// (ONNX ScatterElements-18, OpenVINO ScatterElementsUpdate-12). The arithmetic is not used with None.
func ScatterElements[T any](data Array[T], indices Array[int64], updates Array[T], axis int, rule Rule, arith Arith[T]) (Array[T], *BadIndex) {
	t, _, bad := elements(data.Shape, indices, axis, rule.policy())
	if bad != nil {
		return Array[T]{}, bad
	}
	return scatter(data, updates, t, rule, arith), nil
}

// ScatterND copies data and reduces the slice updates[j…] into the slice data[indices[j…, :]…]
// (ONNX ScatterND-18, OpenVINO ScatterNDUpdate-15).
func ScatterND[T any](data Array[T], indices Array[int64], updates Array[T], rule Rule, arith Arith[T]) (Array[T], *BadIndex) {
	t, _, bad := tuples(data.Shape, indices, 0, rule.policy())
	if bad != nil {
		return Array[T]{}, bad
	}
	return scatter(data, updates, t, rule, arith), nil
}

// ScatterUpdate copies data and reduces updates[p…, j…, r…] into [p…, indices[j…], r…], p over the axes before axis and r
// over those behind it (OpenVINO ScatterUpdate-3, PyTorch's index_copy, index_add and index_reduce).
func ScatterUpdate[T any](data Array[T], indices Array[int64], updates Array[T], axis int, rule Rule, arith Arith[T]) (Array[T], *BadIndex) {
	t, _, bad := alongAxis(data.Shape, indices, axis, 0, rule.policy())
	if bad != nil {
		return Array[T]{}, bad
	}
	return scatter(data, updates, t, rule, arith), nil
}

func scatter[T any](data, updates Array[T], t target, rule Rule, arith Arith[T]) Array[T] {
	writers := writersOf(data.Shape, updates.Shape, t)
	out := data.Clone()
	for j := range Coordinates(data.Shape) {
		var values []T
		for _, p := range writers.At(j...) {
			values = append(values, updates.At(p...))
		}
		if len(values) > 0 {
			out.Set(reduce(data.At(j...), values, rule, arith), j...)
		}
	}
	return out
}

// writersOf gives, for each position j of data, the positions p of updates with t(p) = j, in row-major order. Those that are
// skipped have no j.
func writersOf(dataShape, updatesShape []int, t target) Array[[][]int] {
	writers := New[[][]int](dataShape...)
	for p := range Coordinates(updatesShape) {
		j := t(p)
		if j == nil {
			continue
		}
		writers.Set(append(writers.At(j...), p), j...)
	}
	return writers
}

// reduce combines the value x of data with the updates of its position, of which there is at least one. Without init, sums
// start from zero and products from one, min and max from the first update: a largest finite number as their start would
// turn updates that are all +Inf into that number.
func reduce[T any](x T, updates []T, rule Rule, arith Arith[T]) T {
	fold := func(start T, values []T, op func(a, b T) T) T {
		for _, v := range values {
			start = op(start, v)
		}
		return start
	}
	switch {
	case rule.Reduction == None:
		return updates[len(updates)-1]
	case rule.Reduction == Add && rule.NoInit:
		return fold(arith.Zero, updates, arith.Add)
	case rule.Reduction == Add:
		return fold(x, updates, arith.Add)
	case rule.Reduction == Sub && rule.NoInit:
		return fold(arith.Zero, updates, arith.Sub)
	case rule.Reduction == Sub:
		return fold(x, updates, arith.Sub)
	case rule.Reduction == Mul && rule.NoInit:
		return fold(arith.One, updates, arith.Mul)
	case rule.Reduction == Mul:
		return fold(x, updates, arith.Mul)
	case rule.Reduction == Min && rule.NoInit:
		return fold(updates[0], updates[1:], arith.Min)
	case rule.Reduction == Min:
		return fold(x, updates, arith.Min)
	case rule.Reduction == Max && rule.NoInit:
		return fold(updates[0], updates[1:], arith.Max)
	case rule.Reduction == Max:
		return fold(x, updates, arith.Max)
	case rule.Reduction == Mean && rule.NoInit:
		return arith.Mean(updates)
	case rule.Reduction == Mean:
		return arith.Mean(append([]T{x}, updates...))
	}
	panic(fmt.Sprintf("oracle: unknown reduction %v", rule.Reduction))
}
