// Package safetensors reads and writes the headers of .safetensors files, whose data then
// are plain memory.
//
// A file is eight bytes with the length n of the header, little-endian, n bytes of JSON,
// and the data:
//
//	{"__metadata__": {"format": "pt"}, "weight": {"dtype": "F32", "shape": [1000, 64], "data_offsets": [0, 256000]}}
//
// Offsets count from the end of the header. The tensors do not overlap, leave no holes
// and end with the file. They may begin at any byte, aligned or not.
// Source: github.com/huggingface/safetensors, Format.
//
// Nothing here trusts a length or an offset that it reads. What the format leaves open is
// an error: names or keys that come twice, keys that it does not have.
package safetensors

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
)

const (
	// mostHeader is what the format allows.
	mostHeader = 100_000_000
	metadata   = "__metadata__"
)

// widths are the bytes of an element of the dtypes that the format had first. Others are
// not measured.
var widths = map[string]int64{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2,
	"I32": 4, "U32": 4, "F32": 4, "I64": 8, "U64": 8, "F64": 8,
}

// Tensor is a tensor of a file.
type Tensor struct {
	Name       string
	Dtype      string
	Shape      []int
	Begin, End int64 // in the file
}

// Header says what a file holds: its tensors in the order of their data, and the metadata
// that were asked for.
type Header struct {
	Tensors  []Tensor
	Metadata map[string]string
}

// Find is the tensor of a name, or nil.
func (h *Header) Find(name string) *Tensor {
	for i := range h.Tensors {
		if h.Tensors[i].Name == name {
			return &h.Tensors[i]
		}
	}
	return nil
}

// Read reads the header of a file, and of its metadata those of some keys. A header takes a
// few times its own size of memory, whatever it says.
func Read(file []byte, keys ...string) (*Header, error) {
	if len(file) < 8 {
		return nil, errors.Errorf("the file is truncated: it ends after %d bytes, within its header", len(file))
	}
	n := binary.LittleEndian.Uint64(file)
	switch {
	case n > mostHeader:
		return nil, errors.Errorf("a header of %d bytes, %d are allowed: no .safetensors file", n, mostHeader)
	case n > uint64(len(file)-8):
		return nil, errors.Errorf("the file is truncated: its header has %d bytes, of which %d are there", n, len(file)-8)
	}
	data, size := int64(8+n), int64(len(file))
	h, err := parse(string(file[8:data]), size-data, keys)
	if err != nil {
		return nil, err
	}
	return h, h.place(data, size)
}

// place checks that the data of the tensors fill the file, and makes their offsets those in
// the file.
func (h *Header) place(data, size int64) error {
	slices.SortFunc(h.Tensors, func(a, b Tensor) int {
		if a.Begin != b.Begin {
			return cmp.Compare(a.Begin, b.Begin)
		}
		if a.End != b.End {
			return cmp.Compare(a.End, b.End)
		}
		return strings.Compare(a.Name, b.Name)
	})
	at := int64(0)
	for i := range h.Tensors {
		t := &h.Tensors[i]
		switch {
		case t.Begin < at:
			return errors.Errorf("tensor %s begins at %d, within the data of tensor %s", fault.Name(t.Name), t.Begin, fault.Name(h.Tensors[i-1].Name))
		case t.Begin > at:
			return errors.Errorf("no tensor has the bytes %d to %d, before tensor %s", at, t.Begin, fault.Name(t.Name))
		}
		at = t.End
		t.Begin, t.End = t.Begin+data, t.End+data
	}
	if at != size-data {
		return errors.Errorf("the data are %d bytes, the tensors take %d", size-data, at)
	}
	return nil
}

// checkSize refuses offsets that are not as far apart as the shape says.
func (t *Tensor) checkSize() error {
	width, known := widths[t.Dtype]
	bytes := max(1, width)
	for _, n := range t.Shape {
		if n > 0 && bytes > math.MaxInt64/int64(n) { // though another dim be 0
			return errors.Errorf("shape %s is larger than any memory", fault.Shape(t.Shape))
		}
		bytes *= int64(max(1, n))
	}
	if slices.Contains(t.Shape, 0) {
		bytes = 0
	}
	if known && bytes != t.End-t.Begin {
		return errors.Errorf("%s of shape %s takes %d bytes, its offsets %d and %d are %d apart",
			t.Dtype, fault.Shape(t.Shape), bytes, t.Begin, t.End, t.End-t.Begin)
	}
	return nil
}

// CheckName refuses a name that no tensor can have, or that would be read as another one.
func CheckName(name string) error {
	switch {
	case name == metadata:
		return errors.Errorf("no tensor can have the name %s, the format has it for something else", metadata)
	case !utf8.ValidString(name):
		return errors.Errorf("the name %s is no valid UTF-8, which the format needs", fault.Name(name))
	}
	return nil
}

// Encode is the beginning of a file of some tensors, up to their data, which begin at a
// multiple of alignment: from there Begin and End count. The names are different, and
// CheckName has seen them.
func Encode(tensors []Tensor, about map[string]string, alignment int) ([]byte, error) {
	type tensor struct {
		Dtype   string   `json:"dtype"`
		Shape   []int    `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
	}
	members := map[string]any{metadata: about}
	for _, t := range tensors {
		members[t.Name] = tensor{t.Dtype, t.Shape, [2]int64{t.Begin, t.End}}
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	for (8+len(text))%alignment != 0 {
		text = append(text, ' ')
	}
	if len(text) > mostHeader {
		return nil, errors.Errorf("a header of %d bytes, the format allows %d", len(text), mostHeader)
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), nil
}
