package onnx

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/internal/opset/opsettest"
	"gorgonia.org/gorgonia"
)

// uniqueName is the shortest name that no other i has: all of ASCII but 0 may
// stand in it.
func uniqueName(i int) string { return opsettest.Unique(i, ascii) }

// ascii is all of ASCII but 0.
var ascii = func() string {
	var letters [127]byte
	for i := range letters {
		letters[i] = byte(1 + i)
	}
	return string(letters[:])
}()

// repeat appends parts to a message until it has so many bytes.
func repeat(m message, size int, part func(m message, i int) message) message {
	for i := 0; len(m) < size; i++ {
		m = part(m, i)
	}
	return m
}

// always appends a part that does not depend on its number.
func always(number protowire.Number, b []byte) func(message, int) message {
	return func(m message, _ int) message { return m.bytes(number, b) }
}

// hostileGraphs are graphs of much that takes little in a file, of so many bytes
// each.
func hostileGraphs(size int) map[string]message {
	inGraph := func(number protowire.Number, part func(i int) message) message {
		return repeat(nil, size, func(m message, i int) message { return m.bytes(number, part(i)) })
	}
	inNode := func(part func(m message, i int) message) message {
		return message{}.bytes(graphNode, repeat(message{}.text(4, "A"), size, part))
	}
	inAttribute := func(kind int64, part func(m message, i int) message) message {
		return inNode(always(5, repeat(message{}.text(1, "a").varint(20, kind), size, part)))
	}
	attributes := func(a message) message {
		return inNode(func(m message, i int) message { return m.bytes(5, append(message{}.text(1, uniqueName(i)), a...)) })
	}
	long := func(i int) string { return "a name of some length " + uniqueName(i) }
	dims := func(dim message) message { return repeat(nil, 64*(len(dim)+2), always(1, dim)) }
	value := func(name string, shape message) message {
		return message{}.text(1, name).bytes(2, message{}.bytes(1, message{}.bytes(2, shape)))
	}
	graphs := map[string]message{
		"empty nodes":                 inGraph(graphNode, func(int) message { return message{}.text(4, "A") }),
		"nodes with an output":        inGraph(graphNode, func(i int) message { return message{}.text(4, "A").text(2, uniqueName(i)) }),
		"nodes with a long output":    inGraph(graphNode, func(i int) message { return message{}.text(4, "A").text(2, long(i)) }),
		"nodes with an unnamed input": inGraph(graphNode, func(int) message { return message{}.text(4, "A").text(1, "") }),
		"nodes of many operators":     inGraph(graphNode, func(i int) message { return message{}.text(4, uniqueName(i)) }),
		"nodes with an attribute":     inGraph(graphNode, func(int) message { return message{}.text(4, "A").bytes(5, message{}.text(1, "a").varint(3, 1)) }),
		"nodes with nine attributes": inGraph(graphNode, func(int) message {
			m := message{}.text(4, "A")
			for i := range 9 {
				m = m.bytes(5, message{}.text(1, uniqueName(i)).varint(3, 1))
			}
			return m
		}),
		"a node of unnamed inputs":       inNode(always(1, nil)),
		"a node of inputs":               inNode(always(1, []byte("a"))),
		"a node of inputs of two bytes":  inNode(always(1, []byte("ab"))),
		"a node of inputs of 9 bytes":    inNode(always(1, []byte("123456789"))),
		"a node of inputs of 17 bytes":   inNode(always(1, []byte("12345678901234567"))),
		"a node of unnamed outputs":      inNode(always(2, nil)),
		"a node of outputs":              inNode(func(m message, i int) message { return m.text(2, uniqueName(i)) }),
		"a node of integers":             attributes(message{}.varint(3, 1)),
		"a node of floats":               attributes(message{}.fixed32(2, 1)),
		"a node of strings":              attributes(message{}.text(4, "")),
		"a node of empty lists":          attributes(message{}.varint(20, kindInts)),
		"a node of tensors":              attributes(message{}.bytes(5, nil)),
		"a node of tensors of 64 dims":   attributes(message{}.bytes(5, message{}.bytes(1, make([]byte, 64)))),
		"a node of graphs":               attributes(message{}.bytes(6, nil)),
		"attributes of long names":       inNode(func(m message, i int) message { return m.bytes(5, message{}.text(1, long(i)).varint(3, 1)) }),
		"an attribute of packed ints":    inAttribute(kindInts, always(8, make([]byte, 1<<10))),
		"an attribute of ints":           inAttribute(kindInts, func(m message, _ int) message { return m.varint(8, 1) }),
		"an attribute of packed floats":  inAttribute(kindFloats, always(7, make([]byte, 1<<10))),
		"an attribute of floats":         inAttribute(kindFloats, func(m message, _ int) message { return m.fixed32(7, 1) }),
		"an attribute of strings":        inAttribute(kindStrings, always(9, nil)),
		"an attribute of longer strings": inAttribute(kindStrings, always(9, []byte("12345678901234567"))),
		"an attribute of tensors":        inAttribute(9, always(10, nil)),
		"an attribute of graphs":         inAttribute(10, always(11, nil)),
		"a tensor of many dims":          inAttribute(kindTensor, always(5, message{}.bytes(1, make([]byte, 64)))),
		"empty initializers":             inGraph(graphInitializer, func(i int) message { return message{}.text(8, uniqueName(i)) }),
		"initializers of 64 dims":        inGraph(graphInitializer, func(i int) message { return message{}.text(8, uniqueName(i)).bytes(1, make([]byte, 64)) }),
		"initializers of single dims": inGraph(graphInitializer, func(i int) message {
			m := message{}.text(8, uniqueName(i))
			for range 64 {
				m = m.varint(1, 0)
			}
			return m
		}),
		"declared inputs":               inGraph(graphInput, func(i int) message { return message{}.text(1, uniqueName(i)) }),
		"declared outputs":              inGraph(graphOutput, func(i int) message { return message{}.text(1, uniqueName(i)) }),
		"inputs of long names":          inGraph(graphInput, func(i int) message { return message{}.text(1, long(i)) }),
		"scalar inputs":                 inGraph(graphInput, func(i int) message { return value(uniqueName(i), nil) }),
		"inputs of one dim":             inGraph(graphInput, func(i int) message { return value(uniqueName(i), message{}.bytes(1, nil)) }),
		"inputs of 64 empty dims":       inGraph(graphInput, func(i int) message { return value(uniqueName(i), dims(nil)) }),
		"inputs of 64 dims":             inGraph(graphInput, func(i int) message { return value(uniqueName(i), dims(message{}.varint(1, 1))) }),
		"inputs of 64 named dims":       inGraph(graphInput, func(i int) message { return value(uniqueName(i), dims(message{}.text(2, "ab"))) }),
		"outputs of 64 empty dims":      inGraph(graphOutput, func(i int) message { return value(uniqueName(i), dims(nil)) }),
		"an input of many shapes":       message{}.bytes(graphInput, message{}.text(1, "a").bytes(2, message{}.bytes(1, repeat(nil, size, always(2, dims(nil)))))),
		"an input of many empty shapes": message{}.bytes(graphInput, message{}.text(1, "a").bytes(2, message{}.bytes(1, repeat(nil, size, always(2, nil))))),
		"an input of many types":        message{}.bytes(graphInput, message{}.text(1, "a").bytes(2, repeat(nil, size, always(1, message{}.bytes(2, dims(nil)))))),
		"an input of many names":        message{}.bytes(graphInput, repeat(nil, size, always(1, []byte("123456789")))),
		"a dim of many names":           message{}.bytes(graphInput, value("a", message{}.bytes(1, repeat(nil, size, always(2, []byte("123456789")))))),
		"a tensor of many names":        message{}.bytes(graphInitializer, repeat(nil, size, always(8, []byte("123456789")))),
		"a node of many names":          inNode(always(3, []byte("123456789"))),
		"inputs with initializers": repeat(nil, size, func(m message, i int) message {
			return m.bytes(graphInput, message{}.text(1, uniqueName(i))).bytes(graphInitializer, message{}.text(8, uniqueName(i)))
		}),
		"one long name":   message{}.bytes(graphNode, message{}.text(4, string(bytes.Repeat([]byte("a"), size)))),
		"documentation":   repeat(nil, size, always(10, nil)),
		"sparse tensors":  repeat(nil, size, always(graphSparse, nil)),
		"unknown numbers": repeat(nil, size, func(m message, _ int) message { return m.varint(100, 1) }),
		"unknown groups":  repeat(nil, size, func(m message, _ int) message { return append(m, 0x9b, 0x06, 0x9c, 0x06) }),
	}
	return graphs
}

