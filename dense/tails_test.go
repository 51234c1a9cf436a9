package dense_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// permuted is a tensor of a shape, with the values 1, 2 … in row-major order, whose axes are in another order in memory.
func permuted(shape dims, order []int) *tensor.Dense {
	inMemory, back := make([]int, len(shape)), make([]int, len(shape))
	for at, axis := range order {
		inMemory[at], back[axis] = shape[axis], at
	}
	d := tensor.New(tensor.WithShape(inMemory...), tensor.Of(tensor.Int64))
	must(d.T(back...))
	for e, at := range placesIn(d) {
		d.Int64s()[at] = int64(e + 1)
	}
	return d
}

// placesIn are the places in memory of a tensor's elements, in row-major order.
func placesIn(d *tensor.Dense) []int {
	places, strides := make([]int, d.Shape().TotalSize()), d.Strides()
	for e := range places {
		rest := e
		for axis := d.Dims() - 1; axis >= 0; axis-- {
			n := d.Shape()[axis]
			places[e], rest = places[e]+rest%n*strides[axis], rest/n
		}
	}
	return places
}

// TestTails goes through rows that are not contiguous in data: short loops inside of long ones, longer than
// what is resolved at once, and more rows, near and far, than their loops have iterations. The results are
// those of packed data.
func TestTails(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, shape := range []dims{{3, 4, 2100, 3}, {7, 5, 3, 1100}, {60, 7, 41, 5}, {9, 8, 2, 3}} {
		for _, order := range [][]int{{0, 1, 3, 2}, {0, 2, 3, 1}, {2, 1, 3, 0}, {2, 1, 0, 3}, {3, 0, 1, 2}, {3, 2, 1, 0}, {0, 3, 1, 2}} {
			for _, n := range []int{1, 3, 14, 70} {
				tuples := make([]int64, 2*n)
				for i := range tuples {
					tuples[i] = int64(rng.IntN(2*shape[i%2]) - shape[i%2])
				}
				indices, updates := values(dims{n, 2}, tuples...), values(dims{n, shape[2], shape[3]}, counting(n*shape[2]*shape[3])...)
				run := func(data *tensor.Dense) (results [3][]int64) {
					got, err := dense.GatherND(data, indices)
					must(err)
					results[0] = got.Int64s()
					for i, r := range []dense.Reduction{dense.None, dense.Add} {
						if _, err = dense.ScatterND(data, indices, updates, dense.WithReduction(r), dense.WithReuse(data)); err != nil {
							t.Fatal(err)
						}
						for _, at := range placesIn(data) {
							results[i+1] = append(results[i+1], data.Int64s()[at])
						}
					}
					return results
				}
				near := values(shape, counting(tensor.ProdInts(shape))...)
				want, got := run(near), run(permuted(shape, order))
				for i, what := range []string{"GatherND", "ScatterND", "ScatterND add"} {
					if !slices.Equal(got[i], want[i]) {
						t.Errorf("%s of %v in the order %v by %d tuples: another result than of packed data", what, shape, order, n)
					}
				}
			}
		}
	}
}

// TestSharedTails adds to a dst whose elements share memory: they get their updates in row-major order.
func TestSharedTails(t *testing.T) {
	const rows, n, m = 2, 300, 3
	rng := rand.New(rand.NewPCG(13, 14))
	random := func(shape ...int) *tensor.Dense {
		v := make([]float32, tensor.ProdInts(shape))
		for i := range v {
			v[i] = rng.Float32()
		}
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))
	}
	for _, indices := range [][]int64{{1}, {1, 0, 1}} {
		dst, updates := random(rows, n, m), random(len(indices), n, m)
		copy(dst.Strides(), []int{n, 3, 6}) // element (i, j) is where (i+2, j-1) is
		want := slices.Clone(dst.Float32s())
		for t, row := range indices {
			for p := range n * m {
				want[int(row)*n+p/m*3+p%m*6] += updates.Float32s()[t*n*m+p]
			}
		}
		must(dense.AddGather(dst, updates, values(dims{len(indices)}, indices...), 0))
		if !slices.Equal(dst.Float32s(), want) {
			t.Error(len(indices), "rows: other sums than in row-major order")
		}
	}
}
