package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/plan"
)

// TestPolicies gives every operator every policy, and one that there is not.
func TestPolicies(t *testing.T) {
	gathers, scatters, bags := ops[:3], ops[3:6], []plan.Op{plan.EmbeddingBagOffsets, plan.EmbeddingBagPacked, plan.EmbeddingSegments}
	has := map[plan.OutOfRange][]plan.Op{
		plan.Reject:   slices.Concat(gathers, scatters, bags),
		plan.ZeroFill: slices.Concat(gathers, bags),
		plan.Clamp:    gathers,
		plan.Skip:     scatters,
	}
	for _, op := range slices.Concat(gathers, scatters, bags) {
		for m := plan.Reject; m <= plan.Skip+1; m++ {
			p, _, err := resolved(op, 0, plan.Of(plan.OutOfRangePolicy, plan.Settings{OutOfRange: m}))
			if slices.Contains(has[m], op) {
				if err != nil || p.OutOfRange != m {
					t.Errorf("%v, %v: got %v, %v", op, m, p, err)
				}
			} else if !errors.Is(err, plan.ErrOption) {
				t.Errorf("%v, %v: error %v, want ErrOption", op, m, err)
			}
		}
	}
	for _, c := range []struct {
		op   plan.Op
		m    plan.OutOfRange
		want string
	}{
		{plan.Gather, plan.Skip, "Gather: WithOutOfRange(Skip), allowed are Reject, ZeroFill and Clamp"},
		{plan.ScatterND, plan.Clamp, "ScatterND: WithOutOfRange(Clamp), allowed are Reject and Skip"},
		{plan.EmbeddingBagPacked, plan.Clamp, "EmbeddingBagPacked: WithOutOfRange(Clamp), allowed are Reject and ZeroFill"},
		{plan.GatherND, 9, "GatherND: WithOutOfRange(9), allowed are Reject, ZeroFill and Clamp"},
		{plan.GatherTree, plan.Skip, "GatherTree: WithOutOfRange does not apply, the options are: WithReuse"},
	} {
		if _, _, err := resolved(c.op, 0, plan.Of(plan.OutOfRangePolicy, plan.Settings{OutOfRange: c.m})); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	seen := map[string]bool{}
	for m := plan.Reject; m <= plan.Skip; m++ {
		seen[fmt.Sprint(plan.Params{Op: plan.Gather, Settings: plan.Settings{OutOfRange: m}})] = true
	}
	if len(seen) != 4 {
		t.Errorf("policies are not told apart: %v", seen)
	}
}
