package kernel

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestDims joins loops that step as one, and keeps those that do not.
func TestDims(t *testing.T) {
	for _, c := range []struct {
		name       string
		pick, slab []Loop
		want       []Loop
		head       int
	}{
		{"packed loops are one", []Loop{{2, 12, 12, 12}, {3, 4, 4, 4}, {4, 1, 1, 1}}, nil, []Loop{{24, 1, 1, 1}}, 1},
		{"a hole in data", []Loop{{2, 12, 15, 12}, {3, 4, 5, 4}, {4, 1, 1, 1}}, nil, []Loop{{6, 4, 5, 4}, {4, 1, 1, 1}}, 2},
		{"a hole in items", []Loop{{2, 13, 12, 12}, {3, 4, 4, 4}}, nil, []Loop{{2, 13, 12, 12}, {3, 4, 4, 4}}, 2},
		{"indices stand still in one of them", []Loop{{2, 3, 3, 0}, {3, 1, 1, 1}}, nil, []Loop{{2, 3, 3, 0}, {3, 1, 1, 1}}, 2},
		{"data stands still in both", []Loop{{2, 3, 0, 3}, {3, 1, 0, 1}}, nil, []Loop{{6, 1, 0, 1}}, 1},
		{"loops that run once go", []Loop{{1, 99, 98, 97}, {3, 2, 2, 1}, {1, 5, 6, 7}}, []Loop{{1, 1, 1, 1}}, []Loop{{3, 2, 2, 1}}, 1},
		{"picks and slabs stay apart", []Loop{{2, 3, 3, 0}}, []Loop{{3, 1, 1, 0}}, []Loop{{2, 3, 3, 0}, {3, 1, 1, 0}}, 1},
		{"only slabs", nil, []Loop{{2, 3, 3, 0}, {3, 1, 1, 0}}, []Loop{{6, 1, 1, 0}}, 0},
		{"a loop that never runs", []Loop{{0, 3, 3, 3}, {3, 1, 1, 1}}, nil, []Loop{{0, 1, 1, 1}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := newCall()
			defer call.Put()
			for _, d := range c.pick {
				call.pick(d)
			}
			for _, d := range c.slab {
				call.slab(d)
			}
			if !reflect.DeepEqual(call.Dims, c.want) || call.Head != c.head {
				t.Errorf("got %v, head %d, want %v, head %d", call.Dims, call.Head, c.want, c.head)
			}
		})
	}
}

// TestOdometer: skipping n steps ends where n steps end.
func TestOdometer(t *testing.T) {
	dims := []Loop{{2, 100, 1, 7}, {3, 10, 20, 0}, {4, 1, 300, 1}}
	stepped := odometer{dims: dims, count: make([]int, 3)}
	for n := range 24 {
		skipped := odometer{dims: dims, count: make([]int, 3)}
		skipped.skip(n)
		if !reflect.DeepEqual(skipped, stepped) {
			t.Fatalf("after %d steps %+v, skipping gives %+v", n, stepped, skipped)
		}
		if want := n/12*100 + n/4%3*10 + n%4; stepped.items != want {
			t.Fatalf("after %d steps items is %d, want %d", n, stepped.items, want)
		}
		if more := stepped.step(); more != (n < 23) {
			t.Fatalf("step %d says %v", n, more)
		}
	}
	if start := (odometer{dims: dims, count: make([]int, 3)}); !reflect.DeepEqual(stepped, start) {
		t.Errorf("after the last step %+v, want the start", stepped)
	}
}

// TestCheck finds the first bad component of tuples of one to four.
func TestCheck(t *testing.T) {
	sizes := []int{3, 5, 2, 4}
	for k := 1; k <= 4; k++ {
		for _, nonNegative := range []bool{false, true} {
			for place := range 6 * k {
				for _, c := range []struct {
					value int64
					ok    bool
				}{
					{0, true}, {int64(sizes[place%k] - 1), true}, {int64(sizes[place%k]), false}, {-1, !nonNegative}, {int64(-sizes[place%k]), !nonNegative},
					{int64(-sizes[place%k] - 1), false}, {math.MaxInt32, false}, {math.MinInt32, false}, {math.MaxInt64, false}, {math.MinInt64, false},
				} {
					idx := make([]int64, 6*k)
					idx[place] = c.value
					narrow := make([]int32, len(idx))
					for i, v := range idx {
						narrow[i] = int32(v)
					}
					want := place
					if c.ok {
						want = -1
					}
					call := newCall()
					call.NonNegative = nonNegative
					for _, size := range sizes[:k] {
						call.Axes = append(call.Axes, Axis{Size: size})
					}
					call.Idx = num.Bytes(idx)
					if got := call.Check(); got != want {
						t.Errorf("tuples of %d, %d at %d, non-negative %v: bad at %d, want %d", k, c.value, place, nonNegative, got, want)
					}
					if call.Idx, call.Idx32 = num.Bytes(narrow), true; c.value == int64(int32(c.value)) {
						if got := call.Check(); got != want {
							t.Errorf("int32 tuples of %d, %d at %d, non-negative %v: bad at %d, want %d", k, c.value, place, nonNegative, got, want)
						}
					}
					call.Put()
				}
			}
		}
	}
}

// TestIsWord: elements of these widths, and strings, whose width is 0, are moved
// one by one.
func TestIsWord(t *testing.T) {
	words := []int{0, 1, 2, 4, 8, 16}
	for width := range 34 {
		if got := simd.IsWord(width); got != slices.Contains(words, width) {
			t.Errorf("simd.IsWord(%d) = %v", width, got)
		}
	}
}
