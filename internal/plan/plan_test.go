package plan_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/tensor"
)

var ops = []plan.Op{
	plan.Gather, plan.GatherElements, plan.GatherND, plan.ScatterElements, plan.ScatterND, plan.ScatterUpdate, plan.GatherTree,
	plan.EmbeddingBagOffsets, plan.EmbeddingBagPacked, plan.EmbeddingSegments, plan.SegmentMax,
}

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
	{plan.OutOfRangePolicy, "WithOutOfRange", plan.Settings{OutOfRange: plan.ZeroFill}, "out_of_range=zeros", withBags(ops[:3])},
	{plan.NonNegative, "WithNonNegativeIndices", plan.Settings{NonNegative: true}, "non_negative=true", withBags(ops[:6])},
	{plan.ReductionKind, "WithReduction", plan.Settings{Reduction: plan.Mean}, "reduction=mean", withBags(ops[3:5])},
	{plan.InitValue, "WithInitValue", plan.Settings{NoInit: true}, "init_value=false", ops[3:5]},
	{plan.DefaultIndexGiven, "WithDefaultIndex", plan.Settings{HasDefault: true, DefaultIndex: 2}, "default_index=2", []plan.Op{plan.EmbeddingBagOffsets, plan.EmbeddingSegments}},
	{plan.FillModeGiven, "WithFillMode", plan.Settings{FillMode: plan.FillLowest}, "fill_mode=lowest", []plan.Op{plan.SegmentMax}},
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

