package dense_test

import (
	"bytes"
	"errors"
	"io"
	"math/bits"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// npyArrays are the values of an array of every dtype that NumPy has, with the greatest
// and the least numbers in it, and what it is read as.
var npyArrays = []struct {
	backing any
	read    tensor.Dtype
}{
	{[]bool{true, false, true, true, false, true}, tensor.Bool},
	{[]int8{-128, 127, 0, 1, 2, 3}, tensor.Int8},
	{[]int16{-32768, 32767, 0, 1, 2, 3}, tensor.Int16},
	{[]int32{-1 << 31, 1<<31 - 1, 0, 1, 2, 3}, tensor.Int32},
	{[]int64{-1 << 63, 1<<63 - 1, 0, 1, 2, 3}, tensor.Int64},
	{[]uint8{255, 0, 1, 2, 3, 4}, tensor.Uint8},
	{[]uint16{65535, 0, 1, 2, 3, 4}, tensor.Uint16},
	{[]uint32{1<<32 - 1, 0, 1, 2, 3, 4}, tensor.Uint32},
	{[]uint64{1<<64 - 1, 0, 1, 2, 3, 4}, tensor.Uint64},
	{[]float16.Float16{0x3c00, 0xbc00, 0x7c00, 1, 2, 3}, dense.Float16},
	{[]float32{1.5, -2.5, 0, 1, 2, 3}, tensor.Float32},
	{[]float64{1.5, -2.5, 0, 1, 2, 3}, tensor.Float64},
	{[]complex64{1 + 2i, -3i, 0, 1, 2, 3}, tensor.Complex64},
	{[]complex128{1 + 2i, -3i, 0, 1, 2, 3}, tensor.Complex128},
}

func written(t *testing.T, d *tensor.Dense) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := dense.WriteNpy(&file, d); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestNpyEveryDtype writes tensors of every dtype, in every layout, and reads them
// again, one after the other.
func TestNpyEveryDtype(t *testing.T) {
	for _, c := range npyArrays {
		v := reflect.ValueOf(c.backing)
		shaped := func(n int, shape ...int) *tensor.Dense {
			return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v.Slice(0, n).Interface()))
		}
		columns := tensor.New(tensor.WithShape(2, 3), tensor.AsFortran(c.backing))
		rows := reflect.MakeSlice(v.Type(), 0, 6)
		for _, i := range []int{0, 2, 4, 1, 3, 5} { // as the rows of columns
			rows = reflect.Append(rows, v.Index(i))
		}
		slice, err := shaped(6, 3, 2).Slice(nil, tensor.S(1))
		if err != nil {
			t.Fatal(err)
		}
		second := reflect.Append(reflect.MakeSlice(v.Type(), 0, 3), v.Index(1), v.Index(3), v.Index(5))
		var file bytes.Buffer
		for _, l := range []struct {
			name  string
			d     *tensor.Dense
			shape []int
			want  reflect.Value
		}{
			{"a matrix", shaped(6, 2, 3), []int{2, 3}, v},
			{"a vector", shaped(6, 6), []int{6}, v},
			{"one element", shaped(1, 1), []int{1}, v.Slice(0, 1)},
			{"a scalar", tensor.New(tensor.FromScalar(v.Index(0).Interface())), []int{}, v.Slice(0, 1)},
			{"column-major", columns, []int{2, 3}, rows},
			{"a sliced column", slice.(*tensor.Dense), []int{3}, second},
			{"nothing", tensor.NewDense(c.read, tensor.Shape{0, 3}), []int{0, 3}, v.Slice(0, 0)},
		} {
			file.Reset()
			for range 2 {
				if err := dense.WriteNpy(&file, l.d); err != nil {
					t.Fatalf("%v, %s: %v", c.read, l.name, err)
				}
			}
			for range 2 {
				got, err := dense.ReadNpy(iotest.HalfReader(&file))
				if err != nil {
					t.Fatalf("%v, %s: %v", c.read, l.name, err)
				}
				if got.Dtype() != c.read || !reflect.DeepEqual([]int(got.Shape()), l.shape) {
					t.Fatalf("%v, %s: read as %v of shape %v", c.read, l.name, got.Dtype(), got.Shape())
				}
				if size := l.want.Len() * int(c.read.Size()); size > 0 && !bytes.Equal(got.Uint8s()[:size], memory(l.want)) {
					t.Fatalf("%v, %s: other bytes", c.read, l.name)
				}
			}
			if _, err := dense.ReadNpy(&file); !errors.Is(err, io.EOF) {
				t.Errorf("%v, %s: behind the last array: %v", c.read, l.name, err)
			}
		}
	}
}

// memory is the bytes of a slice.
func memory(v reflect.Value) []byte {
	return tensor.New(tensor.WithShape(v.Len()), tensor.WithBacking(v.Interface())).Uint8s()[:v.Len()*int(v.Type().Elem().Size())]
}

