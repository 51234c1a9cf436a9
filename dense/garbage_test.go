package dense_test

import (
	"fmt"
	"math"
	"testing"

	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/turns"
)

// garbage are indices that no axis has, and among them those which come into
// range when they wrap, are negated or are cut to fewer bits.
var garbage = []int64{
	math.MinInt64, math.MinInt64 + 1, math.MinInt64 + 4, math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64 - 4,
	math.MinInt32, math.MinInt32 - 1, math.MaxInt32, 1 << 31, 1<<31 + 1, 1 << 32, 1<<32 + 1, 1<<32 + 4, -1 << 32, -1<<32 + 1,
	1 << 33, 1 << 61, 1 << 62, 1<<62 + 1, -1 << 62, 1 << 60, 1 << 63 / 5, 127, 128, -128, 255, 256, 65535, 65536, 5, -6,
}

// TestGarbage puts such an index at the first, a middle and the last position of
// each operator's indices, under each policy, for each index type that can hold
// it, and for packed and strided data.
func TestGarbage(t *testing.T) {
	five := func(n int) []int64 { // the positions of all but one are in range
		at := make([]int64, n)
		for i := range at {
			at[i] = int64(i % 5)
		}
		return at
	}
	for _, c := range []call{
		{op: "Gather", data: dims{5}, axis: 0, indices: oracle.From(five(7), 7)},
		{op: "Gather", data: dims{5, 3}, axis: 0, indices: oracle.From(five(7), 7)},
		{op: "Gather", data: dims{3, 5, 2}, axis: 1, batchDims: 1, indices: oracle.From(five(6), 3, 2)},
		{op: "GatherElements", data: dims{5}, axis: 0, indices: oracle.From(five(7), 7)},
		{op: "GatherElements", data: dims{5, 3}, axis: 0, indices: oracle.From(five(6), 2, 3)},
		{op: "GatherElements", data: dims{3, 5, 2}, axis: 1, indices: oracle.From(five(6), 3, 2, 1)},
		{op: "GatherND", data: dims{5, 6}, indices: oracle.From(five(8), 4, 2)},
		{op: "GatherND", data: dims{5, 6, 3}, indices: oracle.From(five(8), 4, 2)},
		{op: "GatherND", data: dims{3, 5, 6}, batchDims: 1, indices: oracle.From(five(6), 3, 2)},
	} {
		t.Run(fmt.Sprint(c.op, c.data), func(t *testing.T) {
			for _, it := range indexTypes {
				for number, index := range garbage {
					for i := range 12 {
						if !turns.Of(2, (i+i/6)%2, number) || !turns.Case(2, number/2+i/2) {
							continue // each policy, and each position
						}
						if race.Enabled && i != int(uint64(index)%12) {
							continue
						}
						c := c
						c.indexType = it
						c.indices = c.indices.Clone()
						position := []int{0, len(c.indices.Data) / 2, len(c.indices.Data) - 1}[i%3]
						c.indices.Data[position] = it.read(index)
						c.policy = oracle.Policy{ZeroFill: i/3%2 == 0, NonNegative: i/6%2 == 0}
						c.in, c.at, c.out = layout.All[i%len(layout.All)], layout.All[i*5%len(layout.All)], layout.All[i*7%len(layout.All)]
						c.reuse = true
						d := dtypes[(i+position)%len(dtypes)]
						if err := d.gather(&c); err != nil {
							t.Errorf("%v of %v: %v", &c, d, err)
						}
						d = numbers[(i+position)%len(numbers)]
						if err := d.add(&c); err != nil {
							t.Errorf("adjoint of %v of %v: %v", &c, d, err)
						}
					}
				}
			}
		})
	}
}

// TestGarbageOnly has no index in range at all.
func TestGarbageOnly(t *testing.T) {
	for _, policy := range []oracle.Policy{{}, {ZeroFill: true}, {NonNegative: true}, {ZeroFill: true, NonNegative: true}} {
		for _, it := range indexTypes {
			held := make([]int64, len(garbage))
			for i, v := range garbage {
				held[i] = it.read(v)
			}
			for _, c := range []call{
				{op: "Gather", data: dims{3, 4}, axis: 1, indices: oracle.From(held, len(held))},
				{op: "GatherElements", data: dims{4, len(held)}, axis: 0, indices: oracle.From(held, 1, len(held))},
				{op: "GatherND", data: dims{3, 4, 2}, indices: oracle.From(held, len(held)/2, 2)},
			} {
				c.policy, c.indexType = policy, it
				for _, d := range []dtype{dtypeNamed("float32"), dtypeNamed("uint64"), dtypeNamed("complex128")} {
					if err := d.gather(&c); err != nil {
						t.Errorf("%v of %v: %v", &c, d, err)
					}
					if err := d.add(&c); err != nil {
						t.Errorf("adjoint of %v of %v: %v", &c, d, err)
					}
				}
			}
		}
	}
}
