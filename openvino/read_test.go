package openvino

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"
)

// TestReadWritten reads a file that OpenVINO has written. OpenVINO put its own
// output shapes into it, which OutputShape must find again.
func TestReadWritten(t *testing.T) {
	f, err := os.Open("testdata/written.xml")
	require.NoError(t, err)
	defer f.Close()
	layers, err := ReadLayers(f)
	require.NoError(t, err)
	assert.Len(t, layers, 55)

	axes := map[string]int{
		"Gather-1": 1, "Gather-7": 1, "Gather-8": -1, "Gather-8 then": 1, "Gather-8 else": 1,
		"ScatterUpdate-3": 1, "ScatterElementsUpdate-3": 1, "ScatterElementsUpdate-12": 1,
	}
	read := map[string]Layer{}
	for _, l := range layers {
		if _, ours := operators[l.Type]; !ours {
			continue
		}
		read[l.Name] = l
		t.Run(l.Name, func(t *testing.T) {
			if axis, ok := axes[l.Name]; ok {
				l.Axis = &axis
			}
			c, err := resolve(l)
			require.NoError(t, err)
			assert.Equal(t, strings.Fields(l.Name)[0], c.Name())
			out, err := l.OutputShape()
			if strings.HasSuffix(l.Name, "open") {
				assert.ErrorContains(t, err, "open dim")
				return
			}
			require.NoError(t, err)
			require.Len(t, l.Outputs, 1)
			assert.Equal(t, tensor.Shape(l.Outputs[0]), out)
		})
	}
	assert.Len(t, read, 15)
	assert.Equal(t, Layer{
		ID: "19", Name: "ScatterElementsUpdate-12", Type: "ScatterElementsUpdate", Version: "opset12",
		Attributes: map[string]string{"reduction": "mean", "use_init_val": "false"},
		Inputs:     [][]int{{3, 4, 5}, {3, 4, 5}, {3, 4, 5}, {}},
		Outputs:    [][]int{{3, 4, 5}},
	}, read["ScatterElementsUpdate-12"])
	assert.Equal(t, [][]int{{3, 4, 5}, {-1, 2}}, read["GatherND-8 open"].Inputs)
}