// TestNpyInt writes int and uint, which are read as of 64 bits.
func TestNpyInt(t *testing.T) {
	for _, c := range []struct {
		backing any
		wide    []int64
		dtypes  [2]tensor.Dtype
	}{
		{[]int{-5, 7}, []int64{-5, 7}, [2]tensor.Dtype{tensor.Int32, tensor.Int64}},
		{[]uint{5, 7}, []int64{5, 7}, [2]tensor.Dtype{tensor.Uint32, tensor.Uint64}},
	} {
		got, err := dense.ReadNpy(bytes.NewReader(written(t, tensor.New(tensor.WithBacking(c.backing)))))
		if err != nil {
			t.Fatal(err)
		}
		if want := c.dtypes[^uint(0)>>63]; got.Dtype() != want {
			t.Errorf("read as %v, want %v", got.Dtype(), want)
		}
		for i, w := range c.wide {
			v, err := got.At(i)
			if r := reflect.ValueOf(v); err != nil || r.CanInt() && r.Int() != w || r.CanUint() && r.Uint() != uint64(w) {
				t.Errorf("element %d is %v, want %d", i, v, w)
			}
		}
	}
}

// TestNpyBool reads bytes that NumPy takes for True, but which are no bool of Go.
func TestNpyBool(t *testing.T) {
	file := written(t, tensor.New(tensor.WithBacking([]bool{false, true, true})))
	copy(file[len(file)-3:], []byte{0, 7, 255})
	got, err := dense.ReadNpy(bytes.NewReader(file))
	if err != nil || !bytes.Equal(got.Uint8s(), []byte{0, 1, 1}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestReadNpyOrders reads arrays of either byte order and order of axes, whose bytes are
// by hand.
func TestReadNpyOrders(t *testing.T) {
	fortran := func(file []byte) []byte { return bytes.Replace(file, []byte("False"), []byte("True "), 1) }
	for _, c := range []struct {
		name string
		file []byte
		data string
		want any
	}{
		{"big-endian int16", promise(">i2", "(2, 3)"), "\x00\x01\x00\x02\x01\x00\xff\xfe\x00\x00\x00\x05", []int16{1, 2, 256, -2, 0, 5}},
		{"big-endian float64", promise(">f8", "(1,)"), "\xbf\xf8\x00\x00\x00\x00\x00\x00", []float64{-1.5}},
		{"big-endian complex64", promise(">c8", "(1,)"), "\x3f\x80\x00\x00\xc0\x00\x00\x00", []complex64{1 - 2i}},
		{"Fortran's order", fortran(promise("|u1", "(2, 3)")), "\x01\x04\x02\x05\x03\x06", []uint8{1, 2, 3, 4, 5, 6}},
		{"Fortran's order of three axes", fortran(promise("|u1", "(2, 3, 2)")), "\x01\x07\x03\x09\x05\x0b\x02\x08\x04\x0a\x06\x0c", []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{"Fortran's order of bools", fortran(promise("|b1", "(2, 2)")), "\x01\x02\x00\x00", []bool{true, false, true, false}},
		{"Fortran's order of a vector", fortran(promise("<i2", "(3,)")), "\x01\x00\x02\x00\x03\x00", []int16{1, 2, 3}},
		{"both", fortran(promise(">u2", "(2, 2)")), "\x00\x01\x00\x03\x00\x02\x00\x04", []uint16{1, 2, 3, 4}},
		{"both, of nothing", fortran(promise(">u2", "(2, 0)")), "", []uint16{}},
	} {
		r := strings.NewReader(string(c.file) + c.data + "next")
		got, err := dense.ReadNpy(r)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := reflect.ValueOf(c.want)
		if got.Dtype().Type != want.Type().Elem() || want.Len() > 0 && !reflect.DeepEqual(got.Data(), c.want) || got.Shape().TotalSize() != want.Len() {
			t.Errorf("%s: got %v of shape %v, want %v", c.name, got, got.Shape(), c.want)
		}
		if r.Len() != len("next") {
			t.Errorf("%s: %d bytes are left", c.name, r.Len())
		}
	}
}

// TestReadNpyLimit reads arrays that are as large as is allowed, and larger.
func TestReadNpyLimit(t *testing.T) {
	file := written(t, tensor.New(tensor.WithBacking([]float32{1, 2, 3})))
	for limit, want := range map[int64]error{12: nil, 11: dense.ErrMaxBytes, 0: dense.ErrOption, -1: dense.ErrOption} {
		if _, err := dense.ReadNpy(bytes.NewReader(file), dense.WithMaxBytes(limit)); !errors.Is(err, want) {
			t.Errorf("WithMaxBytes(%d): %v, want %v", limit, err, want)
		}
	}
	_, err := dense.ReadNpy(bytes.NewReader(promise("<f4", "(1099511627776,)")))
	if err == nil || bits.UintSize == 64 && !errors.Is(err, dense.ErrMaxBytes) { // in 32 bits no shape is so large
		t.Errorf("of 4 TiB: %v", err)
	}
}

// promise is a file that ends where its data should begin.
func promise(descr, shape string) []byte {
	text := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n"
	return append([]byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(text)), 0})), text...)
}

