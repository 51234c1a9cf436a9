package main

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where data lies makes no difference to the result.
func TestLayoutsOfCalls(t *testing.T) {
	for _, c := range []Case{
		{Op: "Gather", Mode: Read, Data: []int{6, 4}, Indices: []int{5}},
		{Op: "GatherElements", Mode: Read, Data: []int{6, 4}, Indices: []int{6, 4}, Axis: 1},
		{Op: "ScatterElements", Mode: Copy, Reduction: Max, Data: []int{6, 4}, Indices: []int{6, 4}, Axis: 1},
		{Op: "ScatterElements", Mode: InPlace, Reduction: Add, Data: []int{6, 4}, Indices: []int{6, 4}, Axis: 1},
	} {
		packed := problem(t, c)
		want := result(t, packed)
		for _, layout := range []Layout{Transposed, ColumnMajor, Gaps} {
			c.Layout = layout
			p := problem(t, c)
			// The same values, at other places.
			p.indices, p.updates = packed.indices, packed.updates
			for i, v := range packed.data.Float32s() {
				require.NoError(t, p.data.SetAt(v, i/4, i%4))
			}
			assert.True(t, agree(result(t, p), want), "%s %s", c.Op, layout)
		}
	}
}

func TestStringsAndTrees(t *testing.T) {
	for _, c := range []Case{
		{Op: "Gather", Mode: Read, Dtype: String, Data: []int{9}, Indices: []int{20}},
		{Op: "GatherElements", Mode: Read, Dtype: String, Data: []int{5, 7}, Indices: []int{5, 3}, Axis: 1},
	} {
		p := problem(t, c)
		loop, err := newLoop(p)
		require.NoError(t, err)
		require.NoError(t, loop.(*inProcess).run(1))
		assert.True(t, agree(loop.(*inProcess).result(), result(t, p)), c.Op)
	}
	_, err := newLoop(problem(t, smallCases(Read)[0]))
	assert.ErrorIs(t, err, errCannot)

	tree := problem(t, Case{Op: "GatherTree", Mode: Read, Dtype: Int32, Data: []int{3, 2, 4}, Indices: []int{3, 2, 4}})
	got := result(t, tree)
	steps, parents := tree.data.Int32s(), tree.indices[1].Int32s()
	for batch := range 2 {
		for beam := range 4 {
			at := int32(beam)
			for step := 2; step >= 0; step-- {
				place := (step*2+batch)*4 + int(at)
				assert.Equal(t, float64(steps[place]), got.kind.float(got.memory[4*((step*2+batch)*4+beam):]))
				at = parents[place]
			}
		}
	}
}

func TestTakes(t *testing.T) {
	assert.True(t, Case{Group: Gathers}.takes(Memcpy))
	assert.False(t, Case{Group: Sizes}.takes(Memcpy))
	assert.True(t, Case{Group: Dtypes}.takes(OursNoasm))
	assert.False(t, Case{Group: Steps}.takes(OursNoasm))
	assert.False(t, Case{Group: Strings, Dtype: String}.takes(PyTorch))
	assert.True(t, Case{Group: Strings, Dtype: String}.takes(ONNXRuntime))
}

func TestInONNXRuntime(t *testing.T) {
	has := Case{Op: "ScatterElements", Mode: Copy, Reduction: Add}
	assert.True(t, has.inONNXRuntime())
	for name, change := range map[string]func(*Case){
		"mean":                  func(c *Case) { c.Reduction = Mean },
		"without the old value": func(c *Case) { c.WithoutOld = true },
		"transposed":            func(c *Case) { c.Layout = Transposed },
		"gradients":             func(c *Case) { c.Mode = Backward },
		"sum of float16":        func(c *Case) { c.Dtype = Float16 },
		"maximum of bfloat16":   func(c *Case) { c.Dtype, c.Reduction = BFloat16, Max },
	} {
		c := has
		change(&c)
		assert.False(t, c.inONNXRuntime(), name)
	}
}

// A close case runs again, and only then.
func TestRepeat(t *testing.T) {
	c := smallCases(Read)[1]
	us := func(name string, median float64) Time { return Time{Runner: name, Median: median} }
	r := &Report{Results: []Result{
		{Case: c, Threads: 1, Times: []Time{us(Ours, 10), us(ByIndices, 10.5), us(Gonnx, 30)}},
		{Case: c, Threads: 2, Times: []Time{us(Ours, 10), us(ByIndices, 20)}},
	}}
	b := &Bench{rounds: 1, runs: 3, dir: t.TempDir(), progress: io.Discard}
	require.NoError(t, b.repeat(context.Background(), r))
	require.Len(t, r.Results[0].Runs, 3)
	assert.Equal(t, 1.05, r.Results[0].Runs[0], "the run before")
	assert.Positive(t, r.Results[0].Runs[2])
	assert.Empty(t, r.Results[1].Runs)
}

// Of an interrupted run only the rest is measured.
func TestResume(t *testing.T) {
	some := []Case{smallCases(Read)[1], smallCases(Read)[2]}
	old := Result{Case: some[0], Threads: 1, Times: []Time{{Runner: Ours, Median: 10}, {Runner: Gonnx, Median: 9.9}}, Runs: []float64{0.99}}
	b := &Bench{
		rounds: 1, runs: 3, threads: []int{1}, dir: t.TempDir(), progress: io.Discard,
		before: &Report{Rounds: 1, Results: []Result{old}, Seconds: 100},
	}
	r, err := b.run(context.Background(), some)
	require.NoError(t, err)
	require.Len(t, r.Results, 2)
	assert.Equal(t, old.Times, r.Results[0].Times)
	assert.Len(t, r.Results[0].Runs, 3, "the runs that were missing")
	assert.Equal(t, some[1].Name, r.Results[1].Name)
	assert.Greater(t, r.Seconds, 100.0)
}

func TestMarks(t *testing.T) {
	of := func(peer float64, runs ...float64) string {
		return Result{Times: []Time{{Runner: Ours, Median: 1}, {Runner: PyTorch, Median: peer}}, Runs: runs}.mark()
	}
	assert.Equal(t, slower, of(0.5))
	assert.Equal(t, "", of(1.5))
	assert.Equal(t, slower, of(0.99, 0.99, 0.98, 0.97))
	assert.Equal(t, level, of(0.99, 0.99, 1.01, 0.97))
	assert.Equal(t, level, of(1.01, 1.01, 1.02, 0.97))
	assert.Equal(t, "", of(1.01, 1.01, 1.02, 1.03))
}

func TestPartsOfAReport(t *testing.T) {
	dir := t.TempDir()
	one, two := sampleReport(), sampleReport()
	two.Results = two.Results[:1]
	two.Results[0].Times = []Time{{Runner: Ours, Median: 7}}
	other := sampleReport().Results[0]
	other.Name = "another"
	two.Results = append(two.Results, other)
	one.Seconds, two.Seconds = 60, 30
	require.NoError(t, one.save(dir+"/one.json"))
	require.NoError(t, two.save(dir+"/two.json"))
	r, err := loadReports([]string{dir + "/one.json", dir + "/two.json"})
	require.NoError(t, err)
	assert.Len(t, r.Results, 5)
	us, _ := r.Results[0].time(Ours)
	assert.Equal(t, 7.0, us, "the later one counts")
	assert.Equal(t, "another", r.Results[4].Name)
	assert.Equal(t, 90.0, r.Seconds)

	two.Machine.CPU = "another"
	require.NoError(t, two.save(dir+"/two.json"))
	_, err = loadReports([]string{dir + "/one.json", dir + "/two.json"})
	assert.ErrorContains(t, err, "of another machine")
}
