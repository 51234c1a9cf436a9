package kernel

import (
	"runtime"
	"testing"

	"gorgonia.org/gather/internal/par"
)

// TestDivideApart: goroutines do not divide a loop inside others in which they would write to
// each other's cache lines, be it of single elements, of elements by offsets, or of a tail.
func TestDivideApart(t *testing.T) {
	defer par.UseCores(4)()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, s := range []struct {
		name    string
		single  bool
		loops   []Loop
		axis    Axis
		divided int
		even    bool
	}{
		{"five columns by offsets", false, []Loop{{9000, 5, 0, 5}, {5, 1, 1, 1}}, Axis{2000, 5}, 0, false},
		{"five columns", true, []Loop{{9000, 5, 0, 5}, {5, 1, 1, 1}}, Axis{2000, 5}, 0, false},
		{"forty columns", true, []Loop{{9000, 40, 0, 40}, {40, 1, 1, 1}}, Axis{2000, 40}, 1, true},
		{"a short tail", false, []Loop{{9000, 6, 0, 1}, {6, 1, 2, 0}}, Axis{1000, 12}, 0, false},
		{"a long tail", false, []Loop{{9000, 60, 0, 1}, {60, 1, 2, 0}}, Axis{1000, 120}, 1, false},
		{"blocks", true, []Loop{{8, 90, 10, 90}, {90, 1, 0, 1}}, Axis{10, 1}, 0, false},
	} {
		data, items, tuples := 1+(s.axis.Size-1)*s.axis.Stride, 1, 1
		for _, l := range s.loops {
			data, items, tuples = data+(l.N-1)*l.Data, items+(l.N-1)*l.Items, tuples+(l.N-1)*l.Idx
		}
		c := &Call{Description: Description{
			Width: 4, Data: make([]byte, 4*data), Items: make([]byte, 4*items), Idx: make([]byte, 8*tuples), Loops: s.loops, Axes: []Axis{s.axis},
		}}
		var got scatter
		got.describe(c, true)
		got.single = s.single
		if even := got.divide(partitionedCopyBytes, 100); got.divided != s.divided || even != s.even {
			t.Errorf("%s: loop %d is divided, evenly %v, want loop %d, %v", s.name, got.divided, even, s.divided, s.even)
		}
	}
}
