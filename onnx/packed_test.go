package onnx

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/opset/opsettest"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// packedMessage is an initializer of numbers of 4 bits.
func packedMessage(name string, dataType int64, raw []byte, dims ...int64) message {
	return tensorMessage(name, dataType, dims...).bytes(tensorRawData, raw)
}

// packedModel is a model of one GatherBlockQuantized, whose data and zero points are w and z
// and whose other inputs are i and s, of these dims.
func packedModel(initializers []message, indices, scales []int64, attributes ...message) message {
	inputs, graph := []string{"w", "i", "s"}, message{}
	for _, m := range initializers {
		graph = graph.bytes(graphInitializer, m)
	}
	if len(initializers) > 1 {
		inputs = append(inputs, "z")
	}
	graph = graph.bytes(graphInput, valueMessage("i", 7, indices...)).bytes(graphInput, valueMessage("s", 1, scales...)).
		bytes(graphNode, nodeMessage("GatherBlockQuantized", inputs, []string{"y"}, attributes...).text(7, "com.microsoft")).
		bytes(graphOutput, valueMessage("y", 1))
	return modelMessage(21, graph).bytes(8, message{}.text(1, "com.microsoft").varint(2, 1))
}

// ran builds a model, runs it on indices and scales, and returns y.
func ran(m *Model, indices, scales *tensor.Dense) (*tensor.Dense, error) {
	g := gorgonia.NewGraph()
	built, err := m.Build(g)
	if err != nil {
		return nil, err
	}
	if err := built.Let("i", indices); err != nil {
		return nil, err
	}
	if err := built.Let("s", scales); err != nil {
		return nil, err
	}
	var results []*tensor.Dense
	for _, machine := range []gorgonia.VM{gorgonia.NewTapeMachine(g), gorgonia.NewLispMachine(g, gorgonia.ExecuteFwdOnly())} {
		defer machine.Close()
		if err := machine.RunAll(); err != nil {
			return nil, err
		}
		y := built.Output("y").Value().(*tensor.Dense)
		results = append(results, y.Clone().(*tensor.Dense))
	}
	if !slices.Equal(results[0].Float32s(), results[1].Float32s()) {
		return nil, errors.Errorf("%v on TapeMachine, %v on LispMachine", results[0], results[1])
	}
	return results[0], nil
}

