package dense_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/tensor"
)

// TestPanicsAreErrors breaks the kernels' loops: a small call panics in the
// caller's goroutine, a large one in helpers', and each is an error that
// names the operator.
func TestPanicsAreErrors(t *testing.T) {
	restore := simd.Use(failingLoops())
	defer func() { restore() }()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer par.UseCores(4)()
	calls := map[string]func(rows int) error{
		"Gather": func(rows int) error {
			_, err := dense.Gather(upTo(1, rows, 100), values(dims{rows}, make([]int64, rows)...), 0)
			return err
		},
		"GatherElements": func(rows int) error {
			_, err := dense.GatherElements(values(dims{rows}, make([]float32, rows)...), values(dims{rows}, make([]int32, rows)...), 0)
			return err
		},
		"AddGather": func(rows int) error {
			data := values(dims{rows, 100}, make([]float32, 100*rows)...)
			updates := values(dims{rows, 100}, make([]float32, 100*rows)...)
			return dense.AddGather(data, updates, values(dims{rows}, make([]int64, rows)...), 0)
		},
		"ScatterND": func(rows int) error {
			data := values(dims{rows, 100}, make([]float32, 100*rows)...)
			updates := values(dims{rows, 100}, make([]float32, 100*rows)...)
			_, err := dense.ScatterND(data, values(dims{rows, 1}, make([]int64, rows)...), updates, dense.WithReduction(dense.Add), dense.WithReuse(data))
			return err
		},
	}
	for _, rows := range []int{20, 20000} {
		for op, call := range calls {
			var all sync.WaitGroup
			for range 3 {
				all.Add(1)
				go func() {
					defer all.Done()
					err := call(rows)
					if err == nil || !strings.HasPrefix(err.Error(), op+": ") || !strings.Contains(err.Error(), "a loop") {
						t.Errorf("%s of %d rows: %v", op, rows, err)
					}
				}()
			}
			all.Wait()
		}
	}
	restore()
	restore = func() {}
	for op, call := range calls {
		if err := call(20000); err != nil {
			t.Errorf("%s afterwards: %v", op, err)
		}
	}
}

// TestWrappedShapes gives tensors shapes and strides whose elements wrap round to
// where memory is.
func TestWrappedShapes(t *testing.T) {
	const half = int(^uint(0)>>2) + 1 // a quarter of what an uint counts
	for name, bad := range map[string]*tensor.Dense{
		"a stride":                bent(upTo(1, 5), dims{5}, []int{half}),
		"a stride, to the start":  bent(upTo(1, 5), dims{9}, []int{half}),
		"a sum of strides":        bent(upTo(1, 5), dims{2, 2, 3}, []int{half, half, half}),
		"a sum back to the start": bent(upTo(1, 5), dims{3, 2, 2, 2}, []int{half, half, half, 1}),
		"two negative dims":       bent(upTo(1, 6), dims{-2, -3}, []int{3, 1}),
		"a negative dim":          bent(upTo(1, 6), dims{-6}, []int{1}),
		"a product of dims":       bent(upTo(1, 5), dims{half, 4, 2}, []int{8, 2, 1}),
		"a product, no strides":   bent(upTo(1, 5), dims{half, 8}, []int{1}),
		"dims of nothing":         bent(upTo(1, 5), dims{half, 4}, []int{0, 0}),
		"a negative stride":       bent(upTo(1, 5), dims{5}, []int{-half}),
	} {
		t.Run(name, func(t *testing.T) {
			indices := values(dims{1}, int64(0))
			ones := upTo(1, 1)
			for op, call := range map[string]func() error{
				"Gather": func() error { _, err := dense.Gather(bad, indices, 0); return err },
				"Gather, indices": func() error {
					_, err := dense.Gather(upTo(1, 3), reshaped(bad, values(dims{5}, make([]int64, 5)...)), 0)
					return err
				},
				"AddGather":       func() error { return dense.AddGather(bad, ones, indices, 0) },
				"ScatterElements": func() error { _, err := dense.ScatterElements(bad, indices, ones, 0); return err },
				"ScatterUpdate":   func() error { _, err := dense.ScatterUpdate(upTo(1, 3), indices, bad, 0); return err },
			} {
				if err := call(); err == nil {
					t.Errorf("%s: no error", op)
				} else if strings.Contains(err.Error(), "this is a bug") {
					t.Errorf("%s panicked: %v", op, err)
				}
			}
		})
	}
}

// reshaped is d with the shape and strides of another.
func reshaped(other, d *tensor.Dense) *tensor.Dense {
	return bent(d, dims(other.Shape().Clone()), append([]int(nil), other.Strides()...))
}

// failingLoops is an implementation whose loops over items and rows panic, for tests of what
// comes of that.
func failingLoops() *simd.Implementation {
	rows := func(data, items *byte, offsets *int64, n, bytes, step, distance int) { panic("a loop over rows") }
	add := func(data, items *byte, offsets, places *int64, n, bytes, step, distance int) { panic("a loop of sums") }
	items := func(data, items, idx *byte, n, size, negativeOffset, stride, step int) int {
		panic("a loop over items")
	}
	line := func(data, items, idx *byte, l *simd.Line) int { panic("a loop over items") }
	i := *simd.Go
	i.Name, i.CopyRows, i.SetRows = "failing", rows, add
	for l := range i.CopyItems {
		i.CopyOffsets[l], i.SetOffsets[l], i.CopyItems[l] = rows, add, simd.ItemLoops{items, items}
		i.CopyLines[l], i.SetLines[l] = simd.LineLoops{line, line}, simd.LineLoops{line, line}
	}
	for kind := range i.Combine {
		for r := range i.Combine[kind] {
			i.Combine[kind][r] = simd.CombineLoops{Lines: simd.LineLoops{line, line}, Rows: add, Offsets: add}
		}
	}
	return &i
}
