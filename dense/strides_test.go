package dense_test

import (
	"fmt"
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// TestStridesOfOnes: the stride of a dim of 1 may be anything, as nothing is a step along it.
func TestStridesOfOnes(t *testing.T) {
	add := dense.WithReduction(dense.Add)
	indices := func(shape []int, values ...int64) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values))
	}
	for name, call := range map[string]func(floats func(shape ...int) *tensor.Dense) (*tensor.Dense, error){
		"Gather, the axis": func(floats func(...int) *tensor.Dense) (*tensor.Dense, error) {
			return dense.Gather(floats(3, 1, 5), indices([]int{3}, 0, -1, 0), 1)
		},
		"Gather, another axis": func(floats func(...int) *tensor.Dense) (*tensor.Dense, error) {
			return dense.Gather(floats(3, 1, 5), indices([]int{3}, 0, -1, 2), 0, dense.WithReuse(floats(3, 1, 5)))
		},
		"GatherND": func(floats func(...int) *tensor.Dense) (*tensor.Dense, error) {
			return dense.GatherND(floats(1, 4, 1, 5), indices([]int{2, 3}, 0, 3, 0, -1, -2, -1))
		},
		"GatherND, fused batch dims": func(floats func(...int) *tensor.Dense) (*tensor.Dense, error) {
			return dense.GatherND(floats(1, 4, 5, 1), indices([]int{1, 4, 1}, 0, 1, 2, 4), dense.WithBatchDims(2), dense.WithFusedBatchDims())
		},
		"ScatterND": func(floats func(...int) *tensor.Dense) (*tensor.Dense, error) {
			return dense.ScatterND(floats(1, 4, 1, 5), indices([]int{2, 3}, 0, 3, 0, -1, -2, -1), floats(2, 5), add)
		},
		"ScatterUpdate": func(floats func(...int) *tensor.Dense) (*tensor.Dense, error) {
			return dense.ScatterUpdate(floats(4, 1, 5), indices([]int{2}, 0, -1), floats(4, 2, 5), 1, add)
		},
		"ScatterElements in place": func(floats func(...int) *tensor.Dense) (*tensor.Dense, error) {
			data := floats(4, 1, 5)
			return dense.ScatterElements(data, indices([]int{4, 1, 1}, 0, -1, 0, 0), floats(4, 1, 1), 2, dense.WithReuse(data))
		},
		"AddGather": func(floats func(...int) *tensor.Dense) (*tensor.Dense, error) {
			dst := floats(4, 1, 5)
			return dst, dense.AddGather(dst, floats(4, 3, 5), indices([]int{3}, 0, -1, 0), 1)
		},
		"EmbeddingBagPacked": func(floats func(...int) *tensor.Dense) (*tensor.Dense, error) {
			return dense.EmbeddingBagPacked(floats(1, 5), indices([]int{2, 2}, 0, 0, -1, 0), nil)
		},
	} {
		for _, gap := range []int{1, 2} {
			var want []float32
			for _, stride := range []int{1, -7, 0, 1000, 1 << 30} {
				floats := func(shape ...int) *tensor.Dense {
					n := gap * tensor.Shape(shape).TotalSize()
					whole := tensor.New(tensor.WithShape(n), tensor.WithBacking(tensor.Range(tensor.Float32, 0, n)))
					strides := tensor.Shape(shape).CalcStrides()
					for axis, n := range shape {
						if strides[axis] *= gap; n == 1 {
							strides[axis] = stride
						}
					}
					return bent(whole, shape, strides)
				}
				what := fmt.Sprintf("%s, stride %d, %d elements apart", name, stride, gap)
				out, err := call(floats)
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				if got := packed[float32](out); want == nil {
					want = slices.Clone(got)
				} else if !slices.Equal(got, want) {
					t.Errorf("%s: %v, want %v", what, got, want)
				}
			}
		}
	}
}

// TestSharedElements adds rows in place to data whose elements share memory, in short runs that are read many times: a packed
// copy would add to each of them alone.
func TestSharedElements(t *testing.T) {
	shape, strides := dims{3, 2, 2}, []int{1, 1, 1}
	memory := []int64{1, 2, 3, 4, 5}
	data := bent(tensor.New(tensor.WithShape(5), tensor.WithBacking(memory)), shape, strides)
	const n = 20
	indices, updates, want := make([]int64, n), make([]int64, 4*n), []int64{1, 2, 3, 4, 5}
	for p := range indices {
		indices[p] = int64(p % 3)
		for i := range 4 {
			updates[4*p+i] = int64(1 + p*p + i)
			want[int(indices[p])+i/2+i%2] += updates[4*p+i]
		}
	}
	_, err := dense.ScatterUpdate(data, values(dims{n}, indices...), values(dims{n, 2, 2}, updates...), 0, dense.WithReduction(dense.Add), dense.WithReuse(data))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(memory, want) {
		t.Errorf("%v, want %v", memory, want)
	}
}
