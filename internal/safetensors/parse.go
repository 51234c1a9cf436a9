package safetensors

import (
	"slices"
	"unicode/utf8"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
)

// parse reads a header of a file with so many bytes of data, and of its metadata those of
// some keys.
func parse(text string, data int64, keys []string) (*Header, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("the header is no valid UTF-8")
	}
	p := parser{scanner: scanner{text: text}, data: data}
	h := &Header{}
	seen := map[string]struct{}{}
	err := p.object("the header", func(name string) error {
		if _, twice := seen[name]; twice {
			return errors.Errorf("the name %s comes twice", fault.Name(name))
		}
		seen[name] = struct{}{}
		if name == metadata {
			return p.metadata(h, keys)
		}
		t, err := p.tensor(name)
		h.Tensors = append(h.Tensors, t)
		return errors.WithMessagef(err, "tensor %s", fault.Name(name))
	})
	if err != nil {
		return nil, err
	}
	if !p.end() {
		return nil, errors.New("the header goes on behind its object")
	}
	return h, nil
}

// parser reads the parts of a header. What a tensor says is checked as soon as it is read:
// a header may have millions of them.
type parser struct {
	scanner
	data   int64
	buffer [64]int64
}

func (p *parser) metadata(h *Header, keys []string) error {
	h.Metadata = map[string]string{}
	seen := map[string]struct{}{}
	return p.object(metadata, func(key string) error {
		if _, twice := seen[key]; twice {
			return errors.Errorf("%s has %s twice", metadata, fault.Name(key))
		}
		seen[key] = struct{}{}
		value, err := p.string(metadata)
		if slices.Contains(keys, key) {
			h.Metadata[key] = value
		}
		return err
	})
}

// The keys of a tensor, as bits.
const (
	dtypeKey = 1 << iota
	shapeKey
	offsetsKey
)

var tensorKeys = map[string]int{"dtype": dtypeKey, "shape": shapeKey, "data_offsets": offsetsKey}

func (p *parser) tensor(name string) (t Tensor, err error) {
	t.Name = name
	seen := 0
	err = p.object("its description", func(key string) (err error) {
		bit := tensorKeys[key]
		if seen&bit != 0 {
			return errors.Errorf("%s comes twice", key)
		}
		seen |= bit
		switch bit {
		case dtypeKey:
			t.Dtype, err = p.string(key)
		case shapeKey:
			t.Shape, err = p.shape(key)
		case offsetsKey:
			var offsets []int64
			if offsets, err = p.numbers(p.buffer[:0], key, 2); err == nil && len(offsets) != 2 {
				err = errors.Errorf("data_offsets are %d numbers, 2 are needed", len(offsets))
			}
			if err == nil {
				t.Begin, t.End = offsets[0], offsets[1]
			}
		default:
			err = errors.Errorf("the key %s, allowed are dtype, shape and data_offsets", fault.Name(key))
		}
		return err
	})
	switch {
	case err != nil:
	case seen != dtypeKey|shapeKey|offsetsKey:
		err = errors.New("dtype, shape and data_offsets are needed")
	case t.End < t.Begin || t.End > p.data:
		err = errors.Errorf("it has the offsets %d and %d, allowed are ascending ones from 0 to %d", t.Begin, t.End, p.data)
	default:
		err = t.checkSize()
	}
	return t, err
}

func (p *parser) shape(key string) ([]int, error) {
	dims, err := p.numbers(p.buffer[:0], key, len(p.buffer))
	if err != nil {
		return nil, err
	}
	shape := make([]int, len(dims))
	for i, n := range dims {
		if shape[i] = int(n); int64(shape[i]) != n {
			return nil, errors.Errorf("shape has the dim %d, which no int holds here", n)
		}
	}
	return shape, nil
}
