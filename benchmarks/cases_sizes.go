package main

import "fmt"

// sizeCases are the five most used operators from a handful of elements to ten
// million.
func sizeCases() []Case {
	var all []Case
	for _, n := range []struct {
		elements      int
		rows, columns int
	}{{10, 2, 5}, {1000, 25, 40}, {100000, 250, 400}, {10000000, 2500, 4000}} {
		matrix, table := []int{n.rows, n.columns}, []int{n.elements / 10, 10}
		of := func(c Case) Case {
			c.Name = fmt.Sprintf("%s, %d elements", c.Name, n.elements)
			return c
		}
		all = append(all,
			of(Case{Name: "Gather, rows of 10", Op: "Gather", Mode: Read, Data: table, Indices: []int{n.elements / 10}}),
			of(Case{Name: "GatherElements", Op: "GatherElements", Mode: Read, Data: matrix, Indices: matrix, Axis: 1}),
			of(Case{Name: "GatherND", Op: "GatherND", Mode: Read, Data: matrix, Indices: []int{n.elements, 2}}),
			of(Case{Name: "ScatterElements add", Op: "ScatterElements", Mode: Copy, Reduction: Add, Data: matrix, Indices: matrix, Axis: 1}),
			of(Case{Name: "ScatterND add, rows of 10", Op: "ScatterND", Mode: Copy, Reduction: Add, Data: table, Indices: []int{n.elements / 10, 1}}),
		)
	}
	return grouped(Sizes, all)
}

// densityCases add few to many updates to the rows of a table.
func densityCases() []Case {
	var all []Case
	for _, d := range []struct {
		name    string
		updates int
	}{{"1 for 100 rows", 500}, {"2 for 5 rows", 20000}, {"4 a row", 200000}} {
		for _, mode := range []Mode{Copy, InPlace} {
			c := onRows(mode, Add, false)
			c.Indices = []int{d.updates, 1}
			c.Name = "ScatterND add, " + d.name
			if mode == InPlace {
				c.Name += ", in place"
			}
			all = append(all, c)
		}
	}
	return grouped(Densities, all)
}

// pickCases take few elements out of each of many long lines.
func pickCases() []Case {
	lines := []int{1024, 32000}
	return grouped(Picks, []Case{
		{Name: "GatherElements, 8 of 32000", Op: "GatherElements", Mode: Read, Data: lines, Indices: []int{1024, 8}, Axis: 1},
		{Name: "Gather, last axis, 16 of 32000", Op: "Gather", Mode: Read, Data: lines, Indices: []int{16}, Axis: 1},
		{Name: "ScatterElements add, 8 of 32000, in place", Op: "ScatterElements", Mode: InPlace, Reduction: Add, Data: lines, Indices: []int{1024, 8}, Axis: 1},
	})
}
