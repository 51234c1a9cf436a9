package quant_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/quant"
	"gorgonia.org/gather/internal/simd"
)

// drawRow draws a row of a magnitude, now and then of one number or with zeros of both
// signs.
func drawRow(rng *rand.Rand, columns int, most float64) []float32 {
	size := math.Exp(rng.Float64()*(math.Log(most)+90) - 90)
	row := make([]float32, columns)
	for c := range row {
		row[c] = float32(math.Max(-most, math.Min(most, rng.NormFloat64()*size)))
		switch rng.IntN(20) {
		case 0:
			row[c] = row[0]
		case 1:
			row[c] = float32(math.Copysign(0, float64(row[c])))
		}
	}
	if rng.IntN(10) == 0 {
		for c := range row {
			row[c] = row[0]
		}
	}
	return row
}

// TestBytes compares the bytes of rows with those of the oracle.
func TestBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		columns := rng.IntN(70)
		for bits, s := range map[int]quant.Storage{8: quant.Int8, 4: quant.Int4} {
			most := 1e38
			if bits == 4 {
				most = 65504
			}
			row := drawRow(rng, columns, most)
			got := make([]byte, s.RowBytes(columns))
			if err := s.Encode(got, row); err != nil {
				t.Fatalf("%v of %v: %v", s, row, err)
			}
			if want := oracle.EncodeRow(bits, row); !slices.Equal(got, want) {
				t.Fatalf("%v of %v: % x, want % x", s, row, got, want)
			}
		}
	}
}

// plain is a row of a storage as float32, as the format says.
func plain(s quant.Storage, columns int, row []byte) []float32 {
	out := make([]float32, columns)
	switch s {
	case quant.Int8:
		return oracle.DecodeRow(8, columns, row)
	case quant.Int4:
		return oracle.DecodeRow(4, columns, row)
	}
	for c := range out {
		switch at := row[c*(len(row)/columns):]; s {
		case quant.Float16:
			out[c] = float16.Frombits(uint16(at[0]) | uint16(at[1])<<8).Float32()
		case quant.BFloat16:
			out[c] = math.Float32frombits(uint32(at[0])<<16 | uint32(at[1])<<24)
		default:
			out[c] = math.Float32frombits(uint32(at[0]) | uint32(at[1])<<8 | uint32(at[2])<<16 | uint32(at[3])<<24)
		}
	}
	return out
}

var ofFloat32 = []quant.Storage{quant.Float32, quant.Float16, quant.BFloat16, quant.Int8, quant.Int4}

// TestLookup looks rows up, in every storage, under every implementation, at any
// alignment and with any number of goroutines.
func TestLookup(t *testing.T) {
	defer par3()()
	rng := rand.New(rand.NewPCG(2, 2))
	for _, impl := range simd.Implementations {
		restore := simd.Use(impl)
		for _, s := range ofFloat32 {
			for _, columns := range []int{0, 1, 2, 7, 8, 9, 15, 16, 31, 64, 65, 100, 16<<10 + 3, 33 << 10} {
				count := 1 + rng.IntN(40)
				stride := s.RowBytes(columns)
				memory := make([]byte, count*stride+8)
				from := rng.IntN(8) // not aligned
				rows := quant.Rows{Storage: s, Columns: columns, Bytes: memory[from : from+count*stride]}
				var all [][]float32
				for r := range count {
					row := drawRow(rng, columns, 1000)
					if err := s.Encode(rows.Bytes[r*stride:], row); err != nil {
						t.Fatal(err)
					}
					all = append(all, plain(s, columns, rows.Bytes[r*stride:][:stride]))
				}
				ids := make([]int64, rng.IntN(max(2, min(3000, 200000/max(columns, 1)))))
				var want []float32
				for i := range ids {
					ids[i] = rng.Int64N(int64(count)+1) - 1
					if ids[i] < 0 {
						want = append(want, make([]float32, columns)...)
					} else {
						want = append(want, all[ids[i]]...)
					}
				}
				const guard = 1.5
				out := slices.Repeat([]float32{guard}, len(want)+16)
				rows.Lookup(num.Bytes(out[8:8+len(want)]), ids)
				for i, x := range out {
					expected := float32(guard)
					if i >= 8 && i < 8+len(want) {
						expected = want[i-8]
					}
					if math.Float32bits(x) != math.Float32bits(expected) {
						t.Fatalf("%s, %v, %d columns, %d ids: number %d is %v, want %v", impl.Name, s, columns, len(ids), i-8, x, expected)
					}
				}
			}
		}
		restore()
	}
}

