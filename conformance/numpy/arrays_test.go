package numpy

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// arrays are shapes, and dtypes as NumPy names them.
var (
	arrayShapes = [][]int{{}, {1}, {7}, {2, 3}, {0, 3}, {3, 0, 2}, {4, 5, 6}}
	arrayTypes  = map[string]reflect.Type{
		"bool": reflect.TypeFor[bool](), "int8": reflect.TypeFor[int8](), "int16": reflect.TypeFor[int16](),
		"int32": reflect.TypeFor[int32](), "int64": reflect.TypeFor[int64](), "uint8": reflect.TypeFor[uint8](),
		"uint16": reflect.TypeFor[uint16](), "uint32": reflect.TypeFor[uint32](), "uint64": reflect.TypeFor[uint64](),
		"float16": reflect.TypeFor[float16.Float16](), "float32": reflect.TypeFor[float32](), "float64": reflect.TypeFor[float64](),
		"complex64": reflect.TypeFor[complex64](), "complex128": reflect.TypeFor[complex128](),
	}
)

// counted holds 0 1 2 3 4 0 1 …, the same as bool.
func counted(of reflect.Type, shape []int) *tensor.Dense {
	d := tensor.NewDense(tensor.Dtype{Type: of}, tensor.Shape(shape).Clone())
	n := tensor.Shape(shape).TotalSize()
	if n == 0 {
		return d
	}
	values := reflect.MakeSlice(reflect.SliceOf(of), n, n)
	for i := range n {
		switch v := values.Index(i); {
		case of == arrayTypes["float16"]:
			v.Set(reflect.ValueOf(float16.Fromfloat32(float32(i % 5))))
		case of.Kind() == reflect.Bool:
			v.SetBool(i%5 != 0)
		default:
			if v.CanComplex() {
				v.SetComplex(complex(float64(i%5), 0))
			} else {
				v.Set(reflect.ValueOf(i % 5).Convert(of))
			}
		}
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values.Interface()))
}

// TestNumPyReadsArrays lets NumPy load what dense.WriteNpy writes.
func TestNumPyReadsArrays(t *testing.T) {
	folder := t.TempDir()
	for name, of := range arrayTypes {
		for _, shape := range arrayShapes {
			dims := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]")
			f, err := os.Create(filepath.Join(folder, name+"_"+dims+".npy"))
			require.NoError(t, err)
			require.NoError(t, dense.WriteNpy(f, counted(of, shape)))
			require.NoError(t, f.Close())
		}
	}
	assert.Len(t, python(t, "read-arrays", folder), len(arrayTypes)*len(arrayShapes))
}

// TestGoReadsArrays reads what numpy.save writes, several arrays to a file: each array in
// both orders of axes and of bytes.
func TestGoReadsArrays(t *testing.T) {
	folder := t.TempDir()
	files := python(t, "write-arrays", folder)
	assert.Len(t, files, len(arrayTypes))
	for _, name := range files {
		f, err := os.Open(filepath.Join(folder, name))
		require.NoError(t, err)
		defer f.Close()
		of := arrayTypes[strings.TrimSuffix(name, ".npy")]
		for i := range 4 * len(arrayShapes) {
			shape := arrayShapes[i/4]
			got, err := dense.ReadNpy(f)
			require.NoError(t, err, name)
			want := counted(of, shape)
			require.Equal(t, want.Dtype(), got.Dtype(), name)
			require.Equal(t, tensor.Shape(shape), got.Shape(), name)
			if size := want.Shape().TotalSize() * int(of.Size()); size > 0 {
				require.Equal(t, want.Uint8s()[:size], got.Uint8s()[:size], "%s of shape %v, order %d", name, shape, i%4)
			}
		}
		_, err = dense.ReadNpy(f)
		require.ErrorIs(t, err, io.EOF)
	}
}