// TestPackedInitializers compares random models with data of INT4 and UINT4 with the
// formula, number by number.
func TestPackedInitializers(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		rank := 2 + rng.IntN(3)
		dims, blocks := make([]int64, rank), make([]int64, rank)
		for d := range dims {
			dims[d] = 1 + rng.Int64N(5)
		}
		gatherAxis, quantizeAxis, size := rng.IntN(rank), rng.IntN(rank), int64(16)<<rng.IntN(2)
		dims[quantizeAxis] = 1 + rng.Int64N(70)
		copy(blocks, dims)
		blocks[quantizeAxis] = (dims[quantizeAxis] + size - 1) / size
		count := func(dims []int64) (n int) {
			n = 1
			for _, d := range dims {
				n *= int(d)
			}
			return n
		}
		signed := rng.IntN(2) == 0
		dataType := int64(uint4Data)
		if signed {
			dataType = int4Data
		}
		// draw makes numbers, and their message.
		draw := func(name string, dims []int64) ([]float32, message) {
			list := make([]float32, count(dims))
			raw := make([]byte, (len(list)+1)/2)
			if len(list)%2 == 1 {
				raw[len(raw)-1] = 0xf0 // of no meaning
			}
			for i := range list {
				nibble := rng.IntN(16)
				if list[i] = float32(nibble); signed && nibble > 7 {
					list[i] -= 16
				}
				raw[i/2] |= byte(nibble) << (i % 2 * 4)
			}
			if rng.IntN(2) == 0 {
				return list, packedMessage(name, dataType, raw, dims...)
			}
			var typed []int64
			for _, b := range raw {
				typed = append(typed, int64(b))
			}
			return list, tensorMessage(name, dataType, dims...).bytes(tensorInt32Data, packed(typed...))
		}
		data, w := draw("w", dims)
		initializers := []message{w}
		zeros := make([]float32, count(blocks))
		if rng.IntN(2) == 0 {
			var z message
			zeros, z = draw("z", blocks)
			initializers = append(initializers, z)
		}
		scales := make([]float32, count(blocks))
		for i := range scales {
			scales[i] = float32(rng.NormFloat64())
		}
		ids := make([]int64, 1+rng.IntN(4))
		for i := range ids {
			ids[i] = rng.Int64N(2*dims[gatherAxis]) - dims[gatherAxis]
		}

		var want []float32
		result := append([]int64{}, dims...)
		result[gatherAxis] = int64(len(ids))
		at := make([]int64, rank)
		for flat := range count(result) {
			rest := int64(flat)
			for d := rank - 1; d >= 0; d-- {
				at[d], rest = rest%result[d], rest/result[d]
			}
			at[gatherAxis] = (ids[at[gatherAxis]] + dims[gatherAxis]) % dims[gatherAxis]
			from, block := int64(0), int64(0)
			for d, n := range at {
				from = from*dims[d] + n
				if d == quantizeAxis {
					n /= size
				}
				block = block*blocks[d] + n
			}
			want = append(want, (data[from]-zeros[block])*scales[block])
		}
		m := modelOf(t, packedModel(initializers, []int64{int64(len(ids))}, blocks,
			intAttribute("gather_axis", int64(gatherAxis-rank*rng.IntN(2))), intAttribute("quantize_axis", int64(quantizeAxis)), intAttribute("block_size", size)))
		shape := make([]int, rank)
		for d, n := range blocks {
			shape[d] = int(n)
		}
		got, err := ran(m, of(ids, len(ids)), of(scales, shape...))
		require.NoError(t, err)
		require.Equal(t, want, got.Data(), "data %v, gathered along %d, blocks along %d", dims, gatherAxis, quantizeAxis)
	}
}

// smallPacked is a model of data (3, 5), an odd number of them, with zero points.
func smallPacked() message {
	return packedModel([]message{
		packedMessage("w", int4Data, []byte{0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f}, 3, 5),
		packedMessage("z", int4Data, []byte{0xf1, 0x00}, 3, 1),
	}, []int64{2}, []int64{3, 1})
}

// Values are written back as they were, and others in their place as bytes.
func TestWritePacked(t *testing.T) {
	model := smallPacked()
	m := modelOf(t, model)
	built, err := m.Build(gorgonia.NewGraph())
	require.NoError(t, err)
	weights, err := built.Weights()
	require.NoError(t, err)
	assert.Equal(t, []byte(model), written(t, m, nil))
	assert.Equal(t, []byte(model), written(t, m, weights))
	assert.Empty(t, built.Trainable())

	other := map[string]*tensor.Dense{"w": of([]uint8{8, 7, 6, 5, 4, 3, 2, 1}, 8)}
	again := modelOf(t, written(t, m, other))
	ids, scales := of(i64(0, -1), 2), of(f32(1, 1, 1), 3, 1)
	got, err := ran(again, ids, scales)
	require.NoError(t, err)
	// The first zero point is 1, the last 0.
	assert.Equal(t, f32(-8-1, 0-1, 7-1, 0-1, 6-1, 3, 0, 2, 0, 1), got.Data())
	require.NoError(t, built.Let("w", other["w"]))
	assert.ErrorIs(t, m.Write(&bytes.Buffer{}, map[string]*tensor.Dense{"w": of(make([]uint8, 15), 3, 5)}), dense.ErrShape)
}

