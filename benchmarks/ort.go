package main

import (
	"slices"

	"github.com/pkg/errors"
	ort "github.com/yalue/onnxruntime_go"
	"gorgonia.org/gather/benchmarks/internal/onnxruntime"
)

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
	form, k := p.scatterForm(), p.kind()
	n := onnxruntime.Node{Op: form.Op, Inputs: []string{"data", "indices"}, Dtype: k.onnx, Indices: onnxruntime.Int64, Axis: form.Axis, BatchDims: p.BatchDims}
	if p.hasUpdates() {
		n.Inputs, n.Reduction = append(n.Inputs, "updates"), string(p.onnxReduction())
	}
	s, err := onnxruntime.Open(n, threads)
	if err != nil {
		return nil, errors.Wrap(err, ONNXRuntime)
	}
	defer func() {
		if err != nil {
			s.Close()
			err = errors.Wrap(err, ONNXRuntime)
		}
	}()
	data, out, result, err := bindData(s, p)
	if err != nil {
		return nil, err
	}
	given := map[string]ort.Value{"data": data}
	if p.hasUpdates() {
		if given["updates"], err = s.Tensor(p.updatesShape(), p.updates.Uint8s(), k.onnx); err != nil {
			return nil, err
		}
	}
	for _, x := range form.values {
		if given["indices"], err = s.Tensor(form.Indices, bytesOf(x), onnxruntime.Int64); err != nil {
			return nil, err
		}
		if err := s.Bind(given, out); err != nil {
			return nil, err
		}
	}
	return &inProcess{
		name: ONNXRuntime, sets: p.Sets, close: s.Close, result: result,
		run: s.Run,
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
func bindData(s *onnxruntime.Session, p *Problem) (data, out ort.Value, result func() Values, err error) {
	k := p.kind()
	if p.Dtype == String {
		return bindStrings(s, p)
	}
	memory := p.memory
	written := make([]byte, size(p.outShape())*k.width)
	if p.ownsData() {
		memory = slices.Clone(memory)
		written = memory
	}
	if data, err = s.Tensor(p.Data, memory, k.onnx); err != nil {
		return nil, nil, nil, err
	}
	out, err = s.Tensor(p.outShape(), written, k.onnx)
	return data, out, func() Values { return Values{kind: k, memory: written} }, err
}

// bindStrings is bindData for strings, which lie in memory of ONNX Runtime.
func bindStrings(s *onnxruntime.Session, p *Problem) (data, out ort.Value, result func() Values, err error) {
	from, err := ort.NewStringTensor(onnxruntime.Shape(p.Data))
	if err != nil {
		return nil, nil, nil, err
	}
	s.Own(from)
	if err := from.SetContents(p.data.Strings()); err != nil {
		return nil, nil, nil, err
	}
	to, err := ort.NewStringTensor(onnxruntime.Shape(p.outShape()))
	if err != nil {
		return nil, nil, nil, err
	}
	s.Own(to)
	return from, to, func() Values {
		words, _ := to.GetContents() // none on an error, and that is wrong
		return Values{kind: p.kind(), strings: words}
	}, nil
}
