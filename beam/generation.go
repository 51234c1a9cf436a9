package gatherbeam

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// A Generation is a new state of the tables of a folder, which a job writes beside
// the old one. The program that waits for the job commits it. Until then, and if the job
// fails, readers find the old one. It may be used by several goroutines.
type Generation struct {
	folder string
	name   string
	commit string // of the manifest that it follows; "" if there was none
	number int

	mu     sync.Mutex
	tables map[string]Table
	done   bool
}

// NewGeneration begins a new generation in a folder, which need not exist. It writes
// nothing.
func NewGeneration(ctx context.Context, folder string) (*Generation, error) {
	const op = "NewGeneration"
	folder, err := absolute(folder)
	if err != nil {
		return nil, errors.WithMessage(err, op)
	}
	g := &Generation{folder: folder, tables: map[string]Table{}}
	m, err := currentManifest(ctx, folder)
	if err != nil {
		return nil, errors.WithMessage(err, op)
	}
	if m != nil {
		g.commit, g.number = m.Commit, m.Number
	}
	g.number++
	g.name = fmt.Sprintf("generation-%06d-%s", g.number, token())
	return g, nil
}

// currentManifest is the manifest of a folder, or nil if it has none.
func currentManifest(ctx context.Context, folder string) (*manifest, error) {
	m, err := readManifest(ctx, folder)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	// File systems with a scheme have their own errors for what is not there; their
	// lists do not.
	if there, listing := exists(ctx, join(folder, manifestName)); listing == nil && !there {
		return nil, nil
	}
	return nil, err
}

func exists(ctx context.Context, path string) (bool, error) {
	names, err := list(ctx, escape(path))
	return len(names) > 0, err
}

// list are the files that fit a pattern.
func list(ctx context.Context, glob string) ([]string, error) {
	fs, err := filesystem.New(ctx, glob)
	if err != nil {
		return nil, errors.WithStack(err)
	}
	defer fs.Close()
	names, err := fs.List(ctx, glob)
	return names, errors.WithStack(err)
}

// Table adds a table to the generation: of this name, dtype and shape (R, d...), in
// the given number of shards, whose numbers of rows differ by at most one. It writes no
// files: [WriteTable] or [Table.Store] does.
func (g *Generation) Table(name string, dt tensor.Dtype, shape tensor.Shape, shards int) (Table, error) {
	t, err := newTable(g.folder, name, g.name, dt, shape, shards)
	if err != nil {
		return Table{}, errors.WithMessage(err, "Generation.Table")
	}
	return t, g.add("Generation.Table", t)
}

// Like adds a table to the generation that is like another one: the same name, dtype
// and shape, and the same rows in each shard.
func (g *Generation) Like(other Table) (Table, error) {
	const op = "Generation.Like"
	t := other
	t.Folder, t.Generation = g.folder, g.name
	t.Shards = make([]ShardFile, len(other.Shards))
	for i, s := range other.Shards {
		t.Shards[i].Rows = s.Rows
	}
	if err := t.check(); err != nil {
		return Table{}, errors.WithMessage(err, op)
	}
	return t, g.add(op, t)
}

func (g *Generation) add(op string, t Table) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done {
		return errors.Errorf("%s: %s is committed", op, g.name)
	}
	if _, twice := g.tables[t.Name]; twice {
		return errors.Errorf("%s: the generation has a table %s already", op, t.Name)
	}
	g.tables[t.Name] = t
	return nil
}

// Commit makes the generation the one that [OpenTable] finds: it compares the job's
// records of what it has written with the tables of the generation, and then writes the
// manifest. Tables of the folder that the generation does not have stay as they are. Call it
// once the job has ended without an error.
//
// It fails, and changes nothing, if a table has not been written whole, or if
// somebody else has committed to the folder since [NewGeneration]. Beam's file systems
// have no locks, so two commits at the same moment may not notice each other. Then one
// of them replaces the other as a whole.
func (g *Generation) Commit(ctx context.Context) error {
	const op = "Commit"
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.done {
		return errors.Errorf("%s: %s is committed already", op, g.name)
	}
	m, err := currentManifest(ctx, g.folder)
	if err != nil {
		return errors.WithMessage(err, op)
	}
	if m == nil {
		m = &manifest{Tables: map[string]manifestTable{}}
	}
	if m.Commit != g.commit {
		return errors.Errorf("%s: %s: somebody else has committed since this generation began: commit %d, it follows %d",
			op, join(g.folder, manifestName), m.Number, g.number-1)
	}
	next := &manifest{Format: format, Version: formatVersion, Commit: token(), Number: g.number, Tables: maps.Clone(m.Tables)}
	if next.Tables == nil {
		next.Tables = map[string]manifestTable{}
	}
	for name, t := range g.tables {
		shards, err := t.written(ctx)
		if err != nil {
			return errors.WithMessagef(err, "%s: table %s", op, name)
		}
		next.Tables[name] = manifestTable{Generation: t.Generation, Dtype: t.Dtype, Shape: t.Shape, Shards: shards}
	}
	if err := writeJSON(ctx, join(g.folder, manifestName), next); err != nil {
		return errors.WithMessage(err, op)
	}
	g.done = true
	return nil
}

// Prune removes the files of generations that the manifest of a folder does not
// name: those before it, and those that failed jobs have left. Nobody may be reading
// or writing them: call it when no job runs.
func Prune(ctx context.Context, folder string) error {
	const op = "Prune"
	folder, err := absolute(folder)
	if err != nil {
		return errors.WithMessage(err, op)
	}
	m, err := readManifest(ctx, folder)
	if err != nil {
		return errors.WithMessage(err, op)
	}
	keep := map[string]bool{}
	for _, t := range m.Tables {
		keep[t.Generation] = true
	}
	fs, err := filesystem.New(ctx, folder)
	if err != nil {
		return errors.Wrap(err, op)
	}
	defer fs.Close()
	remover, ok := fs.(filesystem.Remover)
	if !ok {
		return errors.Errorf("%s: the file system of %s cannot remove files", op, fault.Cut(folder))
	}
	names, err := fs.List(ctx, join(escape(folder), "generation-*/*"))
	if err != nil {
		return errors.Wrap(err, op)
	}
	emptied := map[string]bool{}
	for _, name := range names {
		below, _ := strings.CutPrefix(name, strings.TrimRight(folder, "/")+"/")
		generation, _, _ := strings.Cut(below, "/")
		if !generationName.MatchString(generation) || keep[generation] {
			continue
		}
		if err := remover.Remove(ctx, name); err != nil {
			return errors.Wrap(err, op)
		}
		emptied[generation] = true
	}
	if isLocal(folder) { // in an object store a folder is gone with its last object
		for generation := range emptied {
			_ = remover.Remove(ctx, join(folder, generation)) // files that are not ours may be in it
		}
	}
	return nil
}
