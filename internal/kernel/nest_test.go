package kernel

import (
	"math"
	"slices"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestDescribe joins loops that move as one, keeps those that do not, and finds the unit
// and the tail.
func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		name       string
		loops      []Loop
		want       []Loop
		tail, unit int
	}{
		{"packed loops are one", []Loop{{2, 12, 12, 12}, {3, 4, 4, 4}, {4, 1, 1, 1}}, []Loop{{24, 1, 1, 1}}, 1, 1},
		{"a hole in data", []Loop{{2, 12, 15, 12}, {3, 4, 5, 4}, {4, 1, 1, 1}}, []Loop{{6, 4, 5, 4}, {4, 1, 1, 1}}, 2, 1},
		{"a hole in items", []Loop{{2, 13, 12, 12}, {3, 4, 4, 4}}, []Loop{{2, 13, 12, 12}, {3, 4, 4, 4}}, 2, 1},
		{"indices stand still in one of them", []Loop{{2, 3, 3, 0}, {3, 1, 1, 1}}, []Loop{{2, 3, 3, 0}, {3, 1, 1, 1}}, 2, 1},
		{"data stands still in both", []Loop{{2, 3, 0, 3}, {3, 1, 0, 1}}, []Loop{{6, 1, 0, 1}}, 1, 1},
		{"loops that run once go", []Loop{{1, 99, 98, 97}, {3, 2, 2, 1}, {1, 5, 6, 7}}, []Loop{{3, 2, 2, 1}}, 1, 1},
		{"a row of data is a unit", []Loop{{7, 6, 0, 1}, {2, 3, 3, 0}, {3, 1, 1, 0}}, []Loop{{7, 6, 0, 1}}, 1, 6},
		{"all is a unit", []Loop{{2, 3, 3, 0}, {3, 1, 1, 0}}, []Loop{}, 0, 6},
		{"a tail of single elements", []Loop{{7, 6, 0, 1}, {6, 1, 9, 0}}, []Loop{{7, 6, 0, 1}, {6, 1, 9, 0}}, 1, 1},
		{"a tail in the order of items", []Loop{{7, 6, 0, 1}, {2, 1, 1, 0}, {3, 2, 9, 0}}, []Loop{{7, 6, 0, 1}, {3, 2, 9, 0}}, 1, 2},
		{"a tail that is one row once it is in order", []Loop{{7, 6, 0, 1}, {2, 1, 1, 0}, {3, 2, 2, 0}}, []Loop{{7, 6, 0, 1}}, 1, 6},
	} {
		call := newCall()
		call.add(c.loops...)
		call.Width, call.Data, call.Items, call.Idx = 1, make([]byte, 1000), make([]byte, 1000), make([]byte, 8000)
		call.Axes = append(call.Axes, Axis{Size: 3, Stride: 50})
		var e nest
		if e.describe(call.Call, true) || !slices.Equal(e.loops, c.want) || e.tail != c.tail || e.unit != c.unit {
			t.Errorf("%s: loops %v, tail %d, unit %d, want %v, %d, %d", c.name, e.loops, e.tail, e.unit, c.want, c.tail, c.unit)
		}
		call.Put()
	}
	call := newCall()
	defer call.Put()
	call.add(Loop{0, 3, 3, 3}, Loop{3, 1, 1, 1})
	if call.Width = 1; !new(nest).describe(call.Call, true) {
		t.Error("a loop that never runs: the nest is not empty")
	}
}

