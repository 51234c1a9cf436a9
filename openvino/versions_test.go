package openvino

import (
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset/opsettest"
	"gorgonia.org/tensor"
)

// TestForbidden has for each version what it does not allow, and which version
// the error names.
func TestForbidden(t *testing.T) {
	rows := iota32(3, 4)
	bools := of([]bool{true, false, true}, 3)
	texts := of([]string{"a", "b", "c"}, 3)
	three := of(f32(90, 91, 92), 3)
	zero, last := of(i64(0), 1), of(i64(-1), 1)
	in := func(inputs ...*tensor.Dense) []*tensor.Dense { return inputs }
	for _, c := range []struct {
		name    string
		layer   Layer
		inputs  []*tensor.Dense
		cause   error // or nil for an IndexError
		since   int
		release string
	}{
		{"batch_dims", layer("Gather-1", "batch_dims", "0").on(0), in(rows, zero), dense.ErrOption, 7, ""},
		{"negative index", layer("Gather-1").on(0), in(rows, last), nil, 8, ""},
		{"indices of floats", layer("Gather-1").on(0), in(rows, of(f32(0), 1)), dense.ErrDtype, 0, ""},
		{"complex data", layer("Gather-1").on(0), in(of([]complex64{1}, 1), zero), dense.ErrDtype, 0, ""},
		{"axis attribute", layer("Gather-7", "axis", "0").on(0), in(rows, zero), dense.ErrOption, 0, ""},
		{"boolean indices", layer("Gather-8").on(0), in(rows, bools), dense.ErrDtype, 0, ""},

		{"indices of i8", layer("GatherElements-6", "axis", "0"), in(three, of([]int8{0}, 1)), dense.ErrDtype, 0, ""},
		{"batch_dims", layer("GatherElements-6", "axis", "0", "batch_dims", "0"), in(three, zero), dense.ErrOption, 0, ""},
		{"negative index", layer("GatherElements-6", "axis", "0"), in(three, last), nil, 6, "2025.3"},
		{"negative index", layer("GatherND-5"), in(three, last), nil, 8, "2025.3"},
		{"negative index", layer("GatherND-8"), in(three, last), nil, 8, "2025.3"},
		{"indices of floats", layer("GatherND-5"), in(three, of(f32(0), 1)), dense.ErrDtype, 0, ""},
		{"axis attribute", layer("GatherND-8", "axis", "0"), in(three, zero), dense.ErrOption, 0, ""},

		{"booleans", layer("GatherTree-1"), in(of([]bool{true}, 1, 1, 1), of([]bool{true}, 1, 1, 1), of([]bool{true}, 1), of([]bool{true})), dense.ErrDtype, 0, ""},

		{"reduction", layer("ScatterUpdate-3", "reduction", "sum").on(0), in(three, zero, of(f32(1), 1)), dense.ErrOption, 0, ""},
		{"negative index", layer("ScatterUpdate-3").on(0), in(three, last, of(f32(1), 1)), nil, 0, ""},
		{"boolean data", layer("ScatterUpdate-3").on(0), in(bools, zero, of([]bool{true}, 1)), dense.ErrDtype, 0, ""},

		{"reduction", layer("ScatterElementsUpdate-3", "reduction", "sum").on(0), in(three, zero, of(f32(1), 1)), dense.ErrOption, 12, ""},
		{"use_init_val", layer("ScatterElementsUpdate-3", "use_init_val", "true").on(0), in(three, zero, of(f32(1), 1)), dense.ErrOption, 12, ""},
		{"negative index", layer("ScatterElementsUpdate-3").on(0), in(three, last, of(f32(1), 1)), nil, 12, ""},
		{"boolean data", layer("ScatterElementsUpdate-3").on(0), in(bools, zero, of([]bool{true}, 1)), dense.ErrDtype, 12, ""},
		{"string data", layer("ScatterElementsUpdate-3").on(0), in(texts, zero, of([]string{"d"}, 1)), dense.ErrDtype, 12, ""},
		{"reduction sub", layer("ScatterElementsUpdate-12", "reduction", "sub").on(0), in(three, zero, of(f32(1), 1)), dense.ErrOption, 0, ""},
		{"mean of booleans", layer("ScatterElementsUpdate-12", "reduction", "mean").on(0), in(bools, zero, of([]bool{true}, 1)), dense.ErrDtype, 0, ""},
		{"use_init_val in capitals", layer("ScatterElementsUpdate-12", "use_init_val", "True").on(0), in(three, zero, of(f32(1), 1)), dense.ErrOption, 0, ""},

		{"reduction", layer("ScatterNDUpdate-3", "reduction", "none"), in(three, zero, of(f32(1))), dense.ErrOption, 15, ""},
		{"negative index", layer("ScatterNDUpdate-3"), in(three, last, of(f32(1))), nil, 15, ""},
		{"boolean data", layer("ScatterNDUpdate-3"), in(bools, zero, of([]bool{true})), dense.ErrDtype, 15, ""},
		{"indices of u8", layer("ScatterNDUpdate-3"), in(three, of([]uint8{0}, 1), of(f32(1))), dense.ErrDtype, 0, ""},
		{"reduction mean", layer("ScatterNDUpdate-15", "reduction", "mean"), in(three, zero, of(f32(1))), dense.ErrOption, 0, ""},
		{"use_init_val", layer("ScatterNDUpdate-15", "use_init_val", "false"), in(three, zero, of(f32(1))), dense.ErrOption, 0, ""},
		{"string data", layer("ScatterNDUpdate-15"), in(texts, zero, of([]string{"d"})), dense.ErrDtype, 0, ""},
	} {
		t.Run(c.layer.Type+" "+c.layer.Version+" "+c.name, func(t *testing.T) {
			_, err := both(t, c.layer, c.inputs...)
			var e *VersionError
			require.True(t, errors.As(err, &e), "%v", err)
			assert.Equal(t, c.layer.Type, e.Op)
			assert.Equal(t, c.layer.Version, layer(versionName(e.Op, e.Version)).Version)
			assert.Equal(t, c.since, e.Since)
			assert.Equal(t, c.release, e.Release)
			if c.cause != nil {
				assert.ErrorIs(t, err, c.cause)
				return
			}
			bad, ok := gather.AsIndexError(err)
			require.True(t, ok, "%v", err)
			assert.EqualValues(t, -1, bad.Index)
		})
	}
}