func par3() func() {
	before := runtime.GOMAXPROCS(3)
	return func() { runtime.GOMAXPROCS(before) }
}

// TestRefused: what a storage cannot hold is refused with row and column.
func TestRefused(t *testing.T) {
	nan, inf, most := float32(math.NaN()), float32(math.Inf(1)), float32(math.MaxFloat32)
	for _, c := range []struct {
		s     quant.Storage
		row   []float32
		words string // or none, if it fits
	}{
		{quant.Float64, []float32{1, nan}, "row 1: column 1 is NaN"},
		{quant.Float32, []float32{1, -inf}, "row 1: column 1 is -Inf"},
		{quant.Float32, []float32{1, most}, ""},
		{quant.Float16, []float32{65504, 65505}, "row 1: column 1 is 65505, Float16 holds numbers from -65504 to 65504"},
		{quant.Float16, []float32{-65504, 65504}, ""},
		{quant.BFloat16, []float32{most, 0}, "row 1: column 0 is 3.4028235e+38, which BFloat16 rounds to an infinity"},
		{quant.BFloat16, []float32{3.38e38, 0}, ""},
		{quant.Int8, []float32{0, inf}, "row 1: column 1 is +Inf"},
		{quant.Int8, []float32{0, most, -most}, "row 1: columns 2 and 1 are -3.4028235e+38 and 3.4028235e+38"},
		{quant.Int8, []float32{most, 0}, ""},
		{quant.Int4, []float32{-65505}, "row 1: column 0 is -65505, Int4 holds"},
		{quant.Int4, []float32{-65504, 65504}, ""},
	} {
		from := quant.Rows{Storage: quant.Float32, Columns: len(c.row), Bytes: num.Bytes(append(make([]float32, len(c.row)), c.row...))}
		to := quant.Rows{Storage: c.s, Columns: len(c.row), Bytes: make([]byte, c.s.Bytes(2, len(c.row)))}
		row, err := from.Convert(&to, 0, 2)
		switch {
		case c.words == "" && (err != nil || row >= 0):
			t.Errorf("%v of %v: %v", c.s, c.row, err)
		case c.words != "" && (err == nil || row != 1 || !strings.Contains(err.Error(), c.words)):
			t.Errorf("%v of %v: row %d, %v, want %s", c.s, c.row, row, err, c.words)
		}
	}
}

// TestSizes: sizes of tables, and those that no int holds.
func TestSizes(t *testing.T) {
	const most = math.MaxInt
	for _, c := range []struct {
		s             quant.Storage
		rows, columns int
		want          int
	}{
		{quant.Int4, 1, 64, 36}, {quant.Int4, 2, 3, 12}, {quant.Int8, 3, 64, 216}, {quant.BFloat16, 2, 5, 20}, {quant.Float64, 2, 5, 80},
		{quant.Int8, 5, 0, 40}, {quant.Float32, 5, 0, 0}, {quant.Float32, 0, most, 0}, {quant.Int4, 1, most, -1}, {quant.Int8, most, most, -1}, {quant.Float32, most / 4, 2, -1},
	} {
		if got := c.s.Bytes(c.rows, c.columns); got != c.want {
			t.Errorf("%v (%d, %d): %d bytes, want %d", c.s, c.rows, c.columns, got, c.want)
		}
	}
	if got := fmt.Sprint(quant.Int4, quant.Storage(200)); got != "Int4 unknown" {
		t.Error(got)
	}
}

// TestAddsBags: bags of few bits have a loop of their own where there is one, and are not
// decoded first; where a row has no tail the loop takes whole groups of columns.
func TestAddsBags(t *testing.T) {
	for _, impl := range simd.Implementations {
		restore := simd.Use(impl)
		for s, want := range map[quant.Storage][2]bool{ // of 7 columns, and of 8
			quant.Float32: {}, quant.Float64: {}, quant.Float16: {false, true}, quant.BFloat16: {false, true}, quant.Int8: {true, true}, quant.Int4: {true, true},
		} {
			for i, columns := range []int{7, 8} {
				r := quant.Rows{Storage: s, Columns: columns}
				if got := r.AddsBags(columns); got != (want[i] && impl != simd.Go) {
					t.Errorf("implementation %s, storage %v, %d columns: %v", impl.Name, s, columns, got)
				}
			}
		}
		restore()
	}
}
