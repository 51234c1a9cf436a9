package onnx

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// The files were written by ONNX's own package; see testdata/makemodels.py.
func TestReadTensorOfEachDtype(t *testing.T) {
	half := func(values ...float32) []float16.Float16 {
		var list []float16.Float16
		for _, v := range values {
			list = append(list, float16.Fromfloat32(v))
		}
		return list
	}
	brain := func(values ...float32) []dense.BF16 {
		var list []dense.BF16
		for _, v := range values {
			list = append(list, dense.BF16(math.Float32bits(v)>>16))
		}
		return list
	}
	cases := map[string]any{
		"float":      []float32{0, 1, 2, 3, -100, 127},
		"uint8":      []uint8{0, 1, 2, 3, 100, 127},
		"int8":       []int8{0, 1, 2, 3, -100, 127},
		"uint16":     []uint16{0, 1, 2, 3, 100, 127},
		"int16":      []int16{0, 1, 2, 3, -100, 127},
		"int32":      []int32{0, 1, 2, 3, -100, 127},
		"int64":      []int64{0, 1, 2, 3, -100, 127},
		"string":     []string{"", "a", "bc", "é", "語", "d e f"},
		"bool":       []bool{false, true, true, false, false, true},
		"float16":    half(0, 1, 2, 3, -100, 127),
		"double":     []float64{0, 1, 2, 3, -100, 127},
		"uint32":     []uint32{0, 1, 2, 3, 100, 127},
		"uint64":     []uint64{0, 1, 2, 3, 100, 127},
		"complex64":  []complex64{0 - 1i, 1 - 2i, 2 - 3i, 3 - 4i, 100 - 101i, 127 - 128i},
		"complex128": []complex128{0 - 1i, 1 - 2i, 2 - 3i, 3 - 4i, 100 - 101i, 127 - 128i},
		"bfloat16":   brain(0, 1, 2, 3, -100, 127),
	}
	require.Len(t, cases, len(elements), "a case for each data type")
	for name, want := range cases {
		for _, how := range []string{"raw", "typed"} {
			if name == "string" && how == "raw" {
				continue // strings have no raw form
			}
			t.Run(name+"_"+how, func(t *testing.T) {
				got := testTensor(t, "testdata/tensors/"+name+"_"+how+".pb")
				assert.Equal(t, tensor.Shape{2, 3}, got.Shape())
				assert.Equal(t, want, got.Data())
			})
		}
	}
}

func TestReadTensorShapes(t *testing.T) {
	t.Run("scalar", func(t *testing.T) {
		got := testTensor(t, "testdata/tensors/scalar.pb")
		assert.Empty(t, got.Shape())
		assert.Equal(t, int64(7), got.Data())
	})
	t.Run("empty", func(t *testing.T) {
		got := testTensor(t, "testdata/tensors/empty.pb")
		assert.Equal(t, tensor.Shape{0, 3}, got.Shape())
		assert.Equal(t, tensor.Float32, got.Dtype())
	})
	t.Run("empty, of strings", func(t *testing.T) {
		got, err := ReadTensor(bytes.NewReader(tensorMessage("", 8, 2, 0)))
		require.NoError(t, err)
		assert.Equal(t, tensor.Shape{2, 0}, got.Shape())
		assert.Equal(t, tensor.String, got.Dtype())
	})
	t.Run("one element is no scalar", func(t *testing.T) {
		got, err := ReadTensor(bytes.NewReader(int64Message("", []int64{1}, 5)))
		require.NoError(t, err)
		assert.Equal(t, tensor.Shape{1}, got.Shape())
	})
}