// TestReadNpyPromise reads little where a header promises much, and takes little memory.
func TestReadNpyPromise(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := dense.ReadNpy(io.MultiReader(bytes.NewReader(promise("<c16", "(100000000,)")), strings.NewReader("short")))
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("got %v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 80<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
}

// TestReadNpyLarge reads an array in several pieces.
func TestReadNpyLarge(t *testing.T) {
	n := 65 << 20
	d := tensor.New(tensor.WithShape(n/4), tensor.Of(tensor.Int32))
	values := d.Int32s()
	for i := range values {
		values[i] = int32(i)
	}
	got, err := dense.ReadNpy(bytes.NewReader(written(t, d)))
	if err != nil || !slices.Equal(got.Int32s(), d.Int32s()) {
		t.Errorf("not what was written: %v", err)
	}
}

// TestNpyErrors refuses what cannot be written or read.
func TestNpyErrors(t *testing.T) {
	one := []float32{1, 2}
	masked := tensor.New(tensor.WithBacking(one))
	masked.ResetMask(true)
	for _, c := range []struct {
		name, text string
		d          *tensor.Dense
		want       error
	}{
		{"nil", "the tensor is nil", nil, dense.ErrLayout},
		{"nothing", "dtype none", &tensor.Dense{}, dense.ErrDtype},
		{"strings", "the tensor has dtype string, allowed are bool, integers", tensor.New(tensor.WithBacking([]string{"a", "b"})), dense.ErrDtype},
		{"bfloat16", "NumPy has no bfloat16", tensor.New(tensor.WithBacking([]dense.BF16{1, 2})), dense.ErrDtype},
		{"another type", "dtype hidden", tensor.New(tensor.WithBacking([]hidden{1, 2})), dense.ErrDtype},
		{"masked", "masked", masked, dense.ErrLayout},
		{"65 axes", "65 axes are more than the 64", tensor.New(tensor.WithShape(slicesOfOnes(65)...), tensor.WithBacking(one[:1])), dense.ErrShape},
	} {
		var file bytes.Buffer
		err := dense.WriteNpy(&file, c.d)
		if !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "WriteNpy: ") || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.text)
		}
		if file.Len() > 0 {
			t.Errorf("%s: %d bytes were written", c.name, file.Len())
		}
	}
	sound := tensor.New(tensor.WithBacking(one))
	broken := errors.New("broken")
	for n := range int64(2) {
		if err := dense.WriteNpy(&failing{after: n, err: broken}, sound); !errors.Is(err, broken) {
			t.Errorf("a writer that fails at write %d: %v", n, err)
		}
	}
	for name, w := range map[string]io.Writer{"nil": nil, "a nil pointer": (*bytes.Buffer)(nil)} {
		if err := dense.WriteNpy(w, sound); err == nil || !strings.Contains(err.Error(), "the writer is nil") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, r := range map[string]io.Reader{"nil": nil, "a nil pointer": (*bytes.Buffer)(nil)} {
		if _, err := dense.ReadNpy(r); err == nil || !strings.Contains(err.Error(), "the reader is nil") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for text, file := range map[string][]byte{
		"strings (<U3)":                  promise("<U3", "(2,)"),
		"two bytes without a type (|V2)": promise("|V2", "(2,)"),
		"in which byte order":            promise("=f8", "(2,)"),
		"the file is truncated":          promise(">f8", "(2,)"),
		"which no memory could hold":     promise("<f8", "(99999999999999999999,)"),
	} {
		if _, err := dense.ReadNpy(bytes.NewReader(file)); err == nil || !strings.HasPrefix(err.Error(), "ReadNpy: ") || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %s", err, text)
		}
	}
}

// hidden is a type of which NumPy knows nothing.
type hidden int32

func slicesOfOnes(n int) []int {
	ones := make([]int, n)
	for i := range ones {
		ones[i] = 1
	}
	return ones
}

// failing is a writer that fails after some writes.
type failing struct {
	after int64
	err   error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, f.err
	}
	return len(p), nil
}

// FuzzReadNpy reads anything: what it takes is written as it was read.
func FuzzReadNpy(f *testing.F) {
	for _, c := range npyArrays {
		var file bytes.Buffer
		if err := dense.WriteNpy(&file, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking(c.backing))); err != nil {
			f.Fatal(err)
		}
		f.Add(file.Bytes())
	}
	f.Add(promise("<f4", "()"))
	f.Add(append(bytes.Replace(promise(">c8", "(2, 1)"), []byte("False"), []byte("True "), 1), make([]byte, 16)...))
	f.Add(promise("|b1", "(0, 99999999999)"))
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := dense.ReadNpy(bytes.NewReader(file), dense.WithMaxBytes(1<<20))
		if err != nil {
			return
		}
		again, err := dense.ReadNpy(bytes.NewReader(written(t, d)))
		if err != nil || again.Dtype() != d.Dtype() || !again.Shape().Eq(d.Shape()) {
			t.Fatalf("%v of shape %v is read again as %v, %v", d.Dtype(), d.Shape(), again, err)
		}
		if size := d.Shape().TotalSize() * int(d.Dtype().Size()); size > 0 && !bytes.Equal(d.Uint8s()[:size], again.Uint8s()[:size]) {
			t.Fatalf("other bytes: %v", file)
		}
	})
}
