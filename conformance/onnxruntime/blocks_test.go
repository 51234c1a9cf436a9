package onnxruntime

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	ort "github.com/yalue/onnxruntime_go"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/tensor"
)

// blockConfig is a model of one GatherBlockQuantized.
type blockConfig struct {
	attrs      Attributes
	index      DType
	scales     DType
	bits, size int
	zeros      bool
	shapes     [4][]int // of data, indices, scales and zero points
}

// drawBlockConfig draws one; a tenth have an attribute that is not allowed. A block_size
// of 0 would end the process: ONNX Runtime divides by it.
func drawBlockConfig(rng *rand.Rand) blockConfig {
	c := blockConfig{
		index: pick(rng, []DType{Int32, Int64}), scales: pick(rng, []DType{Float, Float16}),
		bits: pick(rng, []int{2, 4, 8}), size: 16 << rng.IntN(3), zeros: rng.IntN(2) == 0,
	}
	rank := 2 + rng.IntN(3)
	shape, indices := make([]int, rank), make([]int, 1+rng.IntN(2))
	for _, dims := range [][]int{shape, indices} {
		for d := range dims {
			dims[d] = 1 + rng.IntN(5)
		}
	}
	shape[rank-1] = 1 + rng.IntN(50)
	blocks := (shape[rank-1]*8/c.bits + c.size - 1) / c.size
	of := func(last int) []int { return append(slices.Clone(shape[:rank-1]), last) }
	c.shapes = [4][]int{shape, indices, of(blocks), of((blocks*c.bits + 7) / 8)}
	c.attrs = Attributes{"bits": int64(c.bits), "block_size": int64(c.size), "quantize_axis": int64(rank - 1), "gather_axis": int64(0)}
	if rng.IntN(3) == 0 {
		c.attrs["quantize_axis"], c.attrs["gather_axis"] = int64(-1), int64(-rank)
	}
	if rng.IntN(10) == 0 {
		switch rng.IntN(6) {
		case 0:
			c.attrs["bits"] = int64(3)
		case 1:
			c.attrs["block_size"] = pick(rng, []int64{8, 24, 1})
		case 2:
			c.attrs["gather_axis"] = int64(1)
		case 3:
			c.shapes[2] = of(blocks + 1)
		case 4:
			c.shapes[3] = of(blocks*c.bits + 8)
		default:
			c.attrs["quantize_axis"] = int64(0)
		}
	}
	return c
}

// model is a ModelProto: float16 results come as float, as in model.
func (c blockConfig) model() (bytes []byte, names []string) {
	var graph []byte
	for i, name := range []string{"data", "indices", "scales", "zero_points"} {
		if i == 3 && !c.zeros {
			break
		}
		// The dims are given: two that are open do not match, ONNX Runtime says.
		var dims []byte
		for _, n := range c.shapes[i] {
			dims = appendMessage(dims, 1, appendInt(nil, 1, int64(n)))
		}
		t := [...]DType{Uint8, c.index, c.scales, Uint8}[i]
		tensorType := appendMessage(appendInt(nil, 1, int64(t)), 2, dims)
		graph = appendMessage(graph, 11, appendMessage(appendString(nil, 1, name), 2, appendMessage(nil, 1, tensorType)))
		names = append(names, name)
	}
	return c.modelOf(graph, names, 20), names
}

