package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/internal/simd"
)

// servedCases are small cases, and which family each of them is to be served by.
var servedCases = map[string]Case{
	"rows copied":      {Op: "Gather", Mode: Read, Data: []int{50, 100}, Indices: []int{30}},
	"rows set":         {Op: "ScatterND", Mode: Copy, Data: []int{50, 100}, Indices: []int{30, 1}},
	"rows added":       {Op: "ScatterND", Mode: Copy, Reduction: Add, Data: []int{50, 100}, Indices: []int{30, 1}},
	"rows reduced":     {Op: "ScatterND", Mode: Copy, Reduction: Max, Data: []int{50, 100}, Indices: []int{30, 1}},
	"elements copied":  {Op: "GatherElements", Mode: Read, Data: []int{50, 100}, Indices: []int{50, 90}, Axis: 1},
	"16-bit floats":    {Op: "ScatterElements", Mode: Copy, Reduction: Add, Dtype: Float16, Data: []int{50, 100}, Indices: []int{50, 100}, Axis: 1},
	"means":            {Op: "ScatterElements", Mode: Copy, Reduction: Mean, Data: []int{50, 100}, Indices: []int{50, 100}, Axis: 1},
	"rows of few bits": {Op: tableBags, Mode: Read, Storage: "Int8", Data: []int{50, 64}, Indices: []int{20, 5}},
	"bags":             {Op: embeddingBag, Mode: Read, Reduction: Add, Data: []int{50, 64}, Indices: []int{20, 5}},
}

// TestWithoutFamilies takes each family out of a case it serves: measure demands the same
// bits.
func TestWithoutFamilies(t *testing.T) {
	for _, impl := range simd.Implementations[1:] {
		w, err := newWithout("all", impl.Name, 1)
		require.NoError(t, err)
		for family, c := range servedCases {
			t.Run(impl.Name+"/"+family, func(t *testing.T) {
				c.Sets = 2
				x, err := w.measure(context.Background(), c)
				require.NoError(t, err)
				assert.Positive(t, x.Whole)
				assert.Contains(t, x.Without, family)
				assert.NotContains(t, x.Without, "updates")
			})
		}
	}
}

// Go's own loops are no family's.
func TestWithoutInGo(t *testing.T) {
	w, err := newWithout("all", "go", 1)
	require.NoError(t, err)
	c := servedCases["rows copied"]
	c.Sets = 2
	x, err := w.measure(context.Background(), c)
	require.NoError(t, err)
	assert.Empty(t, x.Without)
}

func TestWithoutFlags(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no such family":         {[]string{"-without", "bags,rows", "-assembly", "go"}, `"rows" is no family of assembly, the families are: rows copied, rows set`},
		"no such implementation": {[]string{"-without", "all", "-assembly", "sse"}, "-assembly sse: this machine and build have go"},
		"no such source":         {[]string{"-without", "all", "-assembly", "go", "-source", t.TempDir()}, "no assembly in internal"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(context.Background(), append(c.args, "-onnxruntime", ""), nil, io.Discard, io.Discard)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestWithoutReport(t *testing.T) {
	w := &without{Rounds: 3, Families: []string{"bags", "updates"}, Cases: []withoutCase{
		{Group: Bags, Name: "sums", Whole: 10, Without: map[string]float64{"bags": 80}},
		{Group: Bags, Name: "means", Whole: 10, Without: map[string]float64{"bags": 10}},
		{Group: Gathers, Name: "rows", Whole: 10},
	}}
	var out strings.Builder
	w.print(&out, map[string]code{"bags": {4, 900}}, true)
	assert.Contains(t, out.String(), "| bags | 4, 900 | 2 | 2.000 | 2.828 | 1 | 900 | bags: sums 8.00 |")
	assert.Contains(t, out.String(), "| updates | 0, 0 | 0 |  |  | 0 |  |  |")
}

func TestAssemblyLines(t *testing.T) {
	lines, err := assemblyLines("..")
	require.NoError(t, err)
	for _, f := range families() {
		assert.Positive(t, lines[f.Name].functions, f.Name)
		assert.Greater(t, lines[f.Name].lines, 10*lines[f.Name].functions, f.Name)
	}
}

// A run goes on where the one before stopped, if it is of the same kind.
func TestWithoutResume(t *testing.T) {
	file := filepath.Join(t.TempDir(), "without.json")
	args := []string{"-without", "rows copied", "-assembly", "go", "-case", "batch_dims", "-json", file, "-resume", "-rounds", "1"}
	var first, second strings.Builder
	require.NoError(t, run(context.Background(), args, nil, &first, io.Discard))
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, run(context.Background(), args, nil, &second, io.Discard))
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	args[1] = "bags"
	assert.ErrorContains(t, run(context.Background(), args, nil, io.Discard, io.Discard), "other families")
}

// A case is known by its group and its name.
func TestNamesOfCases(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range cases() {
		assert.False(t, seen[c.Group+": "+c.Name], "%s: %s", c.Group, c.Name)
		seen[c.Group+": "+c.Name] = true
	}
}
