package plan_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// settings has a value other than the default for every field of Settings; a
// test below shows that none is missing.
var settings = []struct {
	given plan.Given
	name  string
	set   plan.Settings
	text  string // in String of Params
	ops   []plan.Op
}{
	{plan.BatchDims, "WithBatchDims", plan.Settings{BatchDims: 2}, "batch_dims=2", []plan.Op{plan.Gather, plan.GatherND}},
	{plan.FusedBatchDims, "WithFusedBatchDims", plan.Settings{FusedBatchDims: true}, "fused_batch_dims=true", []plan.Op{plan.GatherND}},
	{plan.OutOfRangePolicy, "WithOutOfRange", plan.Settings{OutOfRange: plan.ZeroFill}, "out_of_range=zeros", append(withBags(ops[:6]), ops[10:]...)},
	{plan.NonNegative, "WithNonNegativeIndices", plan.Settings{NonNegative: true}, "non_negative=true", withBags(ops[:6])},
	{plan.ReductionKind, "WithReduction", plan.Settings{Reduction: plan.Mean}, "reduction=mean", withBags(ops[3:6])},
	{plan.InitValue, "WithInitValue", plan.Settings{NoInit: true}, "init_value=false", ops[3:6]},
	{plan.DefaultIndexGiven, "WithDefaultIndex", plan.Settings{HasDefault: true, DefaultIndex: 2}, "default_index=2", []plan.Op{plan.EmbeddingBagOffsets, plan.EmbeddingSegments}},
	{plan.LengthsGiven, "WithLengths", plan.Settings{Lengths: true}, "lengths=true", []plan.Op{plan.EmbeddingBagOffsets}},
	{plan.LastOffsetGiven, "WithLastOffset", plan.Settings{LastOffset: true}, "last_offset=true", []plan.Op{plan.EmbeddingBagOffsets}},
	{plan.FillModeGiven, "WithFillMode", plan.Settings{FillMode: plan.FillLowest, SkipBehind: true}, "fill_mode=lowest, skip=behind", []plan.Op{plan.SegmentMax}},
	{plan.EmptySegment, "WithEmptySegment", plan.Settings{Empty: -1.5}, "empty_segment=-1.5", ops[10:15]},
	{plan.PaddingGiven, "WithPadding", plan.Settings{Padded: true, Padding: -1}, "padding=-1", append(withBags(ops[:6]), ops[10:]...)},
}

// withBags are operators, and those of bags that take reductions.
func withBags(ops []plan.Op) []plan.Op {
	return append(slices.Clone(ops), plan.EmbeddingBagOffsets, plan.EmbeddingBagPacked, plan.EmbeddingSegments)
}

// defaultReduction is an operator's without an option.
func defaultReduction(op plan.Op) plan.Reduction {
	switch {
	case op == plan.SegmentMax:
		return plan.Max
	case op.Reduces():
		return map[plan.Op]plan.Reduction{plan.SegmentSum: plan.Add, plan.SegmentMean: plan.Mean, plan.SegmentMin: plan.Min, plan.SegmentProd: plan.Mul}[op]
	case op.Bags():
		return plan.Add
	}
	return plan.None
}

// TestEverySettingIsTested finds each field of Settings in exactly one row.
func TestEverySettingIsTested(t *testing.T) {
	fields := reflect.TypeFor[plan.Settings]()
	for i := range fields.NumField() {
		rows := 0
		for _, s := range settings {
			if !reflect.ValueOf(s.set).Field(i).IsZero() {
				rows++
			}
		}
		if rows != 1 {
			t.Errorf("field %s is set in %d rows", fields.Field(i).Name, rows)
		}
	}
}

// TestLaterOfEmptySegments gives SegmentMax two options for the same thing.
func TestLaterOfEmptySegments(t *testing.T) {
	empty, mode := plan.Of(plan.EmptySegment, plan.Settings{Empty: -1.5}), plan.Of(plan.FillModeGiven, plan.Settings{FillMode: plan.FillLowest})
	if p, _, err := resolved(plan.SegmentMax, 0, empty, mode); err != nil || p.Empty != 0 || p.FillMode != plan.FillLowest {
		t.Errorf("the mode is later: got %v, %v", p, err)
	}
	if p, _, err := resolved(plan.SegmentMax, 0, mode, empty); err != nil || p.Empty != -1.5 || p.FillMode != plan.FillZero {
		t.Errorf("the elements are later: got %v, %v", p, err)
	}
}

