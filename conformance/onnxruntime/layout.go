package onnxruntime

import "gorgonia.org/tensor"

// layout is how a tensor for the operators under test lies in memory. ONNX Runtime has the row-major one only.
type layout int

const (
	rowMajor layout = iota
	colMajor
	transposed // a row-major tensor with its dims the other way round, seen through T
)

// Dense returns a copy of the tensor in a layout; one that looks the same in every layout comes row-major.
func (v *Value) Dense(l layout) *tensor.Dense {
	n := elements(v.Shape)
	if len(v.Shape) < 2 || n == 0 {
		l = rowMajor
	}
	if len(v.Shape) == 0 && v.DType == String {
		return tensor.New(tensor.FromScalar(v.Strings[0]))
	}
	shape := append([]int(nil), v.Shape...)
	order := func(i int) int { return i }
	if l != rowMajor {
		order = v.colMajor
	}
	options := []tensor.ConsOpt{tensor.WithShape(shape...)}
	switch l {
	case colMajor:
		options = append(options, tensor.AsFortran(nil))
	case transposed:
		for i := range shape {
			shape[i] = v.Shape[len(shape)-1-i]
		}
	}
	d := v.place(order, options)
	if l == transposed {
		if err := d.T(); err != nil {
			panic(err) // T without axes reverses them, which always can be done
		}
	}
	return d
}

// place makes a tensor in which element i lies at order(i).
func (v *Value) place(order func(int) int, options []tensor.ConsOpt) *tensor.Dense {
	if v.DType == String {
		backing := make([]string, len(v.Strings))
		for i, s := range v.Strings {
			backing[order(i)] = s
		}
		return tensor.New(append(options, tensor.WithBacking(backing))...)
	}
	d := tensor.New(append(options, tensor.Of(dtypes[v.DType].of))...)
	if len(v.Bytes) == 0 {
		return d
	}
	bytes, width := d.Uint8s(), dtypes[v.DType].width
	for i := range len(v.Bytes) / width {
		copy(bytes[order(i)*width:], v.Bytes[i*width:(i+1)*width])
	}
	return d
}

// colMajor returns where element i of the row-major order stands in the column-major one.
func (v *Value) colMajor(i int) int {
	at, step := 0, elements(v.Shape)
	for d := len(v.Shape) - 1; d >= 0; d-- {
		step /= v.Shape[d]
		at += i % v.Shape[d] * step
		i /= v.Shape[d]
	}
	return at
}
