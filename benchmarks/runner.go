package main

import "time"

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
	Loop        = "plain Go" // the obvious loop, for strings
)

// runnerOrder is that of the report's columns.
var runnerOrder = []string{Ours, OursNoasm, ONNXRuntime, PyTorch, OpenVINO, ByIndices, Gonnx, Loop, Memcpy}

// isPeer tells the implementations by others from ours and from yardsticks.
func isPeer(name string) bool {
	return name != Ours && name != OursNoasm && name != Memcpy && name != Loop
}

// Runner runs one case with a fixed number of threads.
type Runner interface {
	Name() string
	// Result runs the case with the first index set and returns what was
	// written. It comes before any Sample: after one, a case in place has
	// added more than once.
	Result() (Values, error)
	// Sample runs the case n times, with one index set after the other, and
	// goes on where the last Sample stopped.
	Sample(n int) (time.Duration, error)
	Close()
}

// inProcess makes a Runner of two functions.
type inProcess struct {
	name   string
	run    func(set int) error
	result func() Values // what the last run wrote
	close  func()
	sets   int
	next   int

	collected bool // runs make results that the garbage collector has to look at
}

// Collected tells whether samples have to be so long that the collector has its share.
func (r *inProcess) Collected() bool { return r.collected }

func (r *inProcess) Name() string { return r.name }

func (r *inProcess) Result() (Values, error) {
	if err := r.run(0); err != nil {
		return Values{}, err
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
