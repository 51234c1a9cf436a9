package gatherbeam_test

import (
	"os"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gorgonia.org/gather/beam"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// block is a block of int64 ids.
func block(number, start int64, ids ...int64) gatherbeam.IDs {
	b, err := gatherbeam.NewIDs(number, start, tensor.New(tensor.WithShape(len(ids)), tensor.WithBacking(ids)))
	if err != nil {
		panic(err)
	}
	return b
}

// fails runs a pipeline that has to end with an error.
func fails(t *testing.T, what, text string, build func(s beam.Scope)) error {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	build(s)
	err := run(p)
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: error %v, want %s", what, err, text)
	}
	return err
}

// TestIndexErrors are those of package dense, at the position among all ids.
func TestIndexErrors(t *testing.T) {
	folder := tempDir(t)
	rows := iota32(5, 2)
	table := stored(t, folder, "users", rows, 2)
	ids := []gatherbeam.IDs{block(0, 0, 1, 2, 3), block(1, 3, -5, -6, 4)}
	all := tensor.New(tensor.WithShape(6), tensor.WithBacking([]int64{1, 2, 3, -5, -6, 4}))
	_, want := dense.Gather(rows, all, 0)
	for name, build := range map[string]func(s beam.Scope){
		"GatherFrom": func(s beam.Scope) {
			sink(s, &savePartsFn{Folder: folder}, gatherbeam.GatherFrom(s, table, elementsOf(s, ids)))
		},
		"Gather": func(s beam.Scope) {
			sink(s, &savePartsFn{Folder: folder}, gatherbeam.Gather(s, gatherbeam.ReadTable(s, table), elementsOf(s, ids)))
		},
	} {
		err := fails(t, name, want.Error(), build)
		e, ok := gatherbeam.AsIndexError(err)
		if !ok || e.Error() != want.Error() {
			t.Errorf("%s: AsIndexError gives %v, want %v", name, e, want)
		}
	}
	tuples := tensor.New(tensor.WithShape(6, 1), tensor.WithBacking([]int64{1, 2, 3, -5, -6, 4}))
	_, want = dense.ScatterND(rows, tuples, iota32(6, 2))
	err := fails(t, "ScatterND", want.Error(), func(s beam.Scope) {
		updates := []gatherbeam.Rows{mustRows(0, 0, iota32(3, 2)), mustRows(1, 3, iota32(3, 2))}
		sink(s, &saveShardsFn{Folder: folder}, gatherbeam.ScatterND(s, gatherbeam.ReadTable(s, table), elementsOf(s, ids), elementsOf(s, updates)))
	})
	if e, ok := gatherbeam.AsIndexError(err); !ok || e.Error() != want.Error() {
		t.Errorf("ScatterND: AsIndexError gives %v, want %v", e, want)
	}
	fails(t, "not negative", "-1 out of range [0, 5)", func(s beam.Scope) {
		sink(s, &savePartsFn{Folder: folder}, gatherbeam.GatherFrom(s, table, elementsOf(s, []gatherbeam.IDs{block(0, 0, -1)}), dense.WithNonNegativeIndices()))
	})
}

func mustRows(number, start int64, rows tensor.Tensor) gatherbeam.Rows {
	r, err := gatherbeam.NewRows(number, start, rows)
	if err != nil {
		panic(err)
	}
	return r
}