// Data in another file are read, with and without a length, and written into the model.
func TestPackedOutside(t *testing.T) {
	place := func(name string, entries ...string) message {
		dims := map[string][]int64{"w": {3, 5}, "z": {3, 1}}[name]
		m := tensorMessage(name, int4Data, dims...)
		for i := 0; i < len(entries); i += 2 {
			m = m.bytes(tensorExternal, message{}.text(1, entries[i]).text(2, entries[i+1]))
		}
		return m.varint(tensorLocation, 1)
	}
	values := []byte{0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f, 0xf1, 0x00}
	read := func(initializers ...message) (*Model, error) {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "w.data"), values, 0o600))
		path := filepath.Join(folder, "model.onnx")
		require.NoError(t, os.WriteFile(path, packedModel(initializers, []int64{2}, []int64{3, 1}), 0o600))
		return ReadModelFile(path)
	}
	m, err := read(place("w", "location", "w.data"), place("z", "location", "w.data", "offset", "8", "length", "2"))
	require.NoError(t, err)
	ids, scales := of(i64(0, -1), 2), of(f32(1, 2, 3), 3, 1)
	want, err := ran(modelOf(t, smallPacked()), ids, scales)
	require.NoError(t, err)
	for _, m := range []*Model{m, modelOf(t, written(t, m, nil))} {
		got, err := ran(m, ids, scales)
		require.NoError(t, err)
		assert.Equal(t, want.Data(), got.Data())
	}
	_, err = read(place("w", "location", "w.data", "offset", "3"), place("z", "location", "w.data"))
	assert.ErrorContains(t, err, "8 bytes from 3 on: the file has 10")
	m, err = read(place("w", "location", "w.data", "length", "7"), place("z", "location", "w.data", "length", "2"))
	require.NoError(t, err)
	_, err = m.Build(gorgonia.NewGraph())
	assert.ErrorContains(t, err, "raw_data has 7 bytes")
}

