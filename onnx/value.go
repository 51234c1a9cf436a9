package onnx

import (
	"fmt"
	"math"
	"strings"

	"github.com/pkg/errors"
	"gorgonia.org/tensor"
)

// A Value is an input or an output as the model declares it.
type Value struct {
	Name  string
	Dtype tensor.Dtype // the zero Dtype where the model declares none
	Shape []int        // nil where the model declares none; -1 is an open dim
	Dims  []string     // the names of open dims, "" for the others

	dataType int32  // in TensorProto.DataType
	refusal  string // what the value is instead of a tensor, "" for a tensor
}

// String reads like a declaration: x float (2, batch, 3).
func (v Value) String() string {
	kind := "of no declared type"
	switch {
	case v.refusal != "":
		kind = v.refusal
	case v.dataType != 0:
		kind = strings.ToLower(dataTypeName(v.dataType))
	}
	if v.Shape == nil {
		return fmt.Sprintf("%s %s of no declared shape", v.Name, kind)
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
	return fmt.Sprintf("%s %s (%s)", v.Name, kind, strings.Join(dims, ", "))
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

func names(values []Value) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v.Name
	}
	return list
}

// parseValue reads a ValueInfoProto.
func parseValue(b []byte) (Value, error) {
	var v Value
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
	return v, err
}

// parseType reads a TypeProto. Of the types that are no tensors only the fact
// is kept, however deep they nest.
func (v *Value) parseType(b []byte) error {
	return eachField("TypeProto", b, func(f field) error {
		switch f.number {
		case 1:
			t, err := f.message()
			if err != nil {
				return err
			}
			return v.parseTensorType(t)
		case 4:
			v.refusal = "a sequence"
		case 5:
			v.refusal = "a map"
		case 7:
			v.refusal = "an opaque value"
		case 8:
			v.refusal = "a sparse tensor"
		case 9:
			v.refusal = "an optional value"
		}
		return nil
	})
}

func (v *Value) parseTensorType(b []byte) error {
	return eachField("TypeProto.Tensor", b, func(f field) error {
		switch f.number {
		case 1:
			n, err := f.integer()
			v.dataType = int32(n)
			v.Dtype = elements[v.dataType].dtype
			return err
		case 2:
			s, err := f.message()
			if err != nil {
				return err
			}
			v.Shape, v.Dims = []int{}, nil
			return eachField("TensorShapeProto", s, func(f field) error {
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
		return nil
	})
}

func (v *Value) parseDim(b []byte) error {
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
	if len(v.Shape) == maxRank {
		return errors.Errorf("more than %d dims", maxRank)
	}
	v.Shape, v.Dims = append(v.Shape, size), append(v.Dims, name)
	return err
}
