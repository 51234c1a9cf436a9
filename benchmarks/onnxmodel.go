package main

import "google.golang.org/protobuf/encoding/protowire"

// node is the one node of a model of ONNX.
type node struct {
	op        string
	inputs    []string // "indices" is int64, the others are of the dtype
	dtype     int      // in TensorProto.DataType
	axis      int
	batchDims int
	reduction string
}

// model writes the ModelProto. Its fields have numbers in onnx.proto.
func (n node) model() []byte {
	const (
		int64Type                   = 7
		intAttribute, textAttribute = 2, 3
	)
	var b []byte
	for _, name := range n.inputs {
		b = text(b, 1, name)
	}
	b = text(text(b, 2, "out"), 4, n.op)
	switch n.op {
	case "GatherND":
		b = message(b, 5, number(number(text(nil, 1, "batch_dims"), 3, n.batchDims), 20, intAttribute))
	case "Gather", "GatherElements", "ScatterElements":
		b = message(b, 5, number(number(text(nil, 1, "axis"), 3, n.axis), 20, intAttribute))
	}
	if n.reduction != "" {
		b = message(b, 5, number(text(text(nil, 1, "reduction"), 4, n.reduction), 20, textAttribute))
	}
	graph := text(message(nil, 1, b), 2, "benchmark")
	for _, name := range n.inputs {
		of := n.dtype
		if name == "indices" {
			of = int64Type
		}
		graph = message(graph, 11, value(name, of))
	}
	graph = message(graph, 12, value("out", n.dtype))
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
