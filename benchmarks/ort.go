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

// inONNXRuntime tells whether ONNX Runtime has the case, on tensors without
// gaps. It must not be asked for a sum of 16-bit floats, nor for a maximum of
// bfloat16: the error comes when the model runs, and a session with several
// threads crashes after it.
func (c Case) inONNXRuntime() bool {
	switch {
	case c.Op == "GatherTree", c.Op == embeddingBag, c.Storage != "", c.ofSegments(), c.Mode == Backward, c.Mode == Step, c.Layout != "", c.Policy != "":
		return false
	case c.Dtype == Float16:
		return c.Reduction != Add
	case c.Dtype == BFloat16:
		return c.Reduction == ""
	}
	return !c.WithoutOld && c.Reduction != Sub && c.Reduction != Mean
}

// newONNXRuntime binds all inputs and the output once. Where the case changes
// data itself, data and output are bound to the same memory, and ONNX Runtime
// leaves out its copy.
func newONNXRuntime(p *Problem, threads int) (_ Runner, err error) {
	if !p.inONNXRuntime() {
		return nil, errCannot
	}
	r := new(onnxRuntime)
	defer func() {
		if err != nil {
			r.close()
			err = errors.Wrap(err, ONNXRuntime)
		}
	}()
	form, k := p.scatterForm(), p.kind()
	n := node{op: form.Op, inputs: []string{"data", "indices"}, dtype: k.onnx, axis: form.Axis, batchDims: p.BatchDims}
	if p.hasUpdates() {
		n.inputs, n.reduction = append(n.inputs, "updates"), string(p.onnxReduction())
	}
	if err := r.open(n, threads); err != nil {
		return nil, err
	}
	data, out, result, err := r.bindData(p)
	if err != nil {
		return nil, err
	}
	given := map[string]ort.Value{"data": data}
	if p.hasUpdates() {
		if given["updates"], err = r.tensor(p.updatesShape(), p.updates.Uint8s(), k.onnx); err != nil {
			return nil, err
		}
	}
	for _, x := range form.values {
		if given["indices"], err = r.tensor(form.Indices, bytesOf(x), kinds[Int64].onnx); err != nil {
			return nil, err
		}
		if err := r.bind(given, out); err != nil {
			return nil, err
		}
	}
	return &inProcess{
		name: ONNXRuntime, sets: p.Sets, close: r.close, result: result,
		run: func(set int) error { return r.session.RunWithBinding(r.bindings[set]) },
	}, nil
}

// onnxReduction is the one of the model. The adjoint of a gather is a sum.
func (c Case) onnxReduction() Reduction {
	if c.Mode == Gradient {
		return Add
	}
	return c.Reduction
}

// bindData makes the tensors of data and of what is written, and a function that
// reads the latter.
func (r *onnxRuntime) bindData(p *Problem) (data, out ort.Value, result func() Values, err error) {
	k := p.kind()
	if p.Dtype == String {
		return r.bindStrings(p)
	}
	memory := p.memory
	written := make([]byte, size(p.outShape())*k.width)
	if p.ownsData() {
		memory = slices.Clone(memory)
		written = memory
	}
	if data, err = r.tensor(p.Data, memory, k.onnx); err != nil {
		return nil, nil, nil, err
	}
	out, err = r.tensor(p.outShape(), written, k.onnx)
	return data, out, func() Values { return Values{kind: k, memory: written} }, err
}

// bindStrings is bindData for strings, which lie in memory of ONNX Runtime.
func (r *onnxRuntime) bindStrings(p *Problem) (data, out ort.Value, result func() Values, err error) {
	from, err := ort.NewStringTensor(wide(p.Data))
	if err != nil {
		return nil, nil, nil, err
	}
	r.values = append(r.values, from)
	if err := from.SetContents(p.data.Strings()); err != nil {
		return nil, nil, nil, err
	}
	to, err := ort.NewStringTensor(wide(p.outShape()))
	if err != nil {
		return nil, nil, nil, err
	}
	r.values = append(r.values, to)
	return from, to, func() Values {
		words, _ := to.GetContents() // none on an error, and that is wrong
		return Values{kind: p.kind(), strings: words}
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

// tensor makes a tensor of ONNX Runtime in the given memory.
func (r *onnxRuntime) tensor(shape []int, memory []byte, dtype int) (ort.Value, error) {
	t, err := ort.NewCustomDataTensor(wide(shape), memory, ort.TensorElementDataType(dtype))
	if err != nil {
		return nil, err
	}
	r.values = append(r.values, t)
	return t, nil
}

func wide(shape []int) ort.Shape {
	s := make(ort.Shape, len(shape))
	for d, n := range shape {
		s[d] = int64(n)
	}
	return s
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
