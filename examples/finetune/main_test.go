package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"gorgonia.org/gather/internal/examples/consoletest"
	"gorgonia.org/gather/onnx"
)

// overall finds the shares of right guesses before and after.
func overall(t *testing.T, report string) (before, after float64) {
	t.Helper()
	found := regexp.MustCompile(`(?m)^all +\d+ names +([0-9.]+) % +([0-9.]+) %$`).FindStringSubmatch(report)
	require.NotNil(t, found, report)
	before, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	after, err = strconv.ParseFloat(found[2], 64)
	require.NoError(t, err)
	return before, after
}

// The model gets better, and is written: what is read again guesses as the one in
// memory did, and differs from the old file in its weights alone.
func TestRun(t *testing.T) {
	epochs := "-epochs=5"
	if testing.Short() {
		epochs = "-epochs=3"
	}
	report, folder := consoletest.Run(t, run, epochs)
	assert.Contains(t, report, "\ntrained: table hidden.weight hidden.bias out.weight out.bias\n")
	before, after := overall(t, report)
	assert.Greater(t, before, 60.0)
	assert.Greater(t, after, before+2)
	consoletest.Pictures(t, report, folder, "confusion.png")

	file, err := os.ReadFile(filepath.Join(folder, "classifier.onnx"))
	require.NoError(t, err)
	old := classifier
	require.Len(t, file, len(old))
	defer func() { classifier = old }()
	classifier = file
	var held []name
	for _, n := range collect() {
		if n.part == heldOut {
			held = append(held, n)
		}
	}
	n, err := newNetwork(1)
	require.NoError(t, err)
	j, err := newJudge(held)
	require.NoError(t, err)
	defer j.machine.Close()
	guesses, err := j.guess(n)
	require.NoError(t, err)
	assert.InDelta(t, after, right(held, guesses), 0.051)

	// The old weights make the old file of it again.
	m, err := onnx.ReadModel(bytes.NewReader(file))
	require.NoError(t, err)
	classifier = old
	first, err := newNetwork(1)
	require.NoError(t, err)
	weights, err := first.built.Weights()
	require.NoError(t, err)
	var again bytes.Buffer
	require.NoError(t, m.Write(&again, weights))
	assert.Equal(t, sorted(old), sorted(again.Bytes()), "the values may stand behind the name")

	list, err := os.ReadFile(filepath.Join(folder, "names.tsv"))
	require.NoError(t, err)
	assert.Contains(t, string(list), "script\tde\t")
	assert.NotContains(t, strings.ReplaceAll(string(list), "\t", " "), "  ")
}

// What a model of PyTorch's exporter has lost is printed.
func TestPrintWeights(t *testing.T) {
	old := classifier
	defer func() { classifier = old }()
	classifier = nil
	for b := old; len(b) > 0; {
		number, _, length := protowire.ConsumeField(b)
		field := b[:length]
		if number == 7 { // the graph gets an entry of metadata
			graph, _ := protowire.ConsumeBytes(field[1:])
			entry := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "pkg.torch.export.ExportedProgram.graph_signature")
			entry = protowire.AppendString(protowire.AppendTag(entry, 2, protowire.BytesType), "# inputs\np_fc: PARAMETER target='fc.weight'\n")
			graph = protowire.AppendBytes(protowire.AppendTag(slices.Clone(graph), 16, protowire.BytesType), entry)
			field = protowire.AppendBytes(protowire.AppendTag(nil, 7, protowire.BytesType), graph)
		}
		classifier, b = append(classifier, field...), b[length:]
	}
	n, err := newNetwork(1)
	require.NoError(t, err)
	var report strings.Builder
	n.printWeights(&report)
	assert.Equal(t, "trained:\nnot trained as in PyTorch: fc.weight: missing: equal to something else, folded away, or not used\n", report.String())
}

func sorted(b []byte) []byte {
	b = slices.Clone(b)
	slices.Sort(b)
	return b
}

func TestTraining(t *testing.T) {
	consoletest.Training{
		Program:  run,
		Pictures: []string{"confusion.png"},
		Short:    []string{"-epochs=1"},
		Endless:  []string{"-epochs=10000"},
		Reported: "before and after",
		Mistakes: []consoletest.Mistake{
			{Name: "no epoch", Args: []string{"-epochs=0"}, Says: "flag -epochs: 0 is not allowed"},
			{Name: "no name", Args: []string{"-batch=0"}, Says: "flag -batch: 0 is not allowed"},
			{Name: "more names than there are", Args: []string{"-batch=1001"}, Says: "flag -batch: 1001 is not allowed"},
		},
		Stops: []consoletest.Stop{
			{Lines: 3, Flags: []string{"-epochs=40"}, Says: []string{`stopped after \d+ of 40 epochs`}, Look: func(t *testing.T, report string) {
				before, after := overall(t, report)
				assert.Greater(t, after, before)
			}},
			{Flags: []string{"-epochs=10000"}, Says: []string{"stopped after 1 of 10000 epochs"}},
		},
	}.Test(t)
}

// No subject is in two parts, every language has names in each, and no name is
// that of two languages.
func TestCollect(t *testing.T) {
	texts := map[string]bool{}
	counts := map[part]map[int]int{heldOut: {}, script: {}, finetune: {}}
	for _, n := range collect() {
		assert.False(t, texts[n.text], n.text)
		texts[n.text] = true
		counts[n.part][n.language]++
	}
	for p, of := range counts {
		for l := range languages {
			assert.Greater(t, of[l], 40, "%v %s", p, languages[l])
		}
	}
	assert.True(t, texts["deutschland"] && texts["alemania"])
	assert.False(t, texts["angola"], "many languages call it so")
	assert.True(t, slices.IsSorted(languages), "as classifier.py has them")
}

// The rows are those that classifier.py computed, so that the table fits.
func TestEncode(t *testing.T) {
	list, n := encode("åland")
	assert.Equal(t, 7+6+5, n)
	assert.Equal(t, []int64{0, 0}, list[n:n+2])
	assert.Equal(t, encodedByScript, list[:n])
	_, n = encode(strings.Repeat("a", 100))
	assert.Equal(t, grams, n)
}

func TestConfusion(t *testing.T) {
	held := []name{{language: 1}, {language: 1}, {language: 2}, {language: 1}}
	c := newConfusion(held, []int{1, 0, 2, 1})
	assert.Equal(t, 2.0/3, c[1][1])
	assert.Equal(t, 1.0/3, c[1][0])
	assert.Equal(t, 1.0, c[2][2])
	assert.Equal(t, 0.0, c[0][0], "a language without names")
	assert.Equal(t, 75.0, right(held, []int{1, 0, 2, 1}))
}

// encodedByScript is what encode("åland") of classifier.py gives.
var encodedByScript = []int64{3230, 3182, 696, 2771, 1504, 1559, 2589, 1374, 1802, 3395, 1399, 1423, 1894, 1525, 3591, 1647, 1362, 3855}
