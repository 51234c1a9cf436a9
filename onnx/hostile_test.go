package onnx

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"google.golang.org/protobuf/encoding/protowire"
)

// What a file may cost: reading it allocates, all in all and garbage included,
// no more than factor times its size and what a call takes anyway. That bounds
// the heap at any moment, too.
const (
	factor = 16
	anyway = 64 << 10
)

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// uniqueName is the shortest name that no other i has: all of ASCII but 0 may
// stand in it.
func uniqueName(i int) string {
	name := []byte{byte(1 + i%127)}
	for i /= 127; i > 0; i /= 127 {
		name = append(name, byte(1+i%127))
	}
	return string(name)
}

// repeat appends parts to a message until it has so many bytes.
func repeat(m message, size int, part func(m message, i int) message) message {
	for i := 0; len(m) < size; i++ {
		m = part(m, i)
	}
	return m
}

// field appends a part that does not depend on its number.
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

// TestReadModelMemory reads hostile files of some megabytes.
func TestReadModelMemory(t *testing.T) {
	const size = 1 << 20
	models := map[string]message{
		"operator sets": repeat(modelMessage(13, lookup()), size, func(m message, i int) message {
			return m.bytes(8, message{}.text(1, uniqueName(i)).varint(2, 1))
		}),
		"metadata": repeat(modelMessage(13, lookup()), size, always(14, nil)),
	}
	for name, graph := range hostileGraphs(size) {
		models[name] = modelMessage(13, graph)
	}
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			var model *Model
			var err error
			used := allocated(func() { model, err = ReadModel(bytes.NewReader(m)) })
			assert.LessOrEqual(t, used, uint64(factor*len(m)+anyway), "%.1f times %d bytes, %v", float64(used)/float64(len(m)), len(m), err)
			t.Logf("%.1f", float64(used)/float64(len(m)))
			_ = model
		})
	}
}