// TestForbiddenTogether has inputs and attributes of which each is allowed, and
// whose combination is not.
func TestForbiddenTogether(t *testing.T) {
	rows := iota32(3, 4)
	in := func(inputs ...*tensor.Dense) []*tensor.Dense { return inputs }
	for _, c := range []struct {
		name   string
		layer  Layer
		inputs []*tensor.Dense
		cause  error
	}{
		{"index past the end", layer("Gather-1").on(1), in(rows, of(i64(4), 1)), nil},
		{"batch_dims above the axis", layer("Gather-7", "batch_dims", "1").on(0), in(rows, of(i64(0, 1, 2), 3)), dense.ErrShape},
		{"batch_dims above the rank of indices", layer("Gather-8", "batch_dims", "2").on(1), in(rows, of(i64(0, 1, 2), 3)), dense.ErrOption},
		{"batch_dims below minus the rank of data", layer("Gather-8", "batch_dims", "-3").on(1), in(rows, of(i64(0), 1, 1, 1)), dense.ErrOption},
		{"batch dims differ", layer("Gather-8", "batch_dims", "1").on(1), in(rows, of(i64(0, 1), 2)), dense.ErrShape},
		{"axis out of range", layer("Gather-8").on(2), in(rows, of(i64(0), 1)), dense.ErrAxis},
		{"scalar data", layer("Gather-8").on(0), in(of(f32(1)), of(i64(0), 1)), dense.ErrShape},
		{"smaller beside the axis", layer("GatherElements-6", "axis", "1"), in(rows, of(i64(0, 1), 2, 1)), dense.ErrShape},
		{"larger beside the axis", layer("GatherElements-6", "axis", "-1"), in(rows, of(i64(0, 1, 0, 1), 4, 1)), dense.ErrShape},
		{"ranks differ", layer("GatherElements-6", "axis", "0"), in(rows, of(i64(0, 1, 0, 1), 4)), dense.ErrShape},
		{"axis out of range", layer("GatherElements-6", "axis", "2"), in(rows, of(i64(0, 1, 2), 3, 1)), dense.ErrAxis},
		{"no axis", layer("GatherElements-6"), in(rows, of(i64(0, 1, 2), 3, 1)), dense.ErrOption},
		{"batch_dims below 0", layer("GatherND-5", "batch_dims", "-1"), in(rows, of(i64(0, 1, 2), 3, 1)), dense.ErrOption},
		{"batch_dims equal to the rank of data", layer("GatherND-8", "batch_dims", "2"), in(rows, of(i64(0, 1, 2), 3, 1)), dense.ErrOption},
		{"batch_dims beyond any int", layer("GatherND-8", "batch_dims", "99999999999999999999"), in(rows, of(i64(0), 1, 1)), dense.ErrOption},
		{"tuple without elements", layer("GatherND-8"), in(rows, of([]int64{}, 2, 0)), dense.ErrShape},
		{"types differ", layer("GatherTree-1"), in(of(i64(1), 1, 1, 1), of(i32(0), 1, 1, 1), of(i64(1), 1), of(i64(0))), dense.ErrDtype},
		{"end_token of one element", layer("GatherTree-1"), in(of(i64(1), 1, 1, 1), of(i64(0), 1, 1, 1), of(i64(1), 1), of(i64(0), 1)), dense.ErrShape},
		{"parent out of range", layer("GatherTree-1"), in(of(i64(1, 2), 2, 1, 1), of(i64(0, 1), 2, 1, 1), of(i64(2), 1), of(i64(0))), nil},
		{"updates of another type", layer("ScatterUpdate-3").on(0), in(rows, of(i64(0), 1), of(i64(1, 2, 3, 4), 1, 4)), dense.ErrDtype},
		{"updates of another shape", layer("ScatterUpdate-3").on(0), in(rows, of(i64(0), 1), of(f32(1, 2, 3), 1, 3)), dense.ErrShape},
		{"index past the end", layer("ScatterUpdate-3").on(0), in(rows, of(i64(3), 1), of(f32(1, 2, 3, 4), 1, 4)), nil},
		{"larger beside the axis", layer("ScatterElementsUpdate-12").on(1), in(rows, of(i64(0, 0, 0, 0), 4, 1), of(f32(1, 2, 3, 4), 4, 1)), dense.ErrShape},
		{"updates of another shape", layer("ScatterElementsUpdate-3").on(1), in(rows, of(i64(0, 0, 0), 3, 1), of(f32(1, 2), 2, 1)), dense.ErrShape},
		{"index past the end", layer("ScatterElementsUpdate-12").on(1), in(rows, of(i64(-5), 1, 1), of(f32(1), 1, 1)), nil},
		{"two elements for a scalar update", layer("ScatterNDUpdate-15"), in(rows, of(i64(0, 0), 2), of(f32(1, 2), 2)), dense.ErrShape},
		{"one element for a slice", layer("ScatterNDUpdate-15"), in(rows, of(i64(0), 1), of(f32(1), 1)), dense.ErrShape},
		{"index past the end", layer("ScatterNDUpdate-3"), in(rows, of(i64(0, 4), 2), of(f32(1))), nil},
		{"index before the start", layer("ScatterNDUpdate-15"), in(rows, of(i64(-4, 0), 2), of(f32(1))), nil},
	} {
		t.Run(c.layer.Type+" "+c.layer.Version+" "+c.name, func(t *testing.T) {
			_, err := both(t, c.layer, c.inputs...)
			if c.cause != nil {
				assert.ErrorIs(t, err, c.cause)
				return
			}
			_, ok := gather.AsIndexError(err)
			assert.True(t, ok, "%v", err)
		})
	}
}

