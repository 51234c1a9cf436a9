package onnx

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/internal/opset/opsettest"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// chain is a model of so many Gathers in a row, each of which replaces the first
// axis by two of 8 and 16.
func chain(length int) message {
	graph := message{}.
		bytes(graphInput, valueMessage("g0", 1, 8)).
		bytes(graphInitializer, int64Message("i", []int64{8, 16}, make([]int64, 8*16)...))
	for k := range length {
		graph = graph.bytes(graphNode, nodeMessage("Gather", []string{fmt.Sprint("g", k), "i"}, []string{fmt.Sprint("g", k+1)}))
	}
	return modelMessage(13, graph.bytes(graphOutput, message{}.text(1, fmt.Sprint("g", length))))
}

// A file of some hundred bytes must not make a program allocate terabytes.
func TestBuildOfAChain(t *testing.T) {
	m := chain(11)
	require.Less(t, len(m), 700)
	model := modelOf(t, m)
	var err error
	used := opsettest.Allocated(func() { _, err = model.Build(gorgonia.NewGraph()) })
	assert.Less(t, used, uint64(1<<20))
	if math.MaxInt == math.MaxInt32 {
		assert.EqualError(t, err, "onnx: node 6 (Gather of g7): Gather: result shape (8, 16, 16, 16, 16, 16, 16, 16) has more elements than an int can count")
		return
	}
	assert.ErrorIs(t, err, ErrMaxBytes)
	assert.EqualError(t, err, "onnx: node 7 (Gather of g8): float (8, 16, 16, 16, 16, 16, 16, 16, 16) takes 137438953472 bytes, "+
		"WithMaxBytes allows 17179869184, of which 9162642208 are taken")
}

// The limit is the sum of all values and of what is kept beside them, to the byte.
// An output counts twice: runs keep it.
func TestBuildMaxBytes(t *testing.T) {
	tuples := message{}.
		bytes(graphInput, valueMessage("cache", 1, 3, 4, 5)).
		bytes(graphInput, valueMessage("update", 1, 3, 2, 5)).
		bytes(graphInput, valueMessage("at", 7, 3)).
		bytes(graphNode, nodeMessage("TensorScatter", []string{"cache", "update", "at"}, []string{"y"})).
		bytes(graphOutput, valueMessage("y", 1, 3, 4, 5))
	merged := message{}.
		bytes(graphInput, valueMessage("x", 1, 3, 4)).
		bytes(graphInitializer, int64Message("i", []int64{2}, 2, 0)).
		bytes(graphNode, nodeMessage("Gather", []string{"x", "i"}, []string{"a"})).
		bytes(graphNode, nodeMessage("Gather", []string{"x", "i"}, []string{"b"})).
		bytes(graphNode, nodeMessage("Identity", []string{"b"}, []string{"c"})).
		bytes(graphOutput, valueMessage("c", 1, 2, 4))
	words := message{}.
		bytes(graphNode, nodeMessage("Constant", nil, []string{"w"}, message{}.text(1, "value_strings").text(9, "two").text(9, "words").varint(20, kindStrings))).
		bytes(graphOutput, valueMessage("w", 8, 2))
	header := int64(tensor.String.Size())
	beside := func(names, values, nodes, operands int64) int64 {
		return names*nameBytes + values*valueBytes + nodes*nodeBytes + operands*operandBytes
	}
	for name, c := range map[string]struct {
		m    message
		sum  int64
		text string // of the last value that does not fit
	}{
		"a lookup":             {modelMessage(13, lookup()), 3*4*4 + 2*8 + 2*3*2*4 + beside(3, 2, 4, 3), `output "y": float (3, 2) takes 24 bytes`},
		"a chain of two":       {chain(2), 8*4 + 128*8 + 128*4 + 2*2048*4 + beside(6, 3, 5, 5), `output "g2": float (8, 16, 16) takes 8192 bytes`},
		"tuples of its own":    {modelMessage(24, tuples), 60*4 + 30*4 + 3*8 + 2*60*4 + 3*2*2*8 + beside(4, 1, 6, 5), `output "y": float (3, 4, 5) takes 240 bytes`},
		"two nodes become one": {modelMessage(13, merged), 12*4 + 2*8 + 2*8*4 + beside(8, 4, 4, 3), `output "c": float (2, 4) takes 32 bytes`},
		"strings":              {modelMessage(13, words), 2*header + beside(1, 1, 1, 0), `output "w": a node of the graph takes 2560 bytes`},
	} {
		t.Run(name, func(t *testing.T) {
			m := modelOf(t, c.m)
			_, err := m.Build(gorgonia.NewGraph(), WithMaxBytes(c.sum))
			assert.NoError(t, err)
			_, err = m.Build(gorgonia.NewGraph(), WithMaxBytes(c.sum-1))
			assert.ErrorIs(t, err, ErrMaxBytes)
			assert.ErrorContains(t, err, c.text)
			_, err = m.Build(gorgonia.NewGraph(), WithMaxBytes(1))
			assert.ErrorIs(t, err, ErrMaxBytes)
		})
	}
}

