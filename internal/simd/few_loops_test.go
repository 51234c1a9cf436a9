package simd_test

import (
	"math"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestFewHalves combines 16-bit floats of all kinds, NaN with and without a payload, infinities,
// zeros and subnormal numbers of both signs, with every one that there is, and compares bits with
// those of the loop that does not look at what a target is.
func TestFewHalves(t *testing.T) {
	const all = math.MaxUint16 + 1
	offsets, places, updates := make([]int64, all), make([]int64, all), make([]uint16, all)
	for i := range all {
		offsets[i], places[i], updates[i] = int64(2*i), int64(i), uint16(i)
	}
	got, want := make([]uint16, all), make([]uint16, all)
	for _, kind := range []num.Kind{num.Float16, num.BFloat16} {
		for _, r := range []num.Reduction{num.Min, num.Max} {
			loops := simd.Go.Combine[kind][r]
			for _, magnitude := range []uint16{0, 1, 0x3ff, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7f7f, 0x7f80, 0x7f81, 0x7fff} {
				for _, target := range []uint16{magnitude, magnitude | 0x8000} {
					for i := range all {
						got[i], want[i] = target, target
					}
					loops.FewRows(num.Pointer(num.Bytes(got)), num.Pointer(num.Bytes(updates)), &offsets[0], &places[0], all, 2, 2, 0)
					loops.Rows(num.Pointer(num.Bytes(want)), num.Pointer(num.Bytes(updates)), &offsets[0], &places[0], all, 2, 2, 0)
					for i := range all {
						if got[i] != want[i] {
							t.Fatalf("kind %d, reduction %d: %#x and %#x are %#x, want %#x", kind, r, target, i, got[i], want[i])
						}
					}
				}
			}
		}
	}
}

// TestFewTargets has the least updates of each number of targets.
func TestFewTargets(t *testing.T) {
	for _, c := range []struct {
		targets, updates, all int
		want                  bool
	}{
		{1, 16, 1 << 10, false}, {1, 17, 1 << 10, true}, {4, 64, 1 << 10, false}, {4, 65, 1 << 10, true}, // learnt
		{1, 63, 1 << 20, false}, {1, 64, 1 << 20, true},
		{2, 127, 1 << 20, false}, {2, 128, 1 << 20, true}, {8, 2047, 1 << 20, false}, {8, 2048, 1 << 20, true},
		{simd.Few, 32 * simd.Few * simd.Few, 1 << 20, true}, {simd.Few + 1, 1 << 20, 1 << 20, false},
	} {
		if got := simd.FewTargets(c.targets, c.updates, c.all); got != c.want {
			t.Errorf("FewTargets(%d, %d, %d) is %v", c.targets, c.updates, c.all, got)
		}
	}
}
