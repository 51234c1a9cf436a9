package gathergonnx

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/gonnx/internal/node"
	"gorgonia.org/gather/gonnx/internal/protos"
	"gorgonia.org/tensor"
)

// half is an element of a 16-bit tensor as float64.
func half(d *tensor.Dense, i int) float64 {
	if d.Dtype() == dense.Float16 {
		return float64(elements[float16.Float16](d)[i].Float32())
	}
	return float64(math.Float32frombits(uint32(elements[dense.BF16](d)[i]) << 16))
}

// bfloat is a number that bfloat16 has.
func bfloat(x float32) dense.BF16 { return dense.BF16(math.Float32bits(x) >> 16) }

// elements are those of a packed tensor.
func elements[T any](d *tensor.Dense) []T {
	if size(d.Shape()) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(d.Raw))), size(d.Shape()))
}

func size(shape tensor.Shape) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func converted[T, U any](values []T, f func(T) U) []U {
	out := make([]U, len(values))
	for i, x := range values {
		out[i] = f(x)
	}
	return out
}

// small makes a tensor of a dtype out of small integers, which all dtypes hold;
// negative ones wrap where there are none, and numbers are other than 0 for true.
func small(dt tensor.Dtype, values []int, shape ...int) *tensor.Dense {
	switch dt {
	case tensor.Bool:
		return of(converted(values, func(v int) bool { return v != 0 }), shape...)
	case tensor.String:
		return of(converted(values, func(v int) string { return fmt.Sprint(v) }), shape...)
	case tensor.Float32:
		return of(converted(values, func(v int) float32 { return float32(v) }), shape...)
	case tensor.Float64:
		return of(converted(values, func(v int) float64 { return float64(v) }), shape...)
	case dense.Float16:
		return of(converted(values, func(v int) float16.Float16 { return float16.Fromfloat32(float32(v)) }), shape...)
	case dense.BFloat16:
		return of(converted(values, func(v int) dense.BF16 { return bfloat(float32(v)) }), shape...)
	case tensor.Complex64:
		return of(converted(values, func(v int) complex64 { return complex(float32(v), 1) }), shape...)
	case tensor.Complex128:
		return of(converted(values, func(v int) complex128 { return complex(float64(v), 1) }), shape...)
	case tensor.Int8:
		return of(converted(values, func(v int) int8 { return int8(v) }), shape...)
	case tensor.Int16:
		return of(converted(values, func(v int) int16 { return int16(v) }), shape...)
	case tensor.Int32:
		return of(converted(values, func(v int) int32 { return int32(v) }), shape...)
	case tensor.Int64:
		return of(converted(values, func(v int) int64 { return int64(v) }), shape...)
	case tensor.Uint8:
		return of(converted(values, func(v int) uint8 { return uint8(v) }), shape...)
	case tensor.Uint16:
		return of(converted(values, func(v int) uint16 { return uint16(v) }), shape...)
	case tensor.Uint32:
		return of(converted(values, func(v int) uint32 { return uint32(v) }), shape...)
	}
	return of(converted(values, func(v int) uint64 { return uint64(v) }), shape...)
}

// TestBuiltDtypes runs operators in every dtype, 16-bit floats among them, on numbers
// for which the result is known.
func TestBuiltDtypes(t *testing.T) {
	x := []int{3, 0, 5, 1, 4, 2}
	cases := []struct {
		use
		want   []int
		shape  []int
		inputs func(dt tensor.Dtype) []tensor.Tensor
	}{
		{use{opType: "Clip", opset: 13}, []int{3, 2, 4, 2, 4, 2}, []int{2, 3}, func(dt tensor.Dtype) []tensor.Tensor {
			return []tensor.Tensor{small(dt, x, 2, 3), small(dt, []int{2}), small(dt, []int{4})}
		}},
		{use{opType: "Erf", opset: 9}, []int{0, 1}, []int{2}, func(dt tensor.Dtype) []tensor.Tensor {
			return []tensor.Tensor{small(dt, []int{0, 100}, 2)}
		}},
		{use{opType: "Erf", opset: 13}, []int{0, 1}, []int{2}, func(dt tensor.Dtype) []tensor.Tensor {
			return []tensor.Tensor{small(dt, []int{0, 100}, 2)}
		}},
		{use{opType: "Expand", opset: 13}, []int{3, 3, 0, 0}, []int{2, 2}, func(dt tensor.Dtype) []tensor.Tensor {
			return []tensor.Tensor{small(dt, []int{3, 0}, 2, 1), list(1, 2)}
		}},
		{use{opType: "Identity", opset: 13}, x, []int{3, 2}, func(dt tensor.Dtype) []tensor.Tensor {
			return []tensor.Tensor{small(dt, x, 3, 2)}
		}},
		{use{opType: "MatMul", opset: 13}, []int{8, 10, 4, 2}, []int{2, 2}, func(dt tensor.Dtype) []tensor.Tensor {
			return []tensor.Tensor{small(dt, []int{0, 2, 1, 0}, 2, 2), small(dt, []int{4, 2, 4, 5}, 2, 2)}
		}},
		{use{opType: "ReduceSum", opset: 13, attributes: protos.Attributes{"keepdims": 0}}, []int{8, 7}, []int{2}, func(dt tensor.Dtype) []tensor.Tensor {
			return []tensor.Tensor{small(dt, x, 2, 3), list(1)}
		}},
		{use{opType: "Where", opset: 16}, []int{3, 0, 5, 1, 0, 2}, []int{2, 3}, func(dt tensor.Dtype) []tensor.Tensor {
			return []tensor.Tensor{of([]bool{true, false, true}, 3), small(dt, []int{3, 9, 5, 1, 9, 2}, 2, 3), small(dt, []int{0})}
		}},
		{use{opType: "LayerNormalization", opset: 17, attributes: protos.Attributes{"epsilon": float32(0)}}, []int{-1, 3, -1, 3}, []int{2, 2}, func(dt tensor.Dtype) []tensor.Tensor {
			return []tensor.Tensor{small(dt, []int{0, 2, 4, 6}, 2, 2), small(dt, []int{2}, 1), small(dt, []int{1}, 1, 1)}
		}},
	}
	for _, c := range cases {
		for _, dt := range dtypesOf(c.opType, c.opset) {
			t.Run(fmt.Sprintf("%v/%v", c.opType, dt), func(t *testing.T) {
				u := c.use
				u.inputs = c.inputs(dt)
				out, err := u.run()
				require.NoError(t, err)
				want := small(dt, c.want, c.shape...)
				require.Equal(t, dt, out[0].Dtype())
				assert.Equal(t, c.shape, []int(out[0].Shape()))
				assert.Equal(t, numbersOf(want), numbersOf(out[0].(*tensor.Dense)))
			})
		}
	}
}