// An initializer is refused before its values are made, and an input before
// anything is.
func TestBuildMaxBytesBeforeAllocation(t *testing.T) {
	large := message{}.
		bytes(graphInitializer, tensorMessage("w", 1, 1<<20).bytes(tensorRawData, make([]byte, 4<<20))).
		bytes(graphOutput, valueMessage("w", 1, 1<<20))
	list := message{}.
		bytes(graphNode, nodeMessage("Constant", nil, []string{"w"}, message{}.text(1, "value_ints").bytes(8, make([]byte, 1<<20)).varint(20, kindInts))).
		bytes(graphOutput, valueMessage("w", 7, 1<<20))
	input := message{}.bytes(graphInput, valueMessage("w", 1, math.MaxInt32, math.MaxInt32, math.MaxInt32)).bytes(graphOutput, valueMessage("w", 1))
	for name, c := range map[string]struct {
		graph message
		text  string
	}{
		"an initializer": {large, `initializer: TensorProto "w": float (1048576) takes 4194304 bytes`},
		"a list":         {list, "node 0 (Constant of w): Constant-13: int64 (1048576) takes 8388608 bytes"},
		"an input":       {input, `input "w": float (2147483647, 2147483647, 2147483647) takes 2^64 or more bytes`},
	} {
		t.Run(name, func(t *testing.T) {
			m := modelOf(t, modelMessage(13, c.graph))
			var err error
			assert.Less(t, opsettest.Allocated(func() { _, err = m.Build(gorgonia.NewGraph(), WithMaxBytes(1<<20)) }), uint64(1<<18))
			assert.ErrorIs(t, err, ErrMaxBytes)
			assert.ErrorContains(t, err, c.text)
		})
	}
}

// A reader counts the file and what it makes of it.
func TestReadMaxBytes(t *testing.T) {
	m := modelMessage(13, lookup())
	for limit := int64(1); limit < int64(len(m)); limit++ {
		_, err := ReadModel(bytes.NewReader(m), WithMaxBytes(limit))
		require.ErrorIs(t, err, ErrMaxBytes)
	}
	_, err := ReadModel(bytes.NewReader(m), WithMaxBytes(int64(len(m))))
	assert.ErrorContains(t, err, "the list of the graph's parts takes 32 bytes, WithMaxBytes allows")
	_, err = ReadModel(bytes.NewReader(m), WithMaxBytes(int64(len(m))+32))
	assert.ErrorContains(t, err, "the table of names takes 96 bytes")
	_, err = ReadModel(bytes.NewReader(m), WithMaxBytes(int64(len(m))+32+96))
	require.NoError(t, err)
	t.Run("Build takes the limit over", func(t *testing.T) {
		small, err := ReadModel(bytes.NewReader(chain(3)), WithMaxBytes(20_000))
		require.NoError(t, err)
		_, err = small.Build(gorgonia.NewGraph())
		assert.ErrorIs(t, err, ErrMaxBytes)
		assert.ErrorContains(t, err, "WithMaxBytes allows 20000")
		_, err = small.Build(gorgonia.NewGraph(), WithMaxBytes(1<<20))
		assert.NoError(t, err)
		_, err = small.Build(gorgonia.NewGraph())
		assert.ErrorIs(t, err, ErrMaxBytes, "the limit is the model's again")
	})
	t.Run("a tensor", func(t *testing.T) {
		m := int64Message("", []int64{3}, 1, 2, 3)
		_, err := ReadTensor(bytes.NewReader(m), WithMaxBytes(int64(len(m))+24))
		assert.NoError(t, err)
		_, err = ReadTensor(bytes.NewReader(m), WithMaxBytes(int64(len(m))+23))
		assert.ErrorIs(t, err, ErrMaxBytes)
		assert.ErrorContains(t, err, `TensorProto "": int64 (3) takes 24 bytes`)
		_, err = ReadTensor(bytes.NewReader(m), WithMaxBytes(int64(len(m))-1))
		assert.ErrorContains(t, err, "the file, as far as it was read, takes")
	})
	t.Run("an endless stream", func(t *testing.T) {
		source := &zeros{}
		_, err := ReadModel(source, WithMaxBytes(1<<20))
		assert.ErrorIs(t, err, ErrMaxBytes)
		assert.LessOrEqual(t, source.given, 1<<20+1)
	})
}

// zeros never end.
type zeros struct{ given int }

func (z *zeros) Read(p []byte) (int, error) {
	clear(p)
	z.given += len(p)
	return len(p), nil
}

// Options that are none.
func TestBadOptions(t *testing.T) {
	m := modelMessage(13, lookup())
	model := modelOf(t, m)
	for _, n := range []int64{0, -1, math.MinInt64} {
		text := fmt.Sprintf("WithMaxBytes(%d), the least is 1", n)
		_, err := ReadModel(bytes.NewReader(m), WithMaxBytes(n))
		assert.ErrorContains(t, err, text)
		_, err = ReadTensor(bytes.NewReader(m), WithMaxBytes(n))
		assert.ErrorContains(t, err, text)
		_, err = model.Build(gorgonia.NewGraph(), WithMaxBytes(n))
		assert.ErrorContains(t, err, text)
		assert.False(t, errors.Is(err, ErrMaxBytes))
	}
	_, err := ReadModel(bytes.NewReader(m), MaxBytes{})
	assert.ErrorContains(t, err, "WithMaxBytes(0)")
	_, err = ReadModel(bytes.NewReader(m), nil)
	assert.ErrorContains(t, err, "option 0 is a <nil>, WithMaxBytes is allowed")
	_, err = ReadTensor(bytes.NewReader(m), WithMaxBytes(5), (*MaxBytes)(nil))
	assert.ErrorContains(t, err, "option 1 is a *onnx.MaxBytes")
	_, err = model.Build(gorgonia.NewGraph(), nil)
	assert.ErrorContains(t, err, "option 0 is a <nil>")
	_, err = model.Build(gorgonia.NewGraph(), WithMaxBytes(1), WithMaxBytes(1<<20))
	assert.NoError(t, err, "the last one counts")
}