// TestBlocksRefused are blocks of ids that are no whole.
func TestBlocksRefused(t *testing.T) {
	folder := tempDir(t)
	table := stored(t, folder, "users", iota32(5, 2), 2)
	for text, ids := range map[string][]gatherbeam.IDs{
		"two blocks of ids have the number 7":                   {block(7, 0, 1), block(7, 1, 2)},
		"starts at position 1, but a block before it ends at 1": {block(0, 0, 1, 2), block(1, 1, 3)},
		"no block of ids has the positions 1 to 2; block 1 is":  {block(0, 0, 1), block(1, 3, 2)},
		"no block of ids has the positions 0 to 3; block 0 is":  {block(0, 4, 1)},
		"starts at position 0, but a block before it ends at 1": {block(0, 0, 1, 2), block(1, 0, 3, 4, 2)},
		"block 0: ids of float32, allowed are int64 and int32":  {{Dtype: "float32", Data: make([]byte, 4)}},
		"block 0: 7 bytes are no ids of int64":                  {{Dtype: "int64", Data: make([]byte, 7)}},
		"block 4 of ids starts at position -3":                  {{Block: 4, Start: -3, Dtype: "int64"}},
	} {
		fails(t, text, text, func(s beam.Scope) {
			sink(s, &savePartsFn{Folder: folder}, gatherbeam.GatherFrom(s, table, elementsOf(s, ids)))
		})
	}
}

// TestShardsRefused are shards that are no table.
func TestShardsRefused(t *testing.T) {
	folder := tempDir(t)
	rows := iota32(5, 3)
	a, b := shardOf(t, 0, 0, rows, 2), shardOf(t, 1, 2, rows, 3)
	with := func(s gatherbeam.Shard, change func(*gatherbeam.Shard)) gatherbeam.Shard {
		change(&s)
		return s
	}
	for text, shards := range map[string][]gatherbeam.Shard{
		"shard 1 starts at row 3, those before it end at row 1": {a, with(b, func(s *gatherbeam.Shard) { s.Start = 3 })},
		"shard 1 starts at row 1, those before it end at row 1": {a, with(b, func(s *gatherbeam.Shard) { s.Start = 1 })},
		"two shards have the number 0":                          {a, with(b, func(s *gatherbeam.Shard) { s.Index = 0 })},
		"rows of int8, allowed are":                             {with(a, func(s *gatherbeam.Shard) { s.Dtype = "int8" })},
		"shard 1 is float64 of shape [3 3]":                     {a, with(b, func(s *gatherbeam.Shard) { s.Dtype = "float64" })},
		"shard 1 is float32 of shape [3 4]":                     {a, with(b, func(s *gatherbeam.Shard) { s.Shape = []int64{3, 4} })},
		"shard 0 has 23 bytes of data":                          {with(a, func(s *gatherbeam.Shard) { s.Data = s.Data[:23] })},
		"shard 0 is float32 of shape []":                        {with(a, func(s *gatherbeam.Shard) { s.Shape = nil })},
	} {
		fails(t, text, text, func(s beam.Scope) {
			sink(s, &savePartsFn{Folder: folder}, gatherbeam.Gather(s, elementsOf(s, shards), elementsOf(s, []gatherbeam.IDs{block(0, 0, 0, 1)})))
		})
	}
}

