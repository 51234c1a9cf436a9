package gatherbeam_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/pkg/errors"
	"gorgonia.org/gather/beam"
	"gorgonia.org/tensor"
)

// TestFailedJob leaves the old table as it was.
func TestFailedJob(t *testing.T) {
	folder := tempDir(t)
	rows := iota32(6, 2)
	old := stored(t, folder, "users", rows, 3)
	g, err := gatherbeam.NewGeneration(background, folder)
	must(t, err)
	next, err := g.Like(old)
	must(t, err)
	// Two of three shards come: they are written, and the job fails after.
	shards := []gatherbeam.Shard{shardOf(t, 0, 0, rows, 2), shardOf(t, 2, 4, rows, 2)}
	fails(t, "a shard too few", "table users has 3 shards, 2 have come", func(s beam.Scope) {
		gatherbeam.WriteTable(s, next, elementsOf(s, shards))
	})
	if err := g.Commit(background); err == nil || !strings.Contains(err.Error(), "not all of it has been written") {
		t.Errorf("Commit after a job that failed: error %v", err)
	}
	again, err := gatherbeam.OpenTable(background, folder, "users")
	must(t, err)
	got, err := again.Load(background)
	must(t, err)
	sameBits(t, "the old table", got, rows)
	if again.Generation != old.Generation {
		t.Errorf("generation %s, want %s", again.Generation, old.Generation)
	}
	must(t, gatherbeam.Prune(background, folder))
	if _, err := os.Stat(filepath.Dir(next.File(0))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what the job left is there after Prune: %v", err)
	}
	if got, err = again.Load(background); err != nil {
		t.Fatal(err)
	}
	sameBits(t, "the table after Prune", got, rows)
}

// TestWriteRefused are shards that are not those of the table.
func TestWriteRefused(t *testing.T) {
	folder := tempDir(t)
	old := stored(t, folder, "users", iota32(5, 2), 2)
	rows := iota32(9, 2)
	a, b := shardOf(t, 0, 0, rows, 3), shardOf(t, 1, 3, rows, 2)
	for text, shards := range map[string][]gatherbeam.Shard{
		"shard 0 of table users comes twice":              {a, a, b},
		"a shard with number 2, table users has 2":        {a, b, shardOf(t, 2, 5, rows, 0)},
		"shard 0 from row 0 is of float32 of shape [2 2]": {shardOf(t, 0, 0, rows, 2), b},
		"shard 1 from row 2":                              {a, shardOf(t, 1, 2, rows, 2)},
	} {
		g, err := gatherbeam.NewGeneration(background, folder)
		must(t, err)
		next, err := g.Like(old)
		must(t, err)
		fails(t, text, text, func(s beam.Scope) { gatherbeam.WriteTable(s, next, elementsOf(s, shards)) })
	}
	fails(t, "no generation", "is of no generation", func(s beam.Scope) {
		table := old
		table.Generation = ""
		gatherbeam.WriteTable(s, table, gatherbeam.ReadTable(s, old))
	})
}

// TestTwoWriters lets the second one fail.
func TestTwoWriters(t *testing.T) {
	folder := tempDir(t)
	old := stored(t, folder, "users", iota32(4, 2), 2)
	var all []*gatherbeam.Generation
	for i := range 2 {
		g, err := gatherbeam.NewGeneration(background, folder)
		must(t, err)
		next, err := g.Like(old)
		must(t, err)
		must(t, next.Store(background, tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float32{float32(i), 0, 0, 0, 0, 0, 0, 0}))))
		all = append(all, g)
	}
	must(t, all[0].Commit(background))
	if err := all[1].Commit(background); err == nil || !strings.Contains(err.Error(), "somebody else has committed") {
		t.Errorf("the second writer: error %v", err)
	}
	table, err := gatherbeam.OpenTable(background, folder, "users")
	must(t, err)
	got, err := table.Load(background)
	must(t, err)
	sameBits(t, "the first writer's", got, tensor.New(tensor.WithShape(4, 2), tensor.WithBacking(make([]float32, 8))))
	if err := all[0].Commit(background); err == nil || !strings.Contains(err.Error(), "committed already") {
		t.Errorf("a second Commit: error %v", err)
	}
}

