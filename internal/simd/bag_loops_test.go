package simd_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/simd"
)

// TestBagLoops compares the loops over rows of bags with reductions number by number: empty
// bags among them, and a first one that goes on from what is there.
func TestBagLoops(t *testing.T) {
	skipRaces(t)
	for _, impl := range simd.Implementations {
		for _, k := range allKinds {
			k.testBags(t, impl)
		}
	}
}

func (k plain[T]) testBags(t *testing.T, impl *simd.Implementation) {
	rng := rand.New(rand.NewPCG(22, uint64(k.kind)))
	loops := impl.Bags[k.kind]
	for i, length := range lengths {
		for name, loop := range map[string]simd.BagLoop{"add": loops.Add, "scaled": loops.AddScaled, "mul": loops.Mul, "min": loops.Min, "max": loops.Max, "max of few": loops.MaxOfFew} {
			name, _, _ = strings.Cut(name, " ")
			if loop == nil && k.isComplex() && name[0] == 'm' {
				continue
			}
			for carry := range 2 {
				k.bags(t, rng, impl, name, loop, length, 1+i%4, carry, func(int) int { return rng.IntN(5) })
			}
			if k.width() == 2 && length <= 20 { // 16-bit floats have a loop for bags that all have as many rows
				for _, n := range []int{1, 2, 3, 30} {
					k.bags(t, rng, impl, name, loop, length, 4+rng.IntN(5), 0, func(int) int { return n })
					k.bags(t, rng, impl, name, loop, length, 2048/k.width()/length+3, 0, func(int) int { return n })
				}
				k.bags(t, rng, impl, name, loop, length, 4, 1, func(int) int { return 1 })
				k.bags(t, rng, impl, name, loop, length, 4, 0, func(b int) int { return []int{2, 1, 3, 2}[b] })
				k.bags(t, rng, impl, name, loop, length, 6, 0, func(b int) int { return 3 * (b % 2) })
			}
		}
	}
}

// bags runs a loop over bags of so many rows each.
func (k plain[T]) bags(t *testing.T, rng *rand.Rand, impl *simd.Implementation, name string, loop simd.BagLoop, length, bags, carry int, rowsOf func(bag int) int) {
	t.Helper()
	const rows, most = 5, 30
	step := length
	if rng.IntN(2) == 0 {
		step += rng.IntN(3)
	}
	table, want := k.draws(rng, rows*length), k.draws(rng, (bags-1)*step+length)
	data, out := memtest.Copy(table, rng), memtest.Copy(want, rng)
	scales := k.draws(rng, most*bags)
	var offsets, ends []int64
	for b := range bags {
		result, begins := want[b*step:][:length], b > 0 || carry == 0
		n := max(rowsOf(b), (1-min(1, b))*(1-carry)) // the first one is not empty
		switch {
		case begins && n == 0:
			clear(result)
		case begins && name != "min" && name != "max":
			for c := range result {
				result[c] = num.As[T](num.Neutral(k.kind, map[string]num.Reduction{"add": num.Add, "scaled": num.Add, "mul": num.Mul}[name]))[0]
			}
		}
		for range n {
			row := rng.IntN(rows)
			for c, x := range table[row*length:][:length] {
				switch {
				case name == "scaled":
					result[c] = k.plus(result[c], k.times(scales[len(offsets)], x))
				case name == "add":
					result[c] = k.plus(result[c], x)
				case name == "mul":
					result[c] = k.times(result[c], x)
				case begins:
					result[c] = x
				default:
					result[c] = k.reduce[map[string]num.Reduction{"min": num.Min, "max": num.Max}[name]](result[c], x)
				}
			}
			begins = false
			offsets = append(offsets, int64(row*length*k.width()))
		}
		ends = append(ends, int64(len(offsets)))
	}
	by := memtest.Copy(scales, rng)
	loop(num.Pointer(data.Mem), num.Pointer(out.Mem), ahead(offsets), &ends[0], num.Pointer(by.Mem), bags, length*k.width(), step*k.width(), simd.Distance(length*k.width()), carry)
	k.same(t, what(impl, k.kind, name, "bags that end at", ends, "of rows of", length, "carry", carry), out, want)
}

// TestScaledRows compares rows that are added times a number, and dot products, with
// those of numbers one by one.
func TestScaledRows(t *testing.T) {
	skipRaces(t)
	for _, impl := range simd.Implementations {
		for _, k := range allKinds {
			k.testScaledRows(t, impl)
		}
	}
}

func (k plain[T]) testScaledRows(t *testing.T, impl *simd.Implementation) {
	const rows = 5
	rng := rand.New(rand.NewPCG(23, uint64(k.kind)))
	loops := impl.Bags[k.kind]
	for i, length := range lengths {
		n, step := 1+i%6, length+rng.IntN(3)
		table, items, scales := k.draws(rng, rows*length), k.draws(rng, (n-1)*step+length), k.draws(rng, n)
		offsets, places, want := make([]int64, n), make([]int64, n), make([]T, n)
		sums := append([]T(nil), table...)
		for j, place := range rng.Perm(n) {
			row := rng.IntN(rows)
			offsets[j], places[j] = int64(row*length*k.width()), int64(place)
			want[j] = k.dot(table[row*length:][:length], items[place*step:])
			for c, x := range items[place*step:][:length] {
				sum := &sums[row*length+c]
				*sum = k.plus(*sum, k.times(k.conj(scales[j]), x))
			}
		}
		data, from, by, dots := memtest.Copy(table, rng), memtest.Copy(items, rng), memtest.Copy(scales, rng), memtest.Copy(scales, rng)
		width := k.width()
		loops.DotRows(num.Pointer(data.Mem), num.Pointer(from.Mem), ahead(offsets), ahead(places), num.Pointer(dots.Mem), n, length*width, step*width, simd.Distance(length*width))
		k.same(t, what(impl, k.kind, "dot", n, "rows of", length), dots, want)
		loops.AddScaledRows(num.Pointer(data.Mem), num.Pointer(from.Mem), ahead(offsets), ahead(places), num.Pointer(by.Mem), n, length*width, step*width, simd.Distance(length*width))
		k.same(t, what(impl, k.kind, "scaled rows", n, "of", length), data, sums)
	}
}

// dot is a dot product in sixteen sums, which are added by halves.
func (k plain[T]) dot(row, items []T) T {
	var sums [16]T
	for c, x := range row {
		sums[c%16] = k.plus(sums[c%16], k.times(k.conj(x), items[c]))
	}
	for half := 8; half > 0; half /= 2 {
		for i := range half {
			sums[i] = k.plus(sums[i], sums[half+i])
		}
	}
	return sums[0]
}
