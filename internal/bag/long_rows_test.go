package bag

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// TestLongAsShortRows: the results of long rows, a few of which are copied if each bag has one, are those of their first
// columns alone. Zeros have both signs, and rows are twice in a table and not, out of order and missing.
func TestLongAsShortRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const rows, short, long = 9, 50, 1200
	for kind := num.Kind(1); int(kind) < num.Kinds; kind++ {
		if kind == num.Bool || !Has(kind, num.Add) {
			continue
		}
		width := kind.Width()
		table, first := make([]byte, rows*long*width), make([]byte, rows*short*width)
		for i := range table {
			table[i] = byte(rng.Uint32())
			if kind >= num.Float16 { // 0, and with the bit of the sign -0; or some finite number
				table[i] = []byte{0, 0x80, 0x3c}[rng.IntN(3)]
			}
		}
		for r := range rows {
			copy(first[r*short*width:], table[r*long*width:][:short*width])
		}
		for name, b := range map[string]struct {
			idx []int64
			Borders
		}{
			"a segment each":        {nil, Borders{Bags: rows - 1, Segments: num.Bytes([]int64{0, 1, 2, 3, 4, 5, 6, 7})}},
			"segments without rows": {nil, Borders{Bags: 3, Segments: num.Bytes([]int64{0, 2, 2})}},
			"an offset each":        {[]int64{3, 0, 3}, Borders{Bags: 3, Offsets: num.Bytes([]int64{0, 1, 2})}},
			"offsets from 1 on":     {[]int64{3, 0, 3}, Borders{Bags: 3, Offsets: num.Bytes([]int64{1, 1, 2})}},
			"an empty bag":          {[]int64{3, 0, 3}, Borders{Bags: 3, Offsets: num.Bytes([]int64{0, 2, 2})}},
			"fewer bags":            {[]int64{3, 0, 5}, Borders{Bags: 1, PerBag: 3}},
			"one each":              {[]int64{3, 0, 3}, Borders{Bags: 3, PerBag: 1}},
		} {
			for _, r := range []num.Reduction{num.Add, num.Mul, num.Min, num.Max, num.Mean} {
				if b.idx != nil && !Has(kind, r) || kind >= num.Complex64 && (r == num.Min || r == num.Max) {
					continue
				}
				d := Description{Kind: kind, Reduction: r, Rows: rows, Borders: b.Borders, Default: -1}
				if b.idx == nil {
					d.Rows = len(b.Segments) / 8
				} else {
					d.Idx = num.Bytes(b.idx)
				}
				all, some := make([]byte, b.Bags*long*width), make([]byte, b.Bags*short*width)
				d.Table, d.Inner = table[:d.Rows*long*width], long
				bad := d.Reduce(all)
				d.Table, d.Inner = first[:d.Rows*short*width], short
				if got := d.Reduce(some); got != bad || bad >= 0 {
					t.Fatalf("%s, kind %d, %v: bad positions %d and %d", name, kind, r, bad, got)
				}
				for bag := range b.Bags {
					if !bytes.Equal(all[bag*long*width:][:short*width], some[bag*short*width:][:short*width]) {
						t.Errorf("%s, kind %d, %v: bag %d of long rows is not that of short ones", name, kind, r, bag)
					}
				}
			}
		}
	}
}

// TestGradientOnThreads: gradients are the same on any number of threads, be the rows of the table divided, their columns,
// or nothing.
func TestGradientOnThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, s := range []struct{ rows, inner int }{{1, 600}, {2, 600}, {3, 600}, {3, 20000}, {4, 700}, {9, 600}, {300, 70}, {9000, 70}} {
		bags := 200000/s.inner + 1
		idx, table, grad := make([]int64, 2*bags), make([]float32, s.rows*s.inner), make([]float32, bags*s.inner)
		for i := range idx {
			idx[i] = rng.Int64N(int64(s.rows))
		}
		for i := range table {
			table[i] = float32(rng.IntN(5))
		}
		for i := range grad {
			grad[i] = rng.Float32()
		}
		for _, r := range []num.Reduction{num.Add, num.Mean, num.Max} {
			d := Description{Kind: num.Float32, Reduction: r, Table: num.Bytes(table), Rows: s.rows, Inner: s.inner, Idx: num.Bytes(idx), Borders: Borders{Bags: bags, PerBag: 2}, Default: -1}
			var one []byte
			for _, cores := range []int{1, 2, 4} {
				restore, got := par.UseCores(cores), make([]byte, len(table)*4)
				bad := d.AddGradient(got, num.Bytes(grad))
				if restore(); one == nil {
					one = got
				}
				if bad >= 0 || !bytes.Equal(got, one) {
					t.Errorf("%v of %d rows of %d: other gradients on %d threads than on one, bad position %d", r, s.rows, s.inner, cores, bad)
				}
			}
			if sum := fmt.Sprint(one[:min(len(one), 400)]); sum == fmt.Sprint(make([]byte, min(len(one), 400))) {
				t.Errorf("%v of %d rows of %d: no gradients", r, s.rows, s.inner)
			}
		}
	}
}