// TestManifestsRefused are manifests that lie.
func TestManifestsRefused(t *testing.T) {
	folder := tempDir(t)
	stored(t, folder, "users", iota32(5, 2), 2)
	path := filepath.Join(folder, "manifest.json")
	good, err := os.ReadFile(path)
	must(t, err)
	for _, c := range []struct{ old, new, text string }{
		{"beam tables", "other tables", "is allowed"},
		{`"version": 1`, `"version": 2`, "version 2"},
		{`"rows": 3`, `"rows": 4`, "its shards have 6 rows"},
		{`"rows": 3`, `"rows": -3`, "shard 0 has -3 rows"},
		{`"float32"`, `"float31"`, "rows of float31"},
		{`"generation-0`, `"../generation-0`, "no name of a generation"},
		{`"users"`, `"../users"`, "the name"},
		{`"shards"`, `"chards"`, "0 shards"},
		{"}", "", "unexpected end"},
	} {
		text := strings.Replace(string(good), c.old, c.new, 1)
		if c.new == "" {
			text = text[:len(text)/2]
		}
		if text == string(good) {
			t.Fatalf("%s is not in the manifest:\n%s", c.old, good)
		}
		must(t, os.WriteFile(path, []byte(text), 0o600))
		if _, err := gatherbeam.OpenTable(background, folder, "users"); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %s", c.new, err, c.text)
		}
		if _, err := gatherbeam.NewGeneration(background, folder); err == nil {
			t.Errorf("%s: a generation follows it", c.new)
		}
	}
	must(t, os.WriteFile(path, good, 0o600))
	if _, err := gatherbeam.OpenTable(background, folder, "items"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such table: error %v", err)
	}
	if _, err := gatherbeam.OpenTable(background, tempDir(t), "users"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no manifest: error %v", err)
	}
}

// TestDescribe reads files that have no manifest.
func TestDescribe(t *testing.T) {
	folder := tempDir(t)
	rows := iota32(5, 3, 2)
	table := stored(t, folder, "users", rows, 4)
	there := filepath.Dir(table.File(0))
	described, err := gatherbeam.DescribeTable(background, there, "users")
	must(t, err)
	got, err := described.Load(background)
	must(t, err)
	sameBits(t, "described", got, rows)
	must(t, os.Remove(table.File(2)))
	if _, err := gatherbeam.DescribeTable(background, there, "users"); err == nil {
		t.Error("a shard is missing, and it is no error")
	}
	if _, err := gatherbeam.DescribeTable(background, there, "items"); err == nil || !strings.Contains(err.Error(), "no files") {
		t.Errorf("no files: error %v", err)
	}
}

// TestPlansRefused are tables that cannot be.
func TestPlansRefused(t *testing.T) {
	g, err := gatherbeam.NewGeneration(background, tempDir(t))
	must(t, err)
	for text, plan := range map[string]func() error{
		"a scalar has no rows":   func() error { _, err := g.Table("a", tensor.Float32, tensor.Shape{}, 1); return err },
		"0 shards":               func() error { _, err := g.Table("a", tensor.Float32, tensor.Shape{1}, 0); return err },
		"rows of int8":           func() error { _, err := g.Table("a", tensor.Int8, tensor.Shape{1}, 1); return err },
		"the name":               func() error { _, err := g.Table("a/b", tensor.Float32, tensor.Shape{1}, 1); return err },
		"has size -1":            func() error { _, err := g.Table("a", tensor.Float32, tensor.Shape{2, -1}, 1); return err },
		"the folder's name is e": func() error { _, err := gatherbeam.NewGeneration(background, ""); return err },
		"ids is nil":             func() error { _, err := gatherbeam.NewIDs(0, 0, nil); return err },
		"rows: nil":              func() error { _, err := gatherbeam.NewRows(0, 0, nil); return err },
		"none may be negative":   func() error { _, err := gatherbeam.NewShard(-1, 0, iota32(1)); return err },
	} {
		if err := plan(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v, want %s", err, text)
		}
	}
}
