package dense_test

import (
	"fmt"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// TestEmptyDataInWalks fills a result with gaps from data of no elements, whose
// lines have no start in memory.
func TestEmptyDataInWalks(t *testing.T) {
	fill := dense.WithOutOfRange(dense.ZeroFill)
	for _, dt := range []tensor.Dtype{tensor.Uint8, tensor.Float32, tensor.Complex128} {
		t.Run(fmt.Sprint(dt), func(t *testing.T) {
			check := func(err error) {
				t.Helper()
				if err != nil {
					t.Error(err)
				}
			}
			gaps := func(shape ...int) dense.Option {
				wide := append([]int(nil), shape...)
				wide[len(wide)-1] += 2
				cut := make([]tensor.Slice, len(shape))
				cut[len(cut)-1] = tensor.S(1, wide[len(wide)-1]-1)
				view, err := tensor.New(tensor.WithShape(wide...), tensor.Of(dt)).Slice(cut...)
				if err != nil {
					t.Fatal(err)
				}
				return dense.WithReuse(view.(*tensor.Dense))
			}
			empty := func(shape ...int) *tensor.Dense { return tensor.New(tensor.WithShape(shape...), tensor.Of(dt)) }
			indices := func(shape ...int) *tensor.Dense {
				return tensor.New(tensor.WithShape(shape...), tensor.Of(tensor.Int64))
			}
			_, err := dense.GatherElements(empty(0, 4, 2, 4), indices(6, 4, 2, 4), 0, fill, gaps(6, 4, 2, 4))
			check(err)
			_, err = dense.GatherElements(empty(3, 4, 0), indices(3, 4, 5), 2, fill, gaps(3, 4, 5))
			check(err)
			_, err = dense.Gather(empty(0, 4), indices(5), 0, fill, gaps(5, 4))
			check(err)
			_, err = dense.Gather(empty(4, 0), indices(3), 1, fill, gaps(4, 3))
			check(err)
			_, err = dense.GatherND(empty(3, 0, 4), indices(2, 2), fill, gaps(2, 4))
			check(err)
		})
	}
}
