package onnxruntime

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A failure is printed as a seed and a number, so these have to give the same case again.
func TestNewCaseFollowsFromSeedAndNumber(t *testing.T) {
	for number := range uint64(400) {
		require.Equal(t, NewCase(7, number), NewCase(7, number))
	}
	require.NotEqual(t, NewCase(7, 1).Inputs, NewCase(7, 2).Inputs)
	require.NotEqual(t, NewCase(7, 1), NewCase(8, 1))
}

// The cases are worth their time only if each version, dtype and flaw turns up in a run of the usual length.
func TestNewCaseCoversTheTable(t *testing.T) {
	type pair struct {
		version string
		dtype   DType
	}
	pairs, seen := map[pair]int{}, map[string]int{}
	for number := range uint64(20_000) {
		c := NewCase(1, number)
		pairs[pair{c.config.String(), c.config.dtype}]++
		seen[c.config.flaw]++
		if c.config.flaw == "" && c.flaw != "" {
			seen["in one case"]++
		}
	}
	for _, v := range versions {
		for _, dtype := range v.data {
			require.NotZero(t, pairs[pair{v.String(), dtype}], "%v of %v", v, dtype)
		}
	}
	for _, f := range flaws {
		require.NotZero(t, seen[f.name], f.name)
	}
	require.Greater(t, seen[""], 15_500)
	require.Greater(t, seen["in one case"], 2_500)
}

func TestCompare(t *testing.T) {
	otherNaN := math.Float64frombits(math.Float64bits(math.NaN()) ^ 0xabc)
	for _, c := range []struct {
		name      string
		got, want *Value
		text      string
	}{
		{"equal", floats([]int{2}, 1, 2), floats([]int{2}, 1, 2), ""},
		{"NaNs with different bits", floats([]int{2}, 1, otherNaN), floats([]int{2}, 1, math.NaN()), ""},
		{"empty", floats([]int{2, 0}), floats([]int{2, 0}), ""},
		{"one bit", floats([]int{2}, 1, math.Nextafter(2, 3)), floats([]int{2}, 1, 2),
			"1 of 2 elements differ, first at 1: 2.0000000000000004 (4000000000000001), want 2 (4000000000000000)"},
		{"the sign of zero", floats(nil, math.Copysign(0, -1)), floats(nil, 0),
			"1 of 1 elements differ, first at 0: -0 (8000000000000000), want 0 (0000000000000000)"},
		{"NaN for a number", floats([]int{1}, math.NaN()), floats([]int{1}, 1),
			"1 of 1 elements differ, first at 0: NaN (7ff8000000000001), want 1 (3ff0000000000000)"},
		{"shape alone", floats([]int{2, 1}, 1, 2), floats([]int{1, 2}, 1, 2), "shape [2 1], want [1 2]"},
		{"shape of empties", floats([]int{2, 0}), floats([]int{0, 2}), "shape [2 0], want [0 2]"},
		{"scalar and list", floats(nil, 1), floats([]int{1}, 1), "shape [], want [1]"},
		{"dtype", integers(Int32, []int{1}, []int64{1}), integers(Uint32, []int{1}, []int64{1}), "dtype int32, want uint32"},
		{"strings", &Value{DType: String, Shape: []int{1}, Strings: []string{"a"}}, &Value{DType: String, Shape: []int{1}, Strings: []string{"b"}},
			`1 of 1 elements differ, first at 0: "a", want "b"`},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.text, compare(c.got, c.want)) })
	}
}

// Every dtype and rank has to come back from a Dense as it went in, or a fault could hide in the conversion.
func TestDenseAndBack(t *testing.T) {
	for dtype := range dtypes {
		for _, shape := range [][]int{{}, {1}, {0}, {3, 0, 2}, {2, 3}, {2, 3, 4}} {
			v := newValue(dtype, shape)
			anyBits.fill(rand.New(rand.NewPCG(1, 2)), v)
			back, err := fromDense(v.Dense(rowMajor))
			require.NoError(t, err)
			require.Empty(t, compare(back, v), "%v%v", dtype, shape)
		}
	}
}

// The layouts have to be what they say, with the elements in their places as package tensor finds them.
func TestDenseLayouts(t *testing.T) {
	v := integers(Int32, []int{2, 3, 4}, []int64{
		0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 100, 101, 102, 103, 110, 111, 112, 113, 120, 121, 122, 123,
	})
	for l, strides := range map[layout][]int{rowMajor: {12, 4, 1}, colMajor: {1, 2, 6}, transposed: {1, 2, 6}} {
		d := v.Dense(l)
		require.Equal(t, strides, []int(d.Strides()))
		require.Equal(t, l == transposed, d.RequiresIterator())
		for i := range 2 {
			for j := range 3 {
				for k := range 4 {
					x, err := d.At(i, j, k)
					require.NoError(t, err)
					require.EqualValues(t, 100*i+10*j+k, x)
				}
			}
		}
	}
}