// TestAllowed has what a version allows although a neighbour does not.
func TestAllowed(t *testing.T) {
	withRelease := func(l Layer, release string) Layer {
		l.Release = release
		return l
	}
	five := of(f32(1, 2, 3, 4, 5), 5)
	in := func(inputs ...*tensor.Dense) []*tensor.Dense { return inputs }
	for _, c := range []struct {
		name   string
		layer  Layer
		inputs []*tensor.Dense
		want   *tensor.Dense
	}{
		{"negative and past the end are zeros", layer("Gather-7").on(0), in(five, of(i64(1, -1, 5), 3)), of(f32(2, 0, 0), 3)},
		{"negative counts, past the end is zero", layer("Gather-8").on(0), in(five, of(i64(1, -1, 5, -6), 4)), of(f32(2, 5, 0, 0), 4)},
		{"strings past the end are empty", layer("Gather-8").on(0), in(of([]string{"a", "b"}, 2), of(i64(1, 2), 2)), of([]string{"b", ""}, 2)},
		{"indices of u8", layer("Gather-1").on(0), in(five, of([]uint8{4, 0}, 2)), of(f32(5, 1), 2)},
		{"indices of int", layer("GatherElements-6", "axis", "0"), in(five, of([]int{4, 0}, 2)), of(f32(5, 1), 2)},
		{"negative index in 2025.3", withRelease(layer("GatherElements-6", "axis", "0"), "2025.3"), in(five, of(i64(-1, 0), 2)), of(f32(5, 1), 2)},
		{"negative index in 2026.4.1", withRelease(layer("GatherND-8"), "2026.4.1"), in(five, of(i64(-1, -5), 2, 1)), of(f32(5, 1), 2)},
		{"mean without data", layer("ScatterElementsUpdate-12", "reduction", "mean", "use_init_val", "false").on(0), in(five, of(i64(1, 1), 2), of(f32(5, 8), 2)), of(f32(1, 6.5, 3, 4, 5), 5)},
		{"mean of integers rounds down", layer("ScatterElementsUpdate-12", "reduction", "mean").on(0), in(of(i32(-3, 0), 2), of(i64(0, 0), 2), of(i32(-4, -4), 2)), of(i32(-4, 0), 2)},
		{"strings", layer("ScatterElementsUpdate-12").on(0), in(of([]string{"a", "b"}, 2), of(i64(-1), 1), of([]string{"c"}, 1)), of([]string{"a", "c"}, 2)},
		{"sub of booleans is XOR", layer("ScatterNDUpdate-15", "reduction", "sub"), in(of([]bool{true, true, false}, 3), of(i64(0, 1, 2), 3, 1), of([]bool{true, false, true}, 3)), of([]bool{false, true, true}, 3)},
		{"one element for a scalar update", layer("ScatterNDUpdate-3"), in(five, of(i64(2), 1), of(f32(9), 1, 1)), of(f32(1, 2, 9, 4, 5), 5)},
		{"scalar indices", layer("ScatterUpdate-3").on(0), in(five, of(i64(2)), of(f32(9))), of(f32(1, 2, 9, 4, 5), 5)},
		{"tree of floats", layer("GatherTree-1"), in(of(f32(1, 2, 3, 4), 2, 1, 2), of(f32(0, 0, 1, 0), 2, 1, 2), of(f32(2), 1), of(f32(9))), of(f32(2, 1, 3, 4), 2, 1, 2)},
	} {
		t.Run(c.layer.Type+" "+c.layer.Version+" "+c.name, func(t *testing.T) {
			got, err := both(t, c.layer, c.inputs...)
			require.NoError(t, err)
			assert.Equal(t, c.want.Shape(), got.Shape())
			assert.Equal(t, c.want.Data(), got.Data())
		})
	}
}

