// Package npy reads and writes the headers of NumPy's .npy files, whose data then
// are plain memory: little-endian numbers, the last axis fastest.
//
// A file is the six bytes \x93NUMPY, a version of two bytes, the length of the
// header in two bytes (version 1.0) or four (2.0), the header, and the data. The
// header is a Python dictionary as text:
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 64), }
//
// filled with blanks up to a line feed, so that the data begin at a multiple of 64
// or more.
// Source: numpy.lib.format, NEP 1.
//
// What is not such a file, or holds what is no number, is an error that says what was
// found and what is allowed; so is another byte order or another order of axes, but for
// ReadAny.
// Nothing here trusts a length that it reads.
package npy

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
)

const (
	magic = "\x93NUMPY"

	// Line is where NumPy lets the data begin since 1.14: at a multiple of a line of
	// the processor's cache.
	Line = 64

	// Page is where they begin in a file that is to be mapped: so a row of 256 bytes
	// lies in one page of memory, and not now and then in two, each of which would be
	// read from the disk.
	Page = 4096

	// mostAxes is the rank of the largest array that NumPy has.
	mostAxes = 64

	// mostHeader bounds the headers that are read. One of mostAxes axes takes some
	// 1400 bytes; NumPy refuses those above 10 000. The length of version 2.0 may
	// say 4 GiB.
	mostHeader = 1 << 16
)

// descriptions are the kinds of numbers that are read and written, as a header
// names them: those that NumPy has, which bfloat16 is not among.
var descriptions = [num.Kinds]struct {
	descr string // behind the sign of the byte order
	name  string
}{
	num.Bool: {"b1", "bool"},
	num.Int8: {"i1", "int8"}, num.Int16: {"i2", "int16"}, num.Int32: {"i4", "int32"}, num.Int64: {"i8", "int64"},
	num.Uint8: {"u1", "uint8"}, num.Uint16: {"u2", "uint16"}, num.Uint32: {"u4", "uint32"}, num.Uint64: {"u8", "uint64"},
	num.Float16: {"f2", "float16"}, num.Float32: {"f4", "float32"}, num.Float64: {"f8", "float64"},
	num.Complex64: {"c8", "complex64"}, num.Complex128: {"c16", "complex128"},
}

// Allowed are those kinds in words.
const Allowed = "bool, integers, float16, float32, float64, complex64 and complex128"

// Header says what the data of a file are.
type Header struct {
	Kind  num.Kind
	Shape []int
}

// Name is the kind as NumPy calls it.
func Name(kind num.Kind) string {
	if int(kind) < len(descriptions) && descriptions[kind].name != "" {
		return descriptions[kind].name
	}
	return "kind " + strconv.Itoa(int(kind))
}

// Bytes is the size of the data. It fails for a shape that no memory could hold.
func (h Header) Bytes() (int64, error) {
	bytes := int64(h.Kind.Width())
	for _, n := range h.Shape {
		switch {
		case n < 0:
			return 0, errors.Errorf("the shape %s has a negative axis", fault.Shape(h.Shape))
		case n > 0 && bytes > math.MaxInt64/int64(n): // even if another axis is 0: NumPy refuses it, too
			return 0, errors.Errorf("an array of shape %s is larger than any memory", fault.Shape(h.Shape))
		}
		bytes *= int64(max(n, 1))
	}
	if slices.Contains(h.Shape, 0) {
		return 0, nil
	}
	return bytes, nil
}

// Encode is the beginning of a file, up to its data, in version 1.0. They begin at
// a multiple of alignment, Line or Page.
func (h Header) Encode(alignment int) ([]byte, error) {
	descr := ""
	if int(h.Kind) < len(descriptions) {
		descr = descriptions[h.Kind].descr
	}
	switch {
	case descr == "":
		return nil, errors.Errorf("%s cannot be written to a .npy file; %s can", Name(h.Kind), Allowed)
	case h.Kind.Width() == 1:
		descr = "|" + descr
	default:
		descr = "<" + descr
	}
	if len(h.Shape) > mostAxes {
		return nil, errors.Errorf("%d axes are more than the %d that NumPy has", len(h.Shape), mostAxes)
	}
	if _, err := h.Bytes(); err != nil {
		return nil, err
	}
	text := []byte("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (")
	for axis, n := range h.Shape {
		if axis > 0 {
			text = append(text, ' ')
		}
		text = append(strconv.AppendInt(text, int64(n), 10), ',')
	}
	if len(h.Shape) > 1 { // (1000, 64), but (1000,)
		text = text[:len(text)-1]
	}
	text = append(text, "), }"...)

	const lead = len(magic) + 2 + 2
	for (lead+len(text)+1)%alignment != 0 {
		text = append(text, ' ')
	}
	text = append(text, '\n')
	head := append([]byte(magic), 1, 0, byte(len(text)), byte(len(text)>>8))
	return append(head, text...), nil
}

// CheckMachine is an error on a machine whose numbers are not in the order of
// bytes that the files here have.
func CheckMachine() error {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return errors.New("files are little-endian, and this machine is not")
	}
	return nil
}