// TestTurn moves the loops that do not move the index inside, and joins them there.
func TestTurn(t *testing.T) {
	call := newCall()
	defer call.Put()
	call.add(Loop{50, 24, 60, 0}, Loop{3, 8, 20, 0}, Loop{2, 4, 3, 4}, Loop{4, 1, 0, 1})
	call.Width, call.Data, call.Items, call.Idx = 1, make([]byte, 4000), make([]byte, 4000), make([]byte, 64)
	call.Axes, call.Separate = append(call.Axes, Axis{Size: 3, Stride: 1}), true
	var e nest
	e.describe(call.Call, true)
	if e.turn(7); e.tail != 3 {
		t.Error("seven tuples are few, and eight turn")
	}
	e.turn(fewRows)
	if want := []Loop{{2, 4, 3, 4}, {4, 1, 0, 1}, {150, 8, 20, 0}}; !slices.Equal(e.loops, want) || e.tail != 2 {
		t.Errorf("loops %v, tail %d, want %v, 2", e.loops, e.tail, want)
	}
}

// TestTurnStreams moves a loop inside that is contiguous in data, though there are more tuples than fewCopied.
func TestTurnStreams(t *testing.T) {
	for _, c := range []struct {
		name         string
		line, tuples int
		stride, most int
		want         bool
	}{
		{"a transposed matrix", 40, 20, 1, fewCopied, true},
		{"as many as can be, overwritten", 40, fewStreams, 1, fewRows, true},
		{"one more", 40, fewStreams + 1, 1, fewRows, false},
		{"every second element", 40, 20, 2, fewCopied, false},
		{"a short line", 31, 20, 1, fewCopied, false},
		{"combined", 40, 20, 1, fewCombined, false},
	} {
		axis := Axis{Size: farSpan/(4*100) + 1, Stride: 100}
		if got := movesInside(4, Loop{c.line, c.tuples, c.stride, 0}, c.tuples, axis, c.most); got != c.want {
			t.Errorf("%s: moves inside %v", c.name, got)
		}
	}
}

// movesInside reports whether a line of items with as many tuples in each moves into the tail.
func movesInside(width int, line Loop, tuples int, axis Axis, most int) bool {
	call := newCall()
	defer call.Put()
	call.add(line, Loop{tuples, 1, 0, 1})
	call.Width, call.Items, call.Idx = width, make([]byte, width*line.N*tuples), make([]byte, 8*tuples)
	call.Axes, call.Separate = append(call.Axes, axis), true
	call.Data = make([]byte, width*(axis.Size*axis.Stride+line.N*line.Data))
	var e nest
	e.describe(call.Call, true)
	e.turn(most)
	return e.tail == 1
}

// TestTurnNear moves loops inside that are not contiguous, though there are more tuples than fewCopied, where the axis is short.
func TestTurnNear(t *testing.T) {
	for _, c := range []struct {
		width, tuples, size int
		want                bool
	}{
		{4, fewBytes / 4, nearSpan / 4, true},
		{4, fewBytes/4 + 1, nearSpan / 4, false},
		{4, fewBytes / 4, nearSpan/4 + 1, false},
		{8, fewCopied, nearSpan/8 + 1, true},
		{8, fewCopied + 1, nearSpan / 8, false},
		{1, fewBytes, nearSpan, true},
	} {
		if got := movesInside(c.width, Loop{60, c.tuples, c.size, 0}, c.tuples, Axis{Size: c.size, Stride: 1}, fewCopied); got != c.want {
			t.Errorf("%d tuples for an axis of %d elements of %d bytes: moves inside %v", c.tuples, c.size, c.width, got)
		}
	}
}

// TestOdometer counts through three loops.
func TestOdometer(t *testing.T) {
	loops := []Loop{{2, 100, 1, 7}, {3, 10, 20, 0}, {4, 1, 300, 1}}
	var o odometer
	o.reset(loops, position{5, 6, 7})
	for n := range 24 {
		want := position{5 + n/12*100 + n/4%3*10 + n%4, 6 + n/12 + n/4%3*20 + n%4*300, 7 + n/12*7 + n%4}
		if o.position != want {
			t.Fatalf("after %d steps %v, want %v", n, o.position, want)
		}
		if more := o.step(); more != (n < 23) {
			t.Fatalf("step %d says %v", n, more)
		}
	}
	if want := (position{5, 6, 7}); o.position != want {
		t.Errorf("after the last step %v, want the start", o.position)
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
