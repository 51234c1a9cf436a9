package gatherbeam_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gorgonia.org/gather/beam"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

var (
	cases = flag.Int("beamcases", 200, "how many random cases an operator are compared with package dense")
	batch = flag.Int("beambatch", 20, "how many of them run in one pipeline")
)

// batches calls run with the numbers of cases that one pipeline has.
func batches(run func(first, behind int)) {
	for first := 0; first < *cases; first += *batch {
		run(first, min(first+*batch, *cases))
	}
}

// gathering is a way to gather.
type gathering func(t *testing.T, s beam.Scope, c randomCase, ids beam.PCollection, opts ...dense.Option) beam.PCollection

func gatherFrom(t *testing.T, s beam.Scope, c randomCase, ids beam.PCollection, opts ...dense.Option) beam.PCollection {
	return gatherbeam.GatherFrom(s, shardsStored(t, c), ids, opts...)
}

func gather(_ *testing.T, s beam.Scope, c randomCase, ids beam.PCollection, opts ...dense.Option) beam.PCollection {
	return gatherbeam.Gather(s, elementsOf(s, c.shards), ids, opts...)
}

// shardsStored puts the shards of a case into files.
func shardsStored(t *testing.T, c randomCase) gatherbeam.Table {
	t.Helper()
	folder := tempDir(t)
	shards := slices.Clone(c.shards)
	slices.SortFunc(shards, func(a, b gatherbeam.Shard) int { return int(a.Index - b.Index) })
	like := gatherbeam.Table{Folder: folder, Name: "t", Dtype: shards[0].Dtype, Shape: []int64{}}
	for _, n := range c.table.Shape() {
		like.Shape = append(like.Shape, int64(n))
	}
	for _, s := range shards {
		like.Shards = append(like.Shards, gatherbeam.ShardFile{Rows: s.Shape[0]})
	}
	g, err := gatherbeam.NewGeneration(background, folder)
	if err != nil {
		t.Fatal(err)
	}
	table, err := g.Like(like)
	if err == nil {
		err = table.Store(background, c.table)
	}
	if err == nil {
		err = g.Commit(background)
	}
	if err == nil {
		table, err = gatherbeam.OpenTable(background, folder, "t")
	}
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// paddingOf is an id of the case or, if it has none, -1.
func paddingOf(r *rand.Rand, c randomCase) int64 {
	n := c.ids.Shape()[0]
	if n == 0 {
		return -1
	}
	id, _ := c.ids.At(r.IntN(n))
	return reflect.ValueOf(id).Int()
}

// TestGatherRandom compares the gathers with package dense, bit for bit.
func TestGatherRandom(t *testing.T) {
	for name, how := range map[string]gathering{"GatherFrom": gatherFrom, "Gather": gather} {
		t.Run(name, func(t *testing.T) {
			batches(func(first, behind int) {
				p, s := beam.NewPipelineWithRoot()
				var all []randomCase
				var opts [][]dense.Option
				var folders []string
				for i := first; i < behind; i++ {
					r := rand.New(rand.NewPCG(uint64(i), 1))
					fill := r.IntN(2) == 0
					c := newCase(t, r, fill)
					var o []dense.Option
					if fill {
						m := dense.ZeroFill
						if c.table.Shape()[0] > 0 && r.IntN(2) == 0 {
							m = dense.Clamp
						}
						o = append(o, dense.WithOutOfRange(m))
						if r.IntN(2) == 0 {
							o = append(o, dense.WithNonNegativeIndices())
						}
					}
					if r.IntN(3) == 0 {
						o = append(o, dense.WithPadding(paddingOf(r, c)))
					}
					folder := tempDir(t)
					parts := how(t, s, c, elementsOf(s, c.blocks), o...)
					sink(s, &saveRowsFn{Folder: folder}, gatherbeam.Assemble(s, parts))
					all, opts, folders = append(all, c), append(opts, o), append(folders, folder)
				}
				if err := run(p); err != nil {
					t.Fatal(err)
				}
				for i, c := range all {
					checkGathered(t, fmt.Sprintf("case %d", first+i), c, saved[gatherbeam.Rows](t, folders[i]), opts[i])
				}
			})
		})
	}
}

// checkGathered compares the blocks of a gather with what package dense gives.
func checkGathered(t *testing.T, what string, c randomCase, got []gatherbeam.Rows, opts []dense.Option) {
	t.Helper()
	want, err := dense.Gather(c.table, c.ids, 0, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(c.blocks) {
		t.Errorf("%s: %d blocks came out, %d went in", what, len(got), len(c.blocks))
	}
	for _, b := range c.blocks {
		at := slices.IndexFunc(got, func(r gatherbeam.Rows) bool { return r.Block == b.Block })
		if at < 0 {
			t.Errorf("%s: no block %d", what, b.Block)
			continue
		}
		if got[at].Start != b.Start {
			t.Errorf("%s: block %d from %d, want from %d", what, b.Block, got[at].Start, b.Start)
		}
		rows, err := got[at].Tensor()
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, fmt.Sprintf("%s, block %d", what, b.Block), rows, sliceRows(t, want, int(b.Start), rows.Shape()[0]))
	}
}

// TestScatterRandom compares scatters with package dense, bit for bit.
func TestScatterRandom(t *testing.T) {
	reductions := []dense.Reduction{dense.None, dense.Add, dense.Sub, dense.Mul, dense.Min, dense.Max, dense.Mean}
	batches(func(first, behind int) {
		p, s := beam.NewPipelineWithRoot()
		var wants []*tensor.Dense
		var folders []string
		for i := first; i < behind; i++ {
			r := rand.New(rand.NewPCG(uint64(i), 2))
			skip := r.IntN(2) == 0
			c := newCase(t, r, skip)
			opts := []dense.Option{dense.WithReduction(reductions[i%len(reductions)]), dense.WithInitValue(r.IntN(3) > 0)}
			if skip {
				opts = append(opts, dense.WithOutOfRange(dense.Skip))
			}
			if r.IntN(3) == 0 {
				opts = append(opts, dense.WithPadding(paddingOf(r, c)))
			}
			n := c.ids.Shape()[0]
			updates := randomTensor(r, c.table.Dtype(), append([]int{n}, c.table.Shape()[1:]...)...)
			tuples := c.ids.Clone().(*tensor.Dense)
			if err := tuples.Reshape(n, 1); err != nil {
				t.Fatal(err)
			}
			want, err := dense.ScatterND(c.table, tuples, updates, opts...)
			if err != nil {
				t.Fatal(err)
			}
			folder := tempDir(t)
			shards := gatherbeam.ScatterND(s, elementsOf(s, c.shards), elementsOf(s, c.blocks), elementsOf(s, updateBlocks(t, r, c, updates)), opts...)
			sink(s, &saveShardsFn{Folder: folder}, shards)
			wants, folders = append(wants, want), append(folders, folder)
		}
		if err := run(p); err != nil {
			t.Fatal(err)
		}
		for i, want := range wants {
			rows := 0
			for _, shard := range saved[gatherbeam.Shard](t, folders[i]) {
				got, err := shard.Tensor()
				if err != nil {
					t.Fatal(err)
				}
				rows += got.Shape()[0]
				sameBits(t, fmt.Sprintf("case %d, shard %d", first+i, shard.Index), got, sliceRows(t, want, int(shard.Start), got.Shape()[0]))
			}
			if rows != want.Shape()[0] {
				t.Errorf("case %d: %d rows, want %d", first+i, rows, want.Shape()[0])
			}
		}
	})
}

// updateBlocks are the updates for the blocks of ids, in some order.
func updateBlocks(t *testing.T, r *rand.Rand, c randomCase, updates *tensor.Dense) []gatherbeam.Rows {
	t.Helper()
	var all []gatherbeam.Rows
	for _, b := range c.blocks {
		width := 8
		if b.Dtype == "int32" {
			width = 4
		}
		rows, err := gatherbeam.NewRows(b.Block, b.Start, sliceRows(t, updates, int(b.Start), len(b.Data)/width))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}