// What protobuf allows and ONNX's writer does not use.
func TestReadTensorEncodings(t *testing.T) {
	cases := []struct {
		name string
		m    message
		want any
	}{
		{"single values", message{}.varint(1, 3).varint(2, 7).varint(7, 5).varint(7, -6).varint(7, 7), []int64{5, -6, 7}},
		{"single values around a packed run", message{}.varint(7, 5).bytes(7, packed(6, 7)).varint(7, 8).varint(1, 2).varint(1, 2).varint(2, 7), []int64{5, 6, 7, 8}},
		{"single floats", message{}.varint(1, 1).varint(2, 1).fixed32(4, math.Float32bits(1.5)), []float32{1.5}},
		{"single doubles", message{}.varint(1, 1).varint(2, 11).fixed64(10, math.Float64bits(-2.5)), []float64{-2.5}},
		{"unknown fields", message{}.varint(1, 1).varint(2, 7).varint(7, 5).text(99, "later").varint(100, 1), []int64{5}},
		{"an empty run of another type", message{}.varint(1, 1).varint(2, 7).varint(7, 5).bytes(4, nil), []int64{5}},
		{"raw_data beside an empty run", message{}.varint(1, 2).varint(2, 2).bytes(9, []byte{4, 5}).bytes(5, nil), []uint8{4, 5}},
		{"the last of two names", message{}.text(8, "a").text(8, "b").varint(1, 1).varint(2, 7).varint(7, 5), []int64{5}},
		{"an unknown group", append(message{0x9b, 0x06, 0x08, 0x01, 0x9c, 0x06}, message{}.varint(1, 1).varint(2, 7).varint(7, 5)...), []int64{5}},
		{"the widest integers", int64Message("", []int64{2}, math.MinInt64, math.MaxInt64), []int64{math.MinInt64, math.MaxInt64}},
		{"uint64 above int64", tensorMessage("", 13, 1).varint(11, -1), []uint64{math.MaxUint64}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := ReadTensor(bytes.NewReader(c.m))
			require.NoError(t, err)
			assert.Equal(t, c.want, got.Data())
		})
	}
}

