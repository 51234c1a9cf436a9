package npy_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"gorgonia.org/gather/internal/npy"
	"gorgonia.org/gather/internal/num"
)

// file is a file of a version, with this header and data.
func file(major byte, text, data string) string {
	head := "\x93NUMPY" + string([]byte{major, 0})
	if major == 1 {
		return head + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text + data
	}
	return head + string(binary.LittleEndian.AppendUint32(nil, uint32(len(text)))) + text + data
}

// TestEncode writes what NumPy 2.4 writes, byte for byte.
func TestEncode(t *testing.T) {
	for _, c := range []struct {
		header npy.Header
		want   string
	}{
		{npy.Header{Kind: num.Float32, Shape: []int{3, 4}}, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"},
		{npy.Header{Kind: num.Float64, Shape: []int{3}}, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"},
		{npy.Header{Kind: num.Int32, Shape: []int{}}, "{'descr': '<i4', 'fortran_order': False, 'shape': (), }"},
		{npy.Header{Kind: num.Int64, Shape: []int{0, 5}}, "{'descr': '<i8', 'fortran_order': False, 'shape': (0, 5), }"},
		{npy.Header{Kind: num.Bool, Shape: []int{2}}, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }"},
		{npy.Header{Kind: num.Complex128, Shape: []int{2}}, "{'descr': '<c16', 'fortran_order': False, 'shape': (2,), }"},
	} {
		got, err := c.header.Encode(npy.Line)
		if err != nil {
			t.Fatal(err)
		}
		want := "\x93NUMPY\x01\x00v\x00" + c.want + strings.Repeat(" ", 117-len(c.want)) + "\n"
		if string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	axes := make([]int, 64)
	for i := range axes {
		axes[i] = i%3 + 1
	}
	got, err := (npy.Header{Kind: num.Int32, Shape: axes[:40]}).Encode(npy.Line)
	if err != nil || len(got) != 192 || got[191] != '\n' {
		t.Errorf("a header of many axes: %d bytes, error %v", len(got), err)
	}
}

func TestEncodeErrors(t *testing.T) {
	for text, h := range map[string]npy.Header{
		"cannot be written":     {Kind: num.BFloat16, Shape: []int{1}},
		"65 axes are more":      {Kind: num.Float32, Shape: make([]int, 65)},
		"a negative axis":       {Kind: num.Float32, Shape: []int{2, -1}},
		"larger than any":       {Kind: num.Float32, Shape: []int{math.MaxInt, math.MaxInt}},
		"larger than any memor": {Kind: num.Float32, Shape: []int{0, math.MaxInt, math.MaxInt}}, // which NumPy does not read
		"kind 0 cannot be writ": {},
	} {
		if _, err := h.Encode(npy.Page); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v: error %v, want %s", h, err, text)
		}
	}
}

// TestRead reads what NumPy and others write, and not a byte of the data.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       npy.Header
	}{
		{"version 1.0", file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n", "data"), npy.Header{Kind: num.Float32, Shape: []int{3, 4}}},
		{"version 2.0", file(2, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n", "data"), npy.Header{Kind: num.Float64, Shape: []int{3}}},
		{"a long header", file(2, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"+strings.Repeat(" ", 60000)+"\n", "data"), npy.Header{Kind: num.Float64, Shape: []int{3}}},
		{"other order, no blanks", file(1, `{"shape":(7,),"fortran_order":False,"descr":"<i8"}`, "data"), npy.Header{Kind: num.Int64, Shape: []int{7}}},
		{"a scalar", file(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (), }", "data"), npy.Header{Kind: num.Int32, Shape: []int{}}},
		{"Python 2", file(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (3L, 40000000000L), }", "data"), npy.Header{Kind: num.Int32, Shape: []int{3, 40000000000 & math.MaxInt}}},
	} {
		if strings.Contains(c.file, "40000000000") && math.MaxInt == math.MaxInt32 {
			continue // no shape of a 32-bit system
		}
		for how, r := range map[string]io.Reader{
			"at once":      strings.NewReader(c.file),
			"byte by byte": iotest.OneByteReader(strings.NewReader(c.file)),
		} {
			got, at, err := npy.Read(r)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s, %s: %v, error %v; want %v", c.name, how, got, err, c.want)
			}
			if at != int64(len(c.file)-4) {
				t.Errorf("%s, %s: the data begin at %d, want %d", c.name, how, at, len(c.file)-4)
			}
			if rest, err := io.ReadAll(r); err != nil || string(rest) != "data" {
				t.Errorf("%s, %s: %q is left, error %v", c.name, how, rest, err)
			}
		}
	}
}

// TestReadErrors names what is wrong with a file.
func TestReadErrors(t *testing.T) {
	whole := file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", "")
	header := func(descr, order, shape string) string {
		return file(1, "{'descr': "+descr+", 'fortran_order': "+order+", 'shape': "+shape+", }\n", "")
	}
	for _, c := range []struct{ name, file, text string }{
		{"empty", "", "the file is empty"},
		{"text", "user,item\n1,2\n", `no .npy file: it begins with "user,ite", not with`},
		{"an archive", "PK\x03\x04....", "a zip file; the arrays of a .npz file can be read once they are unpacked"},
		{"only magic", "\x93NUM", `no .npy file: it begins with "\x93NUM"`},
		{"no version", "\x93NUMPY", "ends after 6 bytes, within its header"},
		{"version 3.0", file(3, "{}", ""), "version 3.0 of the .npy format; 1.0 and 2.0 are allowed"},
		{"version 1.1", "\x93NUMPY\x01\x01\x02\x00{}", "version 1.1"},
		{"a header without end", whole[:30], "ends after 30 bytes, within its header"},
		{"a header of 4 GiB", "\x93NUMPY\x02\x00\xff\xff\xff\xff{", "a header of 4294967295 bytes; 65536 are allowed"},
		{"no dictionary", file(1, "[]", ""), `"{" is expected, not "[]"`},
		{"nothing", file(1, "", ""), `ends where "{" is expected`},
		{"no end", file(1, "{'descr': '<f4'", ""), `ends where "," is expected`},
		{"a string without end", file(1, "{'descr", ""), "a string without an end"},
		{"an escape", file(1, `{'de\'scr': 1}`, ""), "with an escape"},
		{"no comma", file(1, "{'descr': '<f4' 'shape': ()}", ""), `"," is expected`},
		{"an unknown key", file(1, "{'descr': '<f4', 'colour': 3}", ""), "the key colour; descr, fortran_order and shape are allowed"},
		{"twice", file(1, "{'descr': '<f4', 'descr': '<f4'}", ""), "the key descr twice"},
		{"a key too few", file(1, "{'descr': '<f4', 'fortran_order': False}", ""), "lacks the key shape"},
		{"more behind", file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': ()} 7", ""), "goes on behind its dictionary"},
		{"big-endian", header("'>f4'", "False", "(3,)"), "big-endian float32 (>f4); bool, integers, float16, float32, float64, complex64 and complex128 in little-endian order are allowed"},
		{"no byte order", header("'f8'", "False", "(3,)"), "does not say in which byte order its float64 are (f8)"},
		{"the machine's byte order", header("'=f8'", "False", "(3,)"), "does not say in which byte order"},
		{"dates", header("'<M8[s]'", "False", "(3,)"), `of type "<M8[s]"`},
		{"long double", header("'<f16'", "False", "(3,)"), `of type "<f16"`},
		{"two signs", header("'<<f4'", "False", "(3,)"), `of type "<<f4"`},
		{"no type", header("'<'", "False", "(3,)"), `of type "<"`},
		{"text", header("'<U5'", "False", "(3,)"), "strings (<U5)"},
		{"bytes", header("'|S5'", "False", "(3,)"), "strings (|S5)"},
		{"bfloat16", header("'<V2'", "False", "(3,)"), "as which a bfloat16 is written"},
		{"objects", header("'|O'", "False", "(3,)"), `of type "|O"`},
		{"fields", header("[('a', '<f4')]", "False", "(3,)"), "several fields"},
		{"a field with axes", header("('<f4', (2,))", "False", "(3,)"), "several fields or axes"},
		{"Fortran's order", header("'<f4'", "True", "(3, 4)"), "Fortran's order; C's order is allowed"},
		{"no order", header("'<f4'", "0", "(3, 4)"), "True or False is expected"},
		{"no tuple", header("'<f4'", "False", "3"), `"(" is expected`},
		{"a number in parentheses", header("'<f4'", "False", "(3)"), `"," is expected`},
		{"a negative size", header("'<f4'", "False", "(-3,)"), "a size is expected"},
		{"a size with a point", header("'<f4'", "False", "(3.5,)"), `"," is expected`},
		{"a huge size", header("'<f4'", "False", "(99999999999999999999,)"), "which no memory could hold"},
		{"a size that begins with 0", header("'<f4'", "False", "(2, 03)"), "a size"},
		{"none of a huge row", header("'<f4'", "False", "(0, 2000000000, 2000000000, 2000000000)"), "larger than any memory"},
		{"a huge product", header("'<f4'", "False", "(2000000000, 2000000000, 2000000000)"), "larger than any memory"},
		{"many axes", header("'<f4'", "False", "("+strings.Repeat("1, ", 65)+")"), "more than the 64 axes"},
	} {
		if h, _, err := npy.Read(strings.NewReader(c.file)); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, error %v; want %s", c.name, h, err, c.text)
		} else if len(err.Error()) > 400 {
			t.Errorf("%s: an error of %d bytes", c.name, len(err.Error()))
		}
	}
	broken := errors.New("broken")
	for n := range len(whole) {
		r := io.MultiReader(strings.NewReader(whole[:n]), iotest.ErrReader(broken))
		if _, _, err := npy.Read(r); !errors.Is(err, broken) {
			t.Errorf("a reader that fails after %d bytes: error %v", n, err)
		}
		if _, _, err := npy.Read(strings.NewReader(whole[:n])); err == nil {
			t.Errorf("no error after %d bytes", n)
		}
	}
}

func TestReadData(t *testing.T) {
	data := make([]byte, 4)
	if err := npy.ReadData(iotest.OneByteReader(strings.NewReader("abcdef")), data); err != nil || string(data) != "abcd" {
		t.Errorf("%q, error %v", data, err)
	}
	for _, rest := range []string{"", "abc"} {
		if err := npy.ReadData(strings.NewReader(rest), data); err == nil || !strings.Contains(err.Error(), "truncated: of the next 4 bytes") {
			t.Errorf("%q: error %v", rest, err)
		}
	}
	broken := errors.New("broken")
	if err := npy.ReadData(iotest.ErrReader(broken), data); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestCheckSize(t *testing.T) {
	h := npy.Header{Kind: num.Float64, Shape: []int{3, 2}}
	for size, text := range map[int64]string{
		128 + 48: "",
		128 + 47: "truncated: its header promises 48 bytes of data, it has 47",
		100:      "it has 0",
		128 + 50: "goes on for 2 bytes behind its array",
	} {
		if err := h.CheckSize(128, size); (err == nil) != (text == "") || err != nil && !strings.Contains(err.Error(), text) {
			t.Errorf("%d bytes: error %v, want %s", size, err, text)
		}
	}
}

// FuzzRead reads anything. What it takes for a header is written and read again
// the same, and no reading takes more memory than the header may have.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n",
		"{'descr': '>f4', 'fortran_order': True, 'shape': (3,), }\n",
		`{"shape":(7L,),"fortran_order":False,"descr":"<i8"}`,
		"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}",
	} {
		f.Add([]byte(file(1, text, "data")))
		f.Add([]byte(file(2, text, "")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		h, at, err := npy.Read(r)
		if err != nil {
			return
		}
		if at != int64(len(data)-r.Len()) {
			t.Fatalf("the data begin at %d, but %d bytes are read", at, len(data)-r.Len())
		}
		again, err := h.Encode(npy.Page)
		if err != nil {
			t.Fatalf("%v was read and cannot be written: %v", h, err)
		}
		second, at, err := npy.Read(bytes.NewReader(again))
		if err != nil || !reflect.DeepEqual(second, h) || at != int64(len(again)) || at%4096 != 0 {
			t.Fatalf("%v became %v at %d, error %v", h, second, at, err)
		}
	})
}
