package main

import "gorgonia.org/gather/dense"

// policyCases have indices out of range: gathers read the nearest element, scatters
// and segments leave the update out.
func policyCases() []Case {
	var all []Case
	for _, c := range []Case{
		{Name: "Gather, rows", Op: "Gather", Data: []int{50000, 64}, Indices: []int{8192}},
		{Name: "Gather, scalars", Op: "Gather", Data: []int{1 << 20}, Indices: []int{262144}},
		{Name: "GatherElements, axis 0", Op: "GatherElements", Data: []int{1024, 1024}, Indices: []int{1024, 1024}},
		{Name: "GatherElements, last axis", Op: "GatherElements", Data: []int{1024, 1024}, Indices: []int{1024, 1024}, Axis: 1},
		{Name: "GatherND, rows", Op: "GatherND", Data: []int{256, 256, 64}, Indices: []int{8192, 2}},
		{Name: "GatherND, elements", Op: "GatherND", Data: []int{256, 256, 64}, Indices: []int{262144, 3}},
	} {
		c.Name, c.Mode, c.Policy = "Clamp: "+c.Name, Read, Clamp
		all = append(all, c)
	}
	for _, c := range []Case{
		{Name: "ScatterElements add, axis 0", Op: "ScatterElements", Reduction: Add, Data: []int{1024, 1024}, Indices: []int{1024, 1024}},
		{Name: "ScatterElements add, last axis", Op: "ScatterElements", Reduction: Add, Data: []int{1024, 1024}, Indices: []int{1024, 1024}, Axis: 1},
		{Name: "ScatterND add, rows", Op: "ScatterND", Reduction: Add, Data: []int{20000, 64}, Indices: []int{65536, 1}},
		{Name: "ScatterND add, elements", Op: "ScatterND", Reduction: Add, Data: []int{256, 256, 64}, Indices: []int{262144, 3}},
		{Name: "ScatterUpdate add, rows", Op: "ScatterUpdate", Reduction: Add, Data: []int{20000, 64}, Indices: []int{65536}},
		{Name: "ScatterUpdate, rows", Op: "ScatterUpdate", Reduction: None, Distinct: true, Data: []int{20000, 64}, Indices: []int{16384}},
	} {
		c.Name, c.Mode, c.Policy = "Skip: "+c.Name, Copy, Skip
		all = append(all, c)
	}
	for _, c := range segmentCases() {
		if c.Op == "SegmentSum" || c.Op == "SegmentMax" {
			c.Name, c.Policy = "Skip: "+c.Name, Skip
			all = append(all, c)
		}
	}
	return grouped(Policies, all)
}

// outside is how many indices below 0, and as many from n on, may be drawn beside n.
func (c Case) outside(n int) int {
	if c.Policy == "" {
		return 0
	}
	return max(1, n/16)
}

// policyOptions are those of package dense. Negative indices are out of range, as they are
// to PyTorch's clamp; segments never count from the end.
func (c Case) policyOptions() []dense.Option {
	var opts []dense.Option
	switch c.Policy {
	case Clamp:
		opts = append(opts, dense.WithOutOfRange(dense.Clamp))
	case Skip:
		opts = append(opts, dense.WithOutOfRange(dense.Skip))
	}
	if opts != nil && !c.ofSegments() {
		opts = append(opts, dense.WithNonNegativeIndices())
	}
	return opts
}
