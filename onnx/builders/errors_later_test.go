package builders

import (
	"testing"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// TestLaterErrors is TestErrors for products by equations, transposed convolutions, TopK
// and quantised numbers.
func TestLaterErrors(t *testing.T) {
	equation := func(text string) attributes { return attributes{"equation": text} }
	bytes, signed := func(shape ...int) given { return typed(tensor.Uint8, shape...) }, func(shape ...int) given { return typed(tensor.Int8, shape...) }
	none := given{}
	for _, c := range []struct {
		op    string
		opset int
		attrs attributes
		in    []given
		want  string // the whole text
		is    error
	}{
		{"Einsum", 12, nil, []given{f32(2)}, "Einsum-12: no equation", dense.ErrOption},
		{"Einsum", 12, attributes{"equation": int64(1)}, []given{f32(2)}, `Einsum-12: attribute "equation" is a int64, a string is allowed`, dense.ErrOption},
		{"Einsum", 12, equation("i,j->ij"), []given{f32(2)}, `Einsum-12: equation "i,j->ij": 2 terms for 1 inputs`, dense.ErrOption},
		{"Einsum", 12, equation("ij->i"), []given{f32(2)}, `Einsum-12: equation "ij->i": term "ij" for input 0 of shape (2)`, dense.ErrShape},
		{"Einsum", 12, equation("...ij->i"), []given{f32(2)}, `Einsum-12: equation "...ij->i": term "...ij" for input 0 of shape (2)`, dense.ErrShape},
		{"Einsum", 12, equation("i,i->i"), []given{f32(2), f32(3)}, `Einsum-12: equation "i,i->i": axis 0 of input 1, 'i', has size 3, not 2`, dense.ErrShape},
		{"Einsum", 12, equation("ii->i"), []given{f32(2, 3)}, `Einsum-12: equation "ii->i": axes 0 and 1 of input 0, 'i', have sizes 2 and 3`, dense.ErrShape},
		{"Einsum", 12, equation("...,...->..."), []given{f32(2), f32(3)}, `Einsum-12: equation "...,...->...": axis 0 of input 1, axis -1 of "...", has size 3, not 2`, dense.ErrShape},
		{"Einsum", 12, equation("i->ij"), []given{f32(2)}, `Einsum-12: equation "i->ij": 'j' of the result is in no term`, dense.ErrOption},
		{"Einsum", 12, equation("i->ii"), []given{f32(2)}, `Einsum-12: equation "i->ii": 'i' is in the result twice`, dense.ErrOption},
		{"Einsum", 12, equation("i...->i"), []given{f32(2, 3)}, `Einsum-12: equation "i...->i": the result has no "..."`, dense.ErrOption},
		{"Einsum", 12, equation("i.->i"), []given{f32(2)}, `Einsum-12: equation "i.->i": term "i.": '.' is no letter`, dense.ErrOption},
		{"Einsum", 12, equation("......->..."), []given{f32(2)}, `Einsum-12: equation "......->...": term "......": '.' is no letter`, dense.ErrOption},
		{"Einsum", 12, equation("i->i->i"), []given{f32(2)}, `Einsum-12: equation "i->i->i": result "i->i": '-' is no letter`, dense.ErrOption},
		{"Einsum", 12, equation("ij,jk->ik"), []given{f32(2, 2), typed(tensor.Float64, 2, 2)}, "Einsum-12: MatMul: inputs of types float and double, they must be of one type", dense.ErrDtype},
		{"Einsum", 12, equation("i->"), []given{signed(2)}, "Einsum-12: sum (2) of () from 0 by [0]: a sum of int8 is not supported", dense.ErrDtype},

		{"SplitToSequence", 11, attributes{"axis": int64(1)}, []given{f32(0, 1<<21)}, "SplitToSequence-11: 2097152 parts of an axis, at most 1048576 are allowed", dense.ErrShape},
		{"SplitToSequence", 11, attributes{"axis": int64(1)}, []given{f32(0, 1<<22), {tensor.Int64, []int{}, []int64{2}}}, "SplitToSequence-11: 2097152 parts of an axis, at most 1048576 are allowed", dense.ErrShape},
		{"Split", 18, attributes{"axis": int64(1), "num_outputs": int64(1 << 21)}, []given{f32(0, 1<<21)}, "Split-18: 2097152 parts of an axis, at most 1048576 are allowed", dense.ErrShape},

		{"ConvTranspose", 11, nil, []given{f32(2, 3), f32(3, 2)}, "ConvTranspose-11: X of shape (2, 3) and W of shape (3, 2), equal ranks of at least 3 are allowed", dense.ErrShape},
		{"ConvTranspose", 11, nil, []given{f32(2, 3, 4), f32(2, 3, 2)}, "ConvTranspose-11: X of shape (2, 3, 4) and W of shape (2, 3, 2) do not fit in 1 groups", dense.ErrShape},
		{"ConvTranspose", 11, attributes{"group": int64(2)}, []given{f32(2, 3, 4), f32(3, 3, 2)}, "ConvTranspose-11: X of shape (2, 3, 4) and W of shape (3, 3, 2) do not fit in 2 groups", dense.ErrShape},
		{"ConvTranspose", 11, nil, []given{f32(2, 3, 0), f32(3, 3, 2)}, "ConvTranspose-11: X of shape (2, 3, 0) has an empty spatial axis", dense.ErrShape},
		{"ConvTranspose", 11, attributes{"kernel_shape": []int64{3}}, []given{f32(2, 3, 4), f32(3, 3, 2)}, "ConvTranspose-11: kernel_shape is [3], W has [2]", dense.ErrOption},
		{"ConvTranspose", 11, attributes{"pads": []int64{3, 3}}, []given{f32(2, 3, 4), f32(3, 3, 2)}, "ConvTranspose-11: axis 2 of the result has size -1, 1 to 268435456 are allowed", dense.ErrShape},
		{"ConvTranspose", 11, attributes{"output_shape": []int64{3, 3}}, []given{f32(2, 3, 4), f32(3, 3, 2)}, "ConvTranspose-11: output_shape is [3 3], 1 sizes from 1 to 268435456 are needed", dense.ErrOption},
		{"ConvTranspose", 11, attributes{"strides": []int64{1 << 27}}, []given{f32(2, 3, 4), f32(3, 3, 2)}, "ConvTranspose-11: axis 2 of the result has size 402653186, 1 to 268435456 are allowed", dense.ErrShape},
		{"ConvTranspose", 11, attributes{"auto_pad": "SAME_UPPER", "pads": []int64{1, 0}}, []given{f32(2, 3, 4), f32(3, 3, 2)}, `ConvTranspose-11: auto_pad is "SAME_UPPER" and pads are [1 0], one of them is allowed`, dense.ErrOption},

		{"TopK", 9, nil, []given{f32(3)}, "TopK-1: no k", dense.ErrOption},
		{"TopK", 11, nil, []given{f32(3), longs(4)}, "TopK-11: k is 4, axis 0 has 3 elements", dense.ErrShape},
		{"TopK", 11, nil, []given{f32(3), longs(-1)}, "TopK-11: k is -1, axis 0 has 3 elements", dense.ErrShape},
		{"TopK", 11, nil, []given{f32(3), longs(1, 1)}, "TopK-11: K has 2 elements, one is allowed", dense.ErrShape},
		{"TopK", 11, nil, []given{f32(), longs(1)}, "TopK-11: axis -1 is no axis of a scalar", dense.ErrAxis},
		{"TopK", 11, nil, []given{f32(3), typed(tensor.Int64, 1)}, "TopK-11: K, x1, must be known when the graph is built: an initializer, a Constant, or what follows from shapes", nil},

		{"QuantizeLinear", 10, nil, []given{f32(2, 3), f32(3)}, "QuantizeLinear-10: a scale of shape (3), one element is allowed before opset 13", dense.ErrShape},
		{"QuantizeLinear", 13, nil, []given{f32(2, 3), f32(2)}, "QuantizeLinear-13: a scale of shape (2) for axis 1 of shape (2, 3) with block_size 0, (3) is allowed", dense.ErrShape},
		{"QuantizeLinear", 13, nil, []given{f32(2, 3), f32(3), bytes(2)}, "QuantizeLinear-13: a zero point of shape (2) and a scale of shape (3), they must be of one shape", dense.ErrShape},
		{"QuantizeLinear", 13, nil, []given{f32(2), f32(1), typed(tensor.Int16, 1)}, "QuantizeLinear-13: a result of type int16 is not allowed in opset 13, it is since opset 21", nil},
		{"QuantizeLinear", 13, nil, []given{f32(2), f32(1), typed(tensor.Int64, 1)}, "QuantizeLinear-13: y_zero_point of type int64, the result is of type uint8", dense.ErrDtype},
		{"QuantizeLinear", 21, attributes{"output_dtype": int64(17)}, []given{f32(2), f32(1)}, "QuantizeLinear-21: output_dtype is 17: 2, 3, 4, 5, 21 and 22 (uint8, int8, uint16, int16, uint4, int4) are supported", dense.ErrOption},
		{"QuantizeLinear", 21, attributes{"output_dtype": int64(3)}, []given{f32(2), f32(1), bytes(1)}, "QuantizeLinear-21: y_zero_point of type uint8, the result is of type int8", dense.ErrDtype},
		{"QuantizeLinear", 21, attributes{"block_size": int64(-1)}, []given{f32(2), f32(1)}, "QuantizeLinear-21: block_size is -1, at least 0 is allowed", dense.ErrOption},
		{"QuantizeLinear", 21, attributes{"block_size": int64(2), "axis": int64(0)}, []given{f32(5), f32(2)}, "QuantizeLinear-21: a scale of shape (2) for axis 0 of shape (5) with block_size 2, (3) is allowed", dense.ErrShape},
		{"QuantizeLinear", 23, attributes{"precision": int64(10)}, []given{f32(2), f32(1)}, "QuantizeLinear-23: precision is 10, 0 and 1 (float) are allowed", dense.ErrOption},
		{"QuantizeLinear", 19, nil, []given{typed(dense.Float16, 2), f32(1)}, "QuantizeLinear-19: QuantizeLinear to uint8 from 0 to 255 by one scale for 2: an input of type float16 is not supported, float and int32 are", dense.ErrDtype},
		{"DequantizeLinear", 19, nil, []given{bytes(2), typed(dense.Float16, 1)}, "DequantizeLinear-19: a scale of type float16 is not supported, float is", dense.ErrDtype},
		{"DequantizeLinear", 13, nil, []given{bytes(2), f32(1), signed(1)}, "DequantizeLinear-13: x_zero_point of type int8, x is of type uint8", dense.ErrDtype},
		{"DequantizeLinear", 23, attributes{"output_dtype": int64(10)}, []given{bytes(2), f32(1)}, "DequantizeLinear-23: output_dtype is 10, 0 and 1 (float) are allowed", dense.ErrOption},
		{"DequantizeLinear", 13, nil, []given{typed(tensor.Int16, 2), f32(1)}, "DequantizeLinear-13: input 0 of type int16 is not allowed in opset 13, it is since opset 21", nil},
		{"DynamicQuantizeLinear", 11, nil, []given{typed(tensor.Float64, 2)}, "DynamicQuantizeLinear-11: input 0 of type double is not allowed in opset 11, nor in any other", nil},

		{"MatMulInteger", 10, nil, []given{bytes(), bytes(2)}, "MatMulInteger-10: inputs of shapes () and (2), ranks of at least 1 are allowed", dense.ErrShape},
		{"MatMulInteger", 10, nil, []given{bytes(2, 3), f32(3, 2)}, "MatMulInteger-10: MatMulInteger, zero points false and false: an input of type float, int8 and uint8 are allowed", dense.ErrDtype},
		{"MatMulInteger", 10, nil, []given{bytes(2, 3), bytes(2, 3)}, "MatMulInteger-10: MatMulInteger, zero points false and false: shapes (2, 3) and (2, 3): rows of 3 elements and columns of 2", dense.ErrShape},
		{"MatMulInteger", 10, nil, []given{bytes(2, 3), bytes(3, 4), signed()}, "MatMulInteger-10: a zero point of type int8 for an input of type uint8", dense.ErrDtype},
		{"MatMulInteger", 10, nil, []given{bytes(2, 3), bytes(3, 4), bytes(3)}, "MatMulInteger-10: MatMulInteger, zero points true and false: a zero point of shape (3, 1) for an input of shape (2, 3)", dense.ErrShape},
		{"MatMulInteger", 10, nil, []given{bytes(2, 3), bytes(3, 4), none, bytes(3, 1)}, "MatMulInteger-10: MatMulInteger, zero points false and true: a zero point of shape (3, 1) for an input of shape (3, 4)", dense.ErrShape},

		{"NegativeLogLikelihoodLoss", 12, nil, []given{f32(3), typed(tensor.Int64)}, "NegativeLogLikelihoodLoss-12: input of shape (3) and target of shape ()", dense.ErrShape},
		{"NegativeLogLikelihoodLoss", 13, nil, []given{f32(2, 3, 4), typed(tensor.Int64, 2, 3)}, "NegativeLogLikelihoodLoss-13: input of shape (2, 3, 4) and target of shape (2, 3)", dense.ErrShape},
		{"NegativeLogLikelihoodLoss", 13, nil, []given{f32(2, 3), typed(tensor.Int64, 2), f32(2)}, "NegativeLogLikelihoodLoss-13: weight of shape (2), (3) is allowed", dense.ErrShape},
		{"NegativeLogLikelihoodLoss", 13, nil, []given{f32(2, 3), f32(2)}, "NegativeLogLikelihoodLoss-13: NegativeLogLikelihoodLoss of 3 classes: a target of type float, int32 and int64 are allowed", dense.ErrDtype},
		{"SoftmaxCrossEntropyLoss", 13, nil, []given{f32(3), typed(tensor.Int64)}, "SoftmaxCrossEntropyLoss-13: scores of shape (3), ranks of at least 2 are allowed", dense.ErrShape},
		{"SoftmaxCrossEntropyLoss", 13, attributes{"reduction": "max"}, []given{f32(2, 3), typed(tensor.Int64, 2)}, `SoftmaxCrossEntropyLoss-13: reduction is "max", mean, none, sum are allowed`, dense.ErrOption},
		{"Compress", 11, nil, []given{f32(3), {tensor.Bool, []int{4}, make([]bool, 4)}}, "Compress-11: a condition of 4 elements for axis 0 of size 3", dense.ErrShape},
		{"Compress", 11, nil, []given{f32(3), typed(tensor.Bool, 3)}, "Compress-11: condition, x1, must be known when the graph is built: an initializer, a Constant, or what follows from shapes", dense.ErrShape},
		{"Compress", 11, nil, []given{f32(3), f32(3)}, "Compress-11: a condition float (3), a list of bools is allowed", dense.ErrShape},
		{"Compress", 11, attributes{"axis": int64(2)}, []given{f32(3), {tensor.Bool, []int{1}, []bool{true}}}, "Compress-11: axis 2 is not in [-1, 0]", dense.ErrAxis},
		{"DepthToSpace", 13, nil, []given{f32(1, 4, 2, 2)}, "DepthToSpace-13: blocksize is 0, 1 to 32768 are allowed", dense.ErrOption},
		{"DepthToSpace", 13, attributes{"blocksize": int64(2)}, []given{f32(1, 6, 2, 2)}, "DepthToSpace-13: 6 channels make no blocks of 2 by 2", dense.ErrShape},
		{"DepthToSpace", 10, attributes{"blocksize": int64(2), "mode": "CRD"}, []given{f32(1, 4, 2, 2)}, `DepthToSpace-1: attribute "mode" is not allowed in opset 10, it is since opset 11`, nil},
		{"SpaceToDepth", 13, attributes{"blocksize": int64(2)}, []given{f32(1, 1, 3, 2)}, "SpaceToDepth-13: 3 by 2 places make no blocks of 2 by 2", dense.ErrShape},
		{"SpaceToDepth", 13, attributes{"blocksize": int64(2)}, []given{f32(4, 4)}, "SpaceToDepth-13: an input of shape (4, 4), a rank of 4 is allowed", dense.ErrShape},

		{"Attention", 23, nil, []given{f32(1, 2, 3), f32(1, 2, 3), f32(1, 2, 3)}, "Attention-23: q_num_heads is 0, input 0 of shape (1, 2, 3)", dense.ErrOption},
		{"Attention", 23, nil, []given{f32(2, 3), f32(2, 3), f32(2, 3)}, "Attention-23: inputs of shapes (2, 3), (2, 3) and (2, 3), ranks of 3 or 4 are allowed", dense.ErrShape},
		{"Attention", 23, nil, []given{f32(1, 3, 2, 4), f32(1, 2, 2, 4), f32(1, 2, 2, 4)}, "Attention-23: queries (1, 3, 2, 4), keys (1, 2, 2, 4) and values (1, 2, 2, 4), as (batch, heads, length, size), do not fit", dense.ErrShape},
		{"Attention", 23, nil, []given{f32(1, 2, 2, 4), f32(1, 2, 2, 4), f32(1, 2, 2, 4), f32(3, 3)}, "Attention-23: attn_mask of shape (3, 3) for products of shape (1, 2, 2, 2)", dense.ErrShape},
		{"Attention", 23, nil, []given{f32(1, 2, 2, 4), f32(1, 2, 2, 4), f32(1, 2, 2, 4), none, f32(1, 2, 2, 4), f32(1, 2, 2, 4)}, "Attention-23: past_key, input 4, is not supported", dense.ErrOption},
		{"Attention", 24, nil, []given{f32(1, 2, 2, 4), f32(1, 2, 2, 4), f32(1, 2, 2, 4), none, none, none, typed(tensor.Int64, 1)}, "Attention-24: nonpad_kv_seqlen, input 6, is not supported", dense.ErrOption},
		{"Attention", 25, attributes{"left_window_size": int64(2)}, []given{f32(1, 2, 2, 4), f32(1, 2, 2, 4), f32(1, 2, 2, 4)}, "Attention-25: left_window_size is 2, -1 is supported", dense.ErrOption},
		{"Attention", 23, attributes{"softmax_precision": int64(10)}, []given{f32(1, 2, 2, 4), f32(1, 2, 2, 4), f32(1, 2, 2, 4)}, "Attention-23: softmax_precision is 10, 1 (float) and 11 (double) are supported", dense.ErrOption},
		{"RotaryEmbedding", 23, nil, []given{f32(2, 3), f32(2, 3), f32(2, 3)}, "RotaryEmbedding-23: X of shape (2, 3), ranks of 3 and 4 are allowed", dense.ErrShape},
		{"RotaryEmbedding", 23, nil, []given{f32(1, 2, 3, 5), f32(1, 3, 2), f32(1, 3, 2)}, "RotaryEmbedding-23: 5 of 5 elements to rotate, an even number of at least 2 is allowed", dense.ErrShape},
		{"RotaryEmbedding", 23, nil, []given{f32(1, 2, 3, 4), f32(1, 3, 3), f32(1, 3, 2)}, "RotaryEmbedding-23: input 1 gives angles of shape (1, 3, 3), (1, 3, 2) is needed", dense.ErrShape},
		{"RotaryEmbedding", 23, nil, []given{f32(1, 2, 3, 4), f32(1, 3, 2), f32(1, 3, 2), typed(tensor.Int64, 1, 3)}, "RotaryEmbedding-23: input 1 of shape (1, 3, 2), a matrix is allowed with position_ids", dense.ErrShape},
	} {
		_, err := use(c.op, c.opset, c.attrs, c.in...)
		switch {
		case err == nil || err.Error() != c.want:
			t.Errorf("%s opset %d: got %v\nwant %s", c.op, c.opset, err, c.want)
		case c.is != nil && !errors.Is(err, c.is):
			t.Errorf("%s: %v is no %v", c.op, err, c.is)
		}
	}
}

// TestEinsumIsOneProduct demands that an equation is a matrix product without a copy where it
// can be.
func TestEinsumIsOneProduct(t *testing.T) {
	for _, c := range []struct {
		equation string
		a, b     given
		nodes    int // besides the inputs
	}{
		{"ij,jk->ik", f32(2, 3), f32(3, 4), 1}, {"ij,kj->ik", f32(2, 3), f32(4, 3), 1}, {"ji,jk->ik", f32(3, 2), f32(3, 4), 1}, {"ji,kj->ik", f32(3, 2), f32(4, 3), 1},
		{"bij,bjk->bik", f32(5, 2, 3), f32(5, 3, 4), 1}, {"...ij,...kj->...ik", f32(5, 2, 3), f32(5, 4, 3), 1},
		{"bhqd,bhkd->bhqk", f32(5, 6, 2, 3), f32(5, 6, 4, 3), 4}, {"bld,dn->bln", f32(5, 2, 3), f32(3, 4), 3}, {"i,i->", f32(3), f32(3), 4},
	} {
		y, err := use("Einsum", 12, attributes{"equation": c.equation}, c.a, c.b)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(y[0].Graph().AllNodes()) - 2; got != c.nodes {
			t.Errorf("%s: %d operators, want %d", c.equation, got, c.nodes)
		}
	}
}
