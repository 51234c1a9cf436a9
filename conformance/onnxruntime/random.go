package onnxruntime

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// A RandomModel is a small model of the operators of packages onnx and onnx/builders, and values for its inputs. It
// follows from a seed and a number. Every node leads to its one output.
type RandomModel struct {
	Seed, Number uint64
	Opset        int
	DType        DType // Float or Double
	Names        []string
	Inputs       []*Value

	graph  []byte // GraphProto without its outputs
	output string
	ops    []string
}

// NewRandomModel draws a model.
func NewRandomModel(seed, number uint64) *RandomModel {
	d := &drawing{rng: rand.New(rand.NewPCG(seed, 2*number))}
	d.m = &RandomModel{Seed: seed, Number: number, Opset: opsets[d.rng.IntN(len(opsets))], DType: Double}
	if d.rng.IntN(5) < 2 {
		d.m.DType = Float
	}
	d.shape = d.draw(d.rng.IntN(6))
	d.x = d.input(d.shape)
	for steps := 1 + d.rng.IntN(6); steps > 0; {
		op := drawings[d.rng.IntN(len(drawings))]
		if op.since <= d.m.Opset && op.draw(d) {
			steps--
		}
	}
	d.m.output = d.x
	return d.m
}

// opsets are those at which the rules of some operator change, and some between.
var opsets = []int{9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22}

// String names the operators of the model.
func (m *RandomModel) String() string {
	return fmt.Sprintf("opset %d %v %s", m.Opset, m.DType, strings.Join(m.ops, " "))
}

// File is the model's file. For ONNX Runtime its outputs are the result as a list and the result's shape: see model.
func (m *RandomModel) File(forRuntime bool) []byte {
	graph := append([]byte(nil), m.graph...)
	if forRuntime {
		graph = appendMessage(graph, 1, node("Reshape", []string{m.output, "one_dim"}, flatOutput, nil))
		graph = appendMessage(graph, 1, node("Shape", []string{m.output}, shapeOutput, nil))
		graph = appendMessage(graph, 5, int64Initializer("one_dim", []int64{-1}))
		graph = appendMessage(graph, 12, valueInfo(flatOutput, m.DType, 1))
		graph = appendMessage(graph, 12, valueInfo(shapeOutput, Int64, 1))
	} else {
		graph = appendMessage(graph, 12, appendString(nil, 1, m.output))
	}
	graph = appendString(graph, 2, "random")
	b := appendInt(nil, 1, 8) // ir_version
	b = appendMessage(b, 8, appendInt(appendString(nil, 1, ""), 2, int64(m.Opset)))
	return appendMessage(b, 7, graph)
}

// A drawing is a model in the making: x is the result so far.
type drawing struct {
	rng   *rand.Rand
	m     *RandomModel
	x     string
	shape []int
	count int
}

// maxElements bounds the tensors of a model.
const maxElements = 60

// draw returns a shape of that rank.
func (d *drawing) draw(rank int) []int {
	shape := make([]int, rank)
	for {
		for i := range shape {
			shape[i] = 1 + d.rng.IntN(4)
		}
		if elements(shape) <= 24 {
			return shape
		}
	}
}

// name is a new name of a value.
func (d *drawing) name(kind string) string {
	d.count++
	return fmt.Sprint(kind, d.count)
}

// input adds an input of the model's dtype. A scalar comes in as a list of one element, as the binding has no scalars.
func (d *drawing) input(shape []int) string {
	name := d.name("x")
	if len(shape) == 0 {
		scalar := d.input([]int{1})
		none := d.longs(nil)
		d.m.graph = appendMessage(d.m.graph, 1, node("Reshape", []string{scalar, none}, name, nil))
		return name
	}
	v := newValue(d.m.DType, shape)
	for i := range elements(shape) {
		x := d.rng.NormFloat64() * 0.7
		if d.m.DType == Float {
			binary.LittleEndian.PutUint32(v.Bytes[4*i:], math.Float32bits(float32(x)))
		} else {
			binary.LittleEndian.PutUint64(v.Bytes[8*i:], math.Float64bits(x))
		}
	}
	d.m.Names, d.m.Inputs = append(d.m.Names, name), append(d.m.Inputs, v)
	var dims []byte
	for _, n := range shape {
		dims = appendMessage(dims, 1, appendInt(nil, 1, int64(n)))
	}
	tensorType := appendMessage(appendInt(nil, 1, int64(d.m.DType)), 2, dims)
	d.m.graph = appendMessage(d.m.graph, 11, appendMessage(appendString(nil, 1, name), 2, appendMessage(nil, 1, tensorType)))
	return name
}

// longs adds an initializer of int64, of one dim unless others are given.
func (d *drawing) longs(values []int64, dims ...int) string {
	if dims == nil {
		dims = []int{len(values)}
	}
	return d.initializer(Int64, dims, func(b []byte) []byte {
		for _, x := range values {
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		}
		return b
	})
}

// long adds a scalar of int64.
func (d *drawing) long(x int64) string {
	return d.initializer(Int64, nil, func(b []byte) []byte { return binary.LittleEndian.AppendUint64(b, uint64(x)) })
}

// number adds a scalar of the model's dtype.
func (d *drawing) number(x float64) string {
	return d.initializer(d.m.DType, nil, func(b []byte) []byte {
		if d.m.DType == Float {
			return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		}
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	})
}

func (d *drawing) initializer(t DType, dims []int, values func([]byte) []byte) string {
	name := d.name("c")
	var b []byte
	for _, n := range dims {
		b = appendInt(b, 1, int64(n))
	}
	b = appendString(appendInt(b, 2, int64(t)), 8, name)
	d.m.graph = appendMessage(d.m.graph, 5, appendMessage(b, 9, values(nil)))
	return name
}

// add adds a node with one output, and returns that.
func (d *drawing) add(op string, attrs Attributes, inputs ...string) string {
	name := d.name("y")
	d.m.graph = appendMessage(d.m.graph, 1, node(op, inputs, name, attrs))
	d.m.ops = append(d.m.ops, op)
	return name
}

// set makes a node's output the result so far.
func (d *drawing) set(x string, shape ...int) bool {
	d.x, d.shape = x, shape
	return true
}

// positive is x*x + 0.5.
func (d *drawing) positive(x string) string {
	return d.add("Add", nil, d.add("Mul", nil, x, x), d.number(0.5))
}

// axis draws an axis, counted from the front or from the end.
func (d *drawing) axis(rank int) (axis int, written int64) {
	axis = d.rng.IntN(rank)
	if d.rng.IntN(2) == 0 {
		return axis, int64(axis - rank)
	}
	return axis, int64(axis)
}
