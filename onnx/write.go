package onnx

import (
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"slices"

	"github.com/pkg/errors"
	"google.golang.org/protobuf/encoding/protowire"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/opset"
	"gorgonia.org/tensor"
)

// Write writes the model with other values in some of its initializers, by their
// names: after training, with [Graph.Weights]. Each value must have its
// initializer's dtype and shape; of type UINT4 or INT4 it is a vector of bytes, as in
// [Graph.Weights]. Nothing else changes: every byte of the file but
// those values and the lengths around them is as it was read, also what this
// package knows nothing of. An initializer that is given the value it has stays as
// it is, to the byte.
//
// New values stand in raw_data (strings in string_data), wherever the old ones
// stood, and so do values that [ReadModelFile] has found in other files: what is
// written is one file, of at most 2 GiB.
func (m *Model) Write(w io.Writer, weights map[string]*tensor.Dense) error {
	if m == nil {
		return errors.New("onnx: Write of a nil Model")
	}
	if len(m.file) == 0 {
		return errors.New("onnx: Write of a Model that nothing was read into")
	}
	if w == nil {
		return errors.New("onnx: Write to a nil writer")
	}
	parts, err := m.rewritten(weights)
	if err != nil {
		return errors.WithMessage(err, "onnx")
	}
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			return errors.Wrap(err, "onnx: writing")
		}
	}
	return nil
}

// rewritten is the file in parts, which are the file's own where nothing changes.
func (m *Model) rewritten(weights map[string]*tensor.Dense) ([][]byte, error) {
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		if s := m.values.lookup(name); s == nil || s.giver != anInitializer && s.giver != aDefault {
			return nil, errors.Errorf("the model has no initializer %q", fault.Cut(name))
		}
	}
	return rewrite(m.file, modelGraph, func(graph []byte) ([][]byte, error) {
		return rewrite(graph, graphInitializer, func(message []byte) ([][]byte, error) {
			t, err := parseTensor(message)
			if err != nil {
				return nil, err
			}
			if err := t.load(m.outside); err != nil {
				return nil, errors.WithMessagef(err, "initializer %q", fault.Cut(t.name))
			}
			value, given := weights[t.name]
			switch {
			case !given && t.external:
				return t.inlined()
			case !given:
				return [][]byte{message}, nil
			}
			parts, err := t.rewritten(value)
			return parts, errors.WithMessagef(err, "initializer %q", fault.Cut(t.name))
		})
	})
}

// rewrite is a message in parts, with the messages in fields of that number put
// through change. All of the other fields stay as they are.
func rewrite(message []byte, number protowire.Number, change func([]byte) ([][]byte, error)) ([][]byte, error) {
	var parts [][]byte
	kept := 0 // up to where the message is in parts
	for at := 0; at < len(message); {
		field, wire, n := protowire.ConsumeTag(message[at:])
		if n < 0 {
			return nil, errors.WithStack(protowire.ParseError(n))
		}
		tagEnd := at + n
		if n = protowire.ConsumeFieldValue(field, wire, message[tagEnd:]); n < 0 {
			return nil, errors.WithStack(protowire.ParseError(n))
		}
		at = tagEnd + n
		if field != number || wire != protowire.BytesType {
			continue
		}
		inner, _ := protowire.ConsumeBytes(message[tagEnd:])
		changed, err := change(inner)
		if err != nil {
			return nil, err
		}
		if len(changed) == 1 && len(changed[0]) == len(inner) && (len(inner) == 0 || &changed[0][0] == &inner[0]) {
			continue // as it was, with its length however that is written
		}
		size := 0
		for _, p := range changed {
			size += len(p)
		}
		if size > maxFile {
			return nil, errors.Errorf("a message of %d bytes, the limit is %d", size, maxFile)
		}
		parts = append(parts, message[kept:tagEnd], protowire.AppendVarint(nil, uint64(size)))
		parts = append(parts, changed...)
		kept = at
	}
	if kept == 0 {
		return [][]byte{message}, nil
	}
	return append(parts, message[kept:]), nil
}

// rewritten is the message in parts with another value.
func (t *tensorProto) rewritten(value *tensor.Dense) ([][]byte, error) {
	unlimited, err := opset.NewBudget(1 << 62)
	if err != nil {
		return nil, err
	}
	old, err := t.initial(unlimited)
	if err != nil {
		return nil, err
	}
	if err := sameKind(value, old.Dtype(), old.Shape()); err != nil {
		return nil, err
	}
	fresh, err := encodeValues(value)
	if err != nil {
		return nil, err
	}
	if same, err := encodeValues(old); err != nil || bytes.Equal(same, fresh) && !t.external {
		return [][]byte{t.body}, err
	}
	parts, err := t.withoutValues()
	return append(parts, fresh), err
}

// withoutValues is the message in parts, without the values and without what says
// where they are.
func (t *tensorProto) withoutValues() (parts [][]byte, err error) {
	err = eachRawField(t.body, func(number protowire.Number, field []byte) {
		switch number {
		case tensorFloatData, tensorInt32Data, tensorStringData, tensorInt64Data, tensorRawData, tensorDoubleData, tensorUint64Data,
			tensorExternal, tensorLocation:
		default:
			parts = append(parts, field)
		}
	})
	return parts, err
}

// eachRawField visits every field of a message with its tag.
func eachRawField(message []byte, visit func(protowire.Number, []byte)) error {
	for len(message) > 0 {
		number, _, n := protowire.ConsumeField(message)
		if n < 0 {
			return errors.WithStack(protowire.ParseError(n))
		}
		visit(number, message[:n])
		message = message[n:]
	}
	return nil
}

// encodeValues is the field of a TensorProto that holds a tensor's values:
// raw_data, or string_data as often as there are strings.
func encodeValues(d *tensor.Dense) ([]byte, error) {
	if d.Shape().TotalSize() == 0 && len(d.Shape()) > 0 {
		return nil, nil // an empty tensor has no values
	}
	d, err := packedCopy(d)
	if err != nil {
		return nil, err
	}
	if d.Dtype() == tensor.String {
		var b []byte
		for _, text := range d.Strings() {
			b = protowire.AppendString(protowire.AppendTag(b, tensorStringData, protowire.BytesType), text)
		}
		return b, nil
	}
	raw := slices.Clone(d.Uint8s())
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 { // the file is little-endian
		width := int(d.Dtype().Size())
		if d.Dtype() == tensor.Complex64 || d.Dtype() == tensor.Complex128 {
			width /= 2
		}
		for part := range slices.Chunk(raw, width) {
			slices.Reverse(part)
		}
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, tensorRawData, protowire.BytesType), raw), nil
}

// Weights are the values that the initializers of the graph have now, for
// [Model.Write]. They are the graph's own: to keep them, clone them. Of type UINT4 or
// INT4 they are a vector of bytes, two numbers in each.
func (b *Graph) Weights() (map[string]*tensor.Dense, error) {
	if b == nil {
		return nil, errors.New("onnx: Weights of a nil Graph")
	}
	weights := make(map[string]*tensor.Dense, len(b.weights))
	for name, n := range b.weights {
		d, err := opset.AsDense(n.Value())
		if err != nil {
			return nil, errors.WithMessagef(err, "onnx: initializer %q", fault.Cut(name))
		}
		weights[name] = d
	}
	return weights, nil
}
