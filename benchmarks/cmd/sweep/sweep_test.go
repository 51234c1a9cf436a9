package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/benchmarks/cmd/sweep/loops"
)

// A seed always draws the same calls, and each can be read from its name.
func TestGenerate(t *testing.T) {
	calls := generate(1, 2000)
	if !reflect.DeepEqual(calls[:50], generate(1, 50)) {
		t.Error("50 calls are not the first of 2000")
	}
	if reflect.DeepEqual(calls[:50], generate(2, 50)) {
		t.Error("another seed draws the same calls")
	}
	seen := map[string]bool{}
	for _, c := range calls {
		got, err := parseCall(c.String())
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != c.String() || !slices.Equal(got.Data, c.Data) || got.Axis != c.Axis {
			t.Fatalf("%v reads as %#v, want %#v", c, got, c)
		}
		items, err := c.items()
		if err != nil {
			t.Fatal(err)
		}
		if of(c.Data) > 3_000_000 || items.TotalSize() > 3_000_000 || of(c.Indices) > 4*3_000_000 {
			t.Errorf("%v is too large", c)
		}
		for _, what := range []string{c.Op + "," + c.Reduction, c.Dtype, "indices " + c.Index, "layout " + c.Layout[:min(1, len(c.Layout))]} {
			seen[what] = true
		}
		if c.InPlace {
			seen["in place"] = true
		}
		if c.BatchDims > 0 {
			seen["batch dims"] = true
		}
	}
	// Scatters, bags, gathers and gradients, segments; dtypes, those of indices, layouts, and two more.
	if want := 9 + 6 + 6 + 3 + 5 + 2 + 3 + 2; len(seen) != want {
		t.Errorf("%d kinds of calls are drawn, want %d: %v", len(seen), want, seen)
	}
}

// Small calls of all kinds write the same on both sides.
func TestPlainLoops(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	g := generator{rand.New(rand.NewPCG(3, 3)), 20, 600}
	for range 3000 {
		c := g.call()
		if _, _, _, err := prepare(c, 2); err != nil {
			t.Fatalf("%v: %v", c, err)
		}
	}
}

// A call whose sides differ is an error, and so is one that cannot be made.
func TestPrepareFails(t *testing.T) {
	c := Call{Op: "SegmentMean", Dtype: "uint8", Data: []int{600, 1}, Count: 1, Index: "int64", Indices: []int{600}}
	if _, _, _, err := prepare(c, 1); err == nil || !strings.Contains(err.Error(), "not that of the plain loop") {
		t.Errorf("means of uint8 that overflow the plain loop: %v", err)
	}
	for _, name := range []string{
		"Gather float32:5x3", "Gather float32:5x3 axis=2 int64:4", "Gather float32:5x3:T11 int64:4", "Gather float32:5x3:S2 int64:4",
		"Gather float32:5x3:Q int64:4", "Gather complex64:5x3 int64:4", "Gather float32:5 int64:scalar", "Gather float32:5x3 int16:4",
		"Gather float32:5x3 int64:4 int64:4", "Gather float32:5x0 int64:4", "Unknown float32:5 int64:4", "Gather  float32:5x3 int64:4",
		"Gather float32:5x3 axis=x int64:4", "SegmentMean uint8:600x1 count=1 int64:600", "ScatterUpdate,none int32:5x3 int64:4", "",
	} {
		c, err := parseCall(name)
		if err == nil {
			_, _, _, err = prepare(c, 1)
		}
		if err == nil {
			t.Errorf("%q is no error", name)
		}
	}
}

// Loops that check find the first bad index.
func TestBadIndices(t *testing.T) {
	testBadIndices(t, loops.Numbers[float32, int32]())
	testBadIndices(t, loops.Halves[int32]())
}

func testBadIndices[T loops.Number | loops.Half](t *testing.T, table loops.Table[T, int32]) {
	n := &loops.Nest{Outer: pad3(nil), N: 4, Sizes: []int{5}, Strides: []int{4}, Inner: pad3([]loops.Loop{{N: 2, Data: 1}})}
	data, items := make([]T, 20), make([]T, 20)
	for _, bad := range []int32{5, -6} {
		indices := []int32{0, -5, bad, 9}
		for key, loop := range table.Loops {
			if !key.Checked {
				continue
			}
			if at := loop(data, items, indices, n); at != 2 {
				t.Errorf("%+v: index %d", key, at)
			}
		}
		for move, bags := range table.Bags {
			for _, columns := range []int{1, 2} {
				if at := bags[columns-1](items[:2*columns], data[:5*columns], indices, nil, columns, columns, 2); at != 2 {
					t.Errorf("bags by %v: index %d", move, at)
				}
			}
		}
		if at := loops.Check(indices, n.Sizes); at != 2 {
			t.Errorf("check: index %d", at)
		}
		if at := loops.Check(indices, []int{5, 5}); at != 2 {
			t.Errorf("check of tuples: index %d", at)
		}
	}
	if at := table.SegmentMax(data, items, []int32{0, 4, 5}, n); at != 2 {
		t.Errorf("maximum of segments: index %d", at)
	}
}

