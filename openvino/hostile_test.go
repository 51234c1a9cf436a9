package openvino

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/internal/opset/opsettest"
)

// uniqueName is the shortest name of letters that no other i has.
func uniqueName(i int) string {
	return opsettest.Unique(i, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// repeated makes a text of parts, of so many bytes, within a beginning and an end.
func repeated(size int, begin string, part func(i int) string, end string) string {
	var b strings.Builder
	b.WriteString(begin)
	for i := 0; b.Len() < size; i++ {
		b.WriteString(part(i))
	}
	b.WriteString(end)
	return b.String()
}

// hostileTexts are texts of much that takes little, of so many bytes each.
func hostileTexts(size int) map[string]string {
	always := func(s string) func(int) string { return func(int) string { return s } }
	inLayer := func(begin string, part func(i int) string, end string) string {
		return repeated(size, `<layer type="A">`+begin, part, end+`</layer>`)
	}
	attributes := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ` %s=""`, uniqueName(i))
		}
		return b.String()
	}
	return map[string]string{
		"layers":                       repeated(size, "", always(`<layer type="A"/>`), ""),
		"layers of a prefix":           repeated(size, "", always(`<n:layer type="A"/>`), ""),
		"layers with an identity":      repeated(size, "", func(i int) string { return fmt.Sprintf(`<layer type="AB" id="%d" name="%s"/>`, i, uniqueName(i)) }, ""),
		"layers with an attribute":     repeated(size, "", always(`<layer type="A"><data a=""/></layer>`), ""),
		"layers with two letters":      repeated(size, "", always(`<layer type="AB"><data ab=""/></layer>`), ""),
		"layers with their own axis":   repeated(size, "", always(`<layer type="GatherElements"axis=""/>`), ""),
		"layers with their own batch":  repeated(size, "", always(`<layer type="GatherND"batch_dims=""/>`), ""),
		"layers with a foreign axis":   repeated(size, "", always(`<layer type="A"axis=""/>`), ""),
		"layers with 9 attributes":     repeated(size, "", always(`<layer type="A"><data`+attributes(9)+`/></layer>`), ""),
		"layers with 897 attributes":   repeated(size, "", always(`<layer type="A"><data`+attributes(897)+`/></layer>`), ""),
		"layers with 15000 attributes": repeated(size, "", always(`<layer type="A"><data`+attributes(15000)+`/></layer>`), ""),
		"layers with a port":           repeated(size, "", always(`<layer type="A"><input><port/></input></layer>`), ""),
		"layers with a dim":            repeated(size, "", always(`<layer type="A"><input><port><dim>1</dim></port></input></layer>`), ""),
		"ports":                        inLayer("<input>", always("<port/>"), "</input>"),
		"ports in many inputs":         inLayer("", always("<input><port/></input>"), ""),
		"output ports":                 inLayer("<output>", always("<port/>"), "</output>"),
		"ports with a dim":             inLayer("<input>", always("<port><dim>1</dim></port>"), "</input>"),
		"dims":                         inLayer("<input><port>", always("<dim>1</dim>"), "</port></input>"),
		"a long name":                  `<layer type="A" name="` + strings.Repeat("a", size) + `"/>`,
		"a long element":               `<layer type="A"/><` + strings.Repeat("a", size) + `/>`,
		"comments that name layers":    repeated(size, "<layer type='A'/>", always("<!--<layer -->"), ""),
		"a comment of layers":          repeated(size, "<layer type='A'/><!--", always("<layer "), "-->"),
		"other elements":               repeated(size, "<layer type='A'>", always("<a/>"), "</layer>"),
		"spaces of names":              repeated(size, "<layer type='A'>", func(i int) string { return `<a xmlns:` + uniqueName(i) + `="a"/>` }, "</layer>"),
		"text":                         `<layer type="A">` + strings.Repeat("a", size) + `</layer>`,
		"pieces of text":               repeated(size, `<layer type="A"><dim>`, always("<!---->"), "</dim></layer>"),
		// These are errors.
		"attributes without end": `<layer type="A"` + strings.Repeat(` a=""`, size/5) + `/>`,
		"a long dim":             `<layer type="A"><input><port><dim>` + strings.Repeat("1", size) + `</dim></port></input></layer>`,
		"dims in pieces":         repeated(size, `<layer type="A"><input><port><dim>`, always("1<!---->"), `</dim></port></input></layer>`),
		"deep nesting":           strings.Repeat("<a>", size/3),
		"comments":               repeated(size, "", always("<!---->"), ""),
		"instructions":           repeated(size, "", always("<?a?>"), ""),
		"directives":             repeated(size, "", always("<!a>"), ""),
		"spaces":                 strings.Repeat(" ", size),
	}
}

