package dense_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/tensor"
)

// TestScatterElementsInPlaceInLargeLayouts scatters to matrices that are large
// enough to be packed, or divided between goroutines. Two bad indices leave all
// memory as it was, that between rows, too, and the error names the first.
func TestScatterElementsInPlaceInLargeLayouts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer par.UseCores(4)()
	const rows, columns = 210, 170
	for _, l := range []layout.Layout{layout.Transposed, layout.InnerSliced, layout.EverySecond} {
		for axis, size := range []int{rows, columns} {
			for _, taken := range []int{columns, columns / 4} { // of the other axis: many updates, and few
				for _, reduction := range []dense.Reduction{dense.None, dense.Add, dense.Max} {
					for _, bad := range []bool{false, true} {
						rng := rand.New(rand.NewPCG(7, 8))
						start := make([]float32, rows*columns)
						for i := range start {
							start[i] = float32(rng.NormFloat64())
						}
						data := layout.Lay(l, start, -1, rows, columns)
						shape := []int{rows, taken}
						indices, updates := make([]int64, rows*taken), make([]float32, rows*taken)
						want := slices.Clone(start)
						for p := range indices {
							indices[p], updates[p] = int64(rng.IntN(2*size)-size), float32(rng.NormFloat64())
							i, j, at := p/taken, p%taken, int(indices[p]+int64(size))%size
							if axis == 0 {
								i = at
							} else {
								j = at
							}
							target := &want[i*columns+j]
							switch reduction {
							case dense.None:
								*target = updates[p]
							case dense.Add:
								*target += updates[p]
							default:
								*target = max(*target, updates[p])
							}
						}
						first := []int{rows / 2, taken - 1}
						if bad {
							want = start
							indices[first[0]*taken+first[1]], indices[len(indices)-1] = int64(size), int64(size)
						}
						_, err := dense.ScatterElements(data.Dense, tensor.New(tensor.WithShape(shape...), tensor.WithBacking(indices)),
							tensor.New(tensor.WithShape(shape...), tensor.WithBacking(updates)), axis,
							dense.WithReduction(reduction), dense.WithReuse(data.Dense))
						what := []any{l, "axis", axis, "taken", taken, reduction}
						var index *dense.IndexError
						if errors.As(err, &index) != bad || !bad && err != nil {
							t.Fatal(what, "error:", err)
						}
						if bad && !slices.Equal(index.Position, first) {
							t.Fatal(what, "the error is at", index.Position, "want", first)
						}
						if !slices.Equal(data.Values(), want) {
							t.Fatal(what, "bad:", bad, "wrong numbers")
						}
						if err := data.Stray(); err != nil {
							t.Fatalf("%v bad: %v, written beside data: %.200v", what, bad, err)
						}
					}
				}
			}
		}
	}
}

// TestRowsInLargeLayouts scatters so many rows that there is a map of them, or such short ones that data is packed first,
// and compares with the same call in packed tensors: rows with gaps begin at no multiple of their length.
func TestRowsInLargeLayouts(t *testing.T) {
	for _, last := range []int{100, 3} {
		t.Run(fmt.Sprint(last), func(t *testing.T) { testRowsInLayouts(t, last) })
	}
}

func testRowsInLayouts(t *testing.T, last int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	defer par.UseCores(3)()
	shape, rng := []int{9, 30, last}, rand.New(rand.NewPCG(9, 10))
	start := make([]float32, 9*30*last)
	for i := range start {
		start[i] = float32(rng.NormFloat64())
	}
	for _, k := range []int{1, 2} { // axes that are addressed
		n := []int{30, 700}[k-1]
		indices, updates := make([]int64, n*k), make([]float32, n*[]int{30 * last, last}[k-1])
		for i := range indices {
			indices[i] = int64(rng.IntN(2*shape[i%k]) - shape[i%k])
		}
		indices[(n/2)*k] = 9 // which is left out
		for i := range updates {
			updates[i] = float32(rng.NormFloat64())
		}
		x, up := tensor.New(tensor.WithShape(n, k), tensor.WithBacking(indices)), tensor.New(tensor.WithShape(append([]int{n}, shape[k:]...)...), tensor.WithBacking(updates))
		for _, reduction := range []dense.Reduction{dense.None, dense.Add, dense.Sub, dense.Mul, dense.Min, dense.Max, dense.Mean} {
			for _, initial := range []bool{true, false} {
				opts := []dense.Option{dense.WithReduction(reduction), dense.WithInitValue(initial), dense.WithOutOfRange(dense.Skip)}
				want, err := dense.ScatterND(tensor.New(tensor.WithShape(shape...), tensor.WithBacking(slices.Clone(start))), x, up, opts...)
				if err != nil {
					t.Fatal(err)
				}
				for i, l := range layout.All {
					if !turns.Case(2, i+int(reduction)) {
						continue
					}
					data, dst := layout.Lay(l, start, -1, shape...), layout.Lay(layout.All[(i+5)%len(layout.All)], start, -1, shape...)
					for _, to := range []*layout.Block[float32]{dst, data} { // in place last
						if _, err := dense.ScatterND(data.Dense, x, up, append(opts, dense.WithReuse(to.Dense))...); err != nil {
							t.Fatalf("%v, %d axes, %v, initial %t: %v", l, k, reduction, initial, err)
						}
						if !layout.Identical(to.Values(), want.Float32s()) {
							t.Fatalf("%v, %d axes, %v, initial %t, in place %t: wrong numbers", l, k, reduction, initial, to == data)
						}
						if err := to.Stray(); err != nil {
							t.Fatalf("%v, %d axes, %v, initial %t, in place %t, written beside data: %.200v", l, k, reduction, initial, to == data, err)
						}
					}
				}
			}
		}
	}
}
