// Package transformer has the operators that exported transformers need and gonnx
// v1.1.0 lacks: Clip, Erf, Expand, Identity, LayerNormalization, ReduceSum and
// Where, each with the meaning it has in the opset of the model; and MatMul, which
// here does without copies. [Operators] is a layer for Load of
// [gorgonia.org/gather/gonnx]:
//
//	model, err := gathergonnx.LoadFile("model.onnx", transformer.Operators)
//
// The versions:
//
//	Clip      1, 6, 11, 12, 13       LayerNormalization  17
//	Erf       9, 13                  MatMul              1, 9, 13
//	Expand    8, 13                  ReduceSum           1, 11, 13
//	Identity  1, 13 and later        Where               9, 16
//
// Types are those that each version lists, as far as tensors have them: there are
// none of eight bits and fewer for quantised floats, and Identity takes neither
// sequences nor optionals. Inputs may have any layout; results are row-major and
// share no memory with inputs. Float16 and bfloat16 are computed in float32.
//
// Wrong inputs are errors that wrap ErrShape, ErrDtype, ErrAxis, ErrOption or
// ErrLayout of package [gorgonia.org/gather/dense]. A result of more than 16 GiB is
// one, too: the shapes that Expand is given may be any.
//
// Source: the operator documents of ONNX 1.23 (opset 28).
package transformer
