package oracle

// target is the map t of the package comment: from a position p of a gather's result (or of a scatter's updates) to the
// position of data it stands for, or nil where ZeroFill, Skip or a padding dropped the index.
type target func(p []int) []int

// alongAxis is the map of Gather and, with batchDims 0, of ScatterUpdate. With a = axis, b = batchDims, q = rank of indices:
//
//	t(p) = p[:a] ++ indices[p[:b] ++ p[a : a+q-b]] ++ p[a+q-b:]
//
// positions is the shape p runs over: data[:a] ++ indices[b:] ++ data[a+1:].
func alongAxis(dataShape []int, indices Array[int64], axis, batchDims int, policy Policy) (t target, positions []int, bad *BadIndex) {
	a := fromEnd(axis, len(dataShape))
	b := fromEnd(batchDims, len(indices.Shape))
	resolved, bad := resolve(indices, dataShape, false, func([]int) int { return a }, policy)
	if bad != nil {
		return nil, nil, bad
	}
	end := a + len(indices.Shape) - b
	t = func(p []int) []int {
		i := resolved.At(join(p[:b], p[a:end])...)
		if i == dropped {
			return nil
		}
		return join(p[:a], []int{i}, p[end:])
	}
	return t, join(dataShape[:a], indices.Shape[b:], dataShape[a+1:]), nil
}

// elements is the map of GatherElements and ScatterElements:
//
//	t(p) = p with p[axis] replaced by indices[p]
//
// and p runs over the shape of indices.
func elements(dataShape []int, indices Array[int64], axis int, policy Policy) (t target, positions []int, bad *BadIndex) {
	a := fromEnd(axis, len(dataShape))
	resolved, bad := resolve(indices, dataShape, false, func([]int) int { return a }, policy)
	if bad != nil {
		return nil, nil, bad
	}
	t = func(p []int) []int {
		i := resolved.At(p...)
		if i == dropped {
			return nil
		}
		return join(p[:a], []int{i}, p[a+1:])
	}
	return t, indices.Shape, nil
}

// tuples is the map of GatherND and, with batchDims 0, of ScatterND. With b = batchDims, q = rank of indices and k its last
// dimension:
//
//	t(p) = p[:b] ++ (indices[p[:q-1] ++ 0], …, indices[p[:q-1] ++ k-1]) ++ p[q-1:]
//
// and p runs over indices[:q-1] ++ data[b+k:]. One component out of range, or that is the padding, drops
// the whole tuple.
func tuples(dataShape []int, indices Array[int64], batchDims int, policy Policy) (t target, positions []int, bad *BadIndex) {
	b := batchDims
	last := len(indices.Shape) - 1
	k := indices.Shape[last]
	resolved, bad := resolve(indices, dataShape, true, func(position []int) int { return b + position[last] }, policy)
	if bad != nil {
		return nil, nil, bad
	}
	t = func(p []int) []int {
		tuple := make([]int, k)
		for component := range tuple {
			tuple[component] = resolved.At(join(p[:last], []int{component})...)
			if tuple[component] == dropped {
				return nil
			}
		}
		return join(p[:b], tuple, p[last:])
	}
	return t, join(indices.Shape[:last], dataShape[b+k:]), nil
}
