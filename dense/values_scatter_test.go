package dense_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"runtime"
	"slices"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/tensor"
)

// TestScatterBools has the truth tables of the reductions of bool, which OpenVINO
// gives: an update is combined with each value.
func TestScatterBools(t *testing.T) {
	// old, update: false false, false true, true false, true true
	old, updates := values(dims{4}, false, false, true, true), values(dims{4}, false, true, false, true)
	for r, want := range map[dense.Reduction][]bool{
		dense.None: {false, true, false, true},
		dense.Add:  {false, true, true, true},
		dense.Max:  {false, true, true, true},
		dense.Mul:  {false, false, false, true},
		dense.Min:  {false, false, false, true},
		dense.Sub:  {false, true, true, false},
	} {
		for _, init := range []bool{true, false} {
			t.Run(fmt.Sprintf("%v, init %v", r, init), func(t *testing.T) {
				got, err := dense.ScatterElements(old, index(0, 1, 2, 3), updates, 0, dense.WithReduction(r), dense.WithInitValue(init))
				if err != nil {
					t.Fatal(err)
				}
				if !init {
					want = []bool{false, true, false, true} // the updates alone
				}
				if err := difference(packed[bool](got), want); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestScatterWraps has sums, differences and products out of range.
func TestScatterWraps(t *testing.T) {
	ends := values(dims{2}, int8(math.MaxInt8), math.MinInt8)
	for r, want := range map[dense.Reduction][]int8{
		dense.Add: {math.MinInt8, math.MinInt8 + 1},
		dense.Sub: {math.MaxInt8 - 1, math.MaxInt8},
	} {
		got, err := dense.ScatterElements(ends, index(0, 1), values(dims{2}, int8(1), 1), 0, dense.WithReduction(r))
		if err != nil {
			t.Fatal(err)
		}
		if err := difference(packed[int8](got), want); err != nil {
			t.Errorf("%v: %v", r, err)
		}
	}
	got, err := dense.ScatterND(values(dims{1}, uint32(3)), values(dims{2, 1}, 0, 0), values(dims{2}, uint32(1<<31), 5), dense.WithReduction(dense.Mul))
	if err != nil {
		t.Fatal(err)
	}
	if err := difference(packed[uint32](got), []uint32{1 << 31}); err != nil {
		t.Error(err)
	}
}

// TestScatterMeanOfIntegers has means whose sum is out of the type's range, and
// means that are no integers: those are rounded toward minus infinity.
func TestScatterMeanOfIntegers(t *testing.T) {
	meanOf(t, "rounded down", int32(-3), []int32{-4, -4}, -4, -4)
	meanOf(t, "rounded down", int64(3), []int64{4, 4}, 3, 4)
	meanOf(t, "of both signs", int8(-1), []int8{0, 0, 0}, -1, 0)
	meanOf(t, "just below an integer", int16(-1), []int16{-1, 0}, -1, -1)
	meanOf(t, "of the greatest", int64(math.MaxInt64), slices.Repeat([]int64{math.MaxInt64}, 9), math.MaxInt64, math.MaxInt64)
	meanOf(t, "of the least", int64(math.MinInt64), slices.Repeat([]int64{math.MinInt64}, 9), math.MinInt64, math.MinInt64)
	meanOf(t, "of the ends", int64(math.MaxInt64), []int64{math.MinInt64}, -1, math.MinInt64)
	meanOf(t, "of the ends", int8(math.MinInt8), []int8{math.MaxInt8, math.MaxInt8}, 42, math.MaxInt8)
	meanOf(t, "one less than the greatest", uint64(math.MaxUint64), []uint64{math.MaxUint64, math.MaxUint64 - 1}, math.MaxUint64-1, math.MaxUint64-1)
	meanOf(t, "of many", uint8(255), slices.Repeat([]uint8{255}, 999), 255, 255)
	meanOf(t, "of many", int8(-128), slices.Repeat([]int8{-128}, 999), -128, -128)
	meanOf(t, "beyond 53 bits", int64(1<<60+1), []int64{1<<60 + 1}, 1<<60+1, 1<<60+1)
}

// meanOf checks the mean of old and updates, and that of the updates alone.
func meanOf[T oracle.Integer](t *testing.T, name string, old T, updates []T, with, without T) {
	t.Run(fmt.Sprintf("%T %s", old, name), func(t *testing.T) {
		for init, want := range map[bool]T{true: with, false: without} {
			got, err := dense.ScatterElements(values(dims{2}, old, 77), values(dims{len(updates)}, make([]int, len(updates))...),
				values(dims{len(updates)}, updates...), 0, dense.WithReduction(dense.Mean), dense.WithInitValue(init))
			if err != nil {
				t.Fatal(err)
			}
			if err := difference(packed[T](got), []T{want, 77}); err != nil {
				t.Errorf("init %v: %v", init, err)
			}
		}
	})
}

// TestScatterHalvesRoundEachSum adds 1 to 2048 twice as float16: each sum, 2049,
// is half way between two numbers, and goes back to the even one. Rounded once,
// at the end, it would be 2050.
func TestScatterHalvesRoundEachSum(t *testing.T) {
	data, updates := values(dims{1}, float16.Fromfloat32(2048)), values(dims{2}, float16.Fromfloat32(1), float16.Fromfloat32(1))
	got, err := dense.ScatterElements(data, index(0, 0), updates, 0, dense.WithReduction(dense.Add))
	if err != nil {
		t.Fatal(err)
	}
	if got := packed[float16.Float16](got)[0].Float32(); got != 2048 {
		t.Errorf("2048 + 1 + 1 = %v", got)
	}

	got, err = dense.ScatterElements(values(dims{1}, toBF16(256)), index(0, 0), values(dims{2}, toBF16(1), toBF16(1)), 0, dense.WithReduction(dense.Add))
	if err != nil {
		t.Fatal(err)
	}
	if got := fromBF16(packed[dense.BF16](got)[0]); got != 256 {
		t.Errorf("256 + 1 + 1 = %v as bfloat16", got)
	}
}

// TestScatterThreads runs scatters that are large enough to be shared by
// goroutines, and compares the bits of what one of them makes with those of more.
// Duplicates make the result depend on the order of the updates, and so the bits
// would differ if that depended on the number of goroutines.
func TestScatterThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer par.UseCores(8)()
	for _, c := range []scatterCall{
		{Scatter: cases.Scatter{Op: "ScatterElements", Data: dims{8, 50, 40}, Axis: 1, Updates: dims{8, 120, 40}}},
		{Scatter: cases.Scatter{Op: "ScatterElements", Data: dims{40, 600}, Axis: 0, Updates: dims{70, 600}}},
		{Scatter: cases.Scatter{Op: "ScatterElements", Data: dims{64, 40}, Axis: 1, Updates: dims{64, 900}}},
		{Scatter: cases.Scatter{Op: "ScatterND", Data: dims{30, 40, 64}, Updates: dims{800, 64}}},
		{Scatter: cases.Scatter{Op: "ScatterND", Data: dims{50}, Updates: dims{60000}}},
		{Scatter: cases.Scatter{Op: "ScatterUpdate", Data: dims{64, 30, 20}, Axis: 1, Updates: dims{64, 50, 20}}},
	} {
		c.values, c.indexType = 4, int64s
		switch c.Op {
		case "ScatterElements":
			c.Indices = oracle.New[int64](c.Updates...)
		case "ScatterND":
			c.Indices = oracle.New[int64](c.Updates[0], len(c.Data)-len(c.Updates)+1)
		case "ScatterUpdate":
			c.Indices = oracle.New[int64](c.Updates[c.Axis])
		}
		rng := rand.New(rand.NewSource(3))
		i := 0
		for position := range oracle.Coordinates(c.Indices.Shape) {
			c.Indices.Data[i] = rng.Int63n(int64(c.Data[c.Addressed(position)]))
			i++
		}
		if err := dtypeNamed("float64").(scatterer).scatter(&c); err != nil {
			t.Errorf("%.300s", err)
		}
		for _, r := range cases.Reductions {
			if c.Op == "ScatterUpdate" && r != oracle.None {
				continue
			}
			t.Run(fmt.Sprintf("%s %v %v", c.Op, c.Data, r), func(t *testing.T) {
				c := c
				c.Rule.Reduction = r
				for i, name := range []string{"float32", "float64", "bfloat16"} {
					if !turns.Case(3, i+int(r)) {
						continue
					}
					runtime.GOMAXPROCS(1)
					want := dtypeNamed(name).(scatterer).bits(t, &c)
					for _, threads := range []int{2, 3, 8} {
						runtime.GOMAXPROCS(threads)
						if !bytes.Equal(dtypeNamed(name).(scatterer).bits(t, &c), want) {
							t.Errorf("%s: %d threads make another result", name, threads)
						}
					}
				}
			})
		}
	}
}

// bits is the memory of a new result.
func (e elements[T]) bits(t *testing.T, c *scatterCall) []byte {
	tensorOf := func(v any, shape []int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
	}
	data := tensorOf(e.drawn(c.values, tensor.ProdInts(c.Data)), c.Data)
	updates := tensorOf(e.drawn(c.values+1, tensor.ProdInts(c.Updates)), c.Updates)
	got, err := c.run(data, tensorOf(c.Indices.Data, c.Indices.Shape), updates)
	if err != nil {
		t.Fatal(err)
	}
	return got.Uint8s()
}
