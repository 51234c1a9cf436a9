package dense_test

import (
	"errors"
	"fmt"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/memtest"
	"gorgonia.org/tensor"
)

// TestMeanOfFewIndices: with few indices the loops outside of the axis run inside, and a count
// is still that of its own target, wherever in data it is.
func TestMeanOfFewIndices(t *testing.T) {
	for _, shape := range []dims{{2, 17, 1}, {3, 70, 1}, {2, 70, 3}, {40, 90, 1}, {5, 90, 7}} {
		for n := 1; n <= 4; n++ {
			for _, init := range []bool{true, false} {
				outer, size, inner := shape[0], shape[1], shape[2]
				data, updates, want := make([]float64, outer*size*inner), make([]float64, outer*n*inner), make([]float64, outer*size*inner)
				for i := range data {
					data[i] = float64(i)
				}
				for i := range updates {
					updates[i] = float64(1000 + i*i)
				}
				indices := []int64{3, int64(size) - 1, 3, 7}[:n]
				copy(want, data)
				for o := range outer {
					for k := range inner {
						sums, counts := map[int64]float64{}, map[int64]float64{}
						for j, index := range indices {
							sums[index] += updates[(o*n+j)*inner+k]
							counts[index]++
						}
						for index, sum := range sums {
							at := (o*size+int(index))*inner + k
							if init {
								sum, counts[index] = sum+data[at], counts[index]+1
							}
							want[at] = sum / counts[index]
						}
					}
				}
				out, err := dense.ScatterUpdate(values(shape, data...), values(dims{n}, indices...), values(dims{outer, n, inner}, updates...), 1,
					dense.WithReduction(dense.Mean), dense.WithInitValue(init))
				if err == nil {
					err = difference(packed[float64](out), want)
				}
				if err != nil {
					t.Error(fmt.Sprintf("%v, %d indices, init %v:", tensor.Shape(shape), n, init), err)
				}
			}
		}
	}
}

// TestFirstBadIndexOfMeans: some goroutines that work on tiles meet other indices first than one that works on all.
func TestFirstBadIndexOfMeans(t *testing.T) {
	memtest.OnThreads(t, func(t *testing.T) {
		for _, bad := range [][]int{{108, 12*129 + 36}, {128, 129, 2000}, {5, 2579}} {
			indices := make([]int64, 20*129)
			for _, at := range bad {
				indices[at] = 2
			}
			data, updates := values(dims{2, 129}, make([]int16, 2*129)...), values(dims{20, 129}, make([]int16, 20*129)...)
			_, err := dense.ScatterElements(data, values(dims{20, 129}, indices...), updates, 0, dense.WithReduction(dense.Mean))
			var e *dense.IndexError
			if !errors.As(err, &e) || e.Position[0]*129+e.Position[1] != bad[0] {
				t.Errorf("error %v, the first bad index is at %d", err, bad[0])
			}
		}
	})
}
