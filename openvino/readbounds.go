package openvino

import (
	"io"
	"reflect"

	"github.com/pkg/errors"
)

// A source is the text as the decoder reads it, byte by byte. It counts equals
// signs: the decoder makes a list of an element's attributes before anyone can
// count them, and that list takes twenty times what they take in the text.
type source struct {
	text  []byte
	at    int
	equal int // since the last token
}

// ReadByte is what the decoder calls.
func (s *source) ReadByte() (byte, error) {
	if s.at == len(s.text) {
		return 0, io.EOF
	}
	b := s.text[s.at]
	s.at++
	if b == '=' {
		if s.equal++; s.equal > maxEqual {
			return 0, errors.Errorf("more than %d equals signs in one element, text or comment, no layer has as many attributes", maxEqual)
		}
	}
	return b, nil
}

// Read makes a source the reader that the decoder asks for.
func (s *source) Read(p []byte) (int, error) {
	n := copy(p, s.text[s.at:])
	if s.at += n; n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// What the parts of a layer take in memory.
var layerBytes = uint64(reflect.TypeFor[Layer]().Size())

const (
	portBytes      = 24
	dimBytes       = 8
	mapBytes       = 336 // of up to eight attributes
	attributeBytes = 48  // of each
)

// take takes memory from the budget.
func (p *parser) take(n uint64, what string) error {
	return p.budget.Take(n, func() string { return what })
}
