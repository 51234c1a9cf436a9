package onnxruntime

import "slices"

// indices draws indices for an axis of that size, negative ones among them where they are allowed.
func (d *drawing) indices(n, size int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(d.rng.IntN(size))
		if d.m.Opset >= 11 && d.rng.IntN(3) == 0 {
			list[i] -= int64(size)
		}
	}
	return list
}

func drawGather(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	axis, written := d.axis(len(d.shape))
	picked := [][]int{{}, {3}, {2, 2}}[d.rng.IntN(3)]
	shape := slices.Concat(d.shape[:axis], picked, d.shape[axis+1:])
	if elements(shape) > maxElements {
		return false
	}
	return d.set(d.add("Gather", Attributes{"axis": written}, d.x, d.longs(d.indices(elements(picked), d.shape[axis]), picked...)), shape...)
}

func drawGatherElements(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	axis, written := d.axis(len(d.shape))
	shape := slices.Clone(d.shape)
	shape[axis] = 1 + d.rng.IntN(3)
	return elements(shape) <= maxElements &&
		d.set(d.add("GatherElements", Attributes{"axis": written}, d.x, d.longs(d.indices(elements(shape), d.shape[axis]), shape...)), shape...)
}

// tuples draws index tuples for the first axes.
func (d *drawing) tuples(n, k int) []int64 {
	var list []int64
	for range n {
		for axis := range k {
			list = append(list, d.indices(1, d.shape[axis])...)
		}
	}
	return list
}

func drawGatherND(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	k := 1 + d.rng.IntN(len(d.shape))
	shape := append([]int{3}, d.shape[k:]...)
	return elements(shape) <= maxElements && d.set(d.add("GatherND", nil, d.x, d.longs(d.tuples(3, k), 3, k)), shape...)
}

// reduced is a reduction that the opset has.
func (d *drawing) reduced() Attributes {
	if d.m.Opset < 16 {
		return Attributes{}
	}
	return Attributes{"reduction": []string{"none", "add", "mul"}[d.rng.IntN(3)]}
}

func drawScatterElements(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	axis, written := d.axis(len(d.shape))
	attrs := d.reduced()
	attrs["axis"] = written
	index := d.longs(d.indices(elements(d.shape), d.shape[axis]), d.shape...)
	return d.set(d.add("ScatterElements", attrs, d.x, index, d.input(d.shape)), d.shape...)
}

func drawScatterND(d *drawing) bool {
	if len(d.shape) == 0 {
		return false
	}
	k := 1 + d.rng.IntN(len(d.shape))
	updates := append([]int{3}, d.shape[k:]...)
	return elements(updates) <= maxElements &&
		d.set(d.add("ScatterND", d.reduced(), d.x, d.longs(d.tuples(3, k), 3, k), d.input(updates)), d.shape...)
}
