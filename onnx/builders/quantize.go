package builders

import (
	"slices"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/onnx"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// QuantizeLinear is x / y_scale, rounded to the nearest integer and half of it to even,
// plus y_zero_point, as the integer type of y_zero_point or, since opset 21, of
// output_dtype; uint8 without either. What the type cannot hold becomes its nearest
// value, and NaN its least. y_scale and y_zero_point are one element for all of x or a
// list for an axis, 1 unless given, or, since opset 21, have one element for each
// block_size elements along the axis. Integers of 4 bits are int8 and uint8 here, with
// the values that the type has. The result has no gradient. float and int32.
func QuantizeLinear(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("QuantizeLinear", n, inputs, func(c *call) (*G.Node, error) {
		to, err := c.quantizedType()
		if err != nil {
			return nil, err
		}
		if _, err := c.boolean("saturate", true); err != nil { // it is about floats
			return nil, err
		}
		if precision, err := c.integer("precision", 0); err != nil || precision != 0 && precision != 1 {
			return nil, orOption(err, "precision is %d, 0 and 1 (float) are allowed", precision)
		}
		s, err := c.scaling()
		if err != nil {
			return nil, err
		}
		return apply(quantizing{s, to}, c.givenInputs()...)
	})
}

// DequantizeLinear is (x - x_zero_point) * x_scale, with one scale and zero point for
// all of x, for each element of an axis or for each block: see [QuantizeLinear]. int8,
// uint8 and int32, since opset 21 int16, uint16 and, as int8 and uint8, integers of 4
// bits; x_scale is float, and has no gradient.
func DequantizeLinear(n onnx.Node, inputs ...*G.Node) ([]*G.Node, error) {
	return build("DequantizeLinear", n, inputs, func(c *call) (*G.Node, error) {
		if to, err := c.integer("output_dtype", 0); err != nil || to != 0 && to != 1 {
			return nil, orOption(err, "output_dtype is %d, 0 and 1 (float) are allowed", to)
		}
		if zero := c.input(2); zero != nil && zero.Dtype() != c.inputs[0].Dtype() {
			return nil, fault.Errorf(dense.ErrDtype, "x_zero_point of type %v, x is of type %v", typeName(zero.Dtype()), typeName(c.inputs[0].Dtype()))
		}
		s, err := c.scaling()
		if err != nil {
			return nil, err
		}
		return apply(dequantizing{s}, c.givenInputs()...)
	})
}

// givenInputs are the inputs that are not left out.
func (c *call) givenInputs() []*G.Node {
	return slices.DeleteFunc(slices.Clone(c.inputs), func(n *G.Node) bool { return n == nil })
}

// A quantizedType is an integer type, with the least and the greatest value.
type quantizedType struct {
	dtype     tensor.Dtype
	low, high float64
}

// quantizedTypes are those that QuantizeLinear has, by their number in
// TensorProto.DataType.
var quantizedTypes = map[int]quantizedType{
	2: {tensor.Uint8, 0, 255}, 3: {tensor.Int8, -128, 127}, 4: {tensor.Uint16, 0, 65535}, 5: {tensor.Int16, -32768, 32767},
	21: {tensor.Uint8, 0, 15}, 22: {tensor.Int8, -8, 7},
}

// quantizedType is that of the result.
func (c *call) quantizedType() (quantizedType, error) {
	number, err := c.integer("output_dtype", 0)
	if err != nil {
		return quantizedType{}, err
	}
	zero := c.input(2)
	if number == 0 {
		number = 2
		for n := range 6 {
			if zero != nil && quantizedTypes[n].dtype == zero.Dtype() {
				number = n
			}
		}
	}
	to, ok := quantizedTypes[number]
	switch {
	case !ok:
		return to, fault.Errorf(dense.ErrOption, "output_dtype is %d: 2, 3, 4, 5, 21 and 22 (uint8, int8, uint16, int16, uint4, int4) are supported", number)
	case zero != nil && zero.Dtype() != to.dtype:
		return to, fault.Errorf(dense.ErrDtype, "y_zero_point of type %v, the result is of type %v", typeName(zero.Dtype()), typeName(to.dtype))
	case to.dtype.Size() == 2 && c.version.since < 21:
		return to, c.notAllowed("a result of type "+typeName(to.dtype), func(v version) bool { return v.since >= 21 })
	}
	return to, nil
}

// scaling is how the elements of input 0 have theirs of inputs 1 and 2.
func (c *call) scaling() (scales, error) {
	x, scale := c.shape(0), c.shape(1)
	if dt := c.inputs[1].Dtype(); dt != tensor.Float32 {
		return scales{}, fault.Errorf(dense.ErrDtype, "a scale of type %v is not supported, float is", typeName(dt))
	}
	if zero := c.input(2); zero != nil && !slices.Equal(zero.Shape(), scale) && count(zero.Shape())*count(scale) != 1 {
		return scales{}, fault.Errorf(dense.ErrShape, "a zero point of shape %v and a scale of shape %v, they must be of one shape", zero.Shape(), scale)
	}
	block, err := c.integer("block_size", 0)
	if err != nil || block < 0 {
		return scales{}, orOption(err, "block_size is %d, at least 0 is allowed", block)
	}
	if block == 0 && count(scale) == 1 && len(scale) < 2 {
		return scales{way: perTensor, lines: lines{1, count(x), 1}}, nil
	}
	if c.version.since < 13 {
		return scales{}, fault.Errorf(dense.ErrShape, "a scale of shape %v, one element is allowed before opset 13", scale)
	}
	axis, err := c.integer("axis", 1)
	if err != nil {
		return scales{}, err
	}
	if axis, err = c.axis(axis, len(x)); err != nil {
		return scales{}, err
	}
	s := scales{way: perAxis, lines: linesOf(x, axis), block: block}
	want := tensor.Shape{x[axis]}
	if block > 0 {
		s.way = perBlock
		want = x.Clone()
		want[axis] = s.blocks()
	}
	if !slices.Equal(scale, want) {
		return s, fault.Errorf(dense.ErrShape, "a scale of shape %v for axis %d of shape %v with block_size %d, %v is allowed", scale, axis, x, block, want)
	}
	return s, nil
}