// TestNew gives each operator each option, alone and twice.
func TestNew(t *testing.T) {
	for _, op := range ops {
		for _, s := range settings {
			t.Run(op.String()+" "+s.name, func(t *testing.T) {
				p, dst, err := plan.New(op, 3, plan.Of(s.given, s.set))
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
				p, _, err = plan.New(op, 3, plan.Of(s.given, s.set), plan.Of(s.given, plan.Settings{}))
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
		p, _, err := plan.New(plan.GatherND, 0, plan.Of(plan.BatchDims|plan.FusedBatchDims|plan.OutOfRangePolicy|plan.NonNegative, all))
		if want := (plan.Params{Op: plan.GatherND, Settings: all}); err != nil || p != want {
			t.Errorf("got %+v, %v, want %+v", p, err, want)
		}
	})
	t.Run("what is not given stays", func(t *testing.T) {
		p, _, err := plan.New(plan.GatherND, 0, plan.Of(plan.BatchDims, plan.Settings{BatchDims: 1, FusedBatchDims: true, NonNegative: true}))
		if want := (plan.Params{Op: plan.GatherND, Settings: plan.Settings{BatchDims: 1}}); err != nil || p != want {
			t.Errorf("got %+v, %v, want %+v", p, err, want)
		}
	})
	for _, c := range []struct {
		option plan.Option
		want   string
	}{
		{plan.Of(plan.ReductionKind, plan.Settings{Reduction: plan.Mean + 1}), "ScatterND: WithReduction(7), allowed are None, Add, Sub, Mul, Min, Max and Mean"},
		{plan.Into(nil), "ScatterND: WithReuse(nil), a *tensor.Dense is needed"},
	} {
		if _, _, err := plan.New(plan.ScatterND, 0, c.option); !errors.Is(err, plan.ErrOption) || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func TestDestination(t *testing.T) {
	dst, later := new(tensor.Dense), new(tensor.Dense)
	for _, op := range ops {
		if _, got, err := plan.New(op, 0, plan.Into(dst), plan.Into(later)); err != nil || got != later {
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
		if op.Tuples() || op == plan.GatherTree || op.Bags() {
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
			for r := plan.None; r <= plan.Mean; r++ {
				see(plan.Params{Op: op, Axis: axis, Settings: plan.Settings{Reduction: r}})
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("only %d Params were looked at", len(seen))
	}
}

func TestShape(t *testing.T) {
	type shape = tensor.Shape
	for _, c := range []struct {
		p    plan.Params
		in   []shape
		want shape
	}{
		{plan.Params{Op: plan.Gather, Axis: 2, Settings: plan.Settings{BatchDims: 1}}, []shape{{3, 4, 5}, {3, 7}}, shape{3, 4, 7}},
		{plan.Params{Op: plan.GatherElements, Axis: 1}, []shape{{3, 4, 5}, {3, 7, 2}}, shape{3, 7, 2}},
		{plan.Params{Op: plan.GatherND, Settings: plan.Settings{BatchDims: 2}}, []shape{{3, 4, 5, 6}, {3, 4, 1}}, shape{3, 4, 6}},
		{plan.Params{Op: plan.GatherND, Settings: plan.Settings{BatchDims: 2, FusedBatchDims: true}}, []shape{{3, 4, 5, 6}, {3, 4, 1}}, shape{12, 6}},
		{plan.Params{Op: plan.ScatterElements, Axis: 1}, []shape{{3, 4}, {3, 7}, {3, 7}}, shape{3, 4}},
		{plan.Params{Op: plan.ScatterND}, []shape{{3, 4}, {7, 1}, {7, 4}}, shape{3, 4}},
		{plan.Params{Op: plan.ScatterUpdate, Axis: 1}, []shape{{3, 4}, {7}, {3, 7}}, shape{3, 4}},
		{plan.Params{Op: plan.GatherTree}, []shape{{3, 4, 5}, {3, 4, 5}, {4}, {}}, shape{3, 4, 5}},
		{plan.Params{Op: plan.EmbeddingBagOffsets, Settings: plan.Settings{Reduction: plan.Add}}, []shape{{5, 3, 4}, {7}, {2}, {7}}, shape{2, 3, 4}},
		{plan.Params{Op: plan.EmbeddingBagOffsets, Settings: plan.Settings{Reduction: plan.Mean}}, []shape{{5}, {7}, {2}}, shape{2}},
		{plan.Params{Op: plan.EmbeddingBagPacked, Settings: plan.Settings{Reduction: plan.Max}}, []shape{{5, 3}, {7, 2}}, shape{7, 3}},
		{plan.Params{Op: plan.EmbeddingSegments, NumSegments: 9, Settings: plan.Settings{Reduction: plan.Add}}, []shape{{5, 3}, {7}, {7}, {7}}, shape{9, 3}},
		{plan.Params{Op: plan.SegmentMax, NumSegments: 9}, []shape{{5, 3}, {5}}, shape{9, 3}},
	} {
		if got, err := c.p.Shape(c.in...); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, %v, want %v", c.p, got, err, c.want)
		}
	}
	if _, err := (plan.Params{Op: 99}).Shape(shape{3}, shape{3}); err == nil {
		t.Error("an operator that does not exist has a shape")
	}
	for _, op := range ops {
		for _, in := range [][]shape{nil, {{3}}, {{3}, {3}, {3}, {3}, {3}}} {
			if got, err := (plan.Params{Op: op}).Shape(in...); err == nil {
				t.Errorf("%v of %d shapes has the shape %v", op, len(in), got)
			}
		}
	}
	if got, want := (plan.Params{Op: 99}).String(), "operator 99"; got != want {
		t.Errorf("got %s, want %s", got, want)
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

// TestForGraphListsItsOptions leaves the destination out of what a graph operator
// could have been given instead.
func TestForGraphListsItsOptions(t *testing.T) {
	_, err := plan.ForGraph(plan.ScatterUpdate, 0, plan.Of(plan.BatchDims, plan.Settings{BatchDims: 1}))
	if want := "ScatterUpdate: WithBatchDims does not apply, the options are: WithNonNegativeIndices"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestAppendShape appends the shape of every operator's result to a buffer, where
// nothing is allocated, and behind what is in one already.
func TestAppendShape(t *testing.T) {
	for _, c := range []struct {
		p    plan.Params
		in   []tensor.Shape
		want tensor.Shape
	}{
		{plan.Params{Op: plan.Gather, Axis: 1}, []tensor.Shape{{2, 3, 4}, {5}}, tensor.Shape{2, 5, 4}},
		{plan.Params{Op: plan.GatherElements, Axis: 1}, []tensor.Shape{{2, 3}, {2, 4}}, tensor.Shape{2, 4}},
		{plan.Params{Op: plan.GatherND, Settings: plan.Settings{BatchDims: 2, FusedBatchDims: true}}, []tensor.Shape{{2, 3, 4}, {2, 3, 1}}, tensor.Shape{6}},
		{plan.Params{Op: plan.ScatterElements}, []tensor.Shape{{2, 3}, {4, 3}, {4, 3}}, tensor.Shape{2, 3}},
		{plan.Params{Op: plan.ScatterND}, []tensor.Shape{{2, 3}, {4, 1}, {4, 3}}, tensor.Shape{2, 3}},
		{plan.Params{Op: plan.ScatterUpdate}, []tensor.Shape{{2, 3}, {4}, {4, 3}}, tensor.Shape{2, 3}},
		{plan.Params{Op: plan.GatherTree}, []tensor.Shape{{2, 3, 4}, {2, 3, 4}, {3}, {}}, tensor.Shape{2, 3, 4}},
		{plan.Params{Op: plan.EmbeddingBagOffsets, Settings: plan.Settings{Reduction: plan.Add}}, []tensor.Shape{{5, 3, 4}, {7}, {2}, {7}}, tensor.Shape{2, 3, 4}},
		{plan.Params{Op: plan.EmbeddingBagOffsets, Settings: plan.Settings{Reduction: plan.Mean}}, []tensor.Shape{{5}, {7}, {2}}, tensor.Shape{2}},
		{plan.Params{Op: plan.EmbeddingBagPacked, Settings: plan.Settings{Reduction: plan.Max}}, []tensor.Shape{{5, 3}, {7, 2}}, tensor.Shape{7, 3}},
		{plan.Params{Op: plan.EmbeddingSegments, NumSegments: 9, Settings: plan.Settings{Reduction: plan.Add}}, []tensor.Shape{{5, 3}, {7}, {7}, {7}}, tensor.Shape{9, 3}},
		{plan.Params{Op: plan.SegmentMax, NumSegments: 9}, []tensor.Shape{{5, 3}, {5}}, tensor.Shape{9, 3}},
	} {
		got, err := c.p.AppendShape(tensor.Shape{7}, c.in...)
		if want := append(tensor.Shape{7}, c.want...); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: got %v and %v, want %v", c.p, got, err, want)
		}
		if shape, err := c.p.Shape(c.in...); err != nil || !slices.Equal(shape, c.want) {
			t.Errorf("%v: got %v and %v, want %v", c.p, shape, err, c.want)
		}
		if race.Enabled {
			continue
		}
		if n := testing.AllocsPerRun(10, func() {
			_, err = c.p.AppendShape(make(tensor.Shape, 0, plan.RankHint), c.in...)
		}); n != 0 || err != nil {
			t.Errorf("%v: %v allocations, error %v", c.p, n, err)
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
