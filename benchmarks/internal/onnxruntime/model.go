package onnxruntime

import "google.golang.org/protobuf/encoding/protowire"

// The numbers of dtypes in TensorProto.DataType.
const (
	Float32 = 1
	Uint8   = 2
	Int32   = 6
	Int64   = 7
	Float16 = 10
	Float64 = 11
)

// Node is the one node of a model of ONNX.
type Node struct {
	Op        string
	Inputs    []string // "indices" is of dtype Indices, the others are of Dtype
	Dtype     int
	Indices   int
	Axis      int
	BatchDims int
	Reduction string
}

// model writes the ModelProto. Its fields have numbers in onnx.proto.
func (n Node) model() []byte {
	const intAttribute, textAttribute = 2, 3
	var b []byte
	for _, name := range n.Inputs {
		b = text(b, 1, name)
	}
	b = text(text(b, 2, "out"), 4, n.Op)
	switch n.Op {
	case "GatherND":
		b = message(b, 5, number(number(text(nil, 1, "batch_dims"), 3, n.BatchDims), 20, intAttribute))
	case "Gather", "GatherElements", "ScatterElements":
		b = message(b, 5, number(number(text(nil, 1, "axis"), 3, n.Axis), 20, intAttribute))
	}
	if n.Reduction != "" {
		b = message(b, 5, number(text(text(nil, 1, "reduction"), 4, n.Reduction), 20, textAttribute))
	}
	graph := text(message(nil, 1, b), 2, "benchmark")
	for _, name := range n.Inputs {
		of := n.Dtype
		if name == "indices" {
			of = n.Indices
		}
		graph = message(graph, 11, value(name, of))
	}
	graph = message(graph, 12, value("out", n.Dtype))
	m := number(nil, 1, 8)
	m = message(m, 8, number(text(nil, 1, ""), 2, 18))
	return message(m, 7, graph)
}

// value is a ValueInfoProto with its element type alone.
func value(name string, of int) []byte {
	return message(text(nil, 1, name), 2, message(nil, 1, number(nil, 1, of)))
}

func text(b []byte, field protowire.Number, s string) []byte { return message(b, field, []byte(s)) }

func message(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}

func number(b []byte, field protowire.Number, n int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(n))
}
