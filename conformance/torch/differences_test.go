package torch

import "math"

// difference is a set of elements at which PyTorch is known to say something else than we do.
type difference struct {
	name   string
	reason string
	// holds looks at element at of what ("out", "ddata" or "dupdates"), where PyTorch says want; targets holds for
	// each update the flat position in data that it goes to.
	holds func(v *vector, targets []int, what string, at int, want float64) bool
}

var differences = []difference{
	{
		name:   "each of several updates of one element gets its gradient",
		reason: "without a reduction the last update stays, so only that one has a derivative other than 0",
		holds: func(v *vector, targets []int, what string, at int, want float64) bool {
			if what != "dupdates" || v.Op != "scatter" && v.Op != "index_put" && v.Op != "index_copy" {
				return false
			}
			later := false
			for _, target := range targets[at+1:] {
				later = later || target == targets[at]
			}
			return later && want == v.Cotangent.floats()[targets[at]]
		},
	},
	{
		name:   "an excluded element of data counts among the ties",
		reason: "with include_self=False data has no part in the result, so it takes no share of the gradient",
		holds: func(v *vector, targets []int, what string, at int, want float64) bool {
			if what != "dupdates" || v.IncludeSelf || v.Reduce != "amax" && v.Reduce != "amin" {
				return false
			}
			target := targets[at]
			y, winners := v.Out.floats()[target], 0
			for p, w := range v.Updates.floats() {
				if targets[p] == target && w == y {
					winners++
				}
			}
			return v.Data.floats()[target] == y && near(want, v.Cotangent.floats()[target]/float64(winners+1))
		},
	},
	{
		name:   "a NaN that wins min or max has no gradient",
		reason: "NaN is not equal to itself, so no element is found to be the winner, and 0/0 goes to all of them",
		holds: func(v *vector, targets []int, what string, at int, want float64) bool {
			if what == "out" || v.Reduce != "amax" && v.Reduce != "amin" || !math.IsNaN(want) {
				return false
			}
			return math.IsNaN(v.Out.floats()[targetOf(targets, what, at)])
		},
	},
	{
		name:   "a NaN factor makes a NaN of its own gradient",
		reason: "the derivative of a product is the product of the other factors; PyTorch divides the whole product by the factor",
		holds: func(v *vector, targets []int, what string, at int, want float64) bool {
			if what == "out" || v.Reduce != "prod" || !math.IsNaN(want) {
				return false
			}
			if what == "ddata" {
				return math.IsNaN(v.Data.floats()[at])
			}
			return math.IsNaN(v.Updates.floats()[at])
		},
	},
}

// targetOf returns the flat position in data of an element of the gradients.
func targetOf(targets []int, what string, at int) int {
	if what == "dupdates" {
		return targets[at]
	}
	return at
}

// explain returns the name of the difference that covers an element, or "".
func explain(v *vector, targets []int, what string, at int, want float64) string {
	for _, d := range differences {
		if d.holds(v, targets, what, at, want) {
			return d.name
		}
	}
	return ""
}

// targets returns for each update the flat position in data that it goes to, nil for a gather.
func (v *vector) targets() []int {
	if v.Updates == nil {
		return nil
	}
	indices := v.Indices.integers()
	targets := make([]int, len(v.Updates.Values))
	for p := range targets {
		at := coordinates(p, v.Updates.Shape)
		switch v.Op {
		case "index_put", "index_put_add":
			q := len(v.Indices.Shape)
			k := v.Indices.Shape[q-1]
			tuple := flat(at[:q-1], v.Indices.Shape[:q-1])
			target := make([]int, 0, len(v.Data.Shape))
			for _, x := range indices[tuple*k : (tuple+1)*k] {
				target = append(target, int(x))
			}
			at = append(target, at[q-1:]...)
		case "index_copy":
			at[v.Axis] = int(indices[at[v.Axis]])
		default:
			at[v.Axis] = int(indices[p])
		}
		targets[p] = flat(at, v.Data.Shape)
	}
	return targets
}

// coordinates turns a flat position into coordinates.
func coordinates(p int, shape []int) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = p % shape[d]
		p /= shape[d]
	}
	return at
}

// flat turns coordinates into a flat position.
func flat(at, shape []int) int {
	p := 0
	for d, x := range at {
		p = p*shape[d] + x
	}
	return p
}
