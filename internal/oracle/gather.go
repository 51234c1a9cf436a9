package oracle

// Gather takes slices of data along one axis. With a = axis, b = batchDims and q = rank of indices:
//
//	out[p…, j…, r…] = data[p…, indices[p[:b]…, j…], r…]    p over data[:a], j over indices[b:], r over data[a+1:]
//
// A negative axis counts from the rank of data, a negative batchDims from the rank of indices (OpenVINO Gather-8).
func Gather[T any](data Array[T], indices Array[int64], axis, batchDims int, policy Policy) (Array[T], *BadIndex) {
	t, positions, bad := alongAxis(data.Shape, indices, axis, batchDims, policy)
	if bad != nil {
		return Array[T]{}, bad
	}
	return gather(data, positions, t), nil
}

// GatherElements takes single elements: out[p] = data[p with p[axis] replaced by indices[p]] (ONNX GatherElements-13).
func GatherElements[T any](data Array[T], indices Array[int64], axis int, policy Policy) (Array[T], *BadIndex) {
	t, positions, bad := elements(data.Shape, indices, axis, policy)
	if bad != nil {
		return Array[T]{}, bad
	}
	return gather(data, positions, t), nil
}

// GatherND takes slices of data at index tuples, the last axis of indices (ONNX GatherND-13, OpenVINO GatherND-8):
//
//	out[p…, j…, r…] = data[p…, indices[p…, j…, :]…, r…]    p over the first batchDims axes
//
// The shape is that of GatherND-8; GatherND-5 has the same values under a fused shape.
func GatherND[T any](data Array[T], indices Array[int64], batchDims int, policy Policy) (Array[T], *BadIndex) {
	t, positions, bad := tuples(data.Shape, indices, batchDims, policy)
	if bad != nil {
		return Array[T]{}, bad
	}
	return gather(data, positions, t), nil
}

// AddGather returns dst plus the adjoint of Gather applied to updates: each update is added where Gather would have read it,
// in row-major order of updates. With a dst of zeros, shaped like data, it is the gradient of Gather.
func AddGather[T any](dst, updates Array[T], indices Array[int64], axis, batchDims int, policy Policy, add func(a, b T) T) (Array[T], *BadIndex) {
	t, _, bad := alongAxis(dst.Shape, indices, axis, batchDims, policy)
	if bad != nil {
		return Array[T]{}, bad
	}
	return addGather(dst, updates, t, add), nil
}

// AddGatherElements is to GatherElements what AddGather is to Gather.
func AddGatherElements[T any](dst, updates Array[T], indices Array[int64], axis int, policy Policy, add func(a, b T) T) (Array[T], *BadIndex) {
	t, _, bad := elements(dst.Shape, indices, axis, policy)
	if bad != nil {
		return Array[T]{}, bad
	}
	return addGather(dst, updates, t, add), nil
}

// AddGatherND is to GatherND what AddGather is to Gather.
func AddGatherND[T any](dst, updates Array[T], indices Array[int64], batchDims int, policy Policy, add func(a, b T) T) (Array[T], *BadIndex) {
	t, _, bad := tuples(dst.Shape, indices, batchDims, policy)
	if bad != nil {
		return Array[T]{}, bad
	}
	return addGather(dst, updates, t, add), nil
}

func gather[T any](data Array[T], positions []int, t target) Array[T] {
	out := New[T](positions...)
	for p := range Coordinates(positions) {
		if from := t(p); from != nil {
			out.Set(data.At(from...), p...)
		}
	}
	return out
}

func addGather[T any](dst, updates Array[T], t target, add func(a, b T) T) Array[T] {
	out := dst.Clone()
	for p := range Coordinates(updates.Shape) {
		if to := t(p); to != nil {
			out.Set(add(out.At(to...), updates.At(p...)), to...)
		}
	}
	return out
}