func TestReadTensorErrors(t *testing.T) {
	cases := []struct {
		name string
		m    message
		text string
	}{
		{"empty file", nil, "data type UNDEFINED is not supported"},
		{"no protobuf", message("hello"), "TensorProto: field 13"},
		{"truncated", int64Message("", []int64{2}, 5, 600)[:9], "unexpected EOF"},
		{"a length past the end", message{0x4a, 0xff, 0xff, 0xff, 0xff, 0x0f}, "unexpected EOF"},
		{"raw_data too short", tensorMessage("w", 7, 2).bytes(9, make([]byte, 15)), `TensorProto "w": raw_data has 15 bytes, the shape (2) needs 2 elements of 8 bytes`},
		{"raw_data too long", tensorMessage("", 7, 2).bytes(9, make([]byte, 24)), "raw_data has 24 bytes"},
		{"too few values", int64Message("", []int64{2, 2}, 1, 2, 3), "field 7 has 3 values, the shape (2, 2) needs 4 elements"},
		{"too many values", int64Message("", []int64{2}, 1, 2, 3), "field 7 has 3 values"},
		{"half a complex number", tensorMessage("", 14, 1).fixed32(4, 0), "field 4 has 1 values, the shape (1) needs 1 elements of 2 values"},
		{"no values at all", tensorMessage("", 7, 2), "raw_data has 0 bytes"},
		{"too few strings", tensorMessage("", 8, 2).text(6, "a"), "string_data has 1 values, the shape (2) needs 2"},
		{"strings in raw_data", tensorMessage("", 8, 1).text(9, "a"), "strings in raw_data"},
		{"a string that is no UTF-8", tensorMessage("", 8, 1).bytes(6, []byte{0xff}), "no UTF-8"},
		{"a name that is no UTF-8", tensorMessage("", 7, 0).bytes(8, []byte{0xff}), "no UTF-8"},
		{"a huge dim", int64Message("", []int64{math.MaxInt32}), "raw_data has 0 bytes"},
		{"dims that overflow together", int64Message("", []int64{1 << 30, 1 << 30, 1 << 30}), "more elements than an int can count"},
		{"dims that overflow beside an empty one", int64Message("", []int64{0, 1 << 30, 1 << 30, 1 << 30}), "more elements than an int can count"},
		{"a negative dim", int64Message("", []int64{2, -1}), "dims[1] is -1"},
		{"a million dims", int64Message("", make([]int64, 1_000_000)), "more than 64 dims"},
		{"two typed fields", tensorMessage("", 7, 1).varint(7, 5).varint(5, 5), "values in field 7 and in field 5"},
		{"raw_data and a typed field", int64Message("", []int64{1}, 5).bytes(9, make([]byte, 8)), "values in raw_data and in field 7"},
		{"the typed field of another type", tensorMessage("", 1, 1).varint(7, 5), "values of type FLOAT in field 7, not 4"},
		{"int8 out of range", tensorMessage("", 3, 1).varint(5, 128), "128 in int32_data does not fit int8"},
		{"uint8 below zero", tensorMessage("", 2, 1).varint(5, -1), "-1 in int32_data does not fit uint8"},
		{"float16 out of range", tensorMessage("", 10, 1).varint(5, 1<<16), "65536 in int32_data does not fit"},
		{"uint32 out of range", tensorMessage("", 12, 1).varint(11, 1<<32), "4294967296 in uint64_data does not fit uint32"},
		{"a bool of 2", tensorMessage("", 9, 1).varint(5, 2), "2 is no bool"},
		{"a raw bool of 2", tensorMessage("", 9, 1).bytes(9, []byte{2}), "raw_data[0] is 2"},
		{"float8", tensorMessage("", 17, 1).bytes(9, []byte{2}), "data type FLOAT8E4M3FN is not supported"},
		{"int2", tensorMessage("", 26, 1).bytes(9, []byte{2}), "data type INT2 is not supported"},
		{"int4 of too many bytes", tensorMessage("", 22, 2).bytes(9, []byte{2, 1}), "raw_data has 2 bytes"},
		{"a data type of the future", tensorMessage("", 99, 1).bytes(9, []byte{2}), "data type 99 is not supported"},
		{"external data", tensorMessage("w", 1, 1).bytes(13, message{}.text(1, "location").text(2, "w.bin")).varint(14, 1), `TensorProto "w": keeps its data in another file`},
		{"external data without a place", tensorMessage("", 1, 1).varint(14, 1), "keeps its data in another file"},
		{"a segment", tensorMessage("", 1, 1).bytes(3, nil), "segment"},
		{"a dim of the wrong wire type", message{}.fixed32(1, 3), "field 1 has wire type 5, not 0"},
		{"a name of the wrong wire type", message{}.varint(8, 3), "field 8 has wire type 0, not 2"},
		{"an unfinished number in a run", tensorMessage("", 7, 1).bytes(7, []byte{0x80}), "unexpected EOF"},
		{"a group without its end", message{0x0b, 0x0b, 0x0b}, "unexpected EOF"},
		{"groups nested too deep", bytes.Repeat([]byte{0x0b}, 1_000_000), "TensorProto: field 1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := ReadTensor(bytes.NewReader(c.m))
			require.Error(t, err)
			assert.Nil(t, got)
			assert.Contains(t, err.Error(), c.text)
		})
	}
	t.Run("nil reader", func(t *testing.T) {
		_, err := ReadTensor(nil)
		assert.Error(t, err)
	})
	t.Run("a reader that fails", func(t *testing.T) {
		broken := errors.New("cable cut")
		_, err := ReadTensor(io.MultiReader(bytes.NewReader(int64Message("", nil, 1)), iotest.ErrReader(broken)))
		assert.ErrorIs(t, err, broken)
	})
}

// A file of a few bytes that claims terabytes must not make the reader reserve
// them, whatever it claims them in.
func TestReadTensorClaims(t *testing.T) {
	huge := []int64{1 << 20, 1 << 20}
	for number, e := range elements {
		for name, m := range map[string]message{
			"nothing": tensorMessage("", int64(number), huge...),
			"typed":   tensorMessage("", int64(number), huge...).bytes(e.field, []byte{0, 0, 0, 0, 0, 0, 0, 0}),
			"raw":     tensorMessage("", int64(number), huge...).bytes(tensorRawData, make([]byte, 16)),
		} {
			t.Run(e.name+" "+name, func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := ReadTensor(bytes.NewReader(m))
				runtime.ReadMemStats(&after)
				require.Error(t, err)
				assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
			})
		}
	}
}
