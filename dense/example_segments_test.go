package dense_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// The gradients of the other reductions of segments need no function of their own: that
// of a sum is a gather of updates, and that of a minimum is that of the maximum of -data.
func ExampleAddSegmentMax() {
	done := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	value := func(d *tensor.Dense, err error) *tensor.Dense {
		done(err)
		return d
	}
	data := tensor.New(tensor.WithShape(5, 1), tensor.WithBacking([]float64{3, 1, 4, 1, 5}))
	ids := tensor.New(tensor.WithBacking([]int64{0, 0, 2, 2, 3})) // the last row is left out
	updates := tensor.New(tensor.WithShape(3, 1), tensor.WithBacking([]float64{10, 20, 30}))
	skip := dense.WithOutOfRange(dense.Skip)

	ofMax := tensor.New(tensor.WithShape(5, 1), tensor.Of(tensor.Float64))
	done(dense.AddSegmentMax(ofMax, updates, data, ids, 3, skip))
	fmt.Println("max", ofMax.Float64s())

	negative := tensor.New(tensor.WithShape(5, 1), tensor.WithBacking([]float64{-3, -1, -4, -1, -5}))
	ofMin := tensor.New(tensor.WithShape(5, 1), tensor.Of(tensor.Float64))
	done(dense.AddSegmentMax(ofMin, updates, negative, ids, 3, skip))
	fmt.Println("min", ofMin.Float64s())

	zero := []dense.Option{dense.WithOutOfRange(dense.ZeroFill), dense.WithNonNegativeIndices()} // what Skip left out has no gradient
	ofSum := value(dense.Gather(updates, ids, 0, zero...))
	fmt.Println("sum", ofSum.Float64s())

	counts := value(dense.SegmentSum(tensor.Ones(tensor.Float64, 5, 1), ids, 3, skip, dense.WithEmptySegment(1)))
	ofMean := value(dense.Gather(value(updates.Div(counts)), ids, 0, zero...))
	fmt.Println("mean", ofMean.Float64s())
	// Output:
	// max [10 0 30 0 0]
	// min [0 10 0 30 0]
	// sum [10 10 30 30 0]
	// mean [5 5 15 15 0]
}