// hostileModels are models of hostile graphs and of other parts, of so many bytes
// each.
func hostileModels(size int) map[string]message {
	models := map[string]message{
		"operator sets": repeat(modelMessage(13, lookup()), size, func(m message, i int) message {
			return m.bytes(8, message{}.text(1, uniqueName(i)).varint(2, 1))
		}),
		"metadata": repeat(modelMessage(13, lookup()), size, always(14, nil)),
	}
	for what, line := range map[string]string{"inputs": "%s: A", "parameters": "%s: PARAMETER target='%[1]s'", "buffers": "%s: B target='%[1]s'", "outputs": "# outputs\n%s: A"} {
		text := new(strings.Builder)
		text.WriteString("# inputs\n")
		for i := 0; text.Len() < size; i++ {
			fmt.Fprintf(text, line+"\n", strconv.FormatInt(int64(i), 36))
		}
		models["a signature of "+what] = modelMessage(13, lookup().bytes(graphMetadata, entryMessage(signatureKey, text.String())))
	}
	models["sources"] = modelMessage(13, repeat(lookup(), size, func(m message, i int) message {
		sources := entryMessage(foldedKey, "['w"+strings.Repeat("','w", maxSources/4-1)+"']")
		return m.bytes(graphInitializer, tensorMessage(uniqueName(i), 1)).bytes(graphValueInfo, message{}.text(1, uniqueName(i)).bytes(valueMetadata, sources))
	}))
	for name, graph := range hostileGraphs(size) {
		models[name] = modelMessage(13, graph)
	}
	return models
}

