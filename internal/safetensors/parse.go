package safetensors

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
)

// parser reads the JSON of a header token by token: encoding/json would take the last of
// two values of one name.
type parser struct{ *json.Decoder }

func parse(text []byte) (*Header, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("the header is no valid UTF-8")
	}
	p := parser{json.NewDecoder(bytes.NewReader(text))}
	p.UseNumber()
	h := &Header{}
	seen := map[string]bool{}
	err := p.object("the header", func(name string) error {
		if seen[name] {
			return errors.Errorf("the name %s comes twice", fault.Name(name))
		}
		seen[name] = true
		if name == metadata {
			return p.metadata(h)
		}
		t, err := p.tensor(name)
		h.Tensors = append(h.Tensors, t)
		return errors.WithMessagef(err, "tensor %s", fault.Name(name))
	})
	if err != nil {
		return nil, err
	}
	if _, err := p.Token(); err != io.EOF {
		return nil, errors.New("the header goes on behind its object")
	}
	return h, nil
}

// object reads an object, whose values member reads.
func (p parser) object(what string, member func(key string) error) error {
	if err := p.expect(what, json.Delim('{')); err != nil {
		return err
	}
	for p.More() {
		key, err := p.text(what)
		if err != nil {
			return err
		}
		if err := member(key); err != nil {
			return err
		}
	}
	return p.expect(what, json.Delim('}'))
}

func (p parser) expect(what string, want json.Delim) error {
	got, err := p.Token()
	if err != nil {
		return errors.Wrapf(err, "%s is no JSON", what)
	}
	if got != want {
		return errors.Errorf("%s has %.40q where %q is needed", what, got, want)
	}
	return nil
}

func (p parser) text(what string) (string, error) {
	got, err := p.Token()
	if err != nil {
		return "", errors.Wrapf(err, "%s is no JSON", what)
	}
	text, ok := got.(string)
	if !ok {
		return "", errors.Errorf("%s has %.40q where a string is needed", what, got)
	}
	return text, nil
}

func (p parser) metadata(h *Header) error {
	h.Metadata = map[string]string{}
	return p.object(metadata, func(key string) error {
		if _, twice := h.Metadata[key]; twice {
			return errors.Errorf("%s has %s twice", metadata, fault.Name(key))
		}
		value, err := p.text(metadata)
		h.Metadata[key] = value
		return err
	})
}

func (p parser) tensor(name string) (t Tensor, err error) {
	t.Name = name
	seen := map[string]bool{}
	err = p.object("its description", func(key string) (err error) {
		if seen[key] {
			return errors.Errorf("%s comes twice", key)
		}
		seen[key] = true
		switch key {
		case "dtype":
			t.Dtype, err = p.text(key)
		case "shape":
			var dims []int64
			dims, err = p.numbers(key, 64)
			for _, n := range dims {
				if int64(int(n)) != n {
					return errors.Errorf("shape has the dim %d, which no int holds here", n)
				}
				t.Shape = append(t.Shape, int(n))
			}
		case "data_offsets":
			var offsets []int64
			if offsets, err = p.numbers(key, 2); err == nil && len(offsets) != 2 {
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
	if err == nil && len(seen) != 3 {
		err = errors.New("dtype, shape and data_offsets are needed")
	}
	return t, err
}

// numbers reads a list of so many numbers at most, none of which is negative.
func (p parser) numbers(what string, most int) (all []int64, err error) {
	if err := p.expect(what, json.Delim('[')); err != nil {
		return nil, err
	}
	for p.More() {
		got, err := p.Token()
		if err != nil {
			return nil, errors.Wrapf(err, "%s is no JSON", what)
		}
		text, ok := got.(json.Number)
		if !ok {
			return nil, errors.Errorf("%s has %.40q where a number is needed", what, got)
		}
		n, err := strconv.ParseInt(text.String(), 10, 64)
		if err != nil || n < 0 {
			return nil, errors.Errorf("%s has %.40s, whole numbers from 0 on that 64 bits hold are allowed", what, text)
		}
		if all = append(all, n); len(all) > most {
			return nil, errors.Errorf("%s has more than %d numbers", what, most)
		}
	}
	return all, p.expect(what, json.Delim(']'))
}
