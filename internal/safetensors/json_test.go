package safetensors_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/internal/safetensors"
)

// TestLargeHeader: what a header takes of memory follows from its size, not from what it
// says. All that is allocated is counted, also what is garbage at once.
func TestLargeHeader(t *testing.T) {
	size := 4 << 20
	if testing.Short() {
		size = 2 << 20
	}
	members := func(member string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, ",\"%x\":%s", i, member)
		}
		return "{" + b.String()[1:] + "}"
	}
	for name, header := range map[string]string{
		"empty tensors":  members(`{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`),
		"long shapes":    members(`{"dtype":"","shape":[` + strings.Repeat("0,", 63) + `0],"data_offsets":[0,0]}`),
		"metadata":       `{"__metadata__":` + members(`""`) + `}`,
		"escapes":        `{"__metadata__":` + strings.ReplaceAll(members(`"\u0041"`), `{"`, `{"\n`) + `}`,
		"one string":     `{"` + strings.Repeat("x", size) + `":1}`,
		"one of escapes": `{"__metadata__":{"format":"` + strings.Repeat(`\ud83d\ude00`, size/12) + `"}}`,
		"white space":    strings.Repeat(" ", size),
		"brackets":       `{"a":` + strings.Repeat("[", size),
	} {
		f := file(header, 0)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		h, err := safetensors.Read(f, "format")
		runtime.ReadMemStats(&after)
		if all := after.TotalAlloc - before.TotalAlloc; all > 16*uint64(len(f)) {
			t.Errorf("%s: %d bytes for a header of %d", name, all, len(f))
		}
		if err == nil && len(h.Tensors) < 10000 && !strings.Contains(name, "metadata") && !strings.Contains(name, "escapes") {
			t.Errorf("%s: %d tensors", name, len(h.Tensors))
		}
	}
}

// TestEarly: what a tensor says of itself is refused before what is behind it is read.
func TestEarly(t *testing.T) {
	for name, tensor := range map[string]string{
		"offsets":   `{"dtype": "U8", "shape": [9], "data_offsets": [0, 9]}`,
		"downward":  `{"dtype": "U8", "shape": [], "data_offsets": [4, 3]}`,
		"its size":  `{"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}`,
		"its shape": `{"dtype": "F32", "shape": [2147483647, 2147483647, 2147483647], "data_offsets": [0, 8]}`,
	} {
		_, err := safetensors.Read(file(`{"a": `+tensor+`, no JSON`, 8))
		if err == nil || !strings.HasPrefix(err.Error(), "tensor a: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sameAsJSON compares what was read of a header with what encoding/json reads.
func sameAsJSON(header string, h *safetensors.Header) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(header), &members); err != nil {
		return err
	}
	about := map[string]string{}
	if text, there := members["__metadata__"]; there {
		if err := json.Unmarshal(text, &about); err != nil {
			return err
		}
		delete(members, "__metadata__")
	}
	for key, value := range h.Metadata {
		if want, there := about[key]; !there || value != want {
			return fmt.Errorf("metadata %q are %q, not %q", key, value, want)
		}
	}
	if len(h.Tensors) != len(members) {
		return fmt.Errorf("%d tensors, not %d", len(h.Tensors), len(members))
	}
	for _, x := range h.Tensors {
		var want struct {
			Dtype   string
			Shape   []int
			Offsets [2]int64 `json:"data_offsets"`
		}
		if err := json.Unmarshal(members[x.Name], &want); err != nil {
			return fmt.Errorf("tensor %q: %w", x.Name, err)
		}
		at := int64(8 + len(header))
		if x.Dtype != want.Dtype || !slices.Equal(x.Shape, want.Shape) || x.Begin != at+want.Offsets[0] || x.End != at+want.Offsets[1] {
			return fmt.Errorf("tensor %v, not %v", x, want)
		}
	}
	return nil
}

// TestStrings: every string of JSON is what encoding/json makes of it, and what is none is
// an error.
func TestStrings(t *testing.T) {
	for _, text := range []string{
		``, `a`, `ä€😀`, `\"`, `\\`, `\/`, `\b\f\n\r\t`, `\u0041`, `\u00e4\u20AC`, `\ud83d\ude00`, `\ud83d`, `\ude00`, `\ud83dx`, `\ud83d\n`, `\ud83d\u0041`, `\ud83ddc00`,
		`\ud83d\ud83d\ude00`, `\u0000`, `a\\`, `a\\\"b`,
		`\`, `\\\`, `\x41`, `\u`, `\u12`, `\u12g4`, `\u+123`, `\u-123`, `\u_123`, `\'`, `\U00000041`, "\n", "\x00", "\x1f", "\x7f",
	} {
		header := `{"__metadata__": {"format": "` + text + `"}, "` + text + `.": {"dtype": "U8", "shape": [], "data_offsets": [0, 1]}}`
		h, err := safetensors.Read(file(header, 1), "format")
		if valid := json.Valid([]byte(header)); valid != (err == nil) {
			t.Errorf("%q: error %v, valid %v", text, err, valid)
		}
		if err == nil {
			if err := sameAsJSON(header, h); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}

// TestNoJSON: what encoding/json refuses is refused.
func TestNoJSON(t *testing.T) {
	good := `{"a": {"dtype": "U8", "shape": [1, 2], "data_offsets": [0, 2]}, "__metadata__": {"b": "c", "d": ""}}`
	for i := range len(good) {
		for _, c := range []string{"", ",", ":", "{", "}", "[", "]", `"`, `\`, "0", "-", "1", ".", "e", " ", "\n", "\v", "\x00", "x", "null"} {
			for _, header := range []string{good[:i] + c + good[i:], good[:i] + c + good[i+1:], good[:i] + c} {
				h, err := safetensors.Read(file(header, 2), "b", "d")
				if err != nil {
					continue
				}
				if err := sameAsJSON(header, h); err != nil {
					t.Errorf("%q: %v", header, err)
				}
			}
		}
	}
}
