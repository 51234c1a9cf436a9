package embedding_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// pair is tables that train together: a name is anything.
type pair map[string]*embedding.Table

const odd = "Über/../ALL users\n"

func newPair(t *testing.T, seed uint64) pair {
	t.Helper()
	items, err := embedding.Make(tensor.Float32, 30, 5, embedding.Normal(seed, 0, 1))
	ok(t, err)
	users, err := embedding.Make(tensor.Float64, 40, 3, embedding.Normal(seed+1, 0, 1))
	ok(t, err)
	return pair{"items": items, odd: users}
}

func (p pair) train(t *testing.T, o embedding.Optimizer, from, to int) {
	t.Helper()
	for k := from; k < to; k++ {
		update(t, o, p["items"], k)
		if k%2 == 0 {
			update(t, o, p[odd], k)
		}
	}
}

func (p pair) same(t *testing.T, what string, want pair) {
	t.Helper()
	for name, table := range p {
		sameBits(t, what+", "+name, bits(t, table), bits(t, want[name]))
	}
}

// contents are the names in a checkpoint, but that of the file whose lock is the folder's.
func contents(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	ok(t, err)
	var names []string
	for _, e := range entries {
		if runtime.GOOS != "windows" || e.Name() != ".lock" {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}

// TestCheckpoint: training goes on to the same bits from what was saved, with other
// tables and another optimiser.
func TestCheckpoint(t *testing.T) {
	for name, newOptimizer := range makers(t) {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a", "b")
			p, o := newPair(t, 1), newOptimizer()
			for save := range 3 {
				p.train(t, o, 10*save, 10*save+10)
				ok(t, embedding.Save(dir, p, o))
				if got, want := contents(t, dir), fmt.Sprintf("generation-%06d manifest.json", save+1); got != want {
					t.Errorf("save %d leaves %s", save, got)
				}
			}
			q, oq := newPair(t, 5), newOptimizer()
			q.train(t, oq, 100, 103) // which is forgotten
			ok(t, embedding.Load(dir, q, oq))
			q.same(t, "loaded", p)
			p.train(t, o, 30, 50)
			q.train(t, oq, 30, 50)
			q.same(t, "trained further", p)
			for _, name := range []string{"items", odd} {
				for state, want := range o.State(p[name]) {
					sameBits(t, "state "+state, bitsOf(oq.State(q[name])[state]), bitsOf(want))
				}
			}

			r := newPair(t, 5)
			ok(t, embedding.Load(dir, r, nil)) // the rows alone
			ok(t, embedding.Save(dir, r, nil))
			s, os := newPair(t, 6), newOptimizer()
			if err := embedding.Load(dir, s, os); err == nil || !strings.Contains(err.Error(), "saved without an optimiser") {
				t.Errorf("error %v", err)
			}
			ok(t, embedding.Load(dir, s, nil))
			s.same(t, "without an optimiser", r)
		})
	}
}

// TestCheckpointBeforeAnyStep takes an optimiser back to what it was before its
// first step.
func TestCheckpointBeforeAnyStep(t *testing.T) {
	for name, newOptimizer := range makers(t) {
		dir := t.TempDir()
		p, o := newPair(t, 1), newOptimizer()
		ok(t, embedding.Save(dir, p, o))
		p.train(t, o, 0, 20)
		first := newPair(t, 1)
		first.same(t, name+": nothing is trained", newPair(t, 1))
		first.train(t, newOptimizer(), 0, 20)
		ok(t, embedding.Load(dir, p, o))
		p.train(t, o, 0, 20)
		p.same(t, name, first)
	}
}

