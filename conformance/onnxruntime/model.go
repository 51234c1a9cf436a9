package onnxruntime

import (
	"math"
	"sort"

	"google.golang.org/protobuf/encoding/protowire"
)

// Attributes are a node's attributes: int64, float32, string or []int64.
type Attributes map[string]any

// The names in a model: its inputs are x0, x1, …; its outputs are the node's result as a list and the result's shape.
// Go's binding of ONNX Runtime can return no scalar and returns half of a float16 tensor; a list and a shape it can
// return of everything, and a cast makes float of the 16-bit floats, which holds all their values.
const (
	flatOutput  = "flat"
	shapeOutput = "shape"
)

// model returns a ModelProto of one node. dtypes and ranks are those of its inputs, every dim is left open; an input
// of rank 0 comes in as a list of one element and is reshaped, as the binding has no scalars.
func model(opType string, opset int, attrs Attributes, types []DType, ranks []int) []byte {
	var graph []byte
	var inputs []string
	for i, t := range types {
		name := inputName(i)
		rank := ranks[i]
		if rank == 0 {
			scalar := name + "_scalar"
			graph = appendMessage(graph, 1, node("Reshape", []string{name, "no_dims"}, scalar, nil))
			graph = appendMessage(graph, 11, valueInfo(name, t, 1))
			inputs = append(inputs, scalar)
			continue
		}
		graph = appendMessage(graph, 11, valueInfo(name, t, rank))
		inputs = append(inputs, name)
	}
	graph = appendMessage(graph, 1, node(opType, inputs, "y", attrs))
	wide, out := "y", types[0]
	if out == Float16 || out == BFloat16 {
		wide, out = "wide", Float
		graph = appendMessage(graph, 1, node("Cast", []string{"y"}, wide, Attributes{"to": int64(Float)}))
	}
	graph = appendMessage(graph, 1, node("Reshape", []string{wide, "one_dim"}, flatOutput, nil))
	graph = appendMessage(graph, 1, node("Shape", []string{"y"}, shapeOutput, nil))
	graph = appendString(graph, 2, "case")
	graph = appendMessage(graph, 5, int64Initializer("no_dims", nil))
	graph = appendMessage(graph, 5, int64Initializer("one_dim", []int64{-1}))
	graph = appendMessage(graph, 12, valueInfo(flatOutput, out, 1))
	graph = appendMessage(graph, 12, valueInfo(shapeOutput, Int64, 1))

	model := appendInt(nil, 1, 8) // ir_version
	model = appendMessage(model, 8, appendInt(appendString(nil, 1, ""), 2, int64(opset)))
	return appendMessage(model, 7, graph)
}

func inputName(i int) string { return "x" + string(rune('0'+i)) }

// node returns a NodeProto with one output.
func node(opType string, inputs []string, output string, attrs Attributes) []byte {
	return nodeOf(opType, inputs, []string{output}, attrs)
}

// nodeOf returns a NodeProto.
func nodeOf(opType string, inputs, outputs []string, attrs Attributes) []byte {
	var b []byte
	for _, name := range inputs {
		b = appendString(b, 1, name)
	}
	for _, name := range outputs {
		b = appendString(b, 2, name)
	}
	b = appendString(b, 3, "make_"+outputs[0])
	b = appendString(b, 4, opType)
	for _, name := range attrs.names() {
		attr := appendString(nil, 1, name)
		switch value := attrs[name].(type) {
		case int64:
			attr = appendInt(appendInt(attr, 3, value), 20, 2)
		case string:
			attr = appendInt(appendString(attr, 4, value), 20, 3)
		case float32:
			attr = protowire.AppendTag(attr, 2, protowire.Fixed32Type)
			attr = appendInt(protowire.AppendFixed32(attr, math.Float32bits(value)), 20, 1)
		case []int64:
			for _, x := range value {
				attr = appendInt(attr, 8, x)
			}
			attr = appendInt(attr, 20, 7)
		}
		b = appendMessage(b, 5, attr)
	}
	return b
}

// names returns the attributes' names in order.
func (a Attributes) names() []string {
	names := make([]string, 0, len(a))
	for name := range a {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// valueInfo returns a ValueInfoProto of a tensor whose dims are open.
func valueInfo(name string, t DType, rank int) []byte {
	var shape []byte
	for range rank {
		shape = appendMessage(shape, 1, nil)
	}
	tensorType := appendMessage(appendInt(nil, 1, int64(t)), 2, shape)
	return appendMessage(appendString(nil, 1, name), 2, appendMessage(nil, 1, tensorType))
}

// int64Initializer returns a TensorProto of a list.
func int64Initializer(name string, xs []int64) []byte {
	b := appendInt(nil, 1, int64(len(xs)))
	b = appendInt(b, 2, int64(Int64))
	for _, x := range xs {
		b = appendInt(b, 7, x)
	}
	return appendString(b, 8, name)
}

func appendInt(b []byte, field protowire.Number, x int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(x))
}

func appendString(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func appendMessage(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}
