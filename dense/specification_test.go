package dense_test

import (
	"slices"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/tensor"
)

// values is a row-major tensor of the values.
func values[T any](shape []int, v ...T) *tensor.Dense {
	var zero T
	return layout.Lay(layout.RowMajor, v, zero, shape...).Dense
}

// upTo is values 1, 2, 3, … or from another start.
func upTo(from float64, shape ...int) *tensor.Dense {
	v := make([]float64, tensor.ProdInts(shape))
	for i := range v {
		v[i] = from + float64(i)
	}
	return values(shape, v...)
}

// example is an example that a specification prints.
type example struct {
	name          string
	data, indices *tensor.Dense
	want          *tensor.Dense
	axis          int
	opts          []dense.Option
}

type dims = []int

func batches(n int) []dense.Option { return []dense.Option{dense.WithBatchDims(n)} }

func runExamples(t *testing.T, examples []example, run func(e example) (*tensor.Dense, error)) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			got, err := run(e)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Shape(), e.want.Shape()) {
				t.Errorf("shape %v, want %v", got.Shape(), e.want.Shape())
			}
			if err := difference(packed[float64](got), packed[float64](e.want)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGatherSpecification has the examples of ONNX Gather-1, -11 and -13, which
// print the same two, and of OpenVINO Gather-8.
func TestGatherSpecification(t *testing.T) {
	rows := values(dims{3, 2}, 1.0, 1.2, 2.3, 3.4, 4.5, 5.7)
	square := values(dims{3, 3}, 1.0, 1.2, 1.9, 2.3, 3.4, 3.9, 4.5, 5.7, 5.9)
	picked := values(dims{3, 1, 2}, 1.0, 1.9, 2.3, 3.9, 4.5, 5.9)
	five, twoBatches := upTo(1, 5), upTo(1, 2, 5)
	ends := values(dims{2, 3}, 0, 0, 4, 4, 0, 0)
	runExamples(t, []example{
		{name: "ONNX Gather-1, -11, -13: axis 0", data: rows, indices: values(dims{2, 2}, 0, 1, 1, 2),
			want: values(dims{2, 2, 2}, 1.0, 1.2, 2.3, 3.4, 2.3, 3.4, 4.5, 5.7)},
		// Versions 1 and 11 print the brackets of shape (1, 3, 2) here.
		{name: "ONNX Gather-1, -11, -13: axis 1", data: square, indices: values(dims{1, 2}, 0, 2), axis: 1, want: picked},
		// The table of shapes in version 13, with P, Q, R, S = 3, 4, 5, 2.
		{name: "ONNX Gather-13: a scalar, axis 0", data: upTo(1, 3, 4), indices: values(dims{}, 2), want: upTo(9, 4)},
		{name: "ONNX Gather-13: a scalar, axis 1", data: upTo(1, 2, 3, 2), indices: values(dims{}, 1), axis: 1,
			want: values(dims{2, 2}, 3.0, 4, 9, 10)},
		{name: "ONNX Gather-13: two axes for axis 0", data: upTo(1, 3, 2), indices: values(dims{1, 3}, 2, 0, 2), want: values(dims{1, 3, 2}, 5.0, 6, 1, 2, 5, 6)},
		{name: "ONNX Gather-13: two axes for axis 1", data: upTo(1, 2, 3), indices: values(dims{2, 1}, 2, 0), axis: 1, want: values(dims{2, 2, 1}, 3.0, 1, 6, 4)},
		{name: "ONNX test_gather_negative_indices", data: upTo(0, 10), indices: values(dims{3}, 0, -9, -10), want: values(dims{3}, 0.0, 1, 0)},

		{name: "OpenVINO Gather-8, example 1", data: five, indices: values(dims{3}, 0, 0, 4), want: values(dims{3}, 1.0, 1, 5)},
		{name: "OpenVINO Gather-8, example 2: batch dims", data: twoBatches, indices: ends, axis: 1, opts: batches(1),
			want: values(dims{2, 3}, 1.0, 1, 5, 10, 6, 6)},
		{name: "OpenVINO Gather-8, example 3: two batch dims", data: upTo(1, 2, 2, 5), axis: 2, opts: batches(2),
			indices: values(dims{2, 2, 3}, 0, 0, 4, 4, 0, 0, 1, 2, 4, 4, 3, 2),
			want:    values(dims{2, 2, 3}, 1.0, 1, 5, 10, 6, 6, 12, 13, 15, 20, 19, 18)},
		{name: "OpenVINO Gather-8, example 4: axis behind the batch dims", data: upTo(1, 2, 1, 5, 4), axis: 2, opts: batches(1),
			indices: values(dims{2, 3}, 1, 2, 4, 4, 3, 2),
			want: values(dims{2, 1, 3, 4}, 5.0, 6, 7, 8, 9, 10, 11, 12, 17, 18, 19, 20,
				37, 38, 39, 40, 33, 34, 35, 36, 29, 30, 31, 32)},
		{name: "OpenVINO Gather-8, example 5: negative batch dims", data: twoBatches, indices: ends, axis: 1, opts: batches(-1),
			want: values(dims{2, 3}, 1.0, 1, 5, 10, 6, 6)},
		{name: "OpenVINO Gather-8, example 6: negative indices", data: five, indices: values(dims{3}, 0, -2, -1), want: values(dims{3}, 1.0, 4, 5)},
		{name: "OpenVINO Gather-8, example 7: out of range", data: five, indices: values(dims{3}, 3, 10, -20),
			opts: []dense.Option{dense.WithOutOfRange(dense.ZeroFill)}, want: values(dims{3}, 4.0, 0, 0)},
	}, func(e example) (*tensor.Dense, error) { return dense.Gather(e.data, e.indices, e.axis, e.opts...) })
}

// TestGatherElementsSpecification has the examples of ONNX GatherElements-11
// and -13, which print the same two, and of OpenVINO GatherElements-6.
func TestGatherElementsSpecification(t *testing.T) {
	two, three := upTo(1, 2, 2), upTo(1, 3, 3)
	runExamples(t, []example{
		// Version 11 prints an outer bracket too many around both results.
		{name: "ONNX GatherElements-11, -13, example 1", data: two, indices: values(dims{2, 2}, 0, 0, 1, 0), axis: 1,
			want: values(dims{2, 2}, 1.0, 1, 4, 3)},
		{name: "ONNX GatherElements-11, -13, example 2", data: three, indices: values(dims{2, 3}, 1, 2, 0, 2, 0, 0), axis: 0,
			want: values(dims{2, 3}, 4.0, 8, 3, 7, 2, 3)},
		{name: "ONNX test_gather_elements_negative_indices", data: three, indices: values(dims{2, 3}, -1, -2, 0, -2, 0, 0), axis: 0,
			want: values(dims{2, 3}, 7.0, 5, 3, 4, 2, 3)},

		{name: "OpenVINO GatherElements-6, example 1", data: two, indices: values(dims{2, 2}, 0, 1, 0, 0), axis: 0,
			want: values(dims{2, 2}, 1.0, 4, 1, 2)},
		{name: "OpenVINO GatherElements-6, example 2: more indices than data", data: values(dims{2, 2}, 1.0, 7, 4, 3), axis: 1,
			indices: values(dims{2, 3}, 1, 1, 0, 1, 0, 1), want: values(dims{2, 3}, 7.0, 7, 1, 3, 4, 3)},
		{name: "OpenVINO GatherElements-6, example 3: fewer indices than data", data: three, axis: 0,
			indices: values(dims{2, 3}, 1, 0, 1, 1, 2, 0), want: values(dims{2, 3}, 4.0, 2, 6, 4, 8, 3)},
	}, func(e example) (*tensor.Dense, error) {
		return dense.GatherElements(e.data, e.indices, e.axis, e.opts...)
	})
}

// TestGatherNDSpecification has the examples of ONNX GatherND-11, -12 and -13,
// and of OpenVINO GatherND-5 and -8, which print the same first five.
func TestGatherNDSpecification(t *testing.T) {
	square, cube := upTo(0, 2, 2), upTo(0, 2, 2, 2)
	two, batched := upTo(1, 2, 2), upTo(1, 2, 3, 4)
	swapped := values(dims{2, 1}, 1, 0)
	sixBatches := values(dims{2, 3, 1, 1}, 1, 0, 2, 0, 2, 2)
	runExamples(t, []example{
		{name: "ONNX GatherND-11, -12, -13, example 1", data: square, indices: values(dims{2, 2}, 0, 0, 1, 1), want: values(dims{2}, 0.0, 3)},
		{name: "ONNX GatherND-11, -12, -13, example 2", data: square, indices: swapped, want: values(dims{2, 2}, 2.0, 3, 0, 1)},
		{name: "ONNX GatherND-11, -12, -13, example 3", data: cube, indices: values(dims{2, 2}, 0, 1, 1, 0), want: values(dims{2, 2}, 2.0, 3, 4, 5)},
		{name: "ONNX GatherND-11, -12, -13, example 4", data: cube, indices: values(dims{2, 1, 2}, 0, 1, 1, 0), want: values(dims{2, 1, 2}, 2.0, 3, 4, 5)},
		{name: "ONNX GatherND-12, -13, example 5", data: cube, indices: swapped, opts: batches(1), want: values(dims{2, 2}, 2.0, 3, 4, 5)},

		{name: "OpenVINO GatherND-5, -8, example 1: elements", data: two, indices: values(dims{2, 2}, 0, 0, 1, 0), want: values(dims{2}, 1.0, 3)},
		{name: "OpenVINO GatherND-5, -8, example 2: slices", data: two, indices: swapped, want: values(dims{2, 2}, 3.0, 4, 1, 2)},
		{name: "OpenVINO GatherND-5, -8, example 3: leading dims", data: two, indices: values(dims{2, 1, 1}, 1, 0), want: values(dims{2, 1, 2}, 3.0, 4, 1, 2)},
		{name: "OpenVINO GatherND-5, -8, example 4: elements of batches", data: two, indices: swapped, opts: batches(1), want: values(dims{2}, 2.0, 3)},
		{name: "OpenVINO GatherND-5, -8, example 5: slices of batches", data: batched, indices: swapped, opts: batches(1),
			want: values(dims{2, 4}, 5.0, 6, 7, 8, 13, 14, 15, 16)},
		{name: "OpenVINO GatherND-8, example 6: two batch dims", data: batched, indices: sixBatches, opts: batches(2),
			want: values(dims{2, 3, 1}, 2.0, 5, 11, 13, 19, 23)},
		{name: "OpenVINO GatherND-5, example 6: two batch dims, fused", data: batched, indices: sixBatches,
			opts: append(batches(2), dense.WithFusedBatchDims()), want: values(dims{6, 1}, 2.0, 5, 11, 13, 19, 23)},
		{name: "OpenVINO GatherND-8, example 7: three batch dims", data: upTo(1, 1, 2, 2, 4), opts: batches(3),
			indices: values(dims{1, 2, 2, 1}, 1, 0, 3, 2), want: values(dims{1, 2, 2}, 2.0, 5, 12, 15)},
	}, func(e example) (*tensor.Dense, error) { return dense.GatherND(e.data, e.indices, e.opts...) })
}

// TestByIndicesCase is the case that tensor.ByIndices gets wrong: an inner axis
// that is not the last, where it reads the second batch from the first.
func TestByIndicesCase(t *testing.T) {
	runExamples(t, []example{
		{name: "(2, 3, 2), axis 1", data: upTo(0, 2, 3, 2), indices: values(dims{3}, 2, 2, 0), axis: 1,
			want: values(dims{2, 3, 2}, 4.0, 5, 4, 5, 0, 1, 10, 11, 10, 11, 6, 7)},
		{name: "(2, 3, 5), axis 1", data: upTo(0, 2, 3, 5), indices: values(dims{2}, 2, 0), axis: 1,
			want: values(dims{2, 2, 5}, 10.0, 11, 12, 13, 14, 0, 1, 2, 3, 4, 25, 26, 27, 28, 29, 15, 16, 17, 18, 19)},
	}, func(e example) (*tensor.Dense, error) { return dense.Gather(e.data, e.indices, e.axis) })

	t.Run("its gradient", func(t *testing.T) {
		dst := upTo(0, 2, 3, 2)
		zero(dst)
		ones := values(dims{2, 4, 2}, slices.Repeat([]float64{1}, 16)...)
		if err := dense.AddGather(dst, ones, values(dims{4}, 0, 2, 2, 1), 1); err != nil {
			t.Fatal(err)
		}
		if err := difference(packed[float64](dst), []float64{1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 2, 2}); err != nil {
			t.Error(err)
		}
	})
}

func zero(d *tensor.Dense) { clear(d.Uint8s()) }
