package shapes

import (
	"slices"

	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// ScatterElements returns the shape of ScatterElements' result, which is s,
// after checking r >= 1, q = r, u = i, -r <= axis < r and i[d] <= s[d] for
// every d other than the axis.
//
// Sources: ONNX ScatterElements-18, OpenVINO ScatterElementsUpdate-12.
func ScatterElements(data, indices, updates tensor.Shape, axis int) (tensor.Shape, error) {
	return scatterElements(make(tensor.Shape, 0, rankHint), data, indices, updates, axis)
}

func scatterElements(out, data, indices, updates tensor.Shape, axis int) (tensor.Shape, error) {
	const op = "ScatterElements"
	if err := elements(op, data, indices, axis); err != nil {
		return nil, err
	}
	if !slices.Equal(updates, indices) {
		return nil, shapeError(op, "updates %v must have the shape of indices %v%s", fault.Shape(updates), fault.Shape(indices), fault.ScalarHint(updates, indices))
	}
	return append(out, data...), nil
}

// ScatterND returns the shape of ScatterND's result, which is s, after
// checking r >= 1, q >= 1, 0 <= k <= r and u = i[:q-1] ++ s[k:]. A tuple of length
// 0 picks the whole of data, and u is i[:q-1] ++ s then.
//
// Sources: ONNX ScatterND-18, OpenVINO ScatterNDUpdate-15.
func ScatterND(data, indices, updates tensor.Shape) (tensor.Shape, error) {
	return scatterND(make(tensor.Shape, 0, rankHint), data, indices, updates)
}

func scatterND(out, data, indices, updates tensor.Shape) (tensor.Shape, error) {
	const op = "ScatterND"
	if err := tuples(op, data, indices, 0, 0); err != nil {
		return nil, err
	}
	q, k := len(indices), indices[len(indices)-1]
	if !concatenated(updates, nil, indices[:q-1], data[k:]) {
		want, hint := slices.Concat(indices[:q-1], data[k:]), ""
		if hint = fault.ScalarHint(updates, want); concatenated(updates, nil, indices, data[1:]) {
			hint = singlesHint(indices)
		}
		return nil, shapeError(op, "updates %v must have the shape %v for data %v and indices %v%s",
			fault.Shape(updates), fault.Shape(want), fault.Shape(data), fault.Shape(indices), hint)
	}
	return append(out, data...), nil
}

// ScatterUpdate returns the shape of ScatterUpdate's result, which is s, after
// checking r >= 1, -r <= axis < r and u = s[:a] ++ i ++ s[a+1:].
//
// Source: OpenVINO ScatterUpdate-3.
func ScatterUpdate(data, indices, updates tensor.Shape, axis int) (tensor.Shape, error) {
	return scatterUpdate(make(tensor.Shape, 0, rankHint), data, indices, updates, axis)
}

func scatterUpdate(out, data, indices, updates tensor.Shape, axis int) (tensor.Shape, error) {
	const op = "ScatterUpdate"
	a, err := dataAxis(op, axis, len(data))
	if err != nil {
		return nil, err
	}
	if !fault.Countable(data) {
		return nil, uncountable(op, "data", data)
	}
	if !fault.Countable(indices) {
		return nil, uncountable(op, "indices", indices)
	}
	if !concatenated(updates, data[:a], indices, data[a+1:]) {
		want := slices.Concat(data[:a], indices, data[a+1:])
		return nil, shapeError(op, "updates %v must have the shape %v for data %v, indices %v and axis %d%s",
			fault.Shape(updates), fault.Shape(want), fault.Shape(data), fault.Shape(indices), a, fault.ScalarHint(updates, want))
	}
	return append(out, data...), nil
}

// concatenated reports whether s is a ++ b ++ c.
func concatenated(s, a, b, c tensor.Shape) bool {
	m, n := len(a), len(a)+len(b)
	return len(s) == n+len(c) && slices.Equal(s[:m], a) && slices.Equal(s[m:n], b) && slices.Equal(s[n:], c)
}
