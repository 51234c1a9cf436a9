package dense_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/kernel"
	"gorgonia.org/tensor"
)

// TestScatterElementsInPlaceInLargeLayouts scatters to matrices that are large
// enough to be packed, or divided between goroutines. Two bad indices leave all
// memory as it was, that between rows, too, and the error names the first.
func TestScatterElementsInPlaceInLargeLayouts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer kernel.UseCores(4)()
	const rows, columns = 210, 170
	for _, l := range []struct {
		name string
		make func() (data *tensor.Dense, memory []float32, row, column int)
	}{
		{"transposed", func() (*tensor.Dense, []float32, int, int) {
			d := tensor.New(tensor.WithShape(columns, rows), tensor.Of(tensor.Float32))
			must(d.T())
			return d, d.Float32s(), 1, rows
		}},
		{"with gaps", func() (*tensor.Dense, []float32, int, int) {
			d := tensor.New(tensor.WithShape(rows, 2*columns), tensor.Of(tensor.Float32))
			view, err := d.Slice(nil, tensor.S(0, columns))
			must(err)
			return view.(*tensor.Dense), d.Float32s(), 2 * columns, 1
		}},
		{"every second column", func() (*tensor.Dense, []float32, int, int) {
			d := tensor.New(tensor.WithShape(rows, 2*columns), tensor.Of(tensor.Float32))
			view, err := d.Slice(nil, tensor.S(0, 2*columns, 2))
			must(err)
			return view.(*tensor.Dense), d.Float32s(), 2 * columns, 2
		}},
	} {
		for axis, size := range []int{rows, columns} {
			for _, taken := range []int{columns, columns / 4} { // of the other axis: many updates, and few
				for _, reduction := range []dense.Reduction{dense.None, dense.Add, dense.Max} {
					for _, bad := range []bool{false, true} {
						rng := rand.New(rand.NewPCG(7, 8))
						data, memory, row, column := l.make()
						for i := range memory {
							memory[i] = float32(rng.NormFloat64())
						}
						shape := []int{rows, taken}
						indices, updates := make([]int64, rows*taken), make([]float32, rows*taken)
						want := slices.Clone(memory)
						for p := range indices {
							indices[p], updates[p] = int64(rng.IntN(2*size)-size), float32(rng.NormFloat64())
							i, j, at := p/taken, p%taken, int(indices[p]+int64(size))%size
							if axis == 0 {
								i = at
							} else {
								j = at
							}
							target := &want[i*row+j*column]
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
							want = slices.Clone(memory)
							indices[first[0]*taken+first[1]], indices[len(indices)-1] = int64(size), int64(size)
						}
						_, err := dense.ScatterElements(data, tensor.New(tensor.WithShape(shape...), tensor.WithBacking(indices)),
							tensor.New(tensor.WithShape(shape...), tensor.WithBacking(updates)), axis,
							dense.WithReduction(reduction), dense.WithReuse(data))
						what := []any{l.name, "axis", axis, "taken", taken, reduction}
						var index *dense.IndexError
						if errors.As(err, &index) != bad || !bad && err != nil {
							t.Fatal(what, "error:", err)
						}
						if bad && !slices.Equal(index.Position, first) {
							t.Fatal(what, "the error is at", index.Position, "want", first)
						}
						if !slices.Equal(memory, want) {
							t.Fatal(what, "bad:", bad, "wrong numbers, or numbers where none are to be")
						}
					}
				}
			}
		}
	}
}
