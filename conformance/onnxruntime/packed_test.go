package onnxruntime

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	ort "github.com/yalue/onnxruntime_go"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
	G "gorgonia.org/gorgonia"
)

// The data types of numbers of 4 bits, which no tensor here has.
const (
	uint4 DType = 21
	int4  DType = 22
)

// drawPackedConfig draws a model with data of 4 bits, along any axes; a tenth have something
// that is not allowed. A block_size of 0 would end the process: ONNX Runtime divides by it.
func drawPackedConfig(rng *rand.Rand) (c blockConfig, data, zeros DType) {
	c = blockConfig{index: pick(rng, []DType{Int32, Int64}), scales: pick(rng, []DType{Float, Float16}), bits: 4, size: 16 << rng.IntN(2), zeros: rng.IntN(2) == 0}
	data = pick(rng, []DType{uint4, int4})
	zeros = data
	rank := 2 + rng.IntN(3)
	shape, indices := make([]int, rank), make([]int, 1+rng.IntN(2))
	for _, dims := range [][]int{shape, indices} {
		for d := range dims {
			dims[d] = 1 + rng.IntN(5)
		}
	}
	gather, quantize := rng.IntN(rank), rng.IntN(rank)
	shape[quantize] = 1 + rng.IntN(70)
	blocks := slices.Clone(shape)
	blocks[quantize] = (shape[quantize] + c.size - 1) / c.size
	c.shapes = [4][]int{shape, indices, blocks, slices.Clone(blocks)}
	c.attrs = Attributes{"block_size": int64(c.size), "quantize_axis": int64(quantize), "gather_axis": int64(gather)}
	if rng.IntN(3) == 0 {
		c.attrs["quantize_axis"], c.attrs["gather_axis"] = int64(quantize-rank), int64(gather-rank)
	}
	if rng.IntN(2) == 0 {
		c.attrs["bits"] = int64(4)
	}
	if rng.IntN(10) == 0 {
		switch rng.IntN(6) {
		case 0:
			c.attrs["bits"] = pick(rng, []int64{2, 3, 8})
		case 1:
			c.attrs["block_size"] = pick(rng, []int64{8, 24, 1})
		case 2:
			c.attrs["gather_axis"] = pick(rng, []int64{int64(rank), int64(-rank - 1)})
		case 3:
			c.shapes[2][quantize]++
		case 4:
			c.shapes[3][quantize]++
		default:
			zeros = pick(rng, []DType{Uint8, uint4, int4})
		}
	}
	return c, data, zeros
}

// packedInitializer is a TensorProto of random numbers, in raw_data or int32_data; one of a
// hundred has a byte too few or too many.
func packedInitializer(rng *rand.Rand, name string, t DType, shape []int) []byte {
	var b, list []byte
	for _, n := range shape {
		b = appendInt(b, 1, int64(n))
	}
	b = appendString(appendInt(b, 2, int64(t)), 8, name)
	size := elements(shape)
	if t != Uint8 {
		size = (size + 1) / 2
	}
	if rng.IntN(100) == 0 {
		size += pick(rng, []int{-1, 1})
	}
	for range size {
		list = append(list, byte(rng.Uint32()))
	}
	if rng.IntN(2) == 0 {
		return appendMessage(b, 9, list)
	}
	for _, x := range list {
		b = appendInt(b, 5, int64(x))
	}
	return b
}

// packedRun is what package onnx makes of a model.
func packedRun(model []byte, in map[string]*Value) (Outcome, error) {
	m, err := onnx.ReadModel(bytes.NewReader(model))
	if err != nil {
		return Outcome{Err: err}, nil
	}
	g := G.NewGraph()
	built, err := m.Build(g, builders.All())
	if err != nil {
		return Outcome{Err: err}, nil
	}
	for name, v := range in {
		if err := built.Let(name, v.Dense(rowMajor)); err != nil {
			return Outcome{}, err
		}
	}
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		return Outcome{Err: err}, nil
	}
	y, err := built.Value(flatOutput)
	if err != nil {
		return Outcome{}, err
	}
	shape, err := built.Value(shapeOutput)
	if err != nil {
		return Outcome{}, err
	}
	v, err := fromDense(y)
	if err != nil {
		return Outcome{}, err
	}
	v.Shape = nil
	for _, n := range shape.Int64s() {
		v.Shape = append(v.Shape, int(n))
	}
	return Outcome{Value: v}, nil
}

// TestPackedModels compares 10 000 random models of GatherBlockQuantized whose data are
// initializers of 4 bits, in values and in whether there is an error.
func TestPackedModels(t *testing.T) {
	r := openRuntime(t)
	faulty := 0
	for number := range uint64(10_000) {
		rng := rand.New(rand.NewPCG(*seed, number))
		c, data, zeros := drawPackedConfig(rng)
		inputs := []string{"data", "indices", "scales"}
		graph := appendMessage(nil, 5, packedInitializer(rng, "data", data, c.shapes[0]))
		if c.zeros {
			inputs = append(inputs, "zero_points")
			graph = appendMessage(graph, 5, packedInitializer(rng, "zero_points", zeros, c.shapes[3]))
		}
		values := c.values(rng)
		for i, name := range []string{"indices", "scales"} {
			var dims []byte
			for _, n := range values[i].Shape {
				dims = appendMessage(dims, 1, appendInt(nil, 1, int64(n)))
			}
			tensorType := appendMessage(appendInt(nil, 1, int64(values[i].DType)), 2, dims)
			graph = appendMessage(graph, 11, appendMessage(appendString(nil, 1, name), 2, appendMessage(nil, 1, tensorType)))
		}
		model := c.modelOf(graph, inputs, 21)
		session, err := ort.NewDynamicAdvancedSessionWithONNXData(model, inputs[1:3], []string{flatOutput, shapeOutput}, r.options)
		theirs := Outcome{Err: err}
		if err == nil {
			theirs, err = r.run(session, values)
			require.NoError(t, err)
			require.NoError(t, session.Destroy())
		}
		ours, err := packedRun(model, map[string]*Value{"indices": values[0], "scales": values[1]})
		require.NoError(t, err)
		if text := disagreement(ours, theirs); text != "" {
			t.Fatalf("model %d, data %v, %v: %s", number, data, c, text)
		}
		if ours.Err != nil {
			faulty++
		}
	}
	t.Logf("10000 models, %d of them errors", faulty)
}

// values draws indices and scales; a sixteenth have an index out of range.
func (c blockConfig) values(rng *rand.Rand) []*Value {
	axis := int(c.attrs["gather_axis"].(int64))
	if axis < 0 {
		axis += len(c.shapes[0])
	}
	rows := int64(1)
	if axis >= 0 && axis < len(c.shapes[0]) {
		rows = int64(c.shapes[0][axis])
	}
	ids := make([]int64, elements(c.shapes[1]))
	for i := range ids {
		ids[i] = rng.Int64N(2*rows) - rows
	}
	if rng.IntN(16) == 0 {
		ids[rng.IntN(len(ids))] = pick(rng, []int64{rows, -rows - 1, math.MaxInt32})
	}
	return []*Value{integers(c.index, c.shapes[1], ids), c.drawScales(rng)}
}
