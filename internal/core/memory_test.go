package core

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/machine"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/shapes"
	"gorgonia.org/tensor"
)

// withMemory makes the machine one of so many bytes.
func withMemory(t *testing.T, bytes int64) {
	before := mostBytes
	mostBytes = func() int64 { return bytes }
	t.Cleanup(func() { mostBytes = before })
}

// TestResultsAboveTheMemory asks for results just below and above what the
// machine has, of inputs that are next to nothing.
func TestResultsAboveTheMemory(t *testing.T) {
	withMemory(t, 4000)
	index := tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{0}))
	fill := plan.Params{Op: plan.Gather, Settings: plan.Settings{OutOfRange: plan.ZeroFill}}
	for _, c := range []struct {
		dtype tensor.Dtype
		n     int
		text  string // of the error
	}{
		{tensor.Float32, 1000, ""},
		{tensor.Float32, 1001, "Gather: a result of shape (1, 1001) would take 4004 bytes of memory, this machine has 4000"},
		{tensor.Uint8, 4000, ""},
		{tensor.Uint8, 4001, "Gather: a result of shape (1, 4001) would take 4001 bytes of memory, this machine has 4000"},
		{tensor.Float64, math.MaxInt / 2, "bytes of memory, this machine has 4000"},
		{tensor.Complex128, math.MaxInt, "bytes of memory, this machine has 4000"},
	} {
		data := tensor.NewDense(c.dtype, tensor.Shape{0, c.n})
		_, err := Gather(&fill, nil, data, index)
		if c.text == "" {
			if err != nil {
				t.Errorf("%v, %d: %v", c.dtype, c.n, err)
			}
			continue
		}
		if !errors.Is(err, shapes.ErrShape) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v, %d: error %v, want %s", c.dtype, c.n, err, c.text)
		}
	}
	text := tensor.New(tensor.WithShape(0, 1000), tensor.WithBacking([]string{}))
	if _, err := Gather(&fill, nil, text, index); !errors.Is(err, shapes.ErrShape) {
		t.Errorf("strings: error %v", err)
	}
}

// TestBadIndexBeforeTheResult: an axis of no elements has no index, which is the error, and
// not that the result would be too large.
func TestBadIndexBeforeTheResult(t *testing.T) {
	withMemory(t, 4000)
	data := tensor.NewDense(tensor.Float32, tensor.Shape{0, 1001})
	index := tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{0}))
	var bad *IndexError
	if _, err := Gather(&plan.Params{Op: plan.Gather}, nil, data, index); !errors.As(err, &bad) {
		t.Errorf("error %v, want an IndexError", err)
	}
}

// TestViewsAboveTheMemory has tensors with strides of 0, which are more when they
// are written out than the machine has.
func TestViewsAboveTheMemory(t *testing.T) {
	withMemory(t, 4000)
	repeat := func(d *tensor.Dense, n int) *tensor.Dense {
		d.Info().Init(tensor.Shape{n}, []int{0})
		return d
	}
	for n, text := range map[int]string{
		100:   "",
		10000: "Gather: indices of shape (10000) would take 80000 bytes of memory, this machine has 4000",
	} {
		indices := repeat(tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{1})), n)
		data := tensor.New(tensor.WithShape(2), tensor.WithBacking([]uint8{5, 7}))
		_, err := Gather(&plan.Params{Op: plan.Gather}, nil, data, indices)
		if text == "" && err != nil || text != "" && (!errors.Is(err, shapes.ErrShape) || err.Error() != text) {
			t.Errorf("%d indices: error %v, want %q", n, err, text)
		}
	}
	// One that is there already may be as large as it likes.
	columns := tensor.New(tensor.WithShape(100, 10), tensor.AsFortran(make([]float64, 1000)))
	row := tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{99}))
	if _, err := Gather(&plan.Params{Op: plan.Gather}, nil, columns, row); err != nil {
		t.Errorf("column-major data of 8000 bytes: %v", err)
	}
}

// TestMachineMemory: the machine has some, and no more than can be addressed.
func TestMachineMemory(t *testing.T) {
	if got := mostBytes(); got < 1<<20 || got > math.MaxInt || got > machine.Memory() {
		t.Errorf("%d bytes", got)
	}
}
