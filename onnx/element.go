package onnx

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/pkg/errors"
	"github.com/x448/float16"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// An element is one of ONNX's data types: its name in TensorProto.DataType, its
// dtype here, the typed field that may hold its values with their wire type and
// how many of them make an element (a complex number has two), and how a slice of
// elements is read.
type element struct {
	name  string
	dtype tensor.Dtype
	field protowire.Number
	wire  protowire.Type
	parts int
	read  func(t *tensorProto, e element, size int) (any, error)
}

const (
	varint  = protowire.VarintType
	fixed32 = protowire.Fixed32Type
	fixed64 = protowire.Fixed64Type
)

// elements are the data types of ONNX's T, by their number in
// TensorProto.DataType.
var elements = map[int32]element{
	1:  {"FLOAT", tensor.Float32, tensorFloatData, fixed32, 1, numbers(setFloat32)},
	2:  {"UINT8", tensor.Uint8, tensorInt32Data, varint, 1, numbers(setInt32[uint8])},
	3:  {"INT8", tensor.Int8, tensorInt32Data, varint, 1, numbers(setInt32[int8])},
	4:  {"UINT16", tensor.Uint16, tensorInt32Data, varint, 1, numbers(setInt32[uint16])},
	5:  {"INT16", tensor.Int16, tensorInt32Data, varint, 1, numbers(setInt32[int16])},
	6:  {"INT32", tensor.Int32, tensorInt32Data, varint, 1, numbers(setInt32[int32])},
	7:  {"INT64", tensor.Int64, tensorInt64Data, varint, 1, numbers(setInt64)},
	8:  {"STRING", tensor.String, tensorStringData, protowire.BytesType, 1, texts},
	9:  {"BOOL", tensor.Bool, tensorInt32Data, varint, 1, bools},
	10: {"FLOAT16", dense.Float16, tensorInt32Data, varint, 1, numbers(setInt32[float16.Float16])},
	11: {"DOUBLE", tensor.Float64, tensorDoubleData, fixed64, 1, numbers(setFloat64)},
	12: {"UINT32", tensor.Uint32, tensorUint64Data, varint, 1, numbers(setUint32)},
	13: {"UINT64", tensor.Uint64, tensorUint64Data, varint, 1, numbers(setUint64)},
	14: {"COMPLEX64", tensor.Complex64, tensorFloatData, fixed32, 2, numbers(setComplex64)},
	15: {"COMPLEX128", tensor.Complex128, tensorDoubleData, fixed64, 2, numbers(setComplex128)},
	16: {"BFLOAT16", dense.BFloat16, tensorInt32Data, varint, 1, numbers(setInt32[dense.BF16])},
}

// elementOf returns the data type of that number.
func elementOf(number int32) (element, error) {
	e, ok := elements[number]
	if !ok {
		return e, notSupported(number)
	}
	return e, nil
}

func notSupported(number int32) error {
	return errors.Errorf("data type %s is not supported", dataTypeName(number))
}

// dataTypeName names a data type in an error, also one that elements lacks.
func dataTypeName(number int32) string {
	if e, ok := elements[number]; ok {
		return e.name
	}
	lacking := []string{
		"FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4", "INT4",
		"FLOAT4E2M1", "FLOAT8E8M0", "UINT2", "INT2", "FLOAT6E2M3", "FLOAT6E3M2",
	}
	const first = 17
	if number >= first && int(number) < first+len(lacking) {
		return lacking[number-first]
	}
	if number == 0 {
		return "UNDEFINED"
	}
	return strconv.Itoa(int(number))
}

// dtypeName is how ONNX spells a dtype: float, double, float16, int64, …
// A dtype ONNX does not have keeps Go's name.
func dtypeName(dt tensor.Dtype) string {
	switch dt {
	case tensor.Float32:
		return "float"
	case tensor.Float64:
		return "double"
	case dense.Float16:
		return "float16"
	case dense.BFloat16:
		return "bfloat16"
	case tensor.Dtype{}:
		return "none"
	}
	return dt.String()
}

// holds reports a number of values that is not the one the shape takes. What
// allocates memory for the values comes after it, so that a file cannot claim
// more of them than it has.
func (t *tensorProto) holds(e element, size int) error {
	if t.typed == 0 && e.wire != protowire.BytesType {
		if width := int(e.dtype.Size()); len(t.raw)%width != 0 || len(t.raw)/width != size {
			return errors.Errorf("raw_data has %d bytes, the shape %s needs %d elements of %d bytes", len(t.raw), fault.Shape(t.shape), size, width)
		}
		return nil
	}
	if len(t.raw) > 0 {
		return errors.New("strings in raw_data")
	}
	count := 0
	if err := t.eachTyped(e.wire, func(uint64) error { count++; return nil }); err != nil {
		return err
	}
	switch {
	case count%e.parts == 0 && count/e.parts == size:
		return nil
	case e.wire == protowire.BytesType:
		return errors.Errorf("string_data has %d values, the shape %s needs %d", count, fault.Shape(t.shape), size)
	}
	return errors.Errorf("field %d has %d values, the shape %s needs %d elements of %d values", t.typed, count, fault.Shape(t.shape), size, e.parts)
}

