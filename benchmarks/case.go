package main

import (
	"fmt"
	"slices"
)

// Mode is what becomes of data.
type Mode string

const (
	Read     Mode = "gather"   // a gather reads it
	Copy     Mode = "copy"     // a scatter changes a copy of it
	InPlace  Mode = "in place" // a scatter changes data itself
	Gradient Mode = "gradient" // the adjoint of a gather adds to its gradient
	Backward Mode = "backward" // the gradients of a scatter, alone
	Step     Mode = "step"     // forward, a sum, and all gradients, through a graph
)

// Reduction is how a scatter combines updates with data, as ONNX spells it,
// with OpenVINO's two more.
type Reduction string

const (
	None Reduction = "none"
	Add  Reduction = "add"
	Sub  Reduction = "sub"
	Mul  Reduction = "mul"
	Min  Reduction = "min"
	Max  Reduction = "max"
	Mean Reduction = "mean"
)

// Policy is what is done with indices out of range; "" if there are none.
type Policy string

const (
	Clamp Policy = "clamp" // a gather reads the nearest element
	Skip  Policy = "skip"  // a scatter or a reduction of segments leaves the update out
)

// Case is one call to measure. All programs that take part get their cases from
// here.
type Case struct {
	Name      string `json:"name"`
	Group     string `json:"group"`
	Wider     bool   `json:"wider,omitempty"` // of group wider
	Op        string `json:"op"`              // as ONNX and OpenVINO spell it; of a gradient, the forward's
	Data      []int  `json:"data"`
	Indices   []int  `json:"indices"`
	Axis      int    `json:"axis"`
	BatchDims int    `json:"batch_dims"`
	Mode      Mode   `json:"mode"`

	Reduction  Reduction `json:"reduction,omitempty"`
	WithoutOld bool      `json:"without_old,omitempty"` // the old value takes no part in the reduction
	Dtype      Dtype     `json:"dtype,omitempty"`       // of all but the indices; float32 by default
	Layout     Layout    `json:"layout,omitempty"`      // of data; row-major by default
	Storage    string    `json:"storage,omitempty"`     // of a table of package embedding
	// Distinct indices are needed where PyTorch's result for several updates of
	// one target is another one: see README.md.
	Distinct bool `json:"distinct,omitempty"`
	// Policy is what becomes of indices out of range, which an eighth are then.
	Policy Policy `json:"policy,omitempty"`
	// Zipf makes few indices frequent and most of them rare.
	Zipf bool `json:"zipf,omitempty"`

	// Sets is the number of index sets that are used in rotation. With one set
	// the rows that it reads would stay in the cache.
	Sets int `json:"sets"`
}

// shapeText writes a shape as "1024×1024".
func shapeText(shape []int) string {
	s := ""
	for i, n := range shape {
		if i > 0 {
			s += "×"
		}
		s += fmt.Sprint(n)
	}
	return s
}

// hasUpdates tells whether the case has updates: those of a scatter, or the
// gradient of a gather's result.
func (c Case) hasUpdates() bool { return c.Mode != Read && (c.Mode != Step || c.scatters()) }

// hasWeights tells whether the case has weights of the shape of data: the
// gradient of a scatter's result, or what a step multiplies the result by.
func (c Case) hasWeights() bool { return c.scatters() && (c.Mode == Backward || c.Mode == Step) }

// ownsData tells whether the call changes data.
func (c Case) ownsData() bool { return c.Mode == InPlace || c.Mode == Gradient }

func (c Case) scatters() bool {
	return c.Op == "ScatterElements" || c.Op == "ScatterND" || c.Op == "ScatterUpdate"
}

// tuple is the number of indices that belong together: more than one for the
// operators with ND in their names.
func (c Case) tuple() int {
	if c.Op == "GatherND" || c.Op == "ScatterND" {
		return c.Indices[len(c.Indices)-1]
	}
	return 1
}

// updatesShape is that of what is put into data.
func (c Case) updatesShape() []int {
	switch c.Op {
	case "ScatterND":
		q := len(c.Indices) - 1
		return slices.Concat(c.Indices[:q], c.Data[c.tuple():])
	case "ScatterElements":
		return c.Indices
	}
	return c.gatheredShape()
}

// gatheredShape is that of a gather's result.
func (c Case) gatheredShape() []int {
	switch c.Op {
	case "Gather", "ScatterUpdate", tableRows:
		return slices.Concat(c.Data[:c.Axis], c.Indices, c.Data[c.Axis+1:])
	case segmentSoftmax:
		return c.Data
	case embeddingBag, tableBags:
		return slices.Concat(c.Indices[:1], c.Data[1:])
	case "GatherND":
		q := len(c.Indices) - 1
		return slices.Concat(c.Indices[:q], c.Data[c.BatchDims+c.tuple():])
	}
	if c.ofSegments() {
		return slices.Concat([]int{segmentCount}, c.Data[1:])
	}
	return c.Indices
}

// outShape is that of what the call writes: of a step and of the gradients of a
// scatter, the gradient of data, which that of updates follows.
func (c Case) outShape() []int {
	if c.Mode == Read {
		return c.gatheredShape()
	}
	return c.Data
}
