package main

import "fmt"

// square is the data of the cases that differ in what is done with it.
var square = []int{1024, 1024}

// axisText names the axes of a matrix.
var axisText = [...]string{"axis 0", "last axis"}

// named adds what is special to a name.
func (c Case) named(place string) Case {
	c.Name = fmt.Sprintf("%s %s, %s", c.Op, c.Reduction, place)
	if c.Op == "ScatterUpdate" && c.Reduction == None {
		c.Name = c.Op + ", " + place
	}
	if c.Mode == InPlace {
		c.Name += ", in place"
	}
	if c.WithoutOld {
		c.Name += ", without the old value"
	}
	return c
}

// onSquare is a ScatterElements with as many updates as data has elements.
func onSquare(mode Mode, r Reduction, axis int, withoutOld bool) Case {
	return Case{
		Op: "ScatterElements", Mode: mode, Reduction: r, Axis: axis, WithoutOld: withoutOld,
		Data: square, Indices: square,
	}.named(axisText[axis])
}

// onRows is a ScatterND of rows. Rows that are overwritten are distinct ones.
func onRows(mode Mode, r Reduction, withoutOld bool) Case {
	return Case{
		Op: "ScatterND", Mode: mode, Reduction: r, WithoutOld: withoutOld, Distinct: r == None,
		Data: []int{50000, 128}, Indices: []int{4096, 1},
	}.named("rows")
}

// onElements is a ScatterND of single elements.
func onElements(mode Mode, r Reduction) Case {
	return Case{
		Op: "ScatterND", Mode: mode, Reduction: r, Data: []int{256, 256, 64}, Indices: []int{262144, 3},
	}.named("elements")
}

// wider marks cases as those of group wider.
func wider(some ...Case) []Case {
	for i := range some {
		some[i].Wider = true
	}
	return some
}

// reductionCases are scatters with each reduction. Sums that keep the old value
// are among the published cases.
func reductionCases() []Case {
	var all []Case
	for axis := 1; axis >= 0; axis-- {
		for _, r := range []Reduction{None, Mul, Min, Max, Mean} {
			all = append(all, wider(onSquare(Copy, r, axis, false))...)
		}
		for _, r := range []Reduction{Add, Mul, Min, Max, Mean} {
			all = append(all, wider(onSquare(Copy, r, axis, true))...)
		}
	}
	all = append(all, wider(onRows(InPlace, None, false), onRows(InPlace, Max, false))...)
	all = append(all,
		onRows(Copy, Mul, false),
		onRows(Copy, Mean, false),
		onRows(InPlace, Sub, false),
		onRows(Copy, Add, true),
		onRows(Copy, Min, true),
		onElements(Copy, Max),
		Case{
			Op: "ScatterUpdate", Mode: Copy, Reduction: None, Distinct: true,
			Data: []int{50000, 128}, Indices: []int{4096},
		}.named("rows"),
		Case{
			Op: "ScatterUpdate", Mode: InPlace, Reduction: None, Distinct: true,
			Data: square, Indices: []int{512}, Axis: 1,
		}.named("last axis"),
	)
	return grouped(Reductions, all)
}

// backwardCases are the gradients of scatters with respect to data and updates,
// both of one gradient of the result.
func backwardCases() []Case {
	all := []Case{
		onSquare(Backward, None, 1, false),
		onSquare(Backward, Add, 1, false),
		onSquare(Backward, Mul, 1, false),
		onSquare(Backward, Min, 1, false),
		onSquare(Backward, Max, 1, false),
		onSquare(Backward, Mean, 1, false),
		onSquare(Backward, None, 0, false),
		onSquare(Backward, Mul, 0, false),
		onSquare(Backward, Max, 0, false),
		onSquare(Backward, Mul, 1, true),
		onSquare(Backward, Mean, 0, true),
		onRows(Backward, None, false),
		onRows(Backward, Max, false),
		onElements(Backward, Min),
	}
	for i := range all {
		all[i].Name = "gradients of " + all[i].Name
		// PyTorch gives every update of one target the whole gradient, though
		// only one of them is the result.
		all[i].Distinct = all[i].Reduction == None
	}
	return grouped(Backwards, all)
}

// stepCases are steps of a training: forward, a weighted sum, gradients. A
// gather's result is squared instead, so that its gradient is not a constant.
func stepCases() []Case {
	var all []Case
	for axis := 1; axis >= 0; axis-- {
		for _, withoutOld := range []bool{false, true} {
			for _, r := range []Reduction{Add, Mul, Min, Max, Mean} {
				all = append(all, onSquare(Step, r, axis, withoutOld))
			}
		}
	}
	all = append(all, Case{
		Name: "Gather, rows, squared", Op: "Gather", Mode: Step, Data: []int{10000, 64}, Indices: []int{4096},
	})
	for i := range all {
		all[i].Name = "step of " + all[i].Name
	}
	return grouped(Steps, wider(all...))
}