// numbers reads elements in raw_data or in the typed field. set puts the value of
// one part of an element in its place.
func numbers[T any](set func(v *T, part int, w uint64) error) func(*tensorProto, element, int) (any, error) {
	return func(t *tensorProto, e element, size int) (any, error) {
		values, i := make([]T, size), 0
		if t.typed == 0 {
			_, err := binary.Decode(t.raw, binary.LittleEndian, values)
			return values, err
		}
		err := t.eachTyped(e.wire, func(w uint64) error {
			err := set(&values[i/e.parts], i%e.parts, w)
			i++
			return err
		})
		return values, err
	}
}

// eachTyped calls visit for every value of the typed field. A large tensor's
// values are taken from the message twice, first to be counted, so that they
// never stand in memory in a wider form. A string is a value too, of which visit
// learns nothing but that it is there.
func (t *tensorProto) eachTyped(wire protowire.Type, visit func(uint64) error) error {
	return eachField("TensorProto", t.body, func(f field) error {
		switch {
		case f.number != t.typed:
			return nil
		case wire == protowire.BytesType:
			return visit(0)
		}
		return f.eachScalar(wire, visit)
	})
}

// bools reads bool. A byte other than 0 and 1 would make a Go bool that is
// neither true nor false, and is an error.
func bools(t *tensorProto, e element, size int) (any, error) {
	if t.typed == 0 {
		for i, b := range t.raw {
			if b > 1 {
				return nil, errors.Errorf("raw_data[%d] is %d, a bool is 0 or 1", i, b)
			}
		}
	}
	return numbers(func(v *bool, _ int, w uint64) error {
		if w > 1 {
			return errors.Errorf("%d is no bool, 0 and 1 are", int32(w))
		}
		*v = w == 1
		return nil
	})(t, e, size)
}

// texts reads strings, which raw_data cannot hold.
func texts(t *tensorProto, _ element, size int) (any, error) {
	values := make([]string, 0, size)
	err := eachField("TensorProto", t.body, func(f field) error {
		if f.number != tensorStringData {
			return nil
		}
		s, err := f.text()
		values = append(values, s)
		return err
	})
	return values, err
}

// setInt32 takes a value of int32_data, where the smaller types stand as
// themselves and the 16-bit floats as their bits.
func setInt32[T ~int8 | ~uint8 | ~int16 | ~uint16 | ~int32](v *T, _ int, w uint64) error {
	x := int32(w)
	if *v = T(x); int32(*v) != x {
		return errors.Errorf("%d in int32_data does not fit %T", x, *v)
	}
	return nil
}

func setInt64(v *int64, _ int, w uint64) error   { *v = int64(w); return nil }
func setUint64(v *uint64, _ int, w uint64) error { *v = w; return nil }

func setUint32(v *uint32, _ int, w uint64) error {
	if *v = uint32(w); uint64(*v) != w {
		return errors.Errorf("%d in uint64_data does not fit uint32", w)
	}
	return nil
}

func setFloat32(v *float32, _ int, w uint64) error {
	*v = math.Float32frombits(uint32(w))
	return nil
}

func setFloat64(v *float64, _ int, w uint64) error {
	*v = math.Float64frombits(w)
	return nil
}

func setComplex64(v *complex64, part int, w uint64) error {
	x := math.Float32frombits(uint32(w))
	if part == 0 {
		*v = complex(x, 0)
	} else {
		*v = complex(real(*v), x)
	}
	return nil
}

func setComplex128(v *complex128, part int, w uint64) error {
	x := math.Float64frombits(w)
	if part == 0 {
		*v = complex(x, 0)
	} else {
		*v = complex(real(*v), x)
	}
	return nil
}

// DataType is the dtype of a number in TensorProto.DataType, as attributes hold
// one (to of Cast): 1 is float32, 7 int64. Numbers of types that tensors here
// cannot have, and those of no type, are errors.
func DataType(number int) (tensor.Dtype, error) {
	if number != int(int32(number)) {
		return tensor.Dtype{}, errors.Errorf("data type %d does not exist", number)
	}
	e, err := elementOf(int32(number))
	return e.dtype, err
}

// TypeName is how ONNX spells a dtype: float, double, float16, int64, …
func TypeName(dt tensor.Dtype) string { return dtypeName(dt) }
