package main

// dtypeCases take each dtype through a gather, a sum and a maximum.
func dtypeCases() []Case {
	elements := func(of Dtype) Case {
		return Case{
			Name: "GatherElements of " + string(of), Op: "GatherElements", Mode: Read, Dtype: of,
			Data: square, Indices: square, Axis: 1,
		}
	}
	scatter := func(of Dtype, r Reduction) Case {
		c := onSquare(Copy, r, 1, false)
		c.Name, c.Dtype = "ScatterElements "+string(r)+" of "+string(of), of
		return c
	}
	all := wider(
		Case{
			Name: "Gather, rows of float64", Op: "Gather", Mode: Read, Dtype: Float64,
			Data: []int{100000, 64}, Indices: []int{16384},
		},
		Case{
			Name: "Gather, rows of 100 int8", Op: "Gather", Mode: Read, Dtype: Int8,
			Data: []int{100000, 100}, Indices: []int{65536},
		},
		elements(Int8),
		elements(Float16),
		scatter(Float64, Add),
		scatter(Int64, Add),
		scatter(Float16, Add),
	)
	all = append(all,
		elements(Int64),
		elements(BFloat16),
		scatter(Int8, Add),
		scatter(BFloat16, Add),
		scatter(Float64, Max),
		scatter(Int64, Max),
		scatter(Int8, Max),
		scatter(Float16, Max),
		scatter(BFloat16, Max),
	)
	return grouped(Dtypes, all)
}

// layoutCases have data that is not row-major.
func layoutCases() []Case {
	rows := func(l Layout) Case {
		return Case{
			Name: "Gather, rows, " + string(l), Op: "Gather", Mode: Read, Layout: l,
			Data: []int{16384, 256}, Indices: []int{4096},
		}
	}
	elements := func(l Layout) Case {
		return Case{
			Name: "GatherElements, " + string(l), Op: "GatherElements", Mode: Read, Layout: l,
			Data: square, Indices: square, Axis: 1,
		}
	}
	scatter := func(mode Mode, l Layout, r Reduction) Case {
		c := onSquare(mode, r, 1, false)
		c.Name, c.Layout = c.Name+", "+string(l), l
		return c
	}
	// Of a matrix, column-major and transposed would be the same to all but us.
	cube, picks := []int{64, 128, 128}, []int{64, 128, 128}
	all := wider(rows(Transposed), elements(Transposed))
	all = append(all,
		rows(Gaps),
		elements(Gaps),
		Case{
			Name: "Gather, axis 1 of 3-D, column-major", Op: "Gather", Mode: Read, Layout: ColumnMajor,
			Data: cube, Indices: []int{256}, Axis: 1,
		},
		Case{
			Name: "GatherElements, axis 1 of 3-D, column-major", Op: "GatherElements", Mode: Read, Layout: ColumnMajor,
			Data: cube, Indices: picks, Axis: 1,
		},
		scatter(InPlace, Transposed, Add),
		scatter(InPlace, Gaps, Add),
		Case{
			Name: "ScatterElements max, axis 1 of 3-D, column-major", Op: "ScatterElements", Mode: Copy, Reduction: Max,
			Layout: ColumnMajor, Data: cube, Indices: picks, Axis: 1,
		},
	)
	return grouped(Layouts, all)
}

// treeCases read beams out of a beam search: steps × sentences × beams.
func treeCases() []Case {
	return grouped(Trees, []Case{
		{Name: "GatherTree, 64 steps of 8 beams", Op: "GatherTree", Mode: Read, Dtype: Int32, Data: []int{64, 16, 8}, Indices: []int{64, 16, 8}},
		{Name: "GatherTree, 256 steps of 16 beams", Op: "GatherTree", Mode: Read, Dtype: Int32, Data: []int{256, 64, 16}, Indices: []int{256, 64, 16}},
	})
}

// stringCases pick words.
func stringCases() []Case {
	return grouped(Strings, []Case{
		{Name: "Gather of strings", Op: "Gather", Mode: Read, Dtype: String, Data: []int{50000}, Indices: []int{4096}},
		{Name: "GatherElements of strings", Op: "GatherElements", Mode: Read, Dtype: String, Data: []int{256, 256}, Indices: []int{256, 256}, Axis: 1},
	})
}
