package onnx

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/pkg/errors"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/internal/opset"
)

// maxFile is protobuf's own limit on the size of a message. Reading stops
// there, so that an endless stream cannot fill the memory.
const maxFile = 1<<31 - 1

// readAll reads one whole message, and returns the rest of what the options allow.
func readAll(r io.Reader, options []ReadOption) ([]byte, *opset.Budget, error) {
	budget, err := readBudget(options)
	if err != nil {
		return nil, nil, err
	}
	b, err := opset.ReadAll(r, min(maxFile, budget.Limit()))
	if err != nil {
		return nil, nil, errors.WithMessage(err, "reading")
	}
	if int64(len(b)) > maxFile {
		return nil, nil, errors.Errorf("input exceeds %d bytes, the limit of a protobuf message", maxFile)
	}
	return b, budget, budget.Take(uint64(len(b)), func() string { return "the file, as far as it was read," })
}

// A field is one field of a protobuf message. Its bytes are a part of the
// input, not a copy, and decoding keeps no more of them than it must: a model
// remembers where its parts stand, and lists are counted before they are made.
// So reading allocates less than 16 times what the file holds, whatever its
// lengths claim. Copies of each part as it comes would not do: an empty node
// takes five bytes in a file, and a hundred in memory.
type field struct {
	number protowire.Number
	wire   protowire.Type
	word   uint64 // of a varint or a fixed-width field
	bytes  []byte // of a length-delimited field
	at     int    // where its value starts in the message; bytes have their length in front
	end    int    // where it ends
}

// eachField calls visit for every field of the message b, in order. Groups,
// which no ONNX message has, are skipped.
func eachField(message string, b []byte, visit func(field) error) error {
	for at := 0; at < len(b); {
		number, wire, n := protowire.ConsumeTag(b[at:])
		if n < 0 {
			return errors.Wrapf(protowire.ParseError(n), "%s: field tag", message)
		}
		at += n
		f := field{number: number, wire: wire, at: at}
		switch wire {
		case protowire.VarintType:
			f.word, n = protowire.ConsumeVarint(b[at:])
		case protowire.Fixed32Type:
			var w uint32
			w, n = protowire.ConsumeFixed32(b[at:])
			f.word = uint64(w)
		case protowire.Fixed64Type:
			f.word, n = protowire.ConsumeFixed64(b[at:])
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b[at:])
		default:
			n = protowire.ConsumeFieldValue(number, wire, b[at:])
		}
		if n < 0 {
			return errors.Wrapf(protowire.ParseError(n), "%s: field %d", message, number)
		}
		at += n
		f.end = at
		if wire == protowire.StartGroupType {
			continue
		}
		if err := visit(f); err != nil {
			return errors.WithMessagef(err, "%s", message)
		}
	}
	return nil
}

// want reports a field whose wire type is not the one its message declares.
func (f field) want(wire protowire.Type) error {
	if f.wire != wire {
		return errors.WithStack(&wireTypeError{f.number, f.wire, wire})
	}
	return nil
}

// A wireTypeError is a field of another type than its message declares.
type wireTypeError struct {
	number    protowire.Number
	got, want protowire.Type
}

func (e *wireTypeError) Error() string {
	return fmt.Sprintf("field %d has wire type %d, not %d", e.number, e.got, e.want)
}

// message returns the bytes of an embedded message or of a bytes field.
func (f field) message() ([]byte, error) { return f.bytes, f.want(protowire.BytesType) }

// text returns a string field. ONNX keeps names and string tensors in UTF-8.
func (f field) text() (string, error) {
	err := f.isText()
	if err != nil {
		return "", err
	}
	return string(f.bytes), nil
}

// isText reports a field that is no string.
func (f field) isText() error {
	if err := f.want(protowire.BytesType); err != nil {
		return err
	}
	if !utf8.Valid(f.bytes) {
		return errors.Errorf("field %d is no UTF-8 text", f.number)
	}
	return nil
}

// integer returns a varint field as int64.
func (f field) integer() (int64, error) { return int64(f.word), f.want(protowire.VarintType) }

// eachScalar calls visit for every value of a repeated scalar field, of which f
// is one piece: a single value or a packed run.
func (f field) eachScalar(wire protowire.Type, visit func(uint64) error) error {
	if f.wire == wire {
		return visit(f.word)
	}
	if f.wire != protowire.BytesType {
		return f.want(wire)
	}
	for b := f.bytes; len(b) > 0; {
		var w uint64
		var n int
		switch wire {
		case protowire.Fixed32Type:
			var half uint32
			half, n = protowire.ConsumeFixed32(b)
			w = uint64(half)
		case protowire.Fixed64Type:
			w, n = protowire.ConsumeFixed64(b)
		default:
			w, n = protowire.ConsumeVarint(b)
		}
		if n < 0 {
			return errors.Wrapf(protowire.ParseError(n), "field %d, packed", f.number)
		}
		b = b[n:]
		if err := visit(w); err != nil {
			return err
		}
	}
	return nil
}