func TestReadLayers(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Layer
	}{
		{"one layer alone", `<layer id="7" name="n" type="GatherND" version="opset8"/>`,
			[]Layer{{ID: "7", Name: "n", Type: "GatherND", Version: "opset8"}}},
		{"two layers", `<layer type="A"/> <layer type="B"/>`, []Layer{{Type: "A"}, {Type: "B"}}},
		{"attributes of the layer element", `<layer type="ScatterElementsUpdate" reduction="sum" output_names="x"><data use_init_val="false"/></layer>`,
			[]Layer{{Type: "ScatterElementsUpdate", Attributes: map[string]string{"reduction": "sum", "use_init_val": "false"}}}},
		{"ports without dims are scalars", `<layer type="A"><input><port id="0"/><port id="1"><dim>2</dim></port></input><output><port/></output></layer>`,
			[]Layer{{Type: "A", Inputs: [][]int{{}, {2}}, Outputs: [][]int{{}}}}},
		{"comments and space within", "<layer type='A'><!-- c --><input><port>\n<dim> 1<!-- c -->2 </dim> <!-- c --></port></input></layer>",
			[]Layer{{Type: "A", Inputs: [][]int{{12}}}}},
		{"escaped attribute", `<layer type="A"><data s="&lt;&amp;"/></layer>`, []Layer{{Type: "A", Attributes: map[string]string{"s": "<&"}}}},
		{"namespaces", `<n:layer xmlns:n="u" xmlns="v" type="A"><n:data xmlns="w" a="1"/></n:layer>`, []Layer{{Type: "A", Attributes: map[string]string{"a": "1"}}}},
		{"a layer in the body of another", `<layer type="Loop"><port_map><input external_port_id="0"/><port><dim>9</dim></port></port_map><input><port><dim>3</dim></port></input><body><layers><layer type="A"><input><port><dim>4</dim></port></input></layer></layers></body><output><port><dim>5</dim></port></output></layer>`,
			[]Layer{{Type: "Loop", Inputs: [][]int{{3}}, Outputs: [][]int{{5}}}, {Type: "A", Inputs: [][]int{{4}}}}},
		{"elements of other places", `<layer type="A"><rt_info><data a="1"/><input><port><dim>9</dim></port></input></rt_info><blobs><dim>x</dim></blobs></layer>`, []Layer{{Type: "A"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ReadLayers(strings.NewReader(c.text))
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"nothing", "", "no layer"},
		{"no layer", "<net/>", "no layer"},
		{"no XML", "layer", "outside"},
		{"JSON", `{"layer": 1}`, "outside"},
		{"cut off", `<net><layer type="A">`, "unexpected EOF"},
		{"cut in a name", `<layer type="A`, "unexpected EOF"},
		{"wrong end", `<layer type="A"></net>`, "closed by"},
		{"no type", `<layer id="3"/>`, `layer "3" has no type`},
		{"attribute without quotes", `<layer type=A/>`, "quoted"},
		{"two types", `<layer type="A" type="B"/>`, `"type" stands twice`},
		{"attribute twice", `<layer type="A"><data a="1" a="1"/></layer>`, `"a" stands twice`},
		{"attribute in both places", `<layer type="ScatterNDUpdate" reduction="sum"><data reduction="none"/></layer>`, `"reduction" stands twice`},
		{"two data elements", `<layer type="A"><data a="1"/><data b="1"/></layer>`, "two data elements"},
		{"dim that is no number", `<layer type="A"><input><port><dim>x</dim></port></input></layer>`, `dim "x"`},
		{"empty dim", `<layer type="A"><input><port><dim/></port></input></layer>`, `dim ""`},
		{"dim below -1", `<layer type="A"><output><port><dim>-2</dim></port></output></layer>`, `dim "-2"`},
		{"dim beyond any int", `<layer type="A"><input><port><dim>9999999999999999999</dim></port></input></layer>`, "9999999999999999999"},
		{"element in a dim", `<layer type="A"><input><port><dim>1<a/>,2</dim></port></input></layer>`, `dim "1,2"`},
		{"entity of a document type", `<!DOCTYPE n [<!ENTITY a "aaaa">]><layer type="&a;"/>`, "entity"},
		{"another encoding", `<?xml version="1.0" encoding="UTF-16"?><layer type="A"/>`, "encoding"},
		{"not UTF-8", "<layer type=\"\xff\"/>", "UTF-8"},
		{"deep nesting", strings.Repeat("<a>", maxDepth+1), "deeper"},
		{"layers in layers", strings.Repeat(`<layer type="A">`, maxDepth+1), "deeper"},
	} {
		t.Run(c.name, func(t *testing.T) {
			layers, err := ReadLayers(strings.NewReader(c.text))
			assert.ErrorContains(t, err, c.says)
			assert.Nil(t, layers)
		})
	}
	t.Run("position", func(t *testing.T) {
		_, err := ReadLayers(strings.NewReader("<net>\n<layer type='A'>\n  <input><port><dim>x</dim>"))
		assert.ErrorContains(t, err, "openvino: IR line 3 column 28: dim")
	})
	t.Run("failing reader", func(t *testing.T) {
		broken := errors.New("broken pipe")
		_, err := ReadLayers(io.MultiReader(strings.NewReader("<net>"), failing{broken}))
		assert.ErrorIs(t, err, broken)
	})
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// endless repeats a text until it has given n bytes.
type endless struct {
	text string
	at   int
	n    int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.n <= 0 {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = e.text[e.at]
		e.at = (e.at + 1) % len(e.text)
	}
	e.n -= len(p)
	return len(p), nil
}

// TestReadBounds has texts that never end: without the bound each would be read
// until memory is gone.
func TestReadBounds(t *testing.T) {
	const limit = 1 << 16
	for _, text := range []string{" ", "<!-- c -->", "<a>", "<a/>", "<layer type='A'/>", "<layer type='", "<![CDATA[", "<?", "<!DOCTYPE "} {
		t.Run(text, func(t *testing.T) {
			source := &endless{text: text, n: 10 * limit}
			_, err := readLayers(source, limit, nil)
			require.Error(t, err)
			assert.Greater(t, source.n, 8*limit, "%d bytes were read", 10*limit-source.n)
		})
	}
	t.Run("a text as long as allowed", func(t *testing.T) {
		text := "<layer type='A'/>"
		_, err := readLayers(strings.NewReader(text), int64(len(text)), nil)
		assert.NoError(t, err)
		_, err = readLayers(strings.NewReader(text), int64(len(text))-1, nil)
		assert.ErrorContains(t, err, "more than 16 bytes")
	})
}

// FuzzReadLayers reads anything. Whatever was read must go through OutputShape
// without a panic, and a shape that comes out has no open dims.
func FuzzReadLayers(f *testing.F) {
	text, err := os.ReadFile("testdata/published.xml")
	require.NoError(f, err)
	// One layer a seed: the fuzzer spends minutes on making a whole file smaller.
	for _, layer := range regexp.MustCompile(`(?s)<layer .*?</layer>`).FindAllString(string(text), -1) {
		f.Add(layer, 1)
	}
	f.Add(`<layer type="GatherND" version="opset8"><data batch_dims="1"/><input><port><dim>2</dim><dim>3</dim></port><port><dim>2</dim><dim>1</dim></port></input></layer>`, 0)
	f.Add(`<layer type="ScatterNDUpdate" version="opset15"><input><port><dim>2</dim></port><port><dim>1</dim></port><port><dim>1</dim></port></input></layer>`, 0)
	f.Add(`<layer type="A"><input><port><dim>1<a/>2</dim></port></input></layer>`, 0)
	f.Fuzz(func(t *testing.T, text string, axis int) {
		layers, err := ReadLayers(strings.NewReader(text))
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Errorf("a text of %d bytes: %.1000s", len(err.Error()), err)
			}
			return
		}
		again, err := ReadLayers(strings.NewReader("\ufeff" + text))
		if marked := strings.HasPrefix(text, "\ufeff"); !marked && (err != nil || len(again) != len(layers)) {
			t.Errorf("with a byte order mark: %d layers, not %d, %v", len(again), len(layers), err)
		}
		for _, l := range layers {
			l.Axis = &axis
			out, err := l.OutputShape()
			for _, n := range out {
				if err == nil && n < 0 {
					t.Errorf("%+v: shape %v", l, out)
				}
			}
		}
	})
}