// TestResolve gives each operator each option, alone and twice.
func TestResolve(t *testing.T) {
	for _, op := range ops {
		for _, s := range settings {
			if s.given == plan.OutOfRangePolicy && (op.Scatters() || slices.Contains(ops[10:], op)) {
				s.set.OutOfRange = plan.Skip
			}
			t.Run(op.String()+" "+s.name, func(t *testing.T) {
				p, dst, err := resolved(op, 3, plan.Of(s.given, s.set))
				if !slices.Contains(s.ops, op) {
					var has []string
					for _, other := range settings {
						if slices.Contains(other.ops, op) {
							has = append(has, other.name)
						}
					}
					want := op.String() + ": " + s.name + " does not apply, the options are: " + strings.Join(append(has, "WithReuse"), ", ")
					if !errors.Is(err, plan.ErrOption) || err.Error() != want {
						t.Errorf("error %v, want %s", err, want)
					}
					return
				}
				want := plan.Params{Op: op, Axis: 3, Settings: s.set}
				if s.given != plan.ReductionKind {
					want.Reduction = defaultReduction(op)
				}
				if err != nil || p != want || dst != nil {
					t.Errorf("got %+v, %v, %v, want %+v", p, dst, err, want)
				}
				if op.Bags() && s.given == plan.ReductionKind {
					return // the zero value, None, is none of theirs
				}
				p, _, err = resolved(op, 3, plan.Of(s.given, s.set), plan.Of(s.given, plan.Settings{}))
				want = plan.Params{Op: op, Axis: 3}
				want.Reduction = defaultReduction(op)
				if err != nil || p != want {
					t.Errorf("the later option gives its default: got %+v, %v, want %+v", p, err, want)
				}
			})
		}
	}
	t.Run("all at once", func(t *testing.T) {
		all := plan.Settings{BatchDims: 1, FusedBatchDims: true, OutOfRange: plan.ZeroFill, NonNegative: true}
		p, _, err := resolved(plan.GatherND, 0, plan.Of(plan.BatchDims|plan.FusedBatchDims|plan.OutOfRangePolicy|plan.NonNegative, all))
		if want := (plan.Params{Op: plan.GatherND, Settings: all}); err != nil || p != want {
			t.Errorf("got %+v, %v, want %+v", p, err, want)
		}
	})
	t.Run("what is not given stays", func(t *testing.T) {
		p, _, err := resolved(plan.GatherND, 0, plan.Of(plan.BatchDims, plan.Settings{BatchDims: 1, FusedBatchDims: true, NonNegative: true}))
		if want := (plan.Params{Op: plan.GatherND, Settings: plan.Settings{BatchDims: 1}}); err != nil || p != want {
			t.Errorf("got %+v, %v, want %+v", p, err, want)
		}
	})
	for _, c := range []struct {
		option plan.Option
		want   string
	}{
		{plan.Of(plan.ReductionKind, plan.Settings{Reduction: plan.SqrtN}), "ScatterND: WithReduction(sqrtn), allowed are none, add, sub, mul, min, max and mean"},
		{plan.Of(plan.ReductionKind, plan.Settings{Reduction: plan.SqrtN + 1}), "ScatterND: WithReduction(reduction 8), allowed are none, add, sub, mul, min, max and mean"},
		{plan.Into(nil), "ScatterND: WithReuse(nil), a *tensor.Dense is needed"},
	} {
		if _, _, err := resolved(plan.ScatterND, 0, c.option); !errors.Is(err, plan.ErrOption) || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func TestDestination(t *testing.T) {
	dst, later := new(tensor.Dense), new(tensor.Dense)
	for _, op := range ops {
		if _, got, err := resolved(op, 0, plan.Into(dst), plan.Into(later)); err != nil || got != later {
			t.Errorf("%v: got %p, %v, want the later destination %p", op, got, err, later)
		}
		_, err := plan.ForGraph(op, 0, plan.Into(dst))
		if want := op.String() + ": WithReuse applies to package dense only"; !errors.Is(err, plan.ErrOption) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if p, err := plan.ForGraph(op, -1); err != nil || p != (plan.Params{Op: op, Axis: -1, Settings: plan.Settings{Reduction: defaultReduction(op)}}) {
			t.Errorf("ForGraph of %v: %+v, %v", op, p, err)
		}
	}
}

// TestForGraphListsItsOptions leaves the destination out of what a graph operator
// could have been given instead.
func TestForGraphListsItsOptions(t *testing.T) {
	_, err := plan.ForGraph(plan.ScatterUpdate, 0, plan.Of(plan.BatchDims, plan.Settings{BatchDims: 1}))
	if want := "ScatterUpdate: WithBatchDims does not apply, the options are: WithOutOfRange, WithNonNegativeIndices, WithReduction, WithInitValue, WithPadding"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// resolved is what Resolve makes of new params.
func resolved(op plan.Op, axis int, opts ...plan.Option) (p plan.Params, dst *tensor.Dense, err error) {
	dst, err = p.Resolve(op, axis, opts...)
	return p, dst, err
}
