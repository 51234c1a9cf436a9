package safetensors_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/safetensors"
)

// file is a file with a header and so many bytes of data.
func file(header string, data int) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, data)...)
}

const two = `{"b": {"dtype": "F32", "shape": [2, 3], "data_offsets": [3, 27]}, "a": {"data_offsets": [0, 3], "shape": [3], "dtype": "U8"},
	"__metadata__": {"format": "pt"}, "empty": {"dtype": "F64", "shape": [0, 4], "data_offsets": [3, 3]}}   `

func TestRead(t *testing.T) {
	h, err := safetensors.Read(file(two, 27), "format")
	if err != nil {
		t.Fatal(err)
	}
	at := int64(8 + len(two))
	got := fmt.Sprint(h.Tensors, h.Metadata)
	want := fmt.Sprint([]safetensors.Tensor{{"a", "U8", []int{3}, at, at + 3}, {"empty", "F64", []int{0, 4}, at + 3, at + 3}, {"b", "F32", []int{2, 3}, at + 3, at + 27}},
		map[string]string{"format": "pt"})
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if h.Find("b") != &h.Tensors[2] || h.Find("c") != nil {
		t.Error("Find")
	}
	for _, header := range []string{"{}", ` {"x": {"dtype": "F9", "shape": [5], "data_offsets": [0, 3]}}`} { // a dtype of the future
		if _, err := safetensors.Read(file(header, strings.Count(header, "F9")*3)); err != nil {
			t.Error(err)
		}
	}
}

