package main

import (
	"time"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// The names of those that run the cases.
const (
	Ours        = "gather"
	OursNoasm   = "gather, noasm"
	Memcpy      = "memcpy"
	ONNXRuntime = "ONNX Runtime"
	PyTorch     = "PyTorch"
	OpenVINO    = "OpenVINO"
	ByIndices   = "ByIndices"
	Gonnx       = "gonnx"
)

// runnerOrder is that of the report's columns.
var runnerOrder = []string{Ours, OursNoasm, ONNXRuntime, PyTorch, OpenVINO, ByIndices, Gonnx, Memcpy}

// isPeer tells the implementations by others from ours and from memcpy.
func isPeer(name string) bool { return name != Ours && name != OursNoasm && name != Memcpy }

// Runner runs one case with a fixed number of threads.
type Runner interface {
	Name() string
	// Result runs the case with the first index set and returns what was
	// written. It comes before any Sample: after one, a case in place has
	// added more than once.
	Result() ([]float32, error)
	// Sample runs the case n times, with one index set after the other, and
	// goes on where the last Sample stopped.
	Sample(n int) (time.Duration, error)
	Close()
}

// inProcess makes a Runner of two functions.
type inProcess struct {
	name   string
	run    func(set int) error
	result func() []float32 // what the last run wrote
	close  func()
	sets   int
	next   int
}

func (r *inProcess) Name() string { return r.name }

func (r *inProcess) Result() ([]float32, error) {
	if err := r.run(0); err != nil {
		return nil, err
	}
	return r.result(), nil
}

func (r *inProcess) Sample(n int) (time.Duration, error) {
	start := time.Now()
	for range n {
		if err := r.run(r.next); err != nil {
			return 0, err
		}
		if r.next++; r.next == r.sets {
			r.next = 0
		}
	}
	return time.Since(start), nil
}

func (r *inProcess) Close() {
	if r.close != nil {
		r.close()
	}
}

// newOurs is package dense, writing to a given tensor.
func newOurs(name string, p *Problem) Runner {
	var dst *tensor.Dense
	if p.ownsData() {
		dst = p.data.Clone().(*tensor.Dense)
	} else {
		dst = tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(p.outShape()...))
	}
	add, reuse := dense.WithReduction(dense.Add), dense.WithReuse(dst)
	data := p.data
	if p.Mode == InPlace {
		data = dst
	}
	return &inProcess{
		name: name, sets: p.Sets, result: dst.Float32s,
		run: func(set int) (err error) {
			x := p.indices[set]
			switch {
			case p.Mode == Gradient && p.Op == "Gather":
				err = dense.AddGather(dst, p.updates, x, p.Axis)
			case p.Mode == Gradient && p.Op == "GatherElements":
				err = dense.AddGatherElements(dst, p.updates, x, p.Axis)
			case p.Mode == Gradient:
				err = dense.AddGatherND(dst, p.updates, x, dense.WithBatchDims(p.BatchDims))
			case p.Op == "Gather":
				_, err = dense.Gather(data, x, p.Axis, reuse)
			case p.Op == "GatherElements":
				_, err = dense.GatherElements(data, x, p.Axis, reuse)
			case p.Op == "GatherND":
				_, err = dense.GatherND(data, x, dense.WithBatchDims(p.BatchDims), reuse)
			case p.Op == "ScatterElements":
				_, err = dense.ScatterElements(data, x, p.updates, p.Axis, add, reuse)
			case p.Op == "ScatterND":
				_, err = dense.ScatterND(data, x, p.updates, add, reuse)
			}
			return err
		},
	}
}
