package openvino

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// dtypes is a set of dtypes that a version allows for one of its inputs.
type dtypes []tensor.Dtype

// The sets that the operators' texts name.
var (
	// int32Or64 counts Go's int among the two, since it is one of them.
	int32Or64  = dtypes{tensor.Int32, tensor.Int64, tensor.Int}
	anyInteger = dtypes{
		tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Int,
		tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Uint,
	}
	numeric     = join(anyInteger, dtypes{dense.Float16, dense.BFloat16, tensor.Float32, tensor.Float64})
	withBoolean = join(numeric, dtypes{tensor.Bool})
	anyType     = join(withBoolean, dtypes{tensor.String})
)

func join(a, b dtypes) dtypes { return append(a[:len(a):len(a)], b...) }

func (set dtypes) has(dt tensor.Dtype) bool {
	for _, d := range set {
		if d == dt {
			return true
		}
	}
	return false
}

// An attribute is one that a version has: an integer in a range that depends on
// the inputs, one of some words, or a boolean.
type attribute struct {
	name     string
	fallback string // its default; "" if it must be set
	in       interval
	words    []string
}

// interval is the range of an integer attribute as a function of the ranks of
// data and indices.
type interval func(r, q int) (low, high int)

var (
	// A negative batch_dims of Gather counts from the rank of indices.
	gatherBatch = attribute{name: "batch_dims", fallback: "0", in: func(r, q int) (int, int) { return -min(r, q), min(r, q) }}
	tupleBatch  = attribute{name: "batch_dims", fallback: "0", in: func(r, q int) (int, int) { return 0, min(r, q) - 1 }}
	neededAxis  = attribute{name: "axis", in: func(r, _ int) (int, int) { return -r, r - 1 }}

	elementsReduction = attribute{name: "reduction", fallback: "none", words: []string{"none", "sum", "prod", "min", "max", "mean"}}
	tupleReduction    = attribute{name: "reduction", fallback: "none", words: []string{"none", "sum", "sub", "prod", "min", "max"}}
	useInitVal        = attribute{name: "use_init_val", fallback: "true", words: []string{"true", "false"}}
)

// reductions are the words of a reduction attribute.
var reductions = map[string]dense.Reduction{
	"none": dense.None, "sum": dense.Add, "sub": dense.Sub, "prod": dense.Mul,
	"min": dense.Min, "max": dense.Max, "mean": dense.Mean,
}

// negatives says what a version holds of indices below zero.
type negatives int

const (
	refused  negatives = iota // they are out of range
	counted                   // they count from the end of the axis
	released                  // they count since release 2025.3 and are out of range before
)

// A version is one row of the table: what an operator means from an operator
// set on, until the next row of the same operator.
type version struct {
	since      int
	data       dtypes // of data and updates, which must agree
	index      dtypes
	negatives  negatives
	outOfRange dense.OutOfRange // of the gathers; a scatter always rejects
	attrs      []attribute
	fused      bool // batch dims are multiplied into one
}

// versions is the table. The operators' texts leave the following open:
//   - Gather-1 and Gather-7 do not say what an index out of range does. Here
//     Gather-1 rejects it, and Gather-7 fills with zeros as OpenVINO's own
//     implementation does, also for negative indices.
//   - ScatterNDUpdate-3 is named after opset3, and OpenVINO reads it from
//     opset4 on. Here it is there from opset3.
var versions = map[string][]version{
	"Gather": {
		{since: 1, data: anyType, index: anyInteger, negatives: refused, outOfRange: dense.Reject},
		{since: 7, data: anyType, index: anyInteger, negatives: refused, outOfRange: dense.ZeroFill, attrs: []attribute{gatherBatch}},
		{since: 8, data: anyType, index: anyInteger, negatives: counted, outOfRange: dense.ZeroFill, attrs: []attribute{gatherBatch}},
	},
	"GatherElements": {
		{since: 6, data: anyType, index: int32Or64, negatives: released, attrs: []attribute{neededAxis}},
	},
	"GatherND": {
		{since: 5, data: anyType, index: anyInteger, negatives: refused, attrs: []attribute{tupleBatch}, fused: true},
		{since: 8, data: anyType, index: anyInteger, negatives: released, attrs: []attribute{tupleBatch}},
	},
	"GatherTree": {
		{since: 1, data: numeric, index: numeric},
	},
	"ScatterUpdate": {
		{since: 3, data: numeric, index: anyInteger, negatives: refused},
	},
	"ScatterElementsUpdate": {
		{since: 3, data: numeric, index: anyInteger, negatives: refused},
		{since: 12, data: anyType, index: anyInteger, negatives: counted, attrs: []attribute{elementsReduction, useInitVal}},
	},
	"ScatterNDUpdate": {
		{since: 3, data: numeric, index: int32Or64, negatives: refused},
		{since: 15, data: withBoolean, index: int32Or64, negatives: counted, attrs: []attribute{tupleReduction}},
	},
}

func (v version) attribute(name string) (attribute, bool) {
	for _, a := range v.attrs {
		if a.name == name {
			return a, true
		}
	}
	return attribute{}, false
}

func (a attribute) allows(word string) bool {
	for _, w := range a.words {
		if w == word {
			return true
		}
	}
	return false
}

// typeNames are OpenVINO's names of the dtypes, for errors.
var typeNames = map[tensor.Dtype]string{
	tensor.Bool: "boolean", tensor.String: "string",
	tensor.Int8: "i8", tensor.Int16: "i16", tensor.Int32: "i32", tensor.Int64: "i64",
	tensor.Uint8: "u8", tensor.Uint16: "u16", tensor.Uint32: "u32", tensor.Uint64: "u64",
	dense.Float16: "f16", dense.BFloat16: "bf16", tensor.Float32: "f32", tensor.Float64: "f64",
}

func typeName(dt tensor.Dtype) string {
	if name, ok := typeNames[dt]; ok {
		return name
	}
	if dt.Type == nil {
		return "none"
	}
	return dt.String()
}

// String lists the set's types, for errors.
func (set dtypes) String() string {
	text := ""
	for _, dt := range set {
		if name, ok := typeNames[dt]; ok {
			text += ", " + name
		}
	}
	return text[len(", "):]
}
