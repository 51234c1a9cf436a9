package update

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/turns"
)

// equalFloats reports whether memory holds the values, bit for bit, but that all
// NaN are alike: which of two an operation returns is not defined.
func equalFloats[T float32 | float64](mem []byte, want []T) error {
	if bytes.Equal(mem, num.Bytes(want)) {
		return nil
	}
	for i, x := range num.As[T](mem) {
		if !bytes.Equal(num.Bytes([]T{x}), num.Bytes(want[i:i+1])) && (x == x || want[i] == want[i]) {
			return fmt.Errorf("element %d is %v, want %v", i, x, want[i])
		}
	}
	return nil
}

// check runs two steps of the case in each implementation with several numbers of
// threads, and compares each with the plain loops.
func (c *updateCase[T]) check(t *testing.T, rng *rand.Rand, step *Step) {
	t.Helper()
	want := *c
	want.table, want.first, want.second = append([]T(nil), c.table...), append([]T(nil), c.first...), append([]T(nil), c.second...)
	norm := want.apply()
	name := fmt.Sprintf("%T, optimizer %d, %d rows of %d, %d sources, l2 %v, scale %v", c.table, c.Optimizer, c.Rows, c.Inner, len(c.sources), c.L2, c.Scale)
	memtest.OnThreads(t, func(t *testing.T) {
		for _, impl := range simd.Implementations {
			restore := simd.Use(impl)
			table, first, second := memtest.Copy(c.table, rng), memtest.Copy(c.first, rng), memtest.Copy(c.second, rng)
			u := c.Description
			u.Table, u.First, u.Second = table.Mem, first.Mem, second.Mem
			if rng.IntN(2) == 0 {
				got := step.NormSquared(&u)
				if math.Float64bits(got) != math.Float64bits(norm) && (got == got || norm == norm) {
					t.Fatalf("%s: %s: squared norm %v, want %v", name, impl.Name, got, norm)
				}
			}
			step.Apply(&u)
			restore()
			for what, m := range map[string]struct {
				got  memtest.Guarded
				want []T
			}{"table": {table, want.table}, "first": {first, want.first}, "second": {second, want.second}} {
				m.got.Check(t, name+": "+what)
				if err := equalFloats(m.got.Mem, m.want); err != nil {
					t.Fatalf("%s: %s: %s: %v", name, impl.Name, what, err)
				}
			}
		}
	})
}

func TestUpdates(t *testing.T) {
	updates[float32](t, 1)
	updates[float64](t, 2)
}

func updates[T float32 | float64](t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	var step Step // one for all: what it keeps must not be seen
	for inner := 1; inner <= 600; inner++ {
		if inner > 70 && inner%61 != 0 && inner%64 != 0 {
			continue
		}
		for number := range 4 {
			if !turns.Case(2, number) {
				continue
			}
			newUpdateCase[T](rng, 1+rng.IntN(40), inner, 1+rng.IntN(3), 40).check(t, rng, &step)
		}
	}
	newUpdateCase[T](rng, 5000, 64, 2, 4000).check(t, rng, &step) // more rows than a call takes, and pages to deal out
	whole := newUpdateCase[T](rng, 5000, 8, 1, 4000)
	for i := range whole.sources[0].rows { // none is left out
		whole.sources[0].rows[i] = int64(rng.IntN(5000))
	}
	whole.check(t, rng, &step)
	newUpdateCase[T](rng, 3, 200, 1, 3000).check(t, rng, &step) // many gradients a row
	newUpdateCase[T](rng, 3, 20000, 2, 5).check(t, rng, &step)
	newUpdateCase[T](rng, 2, 1<<17, 2, 5).check(t, rng, &step) // rows too long for assembly
	newUpdateCase[T](rng, 5, 0, 2, 5).check(t, rng, &step)
	newUpdateCase[T](rng, 5, 3, 0, 5).check(t, rng, &step)
	newUpdateCase[T](rng, 5, 3, 2, 0).check(t, rng, &step)
}

// TestUpdatesAllocateOnce: a step allocates nothing after the first, whatever rows
// it names.
func TestUpdatesAllocateOnce(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	const rows, inner, n = 1000, 64, 4096
	table, first := make([]float32, rows*inner), make([]float32, rows*inner)
	grads := make([]float32, n*inner)
	ids := make([]int64, n)
	sources := []Source{{Rows: ids, Grad: num.Bytes(grads)}}
	u := Description{
		Kind: num.Float32, Optimizer: Adagrad, Table: num.Bytes(table), First: num.Bytes(first), Rows: rows, Inner: inner,
		Rate: 0.1, Eps: 1e-10, Scale: 1, Sources: sources,
	}
	var step Step
	run := func() {
		for i := range ids {
			ids[i] = int64(rng.IntN(rows))
		}
		u.Scale = 1 / (1 + math.Sqrt(step.NormSquared(&u)))
		step.Apply(&u)
	}
	run()
	if n := testing.AllocsPerRun(20, run); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// TestRates holds the rates of a step against their formulas.
func TestRates(t *testing.T) {
	if got, want := AdagradRate(0.5, 0.25, 3), 0.5/1.5; got != want {
		t.Errorf("Adagrad: %v, want %v", got, want)
	}
	if got, want := AdamRate(0.5, 0.5, 0.75, 1), 0.5*0.5/0.5; got != want {
		t.Errorf("Adam: %v, want %v", got, want)
	}
	if got, want := AdamRate(1, 0.5, 0.75, 2), math.Sqrt(1-0.5625)/0.75; got != want {
		t.Errorf("Adam, second step: %v, want %v", got, want)
	}
}
