package plan_test

import (
	"slices"
	"testing"

	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/tensor"
)

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
		{plan.Params{Op: plan.EmbeddingBagOffsets, Settings: plan.Settings{Reduction: plan.SqrtN, LastOffset: true}}, []shape{{5, 3}, {7}, {2}, {7}}, shape{1, 3}},
		{plan.Params{Op: plan.EmbeddingBagOffsets, Settings: plan.Settings{Reduction: plan.Add, LastOffset: true}}, []shape{{5, 3}, {7}, {1}}, shape{0, 3}},
		{plan.Params{Op: plan.EmbeddingBagOffsets, Settings: plan.Settings{Reduction: plan.Add, Lengths: true}}, []shape{{5, 3}, {7}, {2}}, shape{2, 3}},
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

// TestFuseBatchDims has the shapes of GatherND before and after its batch dims are
// multiplied.
func TestFuseBatchDims(t *testing.T) {
	type shape = tensor.Shape
	for _, c := range []struct {
		data, indices shape
		batchDims     int
		want          shape
	}{
		{shape{30, 2, 100, 35}, shape{30, 2, 3, 1}, 2, shape{60, 3, 35}}, // OpenVINO GatherND-5, its second layer
		{shape{3, 4, 5, 6, 7}, shape{3, 4, 5, 1}, 3, shape{60, 7}},
		{shape{3, 4, 5}, shape{3, 4, 1}, 2, shape{12}},
		{shape{3, 4, 5}, shape{3, 6, 1}, 1, shape{3, 6, 5}},
		{shape{3, 4, 5}, shape{3, 6, 1}, 0, shape{3, 6, 4, 5}},
		{shape{3, 0, 5, 6}, shape{3, 0, 1}, 2, shape{0, 6}},
		{shape{3}, shape{1}, 0, shape{}},
	} {
		p := plan.Params{Op: plan.GatherND, Settings: plan.Settings{BatchDims: c.batchDims, FusedBatchDims: true}}
		if got, err := p.Shape(c.data, c.indices); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("data %v, indices %v, %d batch dims: %v, %v, want %v", c.data, c.indices, c.batchDims, got, err, c.want)
		}
	}
}