// TestReadLayersMemory reads hostile texts, small ones and some four times as
// large: the memory must be bounded, and what is allocated, garbage included, must
// grow as the text does. What a text is read into and what lives on when it has
// been read are what counts. The garbage of package encoding/xml can be freed at
// any moment, and is several times as much.
func TestReadLayersMemory(t *testing.T) {
	small, large := hostileTexts(opsettest.Small), hostileTexts(opsettest.Large)
	for name := range large {
		t.Run(name, func(t *testing.T) {
			opsettest.Grows(t, small[name], large[name], func(text string) uint64 {
				var before, after, kept runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				layers, _ := ReadLayers(strings.NewReader(text))
				runtime.ReadMemStats(&after)
				runtime.GC()
				runtime.ReadMemStats(&kept)
				lives := max(0, int64(kept.HeapAlloc)-int64(before.HeapAlloc)) + int64(len(text))
				runtime.KeepAlive(layers)
				opsettest.Within(t, len(text), uint64(lives))
				return after.TotalAlloc - before.TotalAlloc
			})
		})
	}
}

// What a list in one piece takes in advance must be what it holds in the end.
func TestReadLayersRoom(t *testing.T) {
	for _, text := range []string{
		`<layer type="A"/>`, strings.Repeat(`<layer type="A"/>`, 1000), `<net><layers><layer type="A"/><n:layer xmlns:n="n" type="B"></n:layer></layers></net>`,
	} {
		layers, err := ReadLayers(strings.NewReader(text))
		require.NoError(t, err)
		assert.LessOrEqual(t, cap(layers), len(text)/len(`<layer type="A"/>`))
		assert.GreaterOrEqual(t, cap(layers), len(layers))
	}
}

// Equals signs are counted, and nothing else: a long name is no list of attributes.
func TestReadLongName(t *testing.T) {
	long := strings.Repeat("n", 2*maxEqual)
	layers, err := ReadLayers(strings.NewReader(`<layer type="A" name="` + long + `"/>`))
	require.NoError(t, err)
	require.Len(t, layers, 1)
	err = opsettest.Second(ReadLayers(strings.NewReader(`<layer type="A" name="` + strings.Repeat("=", maxEqual+1) + `"/>`)))
	assert.ErrorContains(t, err, "more than 16384 equals signs in one element")
}

func TestReadMaxBytes(t *testing.T) {
	layer := `<layer type="A" id="7" name="n" version="opset8"><data a="1" b=""/><input><port><dim>1</dim></port></input></layer>`
	require.NoError(t, opsettest.Second(ReadLayers(strings.NewReader(layer), WithMaxBytes(10_000))))
	for _, c := range []struct {
		limit int64
		text  string
	}{
		{1, "openvino: the text, as far as it was read, takes 2 bytes, WithMaxBytes allows 1, of which 0 are taken"},
		{int64(len(layer)) - 1, "the text, as far as it was read, takes"},
		{int64(len(layer)), "openvino: IR line 1 column 1: the list of layers takes 144 bytes, WithMaxBytes allows 115, of which 115 are taken"},
		{int64(len(layer)) + 144, "a layer's type takes 1 bytes"},
		{int64(len(layer)) + 144 + 100, "the attributes of an element takes 435 bytes"},
	} {
		err := opsettest.Second(ReadLayers(strings.NewReader(layer), WithMaxBytes(c.limit)))
		assert.ErrorIs(t, err, ErrMaxBytes)
		if layerBytes == 144 {
			assert.ErrorContains(t, err, c.text)
		}
	}
	for _, text := range []string{
		strings.Repeat("<layer type='A'/>", 100), `<layer type="A"><input>` + strings.Repeat("<port/>", 500) + `</input></layer>`,
		`<layer type="A"><input><port>` + strings.Repeat("<dim>1</dim>", 500) + `</port></input></layer>`,
	} {
		err := opsettest.Second(ReadLayers(strings.NewReader(text), WithMaxBytes(int64(len(text))+2000)))
		assert.ErrorIs(t, err, ErrMaxBytes, "%.60s", text)
	}
	for _, n := range []int64{0, -1} {
		assert.ErrorContains(t, opsettest.Second(ReadLayers(strings.NewReader(layer), WithMaxBytes(n))), "the least is 1")
	}
	assert.NoError(t, opsettest.Second(ReadLayers(strings.NewReader(layer), WithMaxBytes(1), WithMaxBytes(1<<20), ReadOption{})), "the last one counts")
}

// The decoder reads byte by byte, and may read pieces.
func TestSourceIsAReader(t *testing.T) {
	s := &source{text: []byte("some text")}
	b, err := s.ReadByte()
	require.NoError(t, err)
	rest, err := io.ReadAll(s)
	require.NoError(t, err)
	assert.Equal(t, "some text", string(b)+string(rest))
	_, err = s.ReadByte()
	assert.Equal(t, io.EOF, err)
}

