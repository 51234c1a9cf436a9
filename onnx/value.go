package onnx

import (
	"fmt"
	"math"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// A Value is an input or an output as the model declares it.
type Value struct {
	Name  string
	Dtype tensor.Dtype // the zero Dtype where the model declares none
	Shape []int        // nil where the model declares none; -1 is an open dim
	Dims  []string     // the names of open dims, "" for the others

	dataType int32 // in TensorProto.DataType
	other    kind
}

// A kind is what a value is instead of a tensor.
type kind uint8

// The fields of TypeProto of the types that are no tensors, and what they are.
var kinds = [...]string{0: "a tensor", 4: "a sequence", 5: "a map", 7: "an opaque value", 8: "a sparse tensor", 9: "an optional value"}

// String reads like a declaration: x float (2, batch, 3). Of names that only a
// hostile file has it shows the beginning, and of as many dims.
func (v Value) String() string {
	what := "of no declared type"
	switch {
	case v.other != 0:
		what = kinds[v.other]
	case v.dataType != 0:
		what = strings.ToLower(dataTypeName(v.dataType))
	}
	name := fault.Cut(v.Name)
	if v.Shape == nil {
		return fmt.Sprintf("%s %s of no declared shape", name, what)
	}
	dims := make([]string, len(v.Shape))
	for d, n := range v.Shape {
		switch {
		case n >= 0:
			dims[d] = fmt.Sprint(n)
		case d < len(v.Dims) && v.Dims[d] != "":
			dims[d] = v.Dims[d]
		default:
			dims[d] = "?"
		}
	}
	return fmt.Sprintf("%s %s (%s)", name, what, opset.List(dims))
}

// fourBits says that the elements are numbers of 4 bits, nil if they are not.
func (v Value) fourBits() *packedInts {
	if wideDtype(v.dataType).Type == nil {
		return nil
	}
	return &packedInts{dataType: v.dataType, wide: true}
}

// admits reports whether a tensor of that shape may be given for v.
func (v Value) admits(shape []int) bool {
	if len(shape) != len(v.Shape) {
		return false
	}
	for d, n := range v.Shape {
		if n >= 0 && n != shape[d] {
			return false
		}
	}
	return true
}

// parseValue reads a ValueInfoProto.
func parseValue(b []byte) (Value, error) {
	var v valueProto
	err := v.parse(b)
	return v.Value, err
}

// A valueProto is a ValueInfoProto.
type valueProto struct {
	Value
	dims  []int // lists to use again: see parse
	names []string
}

// parse makes v the value of a message. It takes the lists of the value before:
// in a file of a hundred thousand values each one would cost its own.
func (v *valueProto) parse(b []byte) error {
	v.Value = Value{}
	err := eachField("ValueInfoProto", b, func(f field) (err error) {
		switch f.number {
		case 1:
			v.Name, err = f.text()
		case 2:
			var t []byte
			if t, err = f.message(); err == nil {
				err = v.parseType(t)
			}
		}
		return err
	})
	if err == nil && v.Name == "" {
		err = errors.New("ValueInfoProto: no name")
	}
	return err
}

// parseType reads a TypeProto. Of the types that are no tensors only the fact
// is kept, however deep they nest.
func (v *valueProto) parseType(b []byte) error {
	return eachField("TypeProto", b, func(f field) error {
		switch f.number {
		case 1:
			t, err := f.message()
			if err != nil {
				return err
			}
			return v.parseTensorType(t)
		case 4, 5, 7, 8, 9:
			v.other = kind(f.number)
		}
		return nil
	})
}

func (v *valueProto) parseTensorType(b []byte) error {
	return eachField("TypeProto.Tensor", b, func(f field) error {
		switch f.number {
		case 1:
			n, err := f.integer()
			v.dataType = int32(n)
			if v.Dtype = elements[v.dataType].dtype; v.Dtype.Type == nil {
				v.Dtype = wideDtype(v.dataType)
			}
			return err
		case 2:
			s, err := f.message()
			if err != nil {
				return err
			}
			return v.parseShape(s)
		}
		return nil
	})
}

// parseShape reads a TensorShapeProto. It counts the dims first, since a list
// that grows takes several times the memory.
func (v *valueProto) parseShape(b []byte) error {
	rank := 0
	err := eachField("TensorShapeProto", b, func(f field) error {
		if f.number == 1 {
			rank++
		}
		return nil
	})
	if err != nil {
		return err
	}
	if rank > maxRank {
		return errors.Errorf("TensorShapeProto: more than %d dims", maxRank)
	}
	v.dims, v.names = room(v.dims, rank), room(v.names, rank)
	v.Shape, v.Dims = v.dims, v.names
	return eachField("TensorShapeProto", b, func(f field) error {
		if f.number != 1 {
			return nil
		}
		d, err := f.message()
		if err != nil {
			return err
		}
		return v.parseDim(d)
	})
}

func (v *valueProto) parseDim(b []byte) error {
	size, name := -1, ""
	err := eachField("Dimension", b, func(f field) (err error) {
		switch f.number {
		case 1:
			var n int64
			if n, err = f.integer(); err == nil && n > math.MaxInt {
				return errors.Errorf("dim %d", n)
			}
			// Some writers mark an open dim by a negative one.
			size = int(max(n, -1))
		case 2:
			name, err = f.text()
		}
		return err
	})
	v.Shape, v.Dims = append(v.Shape, size), append(v.Dims, name)
	return err
}
