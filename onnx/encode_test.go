package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/tensor"
)

// A message is a protobuf message in the making, for files that no well-behaved
// writer would write.
type message []byte

func (m message) varint(number protowire.Number, v int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, number, protowire.VarintType), uint64(v))
}

func (m message) bytes(number protowire.Number, b []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, number, protowire.BytesType), b)
}

func (m message) text(number protowire.Number, s string) message { return m.bytes(number, []byte(s)) }

func (m message) fixed32(number protowire.Number, v uint32) message {
	return protowire.AppendFixed32(protowire.AppendTag(m, number, protowire.Fixed32Type), v)
}

func (m message) fixed64(number protowire.Number, v uint64) message {
	return protowire.AppendFixed64(protowire.AppendTag(m, number, protowire.Fixed64Type), v)
}

// packed is a packed run of varints.
func packed(values ...int64) []byte {
	var b []byte
	for _, v := range values {
		b = protowire.AppendVarint(b, uint64(v))
	}
	return b
}

// tensorMessage is a TensorProto without values.
func tensorMessage(name string, dataType int64, dims ...int64) message {
	m := message{}.bytes(1, packed(dims...)).varint(2, dataType)
	if name != "" {
		m = m.text(8, name)
	}
	return m
}

// int64Message is a TensorProto of int64 values.
func int64Message(name string, dims []int64, values ...int64) message {
	return tensorMessage(name, 7, dims...).bytes(7, packed(values...))
}

// valueMessage is a ValueInfoProto of a tensor; a dim of -1 is named n.
func valueMessage(name string, dataType int64, dims ...int64) message {
	var shape message
	for _, n := range dims {
		d := message{}.text(2, "n")
		if n >= 0 {
			d = message{}.varint(1, n)
		}
		shape = shape.bytes(1, d)
	}
	t := message{}.varint(1, dataType).bytes(2, shape)
	return message{}.text(1, name).bytes(2, message{}.bytes(1, t))
}

// nodeMessage is a NodeProto.
func nodeMessage(op string, inputs, outputs []string, attributes ...message) message {
	var m message
	for _, s := range inputs {
		m = m.text(1, s)
	}
	for _, s := range outputs {
		m = m.text(2, s)
	}
	m = m.text(4, op)
	for _, a := range attributes {
		m = m.bytes(5, a)
	}
	return m
}

func intAttribute(name string, v int64) message {
	return message{}.text(1, name).varint(3, v).varint(20, kindInt)
}

// modelMessage is a ModelProto for an opset, of a GraphProto.
func modelMessage(opset int64, graph message) message {
	return message{}.varint(1, 8).bytes(7, graph).bytes(8, message{}.varint(2, opset))
}

func modelOf(t testing.TB, m message) *Model {
	t.Helper()
	model, err := ReadModel(bytes.NewReader(m))
	require.NoError(t, err)
	return model
}

// testModel reads a model of the folder testdata.
func testModel(t testing.TB, name string) *Model {
	t.Helper()
	return modelFile(t, filepath.Join("testdata", name))
}

// modelFile reads a model file.
func modelFile(t testing.TB, path string) *Model {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	m, err := ReadModel(f)
	require.NoError(t, err)
	return m
}

// testTensor reads a tensor file.
func testTensor(t testing.TB, path string) *tensor.Dense {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	d, err := ReadTensor(f)
	require.NoError(t, err)
	return d
}

// entryMessage is a StringStringEntryProto.
func entryMessage(key, value string) message { return message{}.text(1, key).text(2, value) }
