package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// Dtype is the type of elements, as ONNX spells it; "" is float32.
type Dtype string

const (
	Float32  Dtype = "float32"
	Float64  Dtype = "float64"
	Int8     Dtype = "int8"
	Int32    Dtype = "int32"
	Int64    Dtype = "int64"
	Float16  Dtype = "float16"
	BFloat16 Dtype = "bfloat16"
	String   Dtype = "string"
)

// kind is what there is to know of a dtype.
type kind struct {
	of   tensor.Dtype
	onnx int // its number in TensorProto.DataType
	// tolerance of a comparison, relative to 1 + |value|: sums are made in
	// different orders. Integers and strings have to be the same.
	tolerance float64
	width     int // bytes
	// put writes a value, from 0 to 1, of integers from 0 to 99, and float reads
	// one.
	put   func(b []byte, v float64)
	float func(b []byte) float64
}

var order = binary.NativeEndian

var kinds = map[Dtype]kind{
	Float32: {tensor.Float32, 1, 1e-4, 4,
		func(b []byte, v float64) { order.PutUint32(b, math.Float32bits(float32(v))) },
		func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }},
	Float64: {tensor.Float64, 11, 1e-12, 8,
		func(b []byte, v float64) { order.PutUint64(b, math.Float64bits(v)) },
		func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }},
	// The sum of some values near 1 is off by half of the last of 11 bits each
	// time, that of bfloat16 by half of the last of 8.
	Float16: {dense.Float16, 10, 1e-2, 2,
		func(b []byte, v float64) { order.PutUint16(b, uint16(float16.Fromfloat32(float32(v)))) },
		func(b []byte) float64 { return float64(float16.Frombits(order.Uint16(b)).Float32()) }},
	BFloat16: {dense.BFloat16, 16, 8e-2, 2,
		func(b []byte, v float64) { order.PutUint16(b, uint16(math.Float32bits(float32(v))>>16)) },
		func(b []byte) float64 { return float64(math.Float32frombits(uint32(order.Uint16(b)) << 16)) }},
	Int8: {tensor.Int8, 3, 0, 1,
		func(b []byte, v float64) { b[0] = byte(100 * v) },
		func(b []byte) float64 { return float64(int8(b[0])) }},
	Int32: {tensor.Int32, 6, 0, 4,
		func(b []byte, v float64) { order.PutUint32(b, uint32(100*v)) },
		func(b []byte) float64 { return float64(int32(order.Uint32(b))) }},
	Int64: {tensor.Int64, 7, 0, 8,
		func(b []byte, v float64) { order.PutUint64(b, uint64(100*v)) },
		func(b []byte) float64 { return float64(int64(order.Uint64(b))) }},
	String: {of: tensor.String, onnx: 8},
}

// kind is that of the case's data.
func (c Case) kind() kind {
	if c.Dtype == "" {
		return kinds[Float32]
	}
	return kinds[c.Dtype]
}

// fill writes random values, from low to low + 1, into memory.
func (k kind) fill(rng *rand.Rand, memory []byte, low float64) {
	for ; len(memory) > 0; memory = memory[k.width:] {
		k.put(memory, low+float64(rng.Float32()))
	}
}

// words are random strings, shorter and longer than those that fit into a C++
// string without an allocation.
func words(rng *rand.Rand, n int) []string {
	some := make([]string, n)
	for i := range some {
		some[i] = fmt.Sprintf("%.*s %d", 4+rng.IntN(14), "a word of a vocabulary", rng.IntN(100000))
	}
	return some
}

// Values are what a runner has written, in row-major order.
type Values struct {
	kind    kind
	memory  []byte   // of elements, in the machine's byte order
	strings []string // instead of memory
}

// valuesOf are those of tensors, one after the other.
func valuesOf(k kind, tensors ...*tensor.Dense) Values {
	v := Values{kind: k}
	for _, d := range tensors {
		if k.of == tensor.String {
			v.strings = append(v.strings, d.Strings()...)
			continue
		}
		v.memory = append(v.memory, packed(d, k.width)...)
	}
	return v
}

// agree tells whether two results are equal but for rounding.
func agree(got, want Values) bool {
	if len(got.memory) != len(want.memory) || len(got.strings) != len(want.strings) {
		return false
	}
	for i, s := range got.strings {
		if s != want.strings[i] {
			return false
		}
	}
	k := want.kind
	for at := 0; at < len(want.memory); at += k.width {
		g, w := k.float(got.memory[at:]), k.float(want.memory[at:])
		// Written so that a NaN is no agreement.
		if !(math.Abs(g-w) <= k.tolerance*(1+math.Abs(w))) {
			return false
		}
	}
	return true
}
