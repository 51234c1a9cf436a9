package main

import (
	"slices"

	"github.com/pkg/errors"
	ort "github.com/yalue/onnxruntime_go"
)

// startONNXRuntime loads the shared library.
func startONNXRuntime(library string) error {
	ort.SetSharedLibraryPath(library)
	return errors.Wrap(ort.InitializeEnvironment(), ONNXRuntime)
}

// onnxRuntime is what a case holds in ONNX Runtime.
type onnxRuntime struct {
	session  *ort.DynamicAdvancedSession
	bindings []*ort.IoBinding
	values   []ort.Value
}

// newONNXRuntime binds all inputs and the output once. Where the case adds to
// data itself, data and output are bound to the same memory, and ONNX Runtime
// leaves out its copy.
func newONNXRuntime(p *Problem, threads int) (_ Runner, err error) {
	r := new(onnxRuntime)
	defer func() {
		if err != nil {
			r.close()
			err = errors.Wrap(err, ONNXRuntime)
		}
	}()
	form := p.scatterForm()
	n := node{op: form.Op, inputs: []string{"data", "indices"}, axis: form.Axis, batchDims: p.BatchDims}
	if p.adds() {
		n.inputs, n.reduction = append(n.inputs, "updates"), "add"
	}
	if err := r.open(n, threads); err != nil {
		return nil, err
	}
	values := p.data.Float32s()
	out := make([]float32, size(p.outShape()))
	if p.ownsData() {
		values = slices.Clone(values)
		out = values
	}
	data, err := bound(r, p.Data, values)
	if err != nil {
		return nil, err
	}
	written, err := bound(r, p.outShape(), out)
	if err != nil {
		return nil, err
	}
	inputs := map[string]ort.Value{"data": data}
	if p.adds() {
		shape := p.updatesShape()
		if inputs["updates"], err = bound(r, shape, p.updates.Float32s()); err != nil {
			return nil, err
		}
	}
	for _, x := range form.values {
		if inputs["indices"], err = bound(r, form.Indices, x); err != nil {
			return nil, err
		}
		if err := r.bind(inputs, written); err != nil {
			return nil, err
		}
	}
	return &inProcess{
		name: ONNXRuntime, sets: p.Sets, close: r.close,
		run:    func(set int) error { return r.session.RunWithBinding(r.bindings[set]) },
		result: func() []float32 { return out },
	}, nil
}

func (r *onnxRuntime) open(n node, threads int) error {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return err
	}
	defer options.Destroy()
	if err := options.SetIntraOpNumThreads(threads); err != nil {
		return err
	}
	r.session, err = ort.NewDynamicAdvancedSessionWithONNXData(n.model(), n.inputs, []string{"out"}, options)
	return err
}

// bound makes a tensor of ONNX Runtime in the given memory.
func bound[T float32 | int64](r *onnxRuntime, shape []int, values []T) (ort.Value, error) {
	wide := make(ort.Shape, len(shape))
	for d, n := range shape {
		wide[d] = int64(n)
	}
	t, err := ort.NewTensor(wide, values)
	if err != nil {
		return nil, err
	}
	r.values = append(r.values, t)
	return t, nil
}

func (r *onnxRuntime) bind(inputs map[string]ort.Value, out ort.Value) error {
	b, err := r.session.CreateIoBinding()
	if err != nil {
		return err
	}
	r.bindings = append(r.bindings, b)
	for name, v := range inputs {
		if err := b.BindInput(name, v); err != nil {
			return err
		}
	}
	return b.BindOutput("out", out)
}

// close gives back the C memory. That nothing is left to tell an error to is
// why Destroy's is dropped.
func (r *onnxRuntime) close() {
	for _, b := range r.bindings {
		_ = b.Destroy()
	}
	for _, v := range r.values {
		_ = v.Destroy()
	}
	if r.session != nil {
		_ = r.session.Destroy()
	}
}