// A byte order mark in front is not text outside of all elements, and stands
// nowhere else.
func TestReadByteOrderMark(t *testing.T) {
	const mark = "\ufeff"
	layers, err := ReadLayers(strings.NewReader(mark + `<?xml version="1.0"?><layer type="A"/>`))
	require.NoError(t, err)
	assert.Equal(t, []Layer{{Type: "A"}}, layers)
	_, err = ReadLayers(io.MultiReader(strings.NewReader(mark[:1]), strings.NewReader(mark[1:]), strings.NewReader(`<layer type="A"/>`)))
	assert.NoError(t, err)
	for _, text := range []string{mark, mark + mark + "<layer type='A'/>", "<layer type='A'/>" + mark, " " + mark + "<layer type='A'/>", "\xff\xfe<\x00l\x00", "\xfe\xff\x00<\x00l"} {
		_, err := ReadLayers(strings.NewReader(text))
		assert.Error(t, err, "%q", text)
	}
}

// A version that is meant to be an operator set, and is none, is found when the
// file is read.
func TestReadVersions(t *testing.T) {
	for _, c := range []struct {
		op, version string
		ok          bool
	}{
		{"Gather", "opset8", true}, {"Gather", "opset1", true}, {"Gather", "", true}, {"Gather", "opset99", true},
		{"Convolution", "opset1", true}, {"Convolution", "", true}, {"StringTensorUnpack", "extension", true},
		{"FullyConnected", "gpu_opset", true}, {"A", "experimental", true}, {"A", "5", true},
		{"Gather", "opst8", false}, {"Gather", "opset", false}, {"Gather", "opset0", false}, {"Gather", "opset08", false}, {"Gather", "Opset8", false},
		{"Gather", "opset8 ", false}, {"Gather", "8", false}, {"Gather", "extension", false},
		{"Convolution", "opst8", false}, {"Convolution", "opsets8", false}, {"Convolution", "Opset8", false}, {"Convolution", "opset", false}, {"Convolution", "opset0", false},
	} {
		layers, err := ReadLayers(strings.NewReader(fmt.Sprintf("<net>\n<layer id='7' type='%s' version='%s'/></net>", c.op, c.version)))
		if c.ok {
			require.NoError(t, err, "%s %s", c.op, c.version)
			assert.Equal(t, c.version, layers[0].Version)
			continue
		}
		assert.ErrorContains(t, err, "openvino: IR line 2 column ")
		assert.ErrorContains(t, err, fmt.Sprintf(`layer "7": %s: version %q, opset1 to opset17 are allowed`, c.op, c.version))
	}
}

// Errors quote a part of what is hostile.
func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("x", 1<<16)
	axis := 0
	short := func(err error) {
		t.Helper()
		if assert.Error(t, err) {
			assert.Less(t, len(err.Error()), 500, "%.600s", err)
		}
	}
	for _, text := range []string{
		long, "<" + long, "<layer type='A'><" + long + "></layer>", "<" + long + "></layer>", "<layer type='A' " + long, "<layer type='A' " + long + "=1>",
		"<layer type='&" + long + ";'/>", "<layer id='" + long + "'/>", "<layer type='Gather' version='" + long + "'/>", "<layer id='" + long + "' type='" + long + "' version='opst'/>",
		"<layer type='A'><data " + long + "='' " + long + "=''/></layer>", "<layer type='A'><input><port><dim>" + long + "</dim></port></input></layer>",
		"<layer type='A'><input><port><dim>1<!---->" + long + "</dim></port></input></layer>", "<?xml version='1.0' encoding='" + long + "'?>", "<?xml version='" + long + "'?>", "<![CDATA[" + long,
		"<layer type='A'><?" + long,
	} {
		short(opsettest.Second(ReadLayers(strings.NewReader(text))))
	}
	ports := make([]int, 1<<12)
	for _, l := range []Layer{
		{Type: long, Version: "opset8"}, {Type: "Gather", Version: long}, {Type: "Gather", Version: "opset8" + strings.Repeat("0", 1<<16)},
		{Type: "GatherND", Version: "opset8", Release: long}, {Type: "Gather", Version: "opset8", Attributes: map[string]string{long: "1"}},
		{Type: "Gather", Version: "opset8", Axis: &axis, Attributes: map[string]string{"batch_dims": long}},
		{Type: "ScatterNDUpdate", Version: "opset15", Attributes: map[string]string{"reduction": long}},
		{Type: "GatherND", Version: "opset8", Inputs: [][]int{ports, ports}, Outputs: [][]int{{1}}},
		{Type: "GatherND", Version: "opset8", Inputs: [][]int{ports, append([]int{-1}, ports...)}},
		{Type: "GatherElements", Version: "opset6", Attributes: map[string]string{"axis": "0"}, Inputs: [][]int{ports, append(make([]int, len(ports)-1), 5)}},
		{Type: "Gather", Version: "opset8", Axis: &axis, Inputs: [][]int{ports, ports, ports}},
	} {
		short(opsettest.Second(l.OutputShape()))
		short(opsettest.Second(Eval(l, iota32(3, 4), of(i64(0), 1, 1))))
		short(opsettest.Second(applied(l, iota32(3, 4), of(i64(0), 1, 1))))
	}
}
