package dense_test

import (
	"reflect"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func dtypeOf[T any]() tensor.Dtype { return tensor.Dtype{Type: reflect.TypeFor[T]()} }

// counting is the values 1 to n, so that none is the zero of ZeroFill.
func counting(n int) []int64 {
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i + 1)
	}
	return values
}

// packed is the elements of a new result, which is row-major. Data does not do
// here: it gives a float16 scalar as a uint16, and panics for the shape (0).
func packed[T any](d *tensor.Dense) []T { return num.As[T](d.Uint8s()) }
