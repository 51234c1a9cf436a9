package onnx

import (
	"io"
	"math"

	"github.com/pkg/errors"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// maxRank bounds the rank of a tensor, which ONNX leaves open: a file of ones
// could otherwise claim a tensor of a million axes.
const maxRank = 64

// ReadTensor reads a TensorProto, as in a file input_0.pb of ONNX's own tests.
//
// The data may stand in raw_data or in the field of its type, and is of any
// type that Gather's T lists: bool, int8 to int64, uint8 to uint64, float16
// (github.com/x448/float16), bfloat16 ([gorgonia.org/gather/dense.BF16]),
// float, double, complex64, complex128 or string; int4 and uint4 become int8 and uint8.
// A tensor that keeps its data
// in another file, one of any other type, and one whose data does not fit its
// shape are errors. So is one that takes more memory than [WithMaxBytes] allows,
// together with its file.
//
// Source: TensorProto in onnx.proto of ONNX 1.23.
func ReadTensor(r io.Reader, options ...ReadOption) (*tensor.Dense, error) {
	d, err := readTensor(r, options)
	return d, errors.WithMessage(err, "onnx")
}

func readTensor(r io.Reader, options []ReadOption) (*tensor.Dense, error) {
	b, budget, err := readAll(r, options)
	if err != nil {
		return nil, err
	}
	t, err := parseTensor(b)
	if err != nil {
		return nil, err
	}
	return t.dense(budget)
}

// The fields of a TensorProto.
const (
	tensorDims       protowire.Number = 1
	tensorDataType   protowire.Number = 2
	tensorSegment    protowire.Number = 3
	tensorFloatData  protowire.Number = 4
	tensorInt32Data  protowire.Number = 5
	tensorStringData protowire.Number = 6
	tensorInt64Data  protowire.Number = 7
	tensorName       protowire.Number = 8
	tensorRawData    protowire.Number = 9
	tensorDoubleData protowire.Number = 10
	tensorUint64Data protowire.Number = 11
	tensorExternal   protowire.Number = 13
	tensorLocation   protowire.Number = 14
)

// A tensorProto is a TensorProto whose header is decoded and whose values are
// still where the file has them: what a model does not use is never converted.
type tensorProto struct {
	name     string
	shape    tensor.Shape
	dataType int32
	raw      []byte
	hasRaw   bool
	typed    protowire.Number // of the typed field that holds values, 0 if none does
	segment  bool             // it is a part of a larger tensor
	external bool             // the values are in another file, at place
	place    place
	body     []byte // the whole message
}

func parseTensor(b []byte) (*tensorProto, error) {
	t := new(tensorProto)
	return t, t.parse(b)
}

// parse makes t the tensor of a message. It takes the list of dims that t has:
// in a file of a hundred thousand tensors each one would cost its own.
func (t *tensorProto) parse(b []byte) error {
	*t = tensorProto{shape: t.shape[:0], body: b}
	err := eachField("TensorProto", b, func(f field) (err error) {
		switch f.number {
		case tensorDims:
			return f.eachScalar(protowire.VarintType, t.addDim)
		case tensorDataType:
			var v int64
			v, err = f.integer()
			t.dataType = int32(v)
		case tensorName:
			t.name, err = f.text()
		case tensorRawData:
			t.raw, err = f.message()
			t.hasRaw = true
		case tensorSegment:
			t.segment = true
		case tensorExternal:
			var entry []byte
			if entry, err = f.message(); err == nil {
				err = t.place.add(entry)
			}
			t.external = true
		case tensorLocation:
			t.external = t.external || f.word != 0
			err = f.want(protowire.VarintType)
		case tensorFloatData, tensorInt32Data, tensorStringData,
			tensorInt64Data, tensorDoubleData, tensorUint64Data:
			// An empty packed run carries nothing: some writers leave one.
			if f.wire == protowire.BytesType && len(f.bytes) == 0 && f.number != tensorStringData {
				return nil
			}
			if t.typed != 0 && t.typed != f.number {
				return errors.Errorf("values in field %d and in field %d", t.typed, f.number)
			}
			t.typed = f.number
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = t.size()
	return err
}

func (t *tensorProto) addDim(w uint64) error {
	n := int64(w)
	if n < 0 || n > math.MaxInt {
		return errors.Errorf("dims[%d] is %d", len(t.shape), n)
	}
	if len(t.shape) == maxRank {
		return errors.Errorf("more than %d dims", maxRank)
	}
	t.shape = append(t.shape, int(n))
	return nil
}

// size is the number of elements. The dims of a tensor that is empty because of
// one of them must be countable too, since strides are made from them.
func (t *tensorProto) size() (int, error) {
	size, empty := 1, false
	for _, n := range t.shape {
		if n == 0 {
			empty = true
			continue
		}
		if size > math.MaxInt/n {
			return 0, errors.Errorf("TensorProto %q: dims %s hold more elements than an int can count", fault.Cut(t.name), fault.Shape(t.shape))
		}
		size *= n
	}
	if empty {
		return 0, nil
	}
	return size, nil
}

// dense converts the values. Their number is compared with the shape, and their
// memory is taken from the budget, before anything is allocated for them.
func (t *tensorProto) dense(budget *opset.Budget) (*tensor.Dense, error) {
	e, shape := t.stored()
	d, err := t.values(e, shape, budget)
	if p := t.packed(); p != nil && err == nil {
		d, err = p.unpacked(d.Uint8s(), budget)
	}
	return d, errors.WithMessagef(err, "TensorProto %q", fault.Cut(t.name))
}

// initial is what an initializer's node is bound to: the values, of packed ones
// the bytes.
func (t *tensorProto) initial(budget *opset.Budget) (*tensor.Dense, error) {
	e, shape := t.stored()
	d, err := t.values(e, shape, budget)
	return d, errors.WithMessagef(err, "TensorProto %q", fault.Cut(t.name))
}

// values reads elements of a tensor of that shape.
func (t *tensorProto) values(e element, shape tensor.Shape, budget *opset.Budget) (*tensor.Dense, error) {
	if e.read == nil {
		return nil, notSupported(t.dataType)
	}
	if t.segment {
		return nil, errors.New("holds a segment of a larger tensor")
	}
	if t.external && !t.hasRaw {
		return nil, errors.New("keeps its data in another file")
	}
	if t.hasRaw && len(t.raw) > 0 && t.typed != 0 {
		return nil, errors.Errorf("values in raw_data and in field %d", t.typed)
	}
	if t.typed != 0 && t.typed != e.field {
		return nil, errors.Errorf("values of type %s in field %d, not %d", e.name, t.typed, e.field)
	}
	size := shape.TotalSize()
	if err := t.holds(e, size); err != nil {
		return nil, err
	}
	if err := takeTensor(budget, e.dtype, shape); err != nil {
		return nil, err
	}
	backing, err := e.read(t, e, size)
	if err != nil {
		return nil, err
	}
	// Strings are safe from the garbage collector only as a slice that the
	// tensor was given, and a slice serves every other type as well.
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(backing)), nil
}

// takeTensor takes a tensor's memory from the budget.
func takeTensor(budget *opset.Budget, dt tensor.Dtype, shape tensor.Shape) error {
	return budget.Take(opset.TensorBytes(dt, shape), func() string { return dtypeName(dt) + " " + fault.Shape(shape) })
}
