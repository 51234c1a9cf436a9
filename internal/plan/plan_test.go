package plan_test

import (
	"reflect"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

var ops = []plan.Op{
	plan.Gather, plan.GatherElements, plan.GatherND, plan.ScatterElements, plan.ScatterND, plan.ScatterUpdate, plan.GatherTree,
	plan.EmbeddingBagOffsets, plan.EmbeddingBagPacked, plan.EmbeddingSegments, plan.SegmentMax,
	plan.SegmentSum, plan.SegmentMean, plan.SegmentMin, plan.SegmentProd, plan.SegmentSoftmax,
}

// TestString shows that Params which differ print differently, whatever the
// difference, as operators are told apart by it.
func TestString(t *testing.T) {
	if got, want := (plan.Params{Op: plan.GatherND, Settings: plan.Settings{BatchDims: 1, OutOfRange: plan.ZeroFill}}).String(), "GatherND(batch_dims=1, out_of_range=zeros)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	seen := map[string]plan.Params{}
	see := func(p plan.Params) {
		t.Helper()
		text := p.String()
		if other, ok := seen[text]; ok && other != p {
			t.Errorf("%+v and %+v are both %s", p, other, text)
		}
		seen[text] = p
	}
	for _, op := range ops {
		axes := []int{0, 1, 2, -1}
		if op.Tuples() || op == plan.GatherTree || op >= plan.EmbeddingBagOffsets {
			axes = axes[:1]
		}
		for _, axis := range axes {
			// Every set of settings that the operator has.
			var own []int
			for i, s := range settings {
				if slices.Contains(s.ops, op) {
					own = append(own, i)
				}
			}
			for set := range 1 << len(own) {
				p := plan.Params{Op: op, Axis: axis}
				for bit, i := range own {
					if set>>bit&1 == 1 {
						given := reflect.ValueOf(settings[i].set)
						for f := range given.NumField() {
							if v := given.Field(f); !v.IsZero() {
								reflect.ValueOf(&p.Settings).Elem().Field(f).Set(v)
							}
						}
					}
				}
				see(p)
			}
			see(plan.Params{Op: op, Axis: axis, Settings: plan.Settings{BatchDims: 1}})
			see(plan.Params{Op: op, Axis: axis, Settings: plan.Settings{BatchDims: -1}})
			for _, padding := range []int64{0, 1} {
				see(plan.Params{Op: op, Axis: axis, Settings: plan.Settings{Padded: true, Padding: padding}})
			}
			for r := plan.None; r <= plan.Mean; r++ {
				see(plan.Params{Op: op, Axis: axis, Settings: plan.Settings{Reduction: r}})
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d Params were looked at", len(seen))
	}
}

func TestNormal(t *testing.T) {
	batched := func(n int) plan.Settings { return plan.Settings{BatchDims: n} }
	for _, c := range []struct{ p, want plan.Params }{
		{plan.Params{Op: plan.Gather, Axis: -1, Settings: batched(-1)}, plan.Params{Op: plan.Gather, Axis: 3, Settings: batched(1)}},
		{plan.Params{Op: plan.Gather, Axis: 2, Settings: batched(1)}, plan.Params{Op: plan.Gather, Axis: 2, Settings: batched(1)}},
		{plan.Params{Op: plan.GatherElements, Axis: -4}, plan.Params{Op: plan.GatherElements, Axis: 0}},
		{plan.Params{Op: plan.ScatterElements, Axis: -2}, plan.Params{Op: plan.ScatterElements, Axis: 2}},
		{plan.Params{Op: plan.ScatterUpdate, Axis: -3}, plan.Params{Op: plan.ScatterUpdate, Axis: 1}},
		{plan.Params{Op: plan.GatherND, Settings: batched(1)}, plan.Params{Op: plan.GatherND, Settings: batched(1)}},
	} {
		got := c.p
		if got.Normalize(4, 2); got != c.want {
			t.Errorf("%v: got %v, want %v", c.p, got, c.want)
		}
	}
}

// TestNoSuchOperator asks for the shape of an operator there is not.
func TestNoSuchOperator(t *testing.T) {
	p := plan.Params{Op: plan.GatherTree + 1}
	if shape, err := p.Shape(tensor.Shape{2}); err == nil || shape != nil {
		t.Errorf("got %v and %v, want an error", shape, err)
	}
}

// TestFamilies says of every operator what it belongs to.
func TestFamilies(t *testing.T) {
	type families struct{ gathers, scatters, elements, tuples bool }
	for op, want := range map[plan.Op]families{
		plan.Gather:          {gathers: true},
		plan.GatherElements:  {gathers: true, elements: true},
		plan.GatherND:        {gathers: true, tuples: true},
		plan.ScatterElements: {scatters: true, elements: true},
		plan.ScatterND:       {scatters: true, tuples: true},
		plan.ScatterUpdate:   {scatters: true},
		plan.GatherTree:      {},
	} {
		if got := (families{op.Gathers(), op.Scatters(), op.Elements(), op.Tuples()}); got != want {
			t.Errorf("%v: got %+v, want %+v", op, got, want)
		}
	}
}
