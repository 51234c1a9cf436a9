package dense

import "gorgonia.org/gather/internal/elem"

// BF16 is a bfloat16: the upper 16 bits of a float32. Arithmetic on it is done
// in float32 and rounded to nearest even.
type BF16 = elem.BF16

// The 16-bit floats as dtypes. The element of a Float16 tensor is a
// float16.Float16 of github.com/x448/float16, that of a BFloat16 tensor a
// [BF16].
var (
	Float16  = elem.Float16
	BFloat16 = elem.BFloat16
)
