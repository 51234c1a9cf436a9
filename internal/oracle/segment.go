package oracle

// Segments reduces the rows of each segment: the row t of data belongs to the segment
// ids[t], and one whose id is no segment is left out. A segment without rows is empty.
// The reduction is Add, Mean, Mul, Min or Max.
func Segments[T any](data Array[T], ids []int64, segments int, reduction Reduction, empty T, arith Arith[T]) Array[T] {
	out := New[T](join([]int{segments}, data.Shape[1:])...)
	for s := range segments {
		for c := range Coordinates(data.Shape[1:]) {
			out.Set(reduceSegment(column(data, ids, s, c), reduction, empty, arith), join([]int{s}, c)...)
		}
	}
	return out
}

// column lists what the rows of a segment have at the coordinates behind the first.
func column[T any](data Array[T], ids []int64, segment int, c []int) []T {
	var values []T
	for t, id := range ids {
		if id == int64(segment) {
			values = append(values, data.At(join([]int{t}, c)...))
		}
	}
	return values
}

func reduceSegment[T any](values []T, reduction Reduction, empty T, arith Arith[T]) T {
	if len(values) == 0 {
		return empty
	}
	if reduction == Mean && arith.Div == nil {
		return arith.Mean(values) // of integers: exact
	}
	y := values[0]
	switch reduction {
	case Add, Mean:
		y = arith.Add(arith.Zero, y) // of -0 alone: 0
	case Mul:
		y = arith.Mul(arith.One, y)
	}
	for _, x := range values[1:] {
		switch reduction {
		case Add, Mean:
			y = arith.Add(y, x)
		case Mul:
			y = arith.Mul(y, x)
		case Min:
			y = arith.Min(y, x)
		case Max:
			y = arith.Max(y, x)
		}
	}
	if reduction == Mean {
		return arith.Div(y, len(values))
	}
	return y
}

// SegmentGrad is the gradient of data, given that of the result of Segments. Rows in no
// segment have the gradient 0.
func SegmentGrad[T any](grad, data Array[T], ids []int64, reduction Reduction, arith Arith[T]) Array[T] {
	out := New[T](data.Shape...)
	for i := range out.Data {
		out.Data[i] = arith.Zero
	}
	for t, id := range ids {
		if id < 0 || id >= int64(grad.Shape[0]) {
			continue
		}
		for c := range Coordinates(data.Shape[1:]) {
			at := join([]int{t}, c)
			values, g := column(data, ids, int(id), c), grad.At(join([]int{int(id)}, c)...)
			switch reduction {
			case Mean:
				g = arith.Div(g, len(values))
			case Mul:
				for other, otherID := range ids {
					if otherID == id && other != t {
						x := data.At(join([]int{other}, c)...)
						if arith.Conj != nil {
							x = arith.Conj(x)
						}
						g = arith.Mul(g, x)
					}
				}
			case Min, Max:
				y, ties := reduceSegment(values, reduction, arith.Zero, arith), 0
				for _, x := range values {
					if arith.Same(x, y) {
						ties++
					}
				}
				if g = arith.Div(g, ties); !arith.Same(data.At(at...), y) {
					g = arith.Zero
				}
			}
			out.Set(g, at...)
		}
	}
	return out
}
