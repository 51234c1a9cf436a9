package main

import (
	"slices"

	ort "github.com/yalue/onnxruntime_go"
	"gorgonia.org/gather/benchmarks/internal/onnxruntime"
)

// onnx is ONNX Runtime, with a session for one thread and one for some.
type onnx struct {
	sessions map[int]*onnxruntime.Session
	written  []byte
}

func startONNXRuntime(library string) (*onnx, error) {
	return &onnx{}, onnxruntime.Start(library)
}

func (x *onnx) name() string { return onnxRuntime }

func (x *onnx) close() error {
	for _, s := range x.sessions {
		s.Close()
	}
	x.sessions = map[int]*onnxruntime.Session{}
	return nil
}

// inONNX tells whether ONNX has the operator, and ONNX Runtime the dtype: it has no reductions
// of 16-bit floats, and after the error about a sum a session with several threads crashes. The
// binding to Go has no scalars.
func (c Call) inONNX() bool {
	own := slices.Contains([]string{"Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND"}, c.Op)
	return own && c.Layout == "" && len(c.Indices) > 0 && (c.Dtype != "float16" || c.Reduction == "" || c.Reduction == "none")
}

var onnxDtypes = map[string]int{
	"float32": onnxruntime.Float32, "float64": onnxruntime.Float64, "float16": onnxruntime.Float16,
	"int64": onnxruntime.Int64, "int32": onnxruntime.Int32, "uint8": onnxruntime.Uint8,
}

func (x *onnx) load(o *operands, threads int) error {
	if err := x.close(); err != nil || !o.inONNX() {
		return errCannot
	}
	dtype := onnxDtypes[o.Dtype]
	n := onnxruntime.Node{
		Op: o.Op, Inputs: []string{"data", "indices"}, Dtype: dtype, Indices: onnxDtypes[o.Index],
		Axis: o.Axis, BatchDims: o.BatchDims, Reduction: o.Reduction,
	}
	if o.changes() {
		n.Inputs = append(n.Inputs, "updates")
	}
	data := o.data.base.Uint8s()
	x.written = make([]byte, len(data)/of(o.Data)*of(o.result))
	if o.InPlace {
		// ONNX Runtime leaves out its copy where both are the same memory.
		copy(x.written, data)
		data = x.written
	}
	for _, count := range slices.Compact([]int{1, threads}) {
		s, err := onnxruntime.Open(n, count)
		if err != nil {
			return errCannot
		}
		x.sessions[count] = s
		given := map[string]ort.Value{}
		if given["data"], err = s.Tensor(o.Data, data, dtype); err != nil {
			return err
		}
		if given["indices"], err = s.Tensor(o.Indices, o.indices.Uint8s(), n.Indices); err != nil {
			return err
		}
		if o.changes() {
			if given["updates"], err = s.Tensor(o.updates.Shape(), o.updates.Uint8s(), dtype); err != nil {
				return err
			}
		}
		out, err := s.Tensor(o.result, x.written, dtype)
		if err == nil {
			err = s.Bind(given, out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *onnx) result() ([]byte, error) { return x.written, x.sessions[1].Run(0) }

func (x *onnx) sample(threads int) (float64, error) {
	return timeCalls(func() error { return x.sessions[threads].Run(0) })
}
