package onnxruntime

import (
	"fmt"
	"math/rand/v2"
)

// version is one version of an operator: what it allows, from its specification.
type version struct {
	op         string
	since      int // the opset that brought it
	until      int // the last opset it serves
	data       []DType
	index      []DType
	reductions []string // nil: it has no attribute reduction
}

// newestOpset is the newest opset that ONNX Runtime 1.30 takes.
const newestOpset = 26

var (
	// types9 is ONNX's T before opset 13 and types13 since, less the complex dtypes: ONNX Runtime has none of their
	// kernels.
	types9  = []DType{Bool, Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Float16, Float, Double, String}
	types13 = append([]DType{BFloat16}, types9...)

	eitherInt = []DType{Int32, Int64}
	onlyInt64 = []DType{Int64}

	reductions16 = []string{"none", "add", "mul"}
	reductions18 = []string{"none", "add", "mul", "min", "max"}
)

// versions are the operators under test. ONNX Runtime takes opsets from 7 on, so Gather-1 stands for 7 to 10.
var versions = []version{
	{"Gather", 1, 10, types9, eitherInt, nil},
	{"Gather", 11, 12, types9, eitherInt, nil},
	{"Gather", 13, newestOpset, types13, eitherInt, nil},
	{"GatherElements", 11, 12, types9, eitherInt, nil},
	{"GatherElements", 13, newestOpset, types13, eitherInt, nil},
	{"GatherND", 11, 11, types9, onlyInt64, nil},
	{"GatherND", 12, 12, types9, onlyInt64, nil},
	{"GatherND", 13, newestOpset, types13, onlyInt64, nil},
	{"Scatter", 9, 10, types9, eitherInt, nil},
	{"ScatterElements", 11, 12, types9, eitherInt, nil},
	{"ScatterElements", 13, 15, types13, eitherInt, nil},
	{"ScatterElements", 16, 17, types13, eitherInt, reductions16},
	{"ScatterElements", 18, newestOpset, types13, eitherInt, reductions18},
	{"ScatterND", 11, 12, types9, onlyInt64, nil},
	{"ScatterND", 13, 15, types13, onlyInt64, nil},
	{"ScatterND", 16, 17, types13, onlyInt64, reductions16},
	{"ScatterND", 18, newestOpset, types13, onlyInt64, reductions18},
	{"TensorScatter", 24, newestOpset, types13, onlyInt64, nil},
}

// config is what neighbouring cases share: all that a session of ONNX Runtime depends on.
type config struct {
	version
	opset   int
	dtype   DType
	updates DType // dtype of the updates: that of data, but for a flaw
	itype   DType
	attrs   Attributes
	r, q    int // ranks of data and indices
	axis    int // normalised
	b, k    int // batch dims and the last dim of the indices of GatherND and ScatterND
	write   bool
	large   bool   // enough elements that the work is split over threads
	flaw    string // what is wrong with the config: "" in five out of six
	extra   int    // inputs more, or less if negative, than the operator has
	uRank   int    // what is added to the rank of the updates
}

// blockSize is how many neighbouring cases share a config.
const blockSize = 8

// newConfig draws the config of a block.
func newConfig(seed, block uint64) *config {
	rng := rand.New(rand.NewPCG(seed, 2*block))
	c := &config{attrs: Attributes{}}
	c.version, c.dtype = versionAndDType(seed, block)
	c.opset = max(c.since, 7) + rng.IntN(c.until-max(c.since, 7)+1)
	c.itype = pick(rng, c.index)
	c.large = rng.IntN(100) == 0
	c.r = 1 + rng.IntN(4)
	if rng.IntN(12) == 0 {
		c.r = 5
	}
	if c.large {
		c.r = 2 + rng.IntN(2)
	}
	switch c.op {
	case "Gather":
		c.q = rng.IntN(4)
		c.drawAxis(rng)
	case "GatherElements", "Scatter", "ScatterElements":
		c.q = c.r
		c.drawAxis(rng)
	case "GatherND", "ScatterND":
		c.drawND(rng)
	case "TensorScatter":
		c.drawTensorScatter(rng)
	}
	c.drawReduction(rng)
	c.updates = c.dtype
	if rng.IntN(6) == 0 {
		c.drawFlaw(rng)
	}
	return c
}

// versionAndDType walks all pairs of a version and one of its dtypes in an order that the seed shuffles: drawing them
// would leave some out of a few thousand blocks.
func versionAndDType(seed, block uint64) (version, DType) {
	pairs := 0
	for _, v := range versions {
		pairs += len(v.data)
	}
	at := rand.New(rand.NewPCG(seed, 1)).Perm(pairs)[block%uint64(pairs)]
	for _, v := range versions {
		if at < len(v.data) {
			return v, v.data[at]
		}
		at -= len(v.data)
	}
	panic("unreachable: at is below the number of pairs")
}

func pick[T any](rng *rand.Rand, xs []T) T { return xs[rng.IntN(len(xs))] }

// drawAxis draws an axis and how it is written: counted from either end, or left out where it is the default.
func (c *config) drawAxis(rng *rand.Rand) {
	c.axis = rng.IntN(c.r)
	switch {
	case c.axis == 0 && rng.IntN(3) == 0:
	case rng.IntN(2) == 0:
		c.attrs["axis"] = int64(c.axis)
	default:
		c.attrs["axis"] = int64(c.axis - c.r)
	}
}

// drawND draws the ranks of GatherND and ScatterND: b batch dims, tuples of length k.
func (c *config) drawND(rng *rand.Rand) {
	if c.op == "GatherND" && c.since >= 12 {
		c.b = rng.IntN(min(c.r, 3))
		if c.b > 0 || rng.IntN(2) == 0 {
			c.attrs["batch_dims"] = int64(c.b)
		}
	}
	c.k = 1 + rng.IntN(c.r-c.b)
	if c.op == "ScatterND" && rng.IntN(8) == 0 {
		c.k = 0 // the whole of data
	}
	c.q = c.b + 1 + rng.IntN(3)
}

// drawTensorScatter draws the axis, which is never 0, and the mode of TensorScatter.
func (c *config) drawTensorScatter(rng *rand.Rand) {
	c.r = max(c.r, 2)
	c.q = 1
	c.axis = 1 + rng.IntN(c.r-1)
	switch {
	case c.axis == c.r-2 && rng.IntN(2) == 0:
	case rng.IntN(2) == 0:
		c.attrs["axis"] = int64(c.axis)
	default:
		c.attrs["axis"] = int64(c.axis - c.r)
	}
	c.write = rng.IntN(4) > 0
	if mode := pick(rng, []string{"", "linear", "circular", "circular"}); mode != "" {
		c.attrs["mode"] = mode
	}
}

// drawReduction draws a reduction where the version has any, and leaves out some that are the default.
func (c *config) drawReduction(rng *rand.Rand) {
	if c.reductions == nil {
		return
	}
	if reduction := pick(rng, c.reductions); reduction != "none" || rng.IntN(2) == 0 {
		c.attrs["reduction"] = reduction
	}
}

// reduction returns the attribute reduction, or its default.
func (a Attributes) reduction() string {
	if reduction, ok := a["reduction"].(string); ok {
		return reduction
	}
	return "none"
}

// isScatter says whether the third input is updates shaped by the indices.
func (v version) isScatter() bool {
	return v.op == "Scatter" || v.op == "ScatterElements" || v.op == "ScatterND"
}

// String is the name of the version, such as ScatterND-16.
func (v version) String() string { return fmt.Sprintf("%s-%d", v.op, v.since) }
