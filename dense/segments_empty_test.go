package dense_test

import (
	"math"
	"reflect"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// TestNegativeZeroSegments: the -0 of an empty segment keeps its sign, in rows of any length,
// wherever the segment is.
func TestNegativeZeroSegments(t *testing.T) {
	negative := math.Copysign(0, -1)
	ids := values(dims{3}, int64(1), 1, 3)
	for _, op := range segmentOps {
		for _, columns := range []int{1, 2, 3, 4, 7, 8, 16, 33, 300} {
			for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
				out, err := op.run(tensor.New(tensor.Of(dt), tensor.WithShape(3, columns)), ids, 5, dense.WithEmptySegment(negative))
				if err != nil {
					t.Fatal(err)
				}
				for i := range 5 * columns {
					v, err := out.At(i/columns, i%columns)
					if err != nil {
						t.Fatal(err)
					}
					x := reflect.ValueOf(v).Float()
					if empty := i/columns != 1 && i/columns != 3; x != 0 || math.Signbit(x) != empty {
						t.Errorf("%s, rows of %d %v: element %d is %v", op.name, columns, dt, i, x)
						break
					}
				}
			}
		}
	}
}
