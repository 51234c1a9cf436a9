package kernel

import (
	"runtime"
	"testing"

	"gorgonia.org/gather/internal/par"
)

// TestDivideApart: goroutines do not divide what would have them write to each other's cache lines again and again, be it of
// single elements, of elements by offsets, of a tail, or of rows.
func TestDivideApart(t *testing.T) {
	defer par.UseCores(4)()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, s := range []struct {
		name    string
		single  bool
		loops   []Loop
		axis    Axis
		divided int
		grains  int // of 100
		even    bool
	}{
		{"five columns by offsets", false, []Loop{{9000, 5, 0, 5}, {5, 1, 1, 1}}, Axis{200000, 5}, 0, 1, false},
		{"five columns", true, []Loop{{9000, 5, 0, 5}, {5, 1, 1, 1}}, Axis{200000, 5}, 0, 1, false},
		{"forty columns", true, []Loop{{9000, 40, 0, 40}, {40, 1, 1, 1}}, Axis{20000, 40}, 1, 40, true},
		{"near columns", true, []Loop{{9000, 40, 0, 40}, {40, 1, 1, 1}}, Axis{2000, 40}, 0, 1, false},
		{"long near columns", true, []Loop{{90, 5000, 0, 5000}, {5000, 1, 1, 1}}, Axis{20, 5000}, 1, 100, true},
		{"a short tail", false, []Loop{{9000, 6, 0, 1}, {6, 1, 2, 0}}, Axis{100000, 12}, 0, 1, false},
		{"a long tail", false, []Loop{{9000, 60, 0, 1}, {60, 1, 2, 0}}, Axis{10000, 120}, 1, 100, false},
		{"a near tail", false, []Loop{{9000, 60, 0, 1}, {60, 1, 2, 0}}, Axis{1000, 120}, 0, 1, false},
		{"blocks", true, []Loop{{8, 90, 10, 90}, {90, 1, 0, 1}}, Axis{10, 1}, 0, 100, false},
		{"two small blocks", true, []Loop{{2, 900, 10, 900}, {900, 1, 0, 1}}, Axis{10, 1}, 0, 1, false},
		{"two blocks", true, []Loop{{2, 900, 1000, 900}, {900, 1, 0, 1}}, Axis{1000, 1}, 0, 2, false},
		{"columns of a transposed matrix", true, []Loop{{8, 900, 1, 900}, {900, 1, 0, 1}}, Axis{100, 8}, 0, 1, false},
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
		if grains, even := got.divide(100); got.divided != s.divided || grains != s.grains || even != s.even {
			t.Errorf("%s: loop %d is divided, %d grains, evenly %v, want loop %d, %d, %v", s.name, got.divided, grains, even, s.divided, s.grains, s.even)
		}
	}
}

// TestDivideRows: rows are divided into partitions if they are long or far from each other.
func TestDivideRows(t *testing.T) {
	defer par.UseCores(4)()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	if par.Threads() < 4 {
		t.Skip("there is one thread")
	}
	for _, s := range []struct{ rows, columns, partitions, grains int }{
		{100, 128, 0, 1}, {100, 600, 4, 100}, {9000, 128, 4, 100}, {90000, 8, 0, 1},
	} {
		c := &Call{Description: Description{
			Width: 4, Data: make([]byte, 4*s.rows*s.columns), Items: make([]byte, 4*900*s.columns), Idx: make([]byte, 8*900), Separate: true,
			Loops: []Loop{{900, s.columns, 0, 1}, {s.columns, 1, 1, 0}}, Axes: []Axis{{s.rows, s.columns}},
		}}
		var got scatter
		got.describe(c, true)
		if grains, _ := got.divide(100); got.partitions != s.partitions || grains != s.grains {
			t.Errorf("%d rows of %d: %d partitions, %d grains, want %d, %d", s.rows, s.columns, got.partitions, grains, s.partitions, s.grains)
		}
	}
}