// TestOldReleases holds GatherND-8 and GatherElements-6 to the texts before
// 2025.3, by name.
func TestOldReleases(t *testing.T) {
	for _, release := range []string{"2025.2", "2025.2.9", "2024.6", "2023.3"} {
		for _, l := range []Layer{layer("GatherND-8"), layer("GatherElements-6", "axis", "0")} {
			t.Run(l.Type+" "+release, func(t *testing.T) {
				l.Release = release
				_, err := both(t, l, of(f32(1, 2, 3), 3), of(i64(-1), 1))
				var e *VersionError
				require.True(t, errors.As(err, &e), "%v", err)
				assert.Equal(t, "2025.3", e.Release)
			})
		}
	}
}

// TestNewestVersion has the opsets at which an operator's meaning changes.
func TestNewestVersion(t *testing.T) {
	for _, c := range []struct {
		op            string
		opset, newest int
	}{
		{"Gather", 1, 1}, {"Gather", 6, 1}, {"Gather", 7, 7}, {"Gather", 8, 8}, {"Gather", 17, 8},
		{"GatherElements", 6, 6}, {"GatherElements", 17, 6},
		{"GatherND", 5, 5}, {"GatherND", 7, 5}, {"GatherND", 8, 8}, {"GatherND", 17, 8},
		{"GatherTree", 1, 1}, {"GatherTree", 17, 1},
		{"ScatterUpdate", 3, 3}, {"ScatterUpdate", 17, 3},
		{"ScatterElementsUpdate", 3, 3}, {"ScatterElementsUpdate", 11, 3}, {"ScatterElementsUpdate", 12, 12}, {"ScatterElementsUpdate", 17, 12},
		{"ScatterNDUpdate", 3, 3}, {"ScatterNDUpdate", 14, 3}, {"ScatterNDUpdate", 15, 15}, {"ScatterNDUpdate", 17, 15},
	} {
		l := layer(versionName(c.op, c.opset))
		t.Run(c.op+" "+l.Version, func(t *testing.T) {
			got, err := specification.Call(c.op, c.opset)
			require.NoError(t, err)
			assert.Equal(t, c.newest, got.Version.Since)
		})
	}
	for op, first := range map[string]int{"GatherElements": 6, "GatherND": 5, "ScatterUpdate": 3, "ScatterElementsUpdate": 3, "ScatterNDUpdate": 3} {
		t.Run(op+" before its first version", func(t *testing.T) {
			_, err := Eval(layer(versionName(op, first-1)))
			var e *VersionError
			require.True(t, errors.As(err, &e), "%v", err)
			assert.Equal(t, VersionError{Op: op, Opset: first - 1, Since: first}, opsettest.Fields(e))
		})
	}
}

