package main

import "fmt"

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

// scatters are sums into a copy of data; each runs in place, too. The first two
// are of group wider as well.
var scatters = []Case{
	{Name: "ScatterElements add, last axis", Op: "ScatterElements", Data: []int{1024, 1024}, Indices: []int{1024, 1024}, Axis: 1, Wider: true},
	{Name: "ScatterElements add, axis 0", Op: "ScatterElements", Data: []int{1024, 1024}, Indices: []int{1024, 1024}, Wider: true},
	{Name: "ScatterND add, rows", Op: "ScatterND", Data: []int{50000, 128}, Indices: []int{4096, 1}},
	{Name: "ScatterND add, elements", Op: "ScatterND", Data: []int{256, 256, 64}, Indices: []int{262144, 3}},
}

const (
	tableBytes  = 512 << 20 // of a table far larger than any cache
	outputBytes = 32 << 20  // of the rows looked up in it
)

// rowSizes are bytes. The table holds as many whole rows as it can.
var rowSizes = []int{64, 128, 256, 512, 1536}

// publishedCases are the 37 cases that were published first. They stay as they
// are, so that results can be compared from version to version.
func publishedCases() []Case {
	var all []Case
	for _, c := range gathers {
		c.Group, c.Mode = Gathers, Read
		all = append(all, c)
	}
	for _, c := range scatters {
		c.Group, c.Mode, c.Reduction = Scatters, Copy, Add
		all = append(all, c)
		c.Name += ", in place"
		c.Mode, c.Wider = InPlace, false
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
	return all
}