// TestLimits is a call that is over limits in one run or in two.
func TestLimits(t *testing.T) {
	long, short, threads := comparisons[0], comparisons[1], comparisons[2]
	for _, c := range []struct {
		name       string
		of         comparison
		r          Result
		counts     bool
		over, most bool // the first limit, the last one
	}{
		{"equal", long, Result{Ours: 20e-6, Plain: 20e-6}, true, false, false},
		{"at the limit", long, Result{Ours: 1.1, Plain: 1}, true, false, false},
		{"above", long, Result{Ours: 23e-6, Plain: 20e-6}, true, true, false},
		{"far above", long, Result{Ours: 31e-6, Plain: 20e-6}, true, true, true},
		{"above in both runs", long, Result{Ours: 31e-6, Plain: 20e-6, Again: &Result{Ours: 23e-6, Plain: 20e-6}}, true, true, false},
		{"above in the first run", long, Result{Ours: 31e-6, Plain: 20e-6, Again: &Result{Ours: 21e-6, Plain: 20e-6}}, true, false, false},
		{"short for the long", long, Result{Ours: 9e-6, Plain: 9e-6}, false, false, false},
		{"long for the short", short, Result{Ours: 10e-6, Plain: 10e-6}, false, false, false},
		{"short, above by 300 ns", short, Result{Ours: 0.5e-6, Plain: 0.2e-6}, true, false, false},
		{"short, above by 500 ns", short, Result{Ours: 0.7e-6, Plain: 0.2e-6}, true, true, true},
		{"short, above by 500 ns and a tenth", short, Result{Ours: 5.5e-6, Plain: 5e-6}, true, false, false},
		{"threads, too short", threads, Result{Ours: 19e-6, Threads: 40e-6}, false, true, true},
		{"threads", threads, Result{Ours: 20e-6, Threads: 24e-6}, true, true, false},
		{"no threads", threads, Result{Ours: 20e-6}, false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			counts := c.of.counts(&c.r)
			over, most := c.of.over(&c.r, c.of.limits[0].ratio), c.of.over(&c.r, c.of.limits[len(c.of.limits)-1].ratio)
			if counts != c.counts || over != c.over || most != c.most {
				t.Errorf("it counts: %v, is over the first limit: %v, the last: %v", counts, over, most)
			}
		})
	}
}

func TestQuantiles(t *testing.T) {
	x := []float64{1, 2, 4, 8}
	for share, want := range map[float64]float64{0: 1, 0.25: 1, 0.26: 2, 0.5: 2, 0.75: 4, 1: 8} {
		if got := quantile(x, share); got != want {
			t.Errorf("quantile %v is %v, want %v", share, got, want)
		}
	}
	if got := geometricMean([]float64{1, 4}); got != 2 {
		t.Errorf("geometric mean %v, want 2", got)
	}
}

// A run writes its files, and another one makes the same report of them.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if err := run(context.Background(), args, &stdout, &stderr); err != nil {
			t.Fatal(err, stderr.String())
		}
		return stdout.String()
	}
	name := "Gather float32:50x16 int64:40"
	run("-json", file("a.json"), "-markdown", file("a.md"), name, "SegmentSum float32:500x3 count=20 int64:500")
	run("-json", file("b.json"), "-plot", file("b.svg"), "-twice", name)
	text := run("-from", file("a.json")+","+file("b.json"), "-plot", file("ab.png"))
	for _, part := range []string{"3 calls", "geometric mean", "| Gather |", "| SegmentSum |"} {
		if !strings.Contains(text, part) {
			t.Errorf("the report has no %q:\n%s", part, text)
		}
	}
	for _, name := range []string{"a.md", "b.svg", "ab.png"} {
		if info, err := os.Stat(file(name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	listed := run("-list", "-only", "^Gather ", "5", "100")
	if n := strings.Count(listed, "\n"); n == 0 || n != strings.Count(listed, "Gather float")+strings.Count(listed, "Gather int64:")+strings.Count(listed, "Gather uint8") {
		t.Errorf("-only lists\n%s", listed)
	}
}

// Wrong arguments are refused.
func TestArguments(t *testing.T) {
	for args, says := range map[string]string{
		"": "a seed and a number", "1": "number of calls", "1,x": `"x" is no number`, "1,0": `"0" is no number`, "1,2,3": "alone",
		"Gather": "not the name of a call", "-threads,0,1,1": "flags -threads", "-rounds,0,1,1": "-rounds: 2 and 0", "-only,(,1,1": "flag -only", "-only,nothing,1,9": "none of 9",
		"-from,nowhere.json": "nowhere.json", "-x": "flags are wrong",
	} {
		var list []string
		if args != "" {
			list = strings.Split(args, ",")
		}
		err := run(context.Background(), list, &bytes.Buffer{}, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", args, err, says)
		}
	}
}