// TestUpdatesRefused are updates that do not belong to the ids.
func TestUpdatesRefused(t *testing.T) {
	folder := tempDir(t)
	table := stored(t, folder, "users", iota32(5, 2), 2)
	ids := []gatherbeam.IDs{block(0, 0, 1, 2)}
	good := mustRows(0, 0, iota32(2, 2))
	with := func(change func(*gatherbeam.Rows)) gatherbeam.Rows {
		r := good
		change(&r)
		return r
	}
	for text, updates := range map[string][]gatherbeam.Rows{
		"which ids have":                                                {with(func(r *gatherbeam.Rows) { r.Block = 1 })},
		"updates: a block 9, which ids have not":                        {good, mustRows(9, 0, iota32(0, 2))},
		"of ids or of updates have the number 0":                        {good, good},
		"updates: block 0 from position 5":                              {with(func(r *gatherbeam.Rows) { r.Start = 5 })},
		"updates: block 0 from position 0 is of float32 of shape [3 2]": {mustRows(0, 0, iota32(3, 2))},
		"is of int64 of shape [2 2]":                                    {with(func(r *gatherbeam.Rows) { r.Dtype = "int64" })},
		"updates: block 0 has 15 bytes of data":                         {with(func(r *gatherbeam.Rows) { r.Data = r.Data[:15] })},
	} {
		p, s := beam.NewPipelineWithRoot()
		sink(s, &saveShardsFn{Folder: folder}, gatherbeam.ScatterND(s, gatherbeam.ReadTable(s, table), elementsOf(s, ids), elementsOf(s, updates)))
		if err := run(p); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestArgumentsRefused makes pipelines that fail, and does not panic.
func TestArgumentsRefused(t *testing.T) {
	folder := tempDir(t)
	table := stored(t, folder, "users", iota32(5, 2), 2)
	old := table
	table.Shape = []int64{6, 2}
	for text, build := range map[string]func(s beam.Scope) beam.PCollection{
		"WithBatchDims does not apply": func(s beam.Scope) beam.PCollection {
			return gatherbeam.GatherFrom(s, old, elementsOf(s, []gatherbeam.IDs{block(0, 0, 1)}), dense.WithBatchDims(1))
		},
		"WithReduction does not apply": func(s beam.Scope) beam.PCollection {
			return gatherbeam.GatherFrom(s, old, elementsOf(s, []gatherbeam.IDs{block(0, 0, 1)}), dense.WithReduction(dense.Add))
		},
		"its shards have 5 rows, its shape is [6 2]": func(s beam.Scope) beam.PCollection {
			return gatherbeam.GatherFrom(s, table, elementsOf(s, []gatherbeam.IDs{block(0, 0, 1)}))
		},
		"ids: no PCollection": func(s beam.Scope) beam.PCollection {
			return gatherbeam.GatherFrom(s, old, beam.PCollection{})
		},
		"ids: a PCollection of": func(s beam.Scope) beam.PCollection {
			return gatherbeam.GatherFrom(s, old, gatherbeam.ReadTable(s, old))
		},
	} {
		fails(t, text, text, func(s beam.Scope) { sink(s, &savePartsFn{Folder: folder}, build(s)) })
	}
}

// TestFilesRefused damages the file of a shard.
func TestFilesRefused(t *testing.T) {
	for text, damage := range map[string]func(t *testing.T, file string, table *gatherbeam.Table){
		"no such file": func(t *testing.T, file string, _ *gatherbeam.Table) { must(t, os.Remove(file)) },
		"truncated":    func(t *testing.T, file string, _ *gatherbeam.Table) { must(t, os.Truncate(file, 4096+15)) },
		"goes on for 4 bytes behind its array": func(t *testing.T, file string, _ *gatherbeam.Table) {
			must(t, os.Truncate(file, 4096+20))
		},
		"no .npy file": func(t *testing.T, file string, _ *gatherbeam.Table) {
			must(t, os.WriteFile(file, []byte("users,items"), 0o600))
		},
		"an array of float32 of shape (3, 2); shard 1 of table users is one of float32 of shape (2, 2)": func(t *testing.T, file string, table *gatherbeam.Table) {
			must(t, os.Rename(table.File(0), file))
		},
		"the data have the checksum": func(t *testing.T, file string, _ *gatherbeam.Table) {
			data, err := os.ReadFile(file)
			must(t, err)
			data[len(data)-1] ^= 1
			must(t, os.WriteFile(file, data, 0o600))
		},
		"; shard 1 of table users is one of float64": func(_ *testing.T, _ string, table *gatherbeam.Table) { table.Dtype = "float64" },
	} {
		folder := tempDir(t)
		table := stored(t, folder, "users", iota32(5, 2), 2)
		damage(t, table.File(1), &table)
		if text == "goes on for 4 bytes behind its array" {
			// 16 bytes of data are 2 rows.
			table.Shards[1].CRC32C = ""
		}
		fails(t, text, text, func(s beam.Scope) {
			sink(s, &savePartsFn{Folder: folder}, gatherbeam.GatherFrom(s, table, elementsOf(s, []gatherbeam.IDs{block(0, 0, 4)})))
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
