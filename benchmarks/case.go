package main

import (
	"fmt"
	"slices"
)

// Mode is what becomes of data.
type Mode string

const (
	Read     Mode = "gather"   // a gather reads it
	Copy     Mode = "copy"     // a scatter adds to a copy of it
	InPlace  Mode = "in place" // a scatter adds to data itself
	Gradient Mode = "gradient" // the adjoint of a gather adds to its gradient
)

// Groups of cases, in the order of the report.
const (
	Gathers   = "gathers"
	Scatters  = "scatter-adds"
	Gradients = "gradients"
	Rows      = "rows out of cache"
)

var groups = []string{Gathers, Scatters, Gradients, Rows}

// Case is one call to measure, on float32 data and int64 indices. All programs
// that take part get their cases from here.
type Case struct {
	Name      string `json:"name"`
	Group     string `json:"group"`
	Op        string `json:"op"` // as ONNX spells it; of a gradient, the gather's
	Data      []int  `json:"data"`
	Indices   []int  `json:"indices"`
	Axis      int    `json:"axis"`
	BatchDims int    `json:"batch_dims"`
	Mode      Mode   `json:"mode"`
	// Sets is the number of index sets that are used in rotation. With one set
	// the rows that it reads would stay in the cache.
	Sets int `json:"sets"`
}

// sets is the rotation of all cases of the table.
const sets = 16

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

// gathers are the calls that people make: lookups of embeddings and tables, and
// the picking of one of many.
var gathers = []Case{
	{Name: "Gather, embedding", Op: "Gather", Data: []int{50000, 128}, Indices: []int{32, 128}},
	{Name: "Gather, big table", Op: "Gather", Data: []int{1000000, 64}, Indices: []int{65536}},
	{Name: "Gather, narrow rows", Op: "Gather", Data: []int{100000, 4}, Indices: []int{262144}},
	{Name: "Gather, scalars", Op: "Gather", Data: []int{100000}, Indices: []int{1048576}},
	{Name: "Gather, last axis", Op: "Gather", Data: []int{1024, 1024}, Indices: []int{512}, Axis: 1},
	{Name: "GatherElements, axis 1 of 4-D", Op: "GatherElements", Data: []int{1, 4, 353, 128}, Indices: []int{1, 4, 353, 128}, Axis: 1},
	{Name: "GatherElements, last axis", Op: "GatherElements", Data: []int{1024, 1024}, Indices: []int{1024, 1024}, Axis: 1},
	{Name: "GatherElements, axis 0", Op: "GatherElements", Data: []int{1024, 1024}, Indices: []int{1024, 1024}},
	{Name: "GatherElements, one of 32000", Op: "GatherElements", Data: []int{4096, 32000}, Indices: []int{4096, 1}, Axis: 1},
	{Name: "GatherND, elements", Op: "GatherND", Data: []int{256, 256, 64}, Indices: []int{262144, 3}},
	{Name: "GatherND, slices", Op: "GatherND", Data: []int{1000, 256, 10, 15}, Indices: []int{25, 125, 3}},
	{Name: "GatherND, batch_dims 2", Op: "GatherND", Data: []int{30, 2, 100, 35}, Indices: []int{30, 2, 3, 1}, BatchDims: 2},
}

// scatters are sums into a copy of data; each runs in place, too.
var scatters = []Case{
	{Name: "ScatterElements add, last axis", Op: "ScatterElements", Data: []int{1024, 1024}, Indices: []int{1024, 1024}, Axis: 1},
	{Name: "ScatterElements add, axis 0", Op: "ScatterElements", Data: []int{1024, 1024}, Indices: []int{1024, 1024}},
	{Name: "ScatterND add, rows", Op: "ScatterND", Data: []int{50000, 128}, Indices: []int{4096, 1}},
	{Name: "ScatterND add, elements", Op: "ScatterND", Data: []int{256, 256, 64}, Indices: []int{262144, 3}},
}

const (
	tableBytes  = 512 << 20 // of a table far larger than any cache
	outputBytes = 32 << 20  // of the rows looked up in it
)

// rowSizes are bytes. The table holds as many whole rows as it can.
var rowSizes = []int{64, 128, 256, 512, 1536}

// cases are all cases of the table.
func cases() []Case {
	var all []Case
	for _, c := range gathers {
		c.Group, c.Mode = Gathers, Read
		all = append(all, c)
	}
	for _, c := range scatters {
		c.Group, c.Mode = Scatters, Copy
		all = append(all, c)
		c.Name += ", in place"
		c.Mode = InPlace
		all = append(all, c)
	}
	for _, c := range gathers {
		c.Name = "gradient of " + c.Name
		c.Group, c.Mode = Gradients, Gradient
		all = append(all, c)
	}
	for _, b := range rowSizes {
		all = append(all, Case{
			Name: fmt.Sprintf("rows of %d bytes", b), Group: Rows, Op: "Gather", Mode: Read,
			Data: []int{tableBytes / b, b / 4}, Indices: []int{outputBytes / b},
		})
	}
	for i := range all {
		all[i].Sets = sets
	}
	return all
}

// adds tells whether the case sums updates into data.
func (c Case) adds() bool { return c.Mode != Read }

// ownsData tells whether the call changes data.
func (c Case) ownsData() bool { return c.Mode == InPlace || c.Mode == Gradient }

// tuple is the number of indices that belong together: more than one for the
// operators with ND in their names.
func (c Case) tuple() int {
	if c.Op == "GatherND" || c.Op == "ScatterND" {
		return c.Indices[len(c.Indices)-1]
	}
	return 1
}

// updatesShape is that of what is added to data.
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
	case "Gather":
		return slices.Concat(c.Data[:c.Axis], c.Indices, c.Data[c.Axis+1:])
	case "GatherND":
		q := len(c.Indices) - 1
		return slices.Concat(c.Indices[:q], c.Data[c.BatchDims+c.tuple():])
	}
	return c.Indices
}

// outShape is that of what the call writes.
func (c Case) outShape() []int {
	if c.adds() {
		return c.Data
	}
	return c.gatheredShape()
}
