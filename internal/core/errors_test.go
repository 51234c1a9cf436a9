package core

import (
	"strings"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// TestChangedIndexError: what is in range again when the error is made is said to have
// been changed.
func TestChangedIndexError(t *testing.T) {
	for _, c := range []struct {
		index       int64
		nonNegative bool
		want        string
	}{
		{3, false, "Gather: indices[1]: 3 out of range [-3, 3) for data axis 0; see WithOutOfRange"},
		{-4, false, "Gather: indices[1]: -4 out of range [-3, 3) for data axis 0; see WithOutOfRange"},
		{-3, false, "Gather: indices[1]: out of range [-3, 3) for data axis 0 when it was read, and -3 now: it was changed during the call"},
		{-1, true, "Gather: indices[1]: -1 out of range [0, 3) for data axis 0; see WithOutOfRange"},
		{2, true, "Gather: indices[1]: out of range [0, 3) for data axis 0 when it was read, and 2 now: it was changed during the call"},
	} {
		e := IndexError{Op: "Gather", Position: []int{1}, Index: c.index, Size: 3, NonNegative: c.nonNegative}
		if err := e.stacked(); err.Error() != c.want || e.Changed != strings.Contains(c.want, "changed") {
			t.Errorf("index %d: %v, want %s", c.index, err, c.want)
		}
	}
}

// TestChangedBorderError does the same for offsets and segment ids.
func TestChangedBorderError(t *testing.T) {
	for _, c := range []struct {
		op   plan.Op
		ids  []int64
		want string
	}{
		{plan.EmbeddingBagOffsets, []int64{0, 5, 4}, "offsets[2] is 4, allowed are ascending"},
		{plan.EmbeddingBagOffsets, []int64{0, 5, 5}, "offsets[2] was not ascending, or out of range, when it was read, and is 5 now"},
		{plan.EmbeddingSegments, []int64{0, 2, 3}, "segmentIDs[2]: 3 out of range [0, 3)"},
		{plan.EmbeddingSegments, []int64{0, 2, 1}, "segmentIDs[1] is 2 and segmentIDs[2] is 1, they must be ascending"},
		{plan.EmbeddingSegments, []int64{0, 2, 2}, "segmentIDs[2] was not ascending, or out of range, when it was read, and is 2 now"},
	} {
		b := bagCall{p: plan.Params{Op: c.op, NumSegments: 3}, op: c.op.String()}
		names := b.p.Arguments()
		if err := b.borders.view.read(b.op, names[len(names)/2], tensor.New(tensor.WithShape(3), tensor.WithBacking(c.ids))); err != nil {
			t.Fatal(err)
		}
		b.borders.loaded = num.Bytes(c.ids)
		if err := b.badBorder(2, 9); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %v: %v, want %s", c.op, c.ids, err, c.want)
		}
	}
}