// within demands that f, which reads a file, allocates no more than it may: all in
// all and garbage included, which bounds the heap at any moment, too.
func within(t *testing.T, file []byte, f func()) (used uint64) {
	t.Helper()
	return opsettest.Within(t, len(file), opsettest.Allocated(f))
}

// TestReadModelMemory reads hostile files, small ones and some four times as
// large: the memory must be bounded, and grow as the file does.
func TestReadModelMemory(t *testing.T) {
	small, large := hostileModels(opsettest.Small), hostileModels(opsettest.Large)
	for name := range large {
		t.Run(name, func(t *testing.T) {
			opsettest.Grows(t, small[name], large[name], func(file message) uint64 {
				return within(t, file, func() { _, _ = ReadModel(bytes.NewReader(file)) })
			})
		})
	}
}

// TestModelMemory asks a model for all that is in a hostile file. What is returned
// is counted with what it takes to make it.
func TestModelMemory(t *testing.T) {
	for name, m := range hostileModels(opsettest.Large) {
		model, err := ReadModel(bytes.NewReader(m))
		if err != nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			within(t, m, func() { model.Inputs() })
			within(t, m, func() { model.Outputs() })
			// The graphs hold nothing that can be built.
			within(t, m, func() { _, err = model.Build(gorgonia.NewGraph()) })
			if sound := name == "operator sets" || name == "metadata" || name == "sources" || strings.HasPrefix(name, "a signature"); !sound {
				assert.Error(t, err)
			}
		})
	}
}

