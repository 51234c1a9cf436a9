package dense

import (
	"io"
	"reflect"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/npy"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/tensor"
)

// A ReadOption changes how [ReadNpy] reads.
type ReadOption struct {
	maxBytes int64
	given    bool
}

// WithMaxBytes bounds the elements of an array that is read, 16 GiB by default. A
// larger one is an [ErrMaxBytes].
func WithMaxBytes(n int64) ReadOption { return ReadOption{n, true} }

const (
	defaultMaxBytes = 16 << 30
	// trustedBytes is how much memory is made because a header says so. Beyond it is
	// as much as what has been read.
	trustedBytes = 64 << 20
)

// npyDtypes are the dtypes of the arrays that are read.
var npyDtypes = [num.Kinds]tensor.Dtype{
	num.Bool: tensor.Bool,
	num.Int8: tensor.Int8, num.Int16: tensor.Int16, num.Int32: tensor.Int32, num.Int64: tensor.Int64,
	num.Uint8: tensor.Uint8, num.Uint16: tensor.Uint16, num.Uint32: tensor.Uint32, num.Uint64: tensor.Uint64,
	num.Float16: Float16, num.Float32: tensor.Float32, num.Float64: tensor.Float64,
	num.Complex64: tensor.Complex64, num.Complex128: tensor.Complex128,
}

// ReadNpy reads an array as numpy.save writes it, of bool, an integer, float16,
// float32, float64 or complex numbers. The result is row-major; an array in Fortran's
// order takes its memory twice while it is read, a big-endian one once. ReadNpy reads not
// one byte behind the array, so that arrays can follow each other: where none follows,
// the error is an [io.EOF].
//
// Errors: [ErrDtype] where it holds something else, strings say; [ErrMaxBytes]; those of
// r; and what is wrong with the header.
//
// Source: numpy.lib.format, versions 1.0 and 2.0.
func ReadNpy(r io.Reader, opts ...ReadOption) (_ *tensor.Dense, err error) {
	const op = "ReadNpy"
	most := int64(defaultMaxBytes)
	for _, o := range opts {
		if o.given {
			most = o.maxBytes
		}
	}
	switch {
	case most < 1:
		return nil, fault.Errorf(ErrOption, "%s: WithMaxBytes(%d), the least is 1", op, most)
	case isNil(r):
		return nil, errors.Errorf("%s: the reader is nil", op)
	}
	if err := npy.CheckMachine(); err != nil {
		return nil, errors.WithMessage(err, op)
	}
	h, order, err := npy.ReadAny(r)
	if err != nil {
		return nil, errors.WithMessage(err, op)
	}
	bytes, err := h.Bytes()
	if err != nil {
		return nil, errors.WithMessage(err, op)
	}
	dt := npyDtypes[h.Kind]
	if bytes > most {
		return nil, fault.Errorf(ErrMaxBytes, "%s: an array of %s of shape %s takes %d bytes, WithMaxBytes allows %d",
			op, npy.Name(h.Kind), fault.Shape(h.Shape), bytes, most)
	}
	if err := core.Fits(op, "an array", h.Shape, dt); err != nil {
		return nil, err
	}
	if bytes == 0 {
		return tensor.NewDense(dt, h.Shape), nil
	}
	data := make([]byte, min(bytes, trustedBytes))
	for done := 0; ; {
		if err := npy.ReadData(r, data[done:]); err != nil {
			return nil, errors.WithMessage(err, op)
		}
		if done = len(data); int64(done) == bytes {
			break
		}
		more := make([]byte, min(bytes, 2*int64(done)))
		copy(more, data)
		data = more
	}
	data = order.Convert(h, data)
	if h.Kind == num.Bool {
		for i, b := range data {
			if b > 1 {
				data[i] = 1 // NumPy takes any byte for True, Go none but this
			}
		}
	}
	return core.Over(data, dt, h.Shape), nil
}

// WriteNpy writes a tensor as numpy.save does, in row-major order whatever its layout:
// of bool, an integer, float16, float32, float64 or complex numbers. An int is written
// as int64 where it has 64 bits.
//
// Errors: [ErrDtype] for strings, bfloat16 and others that NumPy does not have,
// [ErrLayout] for a masked tensor, and those of w.
func WriteNpy(w io.Writer, t *tensor.Dense) (err error) {
	const op = "WriteNpy"
	defer core.Recover(op, &err)
	if isNil(w) {
		return errors.Errorf("%s: the writer is nil", op)
	}
	if err := npy.CheckMachine(); err != nil {
		return errors.WithMessage(err, op)
	}
	if t == nil {
		return fault.Errorf(ErrLayout, "%s: the tensor is nil", op)
	}
	dt := t.Dtype()
	kind := elem.KindOf(dt)
	switch kind {
	case num.BFloat16:
		return fault.Errorf(ErrDtype, "%s: NumPy has no bfloat16, allowed are %s", op, npy.Allowed)
	case num.NoKind:
		return fault.Errorf(ErrDtype, "%s: the tensor has dtype %s, allowed are %s", op, elem.Name(dt), npy.Allowed)
	}
	var scratch []byte
	mem, shape, err := core.Packed(&scratch, op, "the tensor", t, dt)
	if err != nil {
		return err
	}
	header, err := npy.Header{Kind: kind, Shape: shape}.Encode(npy.Line)
	if err != nil {
		return fault.Errorf(ErrShape, "%s: %v", op, err)
	}
	for _, part := range [][]byte{header, mem} {
		if _, err := w.Write(part); err != nil {
			return errors.Wrap(err, op)
		}
	}
	return nil
}

// isNil reports whether an interface holds nothing, or a nil pointer.
func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return v == nil || r.Kind() == reflect.Pointer && r.IsNil()
}
