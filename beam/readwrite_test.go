package gatherbeam_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gorgonia.org/gather/beam"
	"gorgonia.org/tensor"
)

// iota32 is a tensor of the numbers 0, 1, ….
func iota32(shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(tensor.Range(tensor.Float32, 0, tensor.Shape(shape).TotalSize())))
}

// stored is a table in a folder, committed.
func stored(t *testing.T, folder, name string, rows *tensor.Dense, shards int) gatherbeam.Table {
	t.Helper()
	ctx := context.Background()
	g, err := gatherbeam.NewGeneration(ctx, folder)
	if err != nil {
		t.Fatal(err)
	}
	table, err := g.Table(name, rows.Dtype(), rows.Shape(), shards)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Store(ctx, rows); err != nil {
		t.Fatal(err)
	}
	if err := g.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if table, err = gatherbeam.OpenTable(ctx, folder, name); err != nil {
		t.Fatal(err)
	}
	return table
}

// TestReadWrite copies a table by a pipeline.
func TestReadWrite(t *testing.T) {
	ctx := context.Background()
	folder := tempDir(t)
	rows := iota32(7, 3, 2)
	old := stored(t, folder, "users", rows, 3)
	next, err := gatherbeam.NewGeneration(ctx, folder)
	if err != nil {
		t.Fatal(err)
	}
	table, err := next.Like(old)
	if err != nil {
		t.Fatal(err)
	}
	p, s := beam.NewPipelineWithRoot()
	gatherbeam.WriteTable(s, table, gatherbeam.ReadTable(s, old))
	if err := run(p); err != nil {
		t.Fatal(err)
	}
	if err := next.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	opened, err := gatherbeam.OpenTable(ctx, folder, "users")
	if err != nil {
		t.Fatal(err)
	}
	got, err := opened.Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if opened.Generation == old.Generation || fmt.Sprint(got.Data()) != fmt.Sprint(rows.Data()) || !got.Shape().Eq(rows.Shape()) {
		t.Errorf("%v\nof %s, want\n%v", got, opened.Generation, rows)
	}
}