func TestVersionErrorText(t *testing.T) {
	three, last := of(f32(1, 2, 3), 3), of(i64(-1), 1)
	for want, l := range map[string]Layer{
		`GatherND: the operator is not allowed in opset4, it is since opset5`: layer("GatherND-4"),

		`GatherND-5: a negative index is not allowed in opset5, it is since opset8 of release 2025.3: ` +
			`GatherND: indices[0]: -1 out of range [0, 3) for data axis 0; see WithOutOfRange`: layer("GatherND-5"),

		`GatherND-8: a negative index is not allowed before release 2025.3: ` +
			`GatherND: indices[0]: -1 out of range [0, 3) for data axis 0; see WithOutOfRange`: layer("GatherND-8"),

		`Gather-1: a negative index is not allowed in opset1, it is since opset8: ` +
			`Gather: indices[0]: -1 out of range [0, 3) for data axis 0; see WithOutOfRange`: layer("Gather-1").on(0),

		`Gather-1: attribute "batch_dims" is not allowed in opset1, it is since opset7`: layer("Gather-1", "batch_dims", "1").on(0),

		`Gather-8: attribute "mode" is not allowed in opset8, nor in any other, allowed are batch_dims`: layer("Gather-8", "mode", "clip").on(0),

		`Gather-8: attribute "batch_dim" is not allowed in opset8, nor in any other, allowed are batch_dims; did you mean batch_dims?`: layer("Gather-8", "batch_dim", "1").on(0),

		`ScatterElementsUpdate-12: attribute "use_initval" is not allowed in opset12, nor in any other, allowed are reduction, use_init_val; did you mean use_init_val?`: layer("ScatterElementsUpdate-12", "use_initval", "true").on(0),

		`GatherTree-1: attribute "axis" is not allowed in opset1, nor in any other`: layer("GatherTree-1", "axis", "1"),

		`layer type "GatherNd" is not supported, allowed are EmbeddingBagOffsets, EmbeddingBagOffsetsSum, EmbeddingBagPacked, EmbeddingBagPackedSum, EmbeddingSegmentsSum, Gather, GatherElements, GatherND, GatherTree, ScatterElementsUpdate, ScatterNDUpdate, ScatterUpdate, SegmentMax; did you mean GatherND or Gather?`: {Type: "GatherNd", Version: "opset8"},
	} {
		_, err := Eval(l, three, last)
		assert.EqualError(t, err, want)
	}
	_, err := Eval(layer("ScatterElementsUpdate-12", "reduction", "sub").on(0), three, last, three)
	assert.EqualError(t, err, `ScatterElementsUpdate-12: attribute "reduction" with value "sub" (out of none, sum, prod, min, max, mean) is not allowed in opset12, nor in any other`)
}

func TestVersionsAscend(t *testing.T) { opsettest.Table(t, specification, operators) }