// TestReadTensorMemory reads tensors of values that are small in a file.
func TestReadTensorMemory(t *testing.T) {
	const size = opsettest.Small
	for number, e := range elements {
		header := func(values int) message { return tensorMessage("", int64(number), int64(values/e.parts)) }
		single := func(m message, value []byte) message {
			return append(protowire.AppendTag(m, e.field, e.wire), value...)
		}
		value := map[protowire.Type][]byte{varint: {0}, fixed32: make([]byte, 4), fixed64: make([]byte, 8), protowire.BytesType: {0}}[e.wire]
		files := map[string]message{"single values": header(size)}
		for range size {
			files["single values"] = single(files["single values"], value)
		}
		if e.wire == protowire.BytesType {
			for name, text := range map[string]string{"of one byte": "a", "of two bytes": "ab", "of 9 bytes": "123456789", "of 17 bytes": "12345678901234567"} {
				files[name] = header(size / 8)
				for range size / 8 {
					files[name] = files[name].text(e.field, text)
				}
			}
		} else {
			files["a packed run"] = header(size).bytes(e.field, bytes.Repeat(value, size))
			files["packed runs"] = header(size)
			for range size {
				files["packed runs"] = files["packed runs"].bytes(e.field, value)
			}
			files["raw_data"] = header(size*e.parts).bytes(tensorRawData, make([]byte, size*int(e.dtype.Size())))
		}
		for name, file := range files {
			t.Run(e.name+" "+name, func(t *testing.T) {
				var err error
				within(t, file, func() { _, err = ReadTensor(bytes.NewReader(file)) })
				assert.NoError(t, err)
			})
		}
	}
	for name, file := range map[string]message{
		"dims": repeat(nil, size, func(m message, _ int) message { return m.varint(1, 0) }), "empty dims": repeat(nil, size, always(1, nil)),
		"names": repeat(nil, size, always(8, []byte("123456789"))), "raw_data": repeat(nil, size, always(9, nil)), "segments": repeat(nil, size, always(3, nil)),
		"external": repeat(nil, size, always(13, nil)), "empty runs": repeat(nil, size, always(7, nil)), "unknown": repeat(nil, size, always(100, nil)),
	} {
		t.Run(name, func(t *testing.T) {
			within(t, file, func() { _, _ = ReadTensor(bytes.NewReader(file)) })
		})
	}
}

// manyInputs is a model of so many inputs of shape (n, 3), which all are outputs.
func manyInputs(count int) message {
	var graph message
	for i := range count {
		graph = graph.bytes(graphInput, valueMessage(uniqueName(i), 1, -1, 3)).bytes(graphOutput, valueMessage(uniqueName(i), 1, -1, 3))
	}
	return modelMessage(13, graph)
}

// TestManyInputs gives every input a shape and a value: what one of them costs
// must not grow with how many there are. Each call decoded all inputs before, and
// 6000 of them took ten seconds.
func TestManyInputs(t *testing.T) {
	perInput := func(count int) (shape, let float64) {
		m := modelOf(t, manyInputs(count))
		var built *Graph
		names := make([]string, count)
		for i := range names {
			names[i] = uniqueName(i)
		}
		shape = float64(opsettest.Allocated(func() {
			for _, name := range names {
				require.NoError(t, m.SetInputShape(name, 2, 3))
			}
		}))
		built, err := m.Build(gorgonia.NewGraph())
		require.NoError(t, err)
		require.Len(t, built.Inputs, count)
		value := of(iota32(6), 2, 3)
		let = float64(opsettest.Allocated(func() {
			for _, name := range names {
				require.NoError(t, built.Let(name, value))
				_, err := built.Value(name)
				require.NoError(t, err)
			}
		}))
		return shape / float64(count), let / float64(count)
	}
	shape, let := perInput(250)
	moreShape, moreLet := perInput(2000)
	assert.Less(t, moreShape, 2*shape)
	assert.Less(t, moreLet, 2*let)
}

// A mistake is found as quickly, however many names there are to list.
func TestManyInputsErrors(t *testing.T) {
	m := modelOf(t, manyInputs(2000))
	var err error
	assert.Less(t, opsettest.Allocated(func() { err = m.SetInputShape("absent", 2, 3) }), uint64(128<<10))
	assert.ErrorContains(t, err, `no input "absent", its inputs are [`)
	assert.Less(t, len(err.Error()), 700)
}
