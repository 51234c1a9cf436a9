package dense_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// TestFewTargetsOfShortLines updates lines of one to five elements some times each: those of one or two are updated along the
// loop around them, in which the updates of an element stay in their order.
func TestFewTargetsOfShortLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 2, 3, 5} {
		for _, updates := range []int{1, 4, 15, 16, 17} {
			testShortLines[float32](t, rng, 40, size, updates)
			testShortLines[int64](t, rng, 40, size, updates)
		}
	}
}

func testShortLines[T float32 | int64](t *testing.T, rng *rand.Rand, lines, size, updates int) {
	t.Helper()
	data, values, idx := make([]T, lines*size), make([]T, lines*updates), make([]int64, lines*updates)
	for i := range data {
		data[i] = T(rng.IntN(1<<24)) / 3
	}
	for i := range values {
		values[i], idx[i] = T(rng.IntN(1<<24))/7, rng.Int64N(int64(2*size))-int64(size)
	}
	for reduction, combine := range map[dense.Reduction]func(a, b T) T{
		dense.None: func(_, b T) T { return b }, dense.Add: func(a, b T) T { return a + b }, dense.Sub: func(a, b T) T { return a - b },
		dense.Max: func(a, b T) T { return max(a, b) },
	} {
		want := slices.Clone(data)
		for i, j := range idx {
			target := &want[i/updates*size+(int(j)+size)%size]
			*target = combine(*target, values[i])
		}
		got, err := dense.ScatterElements(
			tensor.New(tensor.WithShape(lines, size), tensor.WithBacking(slices.Clone(data))), tensor.New(tensor.WithShape(lines, updates), tensor.WithBacking(idx)),
			tensor.New(tensor.WithShape(lines, updates), tensor.WithBacking(values)), 1, dense.WithReduction(reduction))
		if err != nil || !slices.Equal(got.Data().([]T), want) {
			t.Errorf("%T, reduction %v, %d updates of lines of %d: %v, want the result of a plain loop", want, reduction, updates, size, err)
		}
	}
}

// TestFewIndicesOfFarRows gathers some elements of each row of data that caches do not hold, by indices or by
// rows, of packed data and of a transposed view.
func TestFewIndicesOfFarRows(t *testing.T) {
	const rows, columns = 300_000, 9
	numbers := make([]float64, rows*columns)
	for i := range numbers {
		numbers[i] = float64(i)
	}
	idx := []int64{7, -8, 0, 7}
	data, indices := tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(numbers)), tensor.New(tensor.WithShape(len(idx)), tensor.WithBacking(idx))
	for _, transposed := range []bool{false, true} {
		element := func(row, column int) float64 { return float64(row*columns + column) }
		if transposed {
			data = tensor.New(tensor.WithShape(columns, rows), tensor.WithBacking(numbers))
			if err := data.T(); err != nil {
				t.Fatal(err)
			}
			element = func(row, column int) float64 { return float64(column*rows + row) }
		}
		got, err := dense.Gather(data, indices, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range got.Data().([]float64) {
			if want := element(i/len(idx), int(idx[i%len(idx)]+columns)%columns); x != want {
				t.Fatalf("transposed %v: element %d is %v, want %v", transposed, i, x, want)
			}
		}
	}
}