func TestEncode(t *testing.T) {
	head, err := safetensors.Encode([]safetensors.Tensor{{"weight", "U8", []int{3, 12}, 0, 36}}, map[string]string{"storage": "int8"}, 4096)
	if err != nil || len(head) != 4096 {
		t.Fatal(len(head), err)
	}
	h, err := safetensors.Read(append(head, make([]byte, 36)...), "storage")
	if got, want := fmt.Sprint(h.Tensors, h.Metadata, err), "[{weight U8 [3 12] 4096 4132}] map[storage:int8] <nil>"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestHostile: headers that are wrong are refused with a sentence that says how.
func TestHostile(t *testing.T) {
	one := func(dtype, shape, offsets string) string {
		return fmt.Sprintf(`{"a": {"dtype": %s, "shape": %s, "data_offsets": %s}}`, dtype, shape, offsets)
	}
	good := `{"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}`
	for name, c := range map[string]struct {
		file  []byte
		words string
	}{
		"empty":               {nil, "truncated"},
		"seven bytes":         {make([]byte, 7), "truncated"},
		"a length of all":     {append(binary.LittleEndian.AppendUint64(nil, 1<<64-1), "{}"...), "18446744073709551615 bytes"},
		"a length of 1 GB":    {append(binary.LittleEndian.AppendUint64(nil, 1<<30), "{}"...), "100000000 are allowed"},
		"a length too long":   {append(binary.LittleEndian.AppendUint64(nil, 3), "{}"...), "truncated"},
		"no JSON":             {file("{", 0), "no JSON"},
		"no header":           {file("", 0), "no JSON"},
		"a list":              {file("[]", 0), `"{" is needed`},
		"text behind":         {file("{} x", 0), "goes on"},
		"two objects":         {file("{} {}", 0), "goes on"},
		"no UTF-8":            {file("{\"\xff\": 1}", 0), "UTF-8"},
		"a name twice":        {file(`{"a": `+good+`, "a": `+good+`}`, 4), "a comes twice"},
		"metadata twice":      {file(`{"__metadata__": {}, "__metadata__": {}}`, 0), "comes twice"},
		"a key twice":         {file(`{"a": {"dtype": "U8", "dtype": "U8", "shape": [], "data_offsets": [0, 1]}}`, 1), "dtype comes twice"},
		"metadata of numbers": {file(`{"__metadata__": {"a": 1}}`, 0), "a string is needed"},
		"metadata key twice":  {file(`{"__metadata__": {"a": "1", "a": "2"}}`, 0), "twice"},
		"a tensor of text":    {file(`{"a": "b"}`, 0), "tensor a"},
		"an unknown key":      {file(`{"a": {"strides": [1]}}`, 0), "strides"},
		"no offsets":          {file(`{"a": {"dtype": "U8", "shape": []}}`, 0), "are needed"},
		"one offset":          {file(one(`"U8"`, "[1]", "[0]"), 1), "2 are needed"},
		"three offsets":       {file(one(`"U8"`, "[1]", "[0, 1, 1]"), 1), "more than 2"},
		"an offset of text":   {file(one(`"U8"`, "[1]", `[0, "1"]`), 1), "number is needed"},
		"a negative offset":   {file(one(`"U8"`, "[1]", "[-1, 0]"), 1), "has -1"},
		"a broken offset":     {file(one(`"U8"`, "[1]", "[0, 1.5]"), 1), "has 1.5"},
		"an offset of 2^70":   {file(one(`"U8"`, "[1]", "[0, 1180591620717411303424]"), 1), "64 bits"},
		"offsets downward":    {file(one(`"U8"`, "[1]", "[1, 0]"), 1), "ascending"},
		"an end behind all":   {file(one(`"U8"`, "[2]", "[0, 2]"), 1), "from 0 to 1"},
		"a hole":              {file(one(`"U8"`, "[1]", "[1, 2]"), 2), "bytes 0 to 1"},
		"an overlap":          {file(`{"a": `+good+`, "b": {"dtype": "U8", "shape": [3], "data_offsets": [3, 6]}}`, 6), "within the data of tensor a"},
		"the same offsets":    {file(`{"a": `+good+`, "b": `+good+`}`, 4), "within the data"},
		"data behind":         {file(`{"a": `+good+`}`, 5), "the data are 5 bytes"},
		"a negative dim":      {file(one(`"U8"`, "[-1]", "[0, 1]"), 1), "has -1"},
		"an endless shape":    {file(one(`"U8"`, "[2147483647, 2147483647, 2147483647]", "[0, 0]"), 0), "larger than any memory"},
		"an endless row":      {file(one(`"U8"`, "[0, 2147483647, 2147483647, 2147483647]", "[0, 0]"), 0), "larger than any memory"},
		"another size":        {file(one(`"F32"`, "[1]", "[0, 3]"), 3), "takes 4 bytes"},
		"a dtype of numbers":  {file(one(`1`, "[1]", "[0, 3]"), 3), "a string is needed"},
		"a shape of lists":    {file(one(`"U8"`, "[[1]]", "[0, 1]"), 1), "number is needed"},
		"a hundred dims":      {file(one(`"U8"`, "["+strings.Repeat("1, ", 99)+"1]", "[0, 1]"), 1), "more than 64"},
	} {
		if h, err := safetensors.Read(c.file); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, %v, want %s", name, h, err, c.words)
		}
	}
}

// FuzzRead: whatever the bytes are, what is read fills the file, tensor by tensor.
func FuzzRead(f *testing.F) {
	f.Add([]byte(two), 27)
	f.Add([]byte(`{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}`), 4)
	f.Add([]byte(`{"a": {"dtype": "U8", "shape": [9223372036854775807, 2], "data_offsets": [0, 0]}}`), 0)
	f.Fuzz(func(t *testing.T, header []byte, data int) {
		if data < 0 || data > 1000 {
			return
		}
		h, err := safetensors.Read(file(string(header), data), "format")
		if err != nil {
			return
		}
		if err := sameAsJSON(string(header), h); err != nil {
			t.Fatal(err)
		}
		at := int64(8 + len(header))
		names := map[string]bool{}
		for _, x := range h.Tensors {
			if x.Begin != at || x.End < x.Begin || names[x.Name] {
				t.Fatalf("%v, the one before ends at %d", x, at)
			}
			at, names[x.Name] = x.End, true
		}
		if at != int64(8+len(header)+data) {
			t.Fatalf("the tensors end at %d of %d", at, 8+len(header)+data)
		}
		_, _ = safetensors.Read(header) // with the fuzzer's own length
	})
}