// TestLargeCheckpoint has rows that are written and read in several blocks, the last
// of which is not full.
func TestLargeCheckpoint(t *testing.T) {
	dir := t.TempDir()
	made := func(seed uint64) *embedding.Table {
		table, err := embedding.Make(tensor.Float32, 5000, 131, embedding.Normal(seed, 0, 1))
		ok(t, err)
		return table
	}
	saved, loaded := made(1), made(2)
	ok(t, embedding.Save(dir, pair{"items": saved}, nil))
	ok(t, embedding.Load(dir, pair{"items": loaded}, nil))
	sameBits(t, "rows", bits(t, loaded), bits(t, saved))
}

// TestRemains: what a crash left is not loaded, not written over, and goes with the
// next Save; what is not of a checkpoint stays.
func TestRemains(t *testing.T) {
	dir := saved(t)
	for _, name := range []string{"generation-000000", "generation-000007", "generation-x", "pictures"} {
		ok(t, os.MkdirAll(filepath.Join(dir, name), 0o777))
		ok(t, os.WriteFile(filepath.Join(dir, name, "items.npy"), []byte("half"), 0o666))
	}
	ok(t, os.WriteFile(filepath.Join(dir, "manifest.json.new"), []byte("{"), 0o666))
	p, o := newPair(t, 2), newAdam(t)
	ok(t, embedding.Load(dir, p, o))
	ok(t, embedding.Save(dir, p, o))
	if got, want := contents(t, dir), "generation-000000 generation-000008 generation-x manifest.json pictures"; got != want {
		t.Errorf("the folder holds %s, want %s", got, want)
	}
}

// TestManifest: the manifest is what others can read, and its files are NumPy's.
func TestManifest(t *testing.T) {
	dir := saved(t)
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	ok(t, err)
	var m struct {
		Optimizer string
		Tables    map[string]struct {
			Dtype   string
			Shape   []int
			Weights struct{ File string }
			State   map[string]struct{ File string }
			Steps   int
		}
	}
	ok(t, json.Unmarshal(text, &m))
	if got := m.Tables["items"]; m.Optimizer != "Adam" || got.Dtype != "float32" || fmt.Sprint(got.Shape) != "[30 5]" || got.Steps != 5 ||
		got.Weights.File != "generation-000001/items.npy" || got.State["v"].File != "generation-000001/items.v.npy" {
		t.Errorf("the manifest has %+v", m)
	}
	if file := m.Tables[odd].Weights.File; !regexp.MustCompile(`^generation-000001/[a-z0-9_%A-F-]+\.npy$`).MatchString(file) {
		t.Errorf("the file of an odd name is %q", file)
	}
}

// TestSavesAndLoads: a Load beside Saves gets one generation, whole.
func TestSavesAndLoads(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows replaces no file that is open: Save fails while a Load reads the manifest")
	}
	dir := saved(t)
	var wait sync.WaitGroup
	stop := make(chan struct{})
	wait.Add(1)
	go func() {
		defer wait.Done()
		p, o := newPair(t, 1), newAdam(t)
		for k := 0; ; k++ {
			select {
			case <-stop:
				return
			default:
			}
			update(t, o, p["items"], k)
			update(t, o, p[odd], k)
			if err := embedding.Save(dir, p, o); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range 50 {
		p, o := newPair(t, 3), newAdam(t)
		if err := embedding.Load(dir, p, o); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	wait.Wait()
}

// TestNames: tables of any names are saved beside each other.
func TestNames(t *testing.T) {
	long := strings.Repeat("Ä", 500)
	p, q := pair{}, pair{}
	for i, name := range []string{"", "%", "_", "a", "A", "a.m", "..", "/", "a/b", "a\x00b", long, long + "x"} {
		for _, to := range []pair{p, q} {
			table, err := embedding.Make(tensor.Float32, 2, 2, embedding.Uniform(uint64(i), 0, 1))
			ok(t, err)
			to[name] = table
		}
		update(t, newAdam(t), q[name], i)
	}
	dir := t.TempDir()
	ok(t, embedding.Save(dir, p, nil))
	ok(t, embedding.Load(dir, q, nil))
	q.same(t, "loaded", p)
}