// dtypesOf are those that an operator takes.
func dtypesOf(opType string, opset int) []tensor.Dtype {
	list := []tensor.Dtype{tensor.Float32, tensor.Float64, dense.Float16}
	if opset >= 13 {
		list = append(list, dense.BFloat16)
	}
	wide := []tensor.Dtype{tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64}
	switch opType {
	case "MatMul", "ReduceSum":
		return append(list, wide...)
	case "Clip":
		return append(append(list, wide...), tensor.Int8, tensor.Int16, tensor.Uint8, tensor.Uint16)
	case "Expand", "Identity", "Where":
		return node.Dtypes()
	}
	return list
}

// TestBuiltLayouts gives every operator its inputs column-major, transposed and as slices
// of larger tensors: results are those of row-major ones.
func TestBuiltLayouts(t *testing.T) {
	values := []float32{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}
	layouts := map[string]func() *tensor.Dense{
		"row-major": func() *tensor.Dense { return of(values, 3, 4) },
		"column-major": func() *tensor.Dense {
			d := tensor.New(tensor.WithShape(3, 4), tensor.AsFortran(make([]float32, 12)))
			for i, v := range values {
				require.NoError(t, d.SetAt(v, i/4, i%4))
			}
			return d
		},
		"transposed": func() *tensor.Dense {
			d := of(make([]float32, 12), 4, 3)
			require.NoError(t, d.T())
			for i, v := range values {
				require.NoError(t, d.SetAt(v, i/4, i%4))
			}
			return d
		},
		"sliced": func() *tensor.Dense {
			d := of(make([]float32, 30), 5, 6)
			s, err := d.Slice(tensor.S(1, 4), tensor.S(2, 6))
			require.NoError(t, err)
			for i, v := range values {
				require.NoError(t, s.SetAt(v, i/4, i%4))
			}
			return s.(*tensor.Dense)
		},
	}
	uses := map[string]func(x *tensor.Dense) use{
		"Clip": func(x *tensor.Dense) use {
			return use{opType: "Clip", opset: 13, inputs: []tensor.Tensor{x, nil, of([]float32{4})}}
		},
		"Erf": func(x *tensor.Dense) use { return use{opType: "Erf", opset: 13, inputs: []tensor.Tensor{x}} },
		"Expand": func(x *tensor.Dense) use {
			return use{opType: "Expand", opset: 13, inputs: []tensor.Tensor{x, list(2, 1, 1)}}
		},
		"Identity": func(x *tensor.Dense) use {
			return use{opType: "Identity", opset: 13, inputs: []tensor.Tensor{x}}
		},
		"MatMul": func(x *tensor.Dense) use {
			return use{opType: "MatMul", opset: 13, inputs: []tensor.Tensor{x, of([]float32{1, 2, 3, 4}, 4, 1)}}
		},
		"ReduceSum": func(x *tensor.Dense) use {
			return use{opType: "ReduceSum", opset: 13, inputs: []tensor.Tensor{x, list(0)}}
		},
		"Where": func(x *tensor.Dense) use {
			return use{opType: "Where", opset: 16, inputs: []tensor.Tensor{of([]bool{true, false, true, false}, 4), x, of([]float32{0})}}
		},
		"LayerNormalization": func(x *tensor.Dense) use {
			return use{opType: "LayerNormalization", opset: 17, outputs: 3, inputs: []tensor.Tensor{x, x, x}}
		},
	}
	for name, make := range uses {
		want, err := make(layouts["row-major"]()).run()
		require.NoError(t, err)
		for layout, x := range layouts {
			t.Run(name+"/"+layout, func(t *testing.T) {
				in := x()
				out, err := make(in).run()
				require.NoError(t, err)
				for i := range want {
					assertEqual(t, want[i], out[i])
				}
				again, err := make(in).run()
				require.NoError(t, err)
				assertEqual(t, want[0], again[0]) // the inputs are as they were
			})
		}
	}
}

// TestIdentityCopies: the result is no other name for the input.
func TestIdentityCopies(t *testing.T) {
	in := of([]float32{1, 2}, 2)
	out, err := use{opType: "Identity", opset: 13, inputs: []tensor.Tensor{in}}.run()
	require.NoError(t, err)
	elements[float32](in)[0] = 9
	assert.Equal(t, float32(1), elements[float32](out[0].(*tensor.Dense))[0])
}
