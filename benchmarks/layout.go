package main

import (
	"slices"

	"gorgonia.org/tensor"
)

// Layout is how data lies in memory; "" is row-major and without gaps.
type Layout string

const (
	Transposed  Layout = "transposed"   // a view of a row-major tensor with its axes in reverse
	ColumnMajor Layout = "column-major" // the same memory, made by AsFortran
	Gaps        Layout = "with gaps"    // the middle half of the columns of a wider tensor
)

// baseShape is that of the row-major tensor whose memory holds data: all
// programs get that memory, and make a view of it.
func (c Case) baseShape() []int {
	base := slices.Clone(c.Data)
	switch c.Layout {
	case Transposed, ColumnMajor:
		slices.Reverse(base)
	case Gaps:
		base[len(base)-1] *= 2
	}
	return base
}

// newData makes a tensor of data's shape and layout, and the memory that holds
// it, zeros at first.
func (c Case) newData() (data *tensor.Dense, memory []byte, err error) {
	of := c.kind().of
	if c.Layout == ColumnMajor {
		data = tensor.New(tensor.Of(of), tensor.WithShape(c.Data...), tensor.AsFortran(nil))
		return data, data.Uint8s(), nil
	}
	base := tensor.New(tensor.Of(of), tensor.WithShape(c.baseShape()...))
	memory = base.Uint8s()
	switch c.Layout {
	case Transposed:
		return base, memory, base.T()
	case Gaps:
		last := len(c.Data) - 1
		at := make([]tensor.Slice, len(c.Data))
		at[last] = tensor.S(c.Data[last]/2, c.Data[last]/2+c.Data[last])
		view, err := base.Slice(at...)
		if err != nil {
			return nil, nil, err
		}
		return view.(*tensor.Dense), memory, nil
	}
	return base, memory, nil
}

// packed are the bytes of a tensor in row-major order: its own memory where it
// lies so.
func packed(d *tensor.Dense, width int) []byte {
	memory, shape, strides := d.Uint8s(), d.Shape(), d.Strides()
	if !d.RequiresIterator() && !d.DataOrder().IsColMajor() {
		return memory
	}
	out := make([]byte, 0, shape.TotalSize()*width)
	at := make([]int, len(shape))
	for {
		offset := 0
		for axis, i := range at {
			offset += i * strides[axis]
		}
		out = append(out, memory[offset*width:(offset+1)*width]...)
		axis := len(at) - 1
		for ; axis >= 0; axis-- {
			if at[axis]++; at[axis] < shape[axis] {
				break
			}
			at[axis] = 0
		}
		if axis < 0 {
			return out
		}
	}
}
