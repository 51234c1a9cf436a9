package bag

import (
	"runtime"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestEmptyBagsAtOnce has bags of long rows, nearly all without any: their results are written, too, and one call of a
// loop, which in assembly cannot be preempted, must not write too much.
func TestEmptyBagsAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the bags are not divided
	for _, kind := range []num.Kind{num.Float32, num.Float16} {
		i, most := *simd.Active(), 0
		loops := *i.Bags[kind]
		i.Bags[kind] = &loops
		add := loops.Add
		loops.Add = func(data, out *byte, offsets, ends *int64, scales *byte, bags, bytes, step, distance, carry int) {
			most = max(most, bags*bytes)
			add(data, out, offsets, ends, scales, bags, bytes, step, distance, carry)
		}
		d := Description{Kind: kind, Reduction: num.Add, Rows: 1, Inner: 64 << 10, Idx: num.Bytes([]int64{0}), Default: -1}
		d.Borders = Borders{Bags: 64, Offsets: num.Bytes(make([]int64, 64))}
		row := d.rowBytes()
		d.Table = make([]byte, row)
		for i := range d.Table {
			d.Table[i] = byte(i%2) * 0x3c
		}
		out := make([]byte, d.Bags*row)
		restore := simd.Use(&i)
		if bad := d.Reduce(out); bad >= 0 {
			t.Errorf("kind %d: position %d is refused", kind, bad)
		}
		restore()
		if string(out[63*row:]) != string(d.Table) {
			t.Errorf("kind %d: the last bag is not the row", kind)
		}
		if most == 0 || most > simd.RowBytesAtOnce {
			t.Errorf("kind %d: a call writes %d bytes", kind, most)
		}
	}
}
