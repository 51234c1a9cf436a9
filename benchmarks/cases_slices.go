package main

// sliceCases are a ScatterUpdate with each reduction, which PyTorch calls index_add and
// index_reduce: of rows, of columns, and of slices between the first and the last axis.
func sliceCases() []Case {
	var all []Case
	for _, r := range []Reduction{Add, Mul, Min, Max, Mean} {
		for _, withoutOld := range []bool{false, true} {
			if r == Add && withoutOld {
				continue // PyTorch's index_add keeps the old value
			}
			of := Case{Op: "ScatterUpdate", Mode: InPlace, Reduction: r, WithoutOld: withoutOld}
			if r == Mul {
				of.Mode = Copy // products of products would soon be 0
			}
			rows, columns, middle := of, of, of
			rows.Data, rows.Indices = []int{50000, 128}, []int{4096}
			columns.Data, columns.Indices, columns.Axis = square, []int{512}, 1
			middle.Data, middle.Indices, middle.Axis = []int{32, 500, 64}, []int{1000}, 1
			all = append(all, rows.named("rows"), columns.named("last axis"), middle.named("middle axis"))
		}
	}
	return grouped(Slices, all)
}