func TestPackedErrors(t *testing.T) {
	w := packedMessage("w", int4Data, make([]byte, 8), 3, 5)
	z := packedMessage("z", int4Data, make([]byte, 2), 3, 1)
	model := func(initializers ...message) message { return packedModel(initializers, []int64{2}, []int64{3, 1}) }
	// other is a model in which another operator takes w.
	other := func(inputs []string, op, domain string) message {
		graph := message{}.bytes(graphInitializer, w).bytes(graphInput, valueMessage("i", 7, 2)).
			bytes(graphNode, nodeMessage(op, inputs, []string{"y"}).text(7, domain)).bytes(graphOutput, valueMessage("y", 1))
		return modelMessage(21, graph).bytes(8, message{}.text(1, "com.microsoft").varint(2, 1))
	}
	const taken = ` "w" is of type INT4, which only DequantizeLinear, QuantizeLinear and GatherBlockQuantized take, as data and zero points`
	for name, c := range map[string]struct {
		m    message
		text string
	}{
		"Gather":                {other([]string{"w", "i"}, "Gather", ""), "node 0 (Gather of y): input" + taken},
		"Identity":              {other([]string{"w"}, "Identity", ""), "input" + taken},
		"Shape":                 {other([]string{"w"}, "Shape", ""), "input" + taken},
		"as indices":            {other([]string{"w", "w", "i"}, "GatherBlockQuantized", "com.microsoft"), "input" + taken},
		"an output":             {modelMessage(21, message{}.bytes(graphInitializer, w).bytes(graphOutput, valueMessage("w", int4Data, 3, 5))), "output" + taken},
		"no scales":             {other([]string{"w", "i"}, "GatherBlockQuantized", "com.microsoft"), "no scales"},
		"a byte too few":        {model(packedMessage("w", int4Data, make([]byte, 7), 3, 5)), `TensorProto "w": raw_data has 7 bytes`},
		"a byte too many":       {model(packedMessage("w", int4Data, make([]byte, 9), 3, 5)), "raw_data has 9 bytes"},
		"one number a byte":     {model(packedMessage("w", uint4Data, make([]byte, 15), 3, 5)), "raw_data has 15 bytes"},
		"no bytes":              {model(tensorMessage("w", int4Data, 3, 5)), "raw_data has 0 bytes"},
		"values of 9 bits":      {model(tensorMessage("w", int4Data, 1, 1).bytes(tensorInt32Data, packed(256))), "256 in int32_data does not fit uint8"},
		"negative values":       {model(tensorMessage("w", int4Data, 1, 1).bytes(tensorInt32Data, packed(-1))), "-1 in int32_data does not fit uint8"},
		"too few values":        {model(tensorMessage("w", int4Data, 1, 3).bytes(tensorInt32Data, packed(1))), "field 5 has 1 values"},
		"another field":         {model(tensorMessage("w", int4Data, 1, 1).bytes(tensorInt64Data, packed(1))), "values of type INT4 in field 7, not 5"},
		"a hostile shape":       {model(packedMessage("w", int4Data, make([]byte, 8), math.MaxInt, 3)), "more elements than an int can count"},
		"a large shape":         {model(packedMessage("w", int4Data, make([]byte, 8), halfInt, halfInt)), "raw_data has 8 bytes"},
		"a vector":              {model(packedMessage("w", int4Data, make([]byte, 8), 15)), "data (15) has rank 1"},
		"other scales":          {model(packedMessage("w", int4Data, make([]byte, 8), 5, 3)), "scales (3, 1), data (5, 3) of 4 bits in blocks of 128 takes (5, 1)"},
		"other zero points":     {model(w, packedMessage("z", int4Data, make([]byte, 2), 1, 3)), "zero_points (1, 3)"},
		"unsigned zeros":        {model(w, packedMessage("z", uint4Data, make([]byte, 2), 3, 1)), "zero_points of type UINT4, data is of type INT4"},
		"zeros of a byte":       {model(w, tensorMessage("z", 2, 3, 1).bytes(9, make([]byte, 3))), "zero_points of type uint8, data is of type INT4"},
		"data of a byte":        {model(tensorMessage("w", 2, 3, 8).bytes(9, make([]byte, 24)), z), "zero_points of type INT4, data is of type uint8"},
		"8 bits":                {packedModel([]message{w}, []int64{2}, []int64{3, 1}, intAttribute("bits", 8)), "bits 8, data of type INT4 has 4"},
		"blocks of 0":           {packedModel([]message{w}, []int64{2}, []int64{3, 1}, intAttribute("block_size", 0)), "block_size 0"},
		"gather_axis 2":         {packedModel([]message{w}, []int64{2}, []int64{3, 1}, intAttribute("gather_axis", 2)), "gather_axis 2 is not in [-2, 1]"},
		"an operator of a user": {model(w), "input" + taken},
	} {
		t.Run(name, func(t *testing.T) {
			var options []BuildOption
			if name == "an operator of a user" {
				options = append(options, WithOperator(blocksName, func(_ Node, in ...*gorgonia.Node) ([]*gorgonia.Node, error) { return in[:1], nil }))
			}
			m, err := ReadModel(bytes.NewReader(c.m))
			if err == nil {
				_, err = m.Build(gorgonia.NewGraph(), options...)
			}
			assert.ErrorContains(t, err, c.text)
		})
	}
	for _, id := range []int64{-4, 3} {
		_, err := ran(modelOf(t, model(w)), of(i64(0, id), 2), of(f32(1, 1, 1), 3, 1))
		assert.ErrorContains(t, err, fmt.Sprintf("indices[1]: %d out of range [-3, 3)", id))
	}
	m := modelOf(t, packedModel([]message{w}, []int64{2}, []int64{3, 1}, intAttribute("gather_axis", -1)))
	_, err := ran(m, of(i64(0, 5), 2), of(f32(1, 1, 1), 3, 1))
	require.Error(t, err)
	index, ok := gather.AsIndexError(err)
	require.True(t, ok)
	assert.Equal(t, [2]int{1, 5}, [2]int{index.Axis, index.Size})
}

// halfInt is a dim whose square an int can count.
const halfInt = 1 << (strconv.IntSize/2 - 1)

// Few bytes that claim many numbers cost nothing.
func TestPackedClaims(t *testing.T) {
	m := modelOf(t, packedModel([]message{packedMessage("w", uint4Data, make([]byte, 16), halfInt, halfInt)}, []int64{2}, []int64{3, 1}))
	g := gorgonia.NewGraph()
	assert.Less(t, opsettest.Allocated(func() {
		_, err := m.Build(g)
		assert.Error(t, err)
	}), uint64(1<<20))
}
