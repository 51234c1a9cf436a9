package layout

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gorgonia.org/tensor"
)

// TestLayouts shows that Lay means what package tensor means: each element is
// where At finds it.
func TestLayouts(t *testing.T) {
	for _, l := range All {
		for _, shape := range [][]int{{7}, {3, 5}, {2, 3, 5}, {3, 1, 4}, {5, 1}, {1, 5}, {1, 1}, {2, 3, 4, 5}} {
			t.Run(fmt.Sprintf("%v %v", l, shape), func(t *testing.T) {
				values := counting(tensor.ProdInts(shape))
				b := Lay(l, values, -1, shape...)
				if !slices.Equal(b.Dense.Shape(), shape) {
					t.Fatalf("shape %v, want %v", b.Dense.Shape(), shape)
				}
				if got := b.Values(); !slices.Equal(got, values) {
					t.Errorf("values %v, want %v", got, values)
				}
				for i, want := range values {
					if len(b.Dense.Strides()) != len(shape) {
						break // At needs a stride for each axis
					}
					coordinates := make([]int, len(shape))
					for axis, rest := len(shape)-1, i; axis >= 0; axis-- {
						coordinates[axis], rest = rest%shape[axis], rest/shape[axis]
					}
					if got, err := b.Dense.At(coordinates...); err != nil || got != want {
						t.Errorf("At%v = %v, %v, want %v", coordinates, got, err, want)
					}
				}
				packed := slices.Equal(b.Dense.Strides(), Strides(shape, false))
				if wanted := l.name == "row-major" || l.name == "outer axis sliced"; len(shape) > 2 && packed != wanted {
					t.Errorf("packed is %v for strides %v", packed, b.Dense.Strides())
				}
			})
		}
	}
}

// TestLayoutsDiffer finds no layout that is another one under a second name.
func TestLayoutsDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, l := range All {
		b := Lay(l, counting(30), -1, 2, 3, 5)
		memory := fmt.Sprint(b.Dense.Strides(), b.Dense.DataOrder(), len(b.Memory))
		if other, taken := seen[memory]; taken {
			t.Errorf("%v and %s are one layout: %s", l, other, memory)
		}
		seen[memory] = l.name
	}
}

// TestBlock changes an element, memory beside the elements and a guard.
func TestBlock(t *testing.T) {
	for _, l := range All {
		b := Lay(l, []float64{1, math.NaN(), 3, 4, 5, 6}, -1, 2, 3)
		if err := b.Touched(); err != nil {
			t.Errorf("%v: new: %v", l, err)
		}
		b.Memory[b.places[2]] = math.Copysign(0, -1)
		if b.Touched() == nil || b.Stray() != nil {
			t.Errorf("%v: an element changed: touched %v, stray %v", l, b.Touched(), b.Stray())
		}
		b.Restore()
		if err := b.Touched(); err != nil {
			t.Errorf("%v: restored: %v", l, err)
		}
		for i := range b.Memory {
			if slices.Contains(b.places, i) {
				continue
			}
			b.Memory[i] = 0
			if b.Touched() == nil || b.Stray() == nil {
				t.Errorf("%v: memory at %d changed: touched %v, stray %v", l, i, b.Touched(), b.Stray())
			}
			b.Restore()
		}
	}
}

// TestIdentical compares elements as their memory is, and strings as their text is.
func TestIdentical(t *testing.T) {
	type word string
	nan, zero := math.NaN(), 0.0
	for name, c := range map[string]struct{ got, want bool }{
		"a NaN and itself":     {Identical([]float64{nan}, []float64{nan}), true},
		"0 and -0":             {Identical([]float64{zero}, []float64{-1 / math.Inf(1)}), false},
		"another length":       {Identical([]int8{1}, []int8{1, 1}), false},
		"the second differs":   {Identical([]int32{1, 2}, []int32{1, 3}), false},
		"strings in two rooms": {Identical([]string{"ab"}, []string{string([]byte("ab"))}), true},
		"named strings":        {Identical([]word{"ab"}, []word{word([]byte("ab"))}), true},
		"other named strings":  {Identical([]word{"ab"}, []word{"ac"}), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// counting is the values 1 to n.
func counting(n int) []int64 {
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i + 1)
	}
	return values
}