// modelOf is a ModelProto of the node with these inputs, which graph has.
func (c blockConfig) modelOf(graph []byte, inputs []string, opset int64) (bytes []byte) {
	graph = appendMessage(graph, 1, appendString(nodeOf("GatherBlockQuantized", inputs, []string{"y"}, c.attrs), 7, "com.microsoft"))
	graph = appendMessage(graph, 1, node("Cast", []string{"y"}, "wide", Attributes{"to": int64(Float)}))
	graph = appendMessage(graph, 1, node("Reshape", []string{"wide", "one_dim"}, flatOutput, nil))
	graph = appendMessage(graph, 1, node("Shape", []string{"y"}, shapeOutput, nil))
	graph = appendString(graph, 2, "case")
	graph = appendMessage(graph, 5, int64Initializer("one_dim", []int64{-1}))
	graph = appendMessage(graph, 12, valueInfo(flatOutput, Float, 1))
	graph = appendMessage(graph, 12, valueInfo(shapeOutput, Int64, 1))
	bytes = appendInt(nil, 1, 8) // ir_version
	bytes = appendMessage(bytes, 8, appendInt(appendString(nil, 1, ""), 2, opset))
	bytes = appendMessage(bytes, 8, appendInt(appendString(nil, 1, "com.microsoft"), 2, 1))
	return appendMessage(bytes, 7, graph)
}

// inputs draws the inputs of a case; a sixteenth have an index out of range.
func (c blockConfig) inputs(rng *rand.Rand) []*Value {
	random := func(shape []int) *Value {
		v := newValue(Uint8, shape)
		for i := range v.Bytes {
			v.Bytes[i] = byte(rng.Uint32())
		}
		return v
	}
	rows := int64(c.shapes[0][0])
	ids := make([]int64, elements(c.shapes[1]))
	for i := range ids {
		ids[i] = rng.Int64N(2*rows) - rows
	}
	if rng.IntN(16) == 0 {
		ids[rng.IntN(len(ids))] = pick(rng, []int64{rows, -rows - 1, math.MaxInt32})
	}
	in := []*Value{random(c.shapes[0]), integers(c.index, c.shapes[1], ids), c.drawScales(rng)}
	if c.zeros {
		in = append(in, random(c.shapes[3]))
	}
	return in
}

// drawScales draws the scales.
func (c blockConfig) drawScales(rng *rand.Rand) *Value {
	scales := newValue(c.scales, c.shapes[2])
	for i := range elements(c.shapes[2]) {
		x := float32(rng.NormFloat64() * math.Exp(rng.Float64()*8-4))
		if c.scales == Float16 {
			binary.LittleEndian.PutUint16(scales.Bytes[2*i:], float16.Fromfloat32(x).Bits())
		} else {
			binary.LittleEndian.PutUint32(scales.Bytes[4*i:], math.Float32bits(x))
		}
	}
	return scales
}

// TestGatherBlockQuantized compares 10 000 random calls of com.microsoft's
// GatherBlockQuantized, in values and in whether there is an error.
func TestGatherBlockQuantized(t *testing.T) {
	r := openRuntime(t)
	count, faulty := 0, 0
	for config := range uint64(1000) {
		rng := rand.New(rand.NewPCG(*seed, config))
		c := drawBlockConfig(rng)
		bytes, names := c.model()
		session, loading := ort.NewDynamicAdvancedSessionWithONNXData(bytes, names, []string{flatOutput, shapeOutput}, r.options)
		for number := range 10 {
			in := c.inputs(rng)
			var inputs []tensor.Tensor
			for _, v := range in {
				inputs = append(inputs, v.Dense(pick(rng, []layout{rowMajor, rowMajor, colMajor, transposed})))
			}
			theirs := Outcome{Err: loading}
			if loading == nil {
				var err error
				theirs, err = r.run(session, in)
				require.NoError(t, err)
			}
			var ours Outcome
			out, err := onnx.Eval(onnx.Node{Domain: "com.microsoft", OpType: "GatherBlockQuantized", Opset: 1, Attributes: c.attrs}, inputs...)
			if ours.Err = err; err == nil {
				ours.Value, err = fromDense(out)
				require.NoError(t, err)
			}
			if text := disagreement(ours, theirs); text != "" {
				t.Errorf("config %d, case %d, %v: %s", config, number, c, text)
			}
			count++
			if ours.Err != nil {
				faulty++
			}
		}
		if loading == nil {
			require.NoError(t, session.Destroy())
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d cases, %d of them errors", count, faulty)
}
