package simd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestUpdateLoops compares the loops of the optimisers with their formulas, number by
// number: with more rows than are read ahead, and with rows longer than a part of one.
func TestUpdateLoops(t *testing.T) {
	skipRaces(t)
	for _, impl := range simd.Implementations {
		for i, length := range append(lengths, 64, 65, 150) {
			n := 1 + i*7%40
			testUpdates(t, impl, plainFloat[float32](num.Float32), n, length)
			testUpdates(t, impl, plainFloat[float64](num.Float64), n, length)
		}
	}
}

// updated is a row with its states, and what changes it.
type updated[T float32 | float64] struct {
	simd.Coefficients[T]
	w, first, second, g []T
	state               *T // of the row
}

// gradient is that of a column, scaled, with the decay.
func (u updated[T]) gradient(c int) T {
	g := T(u.Scale * (0 + u.g[c]))
	if u.L2 == 0 {
		return g + 0
	}
	return g + T(u.L2*u.w[c])
}

func root[T float32 | float64](x T) T { return T(math.Sqrt(float64(x))) }

func (u updated[T]) sgd() {
	for c := range u.w {
		u.w[c] -= T(u.Rate * u.gradient(c))
	}
}

func (u updated[T]) adagrad() {
	for c := range u.w {
		g := u.gradient(c)
		u.first[c] += T(g * g)
		u.w[c] -= T(u.Rate * (g / (root(u.first[c]) + u.Eps)))
	}
}

func (u updated[T]) rowWiseAdagrad() {
	var squares [16]T
	for c := range u.w {
		g := u.gradient(c)
		squares[c%16] += T(g * g)
	}
	for half := 8; half > 0; half /= 2 {
		for i := range half {
			squares[i] += squares[half+i]
		}
	}
	*u.state += squares[0] / u.Columns
	u.Rate /= root(*u.state) + u.Eps
	u.sgd()
}

func (u updated[T]) adam() {
	for c := range u.w {
		g := u.gradient(c)
		u.first[c] += T(u.First * (g - u.first[c]))
		u.second[c] += T(u.Second * (T(g*g) - u.second[c]))
		u.w[c] -= T(u.Rate * (u.first[c] / (root(u.second[c]) + u.Eps)))
	}
}

func testUpdates[T float32 | float64](t *testing.T, impl *simd.Implementation, k plain[T], n, length int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(25, uint64(length)))
	loops := impl.Updates[k.kind]
	for _, plainly := range []bool{false, true} {
		c := simd.Coefficients[T]{Rate: 0.1, Eps: 1e-3, Scale: 0.7, L2: 0.3, First: 0.1, Second: 0.01, Columns: T(length)}
		rules := loops.Rules
		if plainly {
			c.Scale, c.L2, rules = 1, 0, loops.Plain
		}
		for _, rule := range []struct {
			name  string
			loop  simd.UpdateLoop
			naive func(u updated[T])
		}{
			{"SGD", rules.SGD, updated[T].sgd}, {"Adagrad", rules.Adagrad, updated[T].adagrad},
			{"RowWiseAdagrad", rules.RowWiseAdagrad, updated[T].rowWiseAdagrad}, {"Adam", rules.Adam, updated[T].adam},
		} {
			for _, c.L2 = range slices.Compact([]T{0, c.L2}) {
				name := fmt.Sprintf("%s, %s, plainly %v, decay %v", impl.Name, rule.name, plainly, c.L2)
				update(t, rng, k, name, rule.loop, rule.naive, c, n, length)
			}
		}
	}
	rows, pointers, sums, want := make([]memtest.Guarded, n), make([]*byte, n), make([]float64, n), make([]float64, n)
	for i := range rows {
		values := k.draws(rng, length)
		rows[i] = memtest.Copy(values, rng)
		pointers[i] = num.Pointer(rows[i].Mem)
		var squares [16]float64
		for c, x := range values {
			squares[c%16] += float64(float64(x) * float64(x))
		}
		for half := 8; half > 0; half /= 2 {
			for j := range half {
				squares[j] += squares[half+j]
			}
		}
		want[i] = squares[0]
	}
	loops.Squares(&pointers[0], &sums[0], n, length*k.width())
	if !slices.EqualFunc(sums, want, func(a, b float64) bool { return a == b || a != a && b != b }) {
		t.Fatalf("%s: squares %v, want %v", what(impl, k.kind, "squares", length), sums, want)
	}
}

// update runs a loop over n rows in any order, and the formula.
func update[T float32 | float64](t *testing.T, rng *rand.Rand, k plain[T], what string, loop simd.UpdateLoop, naive func(u updated[T]), c simd.Coefficients[T], n, length int) {
	t.Helper()
	positive := func(n int) []T {
		all := k.draws(rng, n)
		for i, x := range all {
			all[i] = max(x, -x)
		}
		return all
	}
	w, first, second, states := k.draws(rng, n*length), positive(n*length), positive(n*length), positive(n)
	var mem [4]memtest.Guarded
	for i, values := range [][]T{w, first, second, states} {
		mem[i] = memtest.Copy(values, rng)
	}
	sums := mem[1]
	if strings.Contains(what, "RowWise") {
		sums = mem[3]
	}
	grads, offsets, at := make([]*byte, n), make([]int64, n), make([]int64, n)
	for i, row := range rng.Perm(n) {
		g := k.draws(rng, length)
		grads[i], offsets[i], at[i] = num.Pointer(memtest.Copy(g, rng).Mem), int64(row*length*k.width()), int64(row*k.width())
		from, to := row*length, (row+1)*length
		naive(updated[T]{c, w[from:to], first[from:to], second[from:to], g, &states[row]})
	}
	loop(num.Pointer(mem[0].Mem), num.Pointer(sums.Mem), num.Pointer(mem[2].Mem), &grads[0], ahead(offsets), ahead(at),
		num.Pointer(num.Bytes([]simd.Coefficients[T]{c})), n, length*k.width(), simd.Distance(length*k.width()))
	for i, want := range [][]T{w, first, second, states} {
		k.same(t, fmt.Sprintf("%s, %d rows of %d, memory %d", what, n, length, i), mem[i], want)
	}
}
