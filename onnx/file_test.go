package onnx_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// A file is a model in the making.
type file struct{ graph onnx.Message }

func (f *file) add(number protowire.Number, part []byte) *file {
	f.graph = protowire.AppendBytes(protowire.AppendTag(f.graph, number, protowire.BytesType), part)
	return f
}

func (f *file) input(name string, dims ...int64) *file {
	return f.add(onnx.InputField, onnx.ValueMessage(name, 1, dims...))
}

func (f *file) output(name string) *file {
	return f.add(onnx.OutputField, onnx.ValueMessage(name, 1))
}

func (f *file) longs(name string, values ...int64) *file {
	return f.add(onnx.ConstantsField, onnx.Int64Message(name, []int64{int64(len(values))}, values...))
}

// node adds a node; inputs and outputs are names.
func (f *file) node(op string, inputs, outputs []string, attributes ...onnx.Message) *file {
	return f.add(onnx.NodeField, onnx.NodeMessage(op, inputs, outputs, attributes...))
}

// of another domain.
func (f *file) custom(domain, op string, inputs, outputs []string) *file {
	n := onnx.NodeMessage(op, inputs, outputs)
	return f.add(onnx.NodeField, protowire.AppendString(protowire.AppendTag(n, 7, protowire.BytesType), domain))
}

func (f *file) model(t testing.TB, opset int64, domains ...string) *onnx.Model {
	m := onnx.ModelMessage(opset, f.graph)
	for i, domain := range domains {
		id := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), domain)
		id = protowire.AppendVarint(protowire.AppendTag(id, 2, protowire.VarintType), uint64(i+3))
		m = protowire.AppendBytes(protowire.AppendTag(m, 8, protowire.BytesType), id)
	}
	return onnx.ModelOf(t, m)
}

func list(names ...string) []string { return names }

func floats(n int, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(tensor.Range(tensor.Float32, 0, n)))
}
