package gatherbeam_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"gorgonia.org/gather/beam"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[ids]())
	beam.RegisterDoFn(reflect.TypeFor[updates]())
	beam.RegisterDoFn(reflect.TypeFor[rowsAsShard]())
}

// ids makes one block of four ids where a worker runs. A program would read them.
type ids struct{}

// ProcessElement is called by Beam.
func (*ids) ProcessElement([]byte) (gatherbeam.IDs, error) {
	return gatherbeam.NewIDs(0, 0, tensor.New(tensor.WithBacking([]int64{4, 0, 4, -2})))
}

// updates makes a row for each id of a block.
type updates struct{}

// ProcessElement is called by Beam.
func (*updates) ProcessElement(ids gatherbeam.IDs) (gatherbeam.Rows, error) {
	rows := tensor.New(tensor.WithShape(4, 2), tensor.WithBacking([]float32{1, 1, 2, 2, 3, 3, 4, 4}))
	return gatherbeam.NewRows(ids.Block, ids.Start, rows)
}

// rowsAsShard makes a shard of a table of the rows of a block.
type rowsAsShard struct{}

// ProcessElement is called by Beam.
func (*rowsAsShard) ProcessElement(r gatherbeam.Rows) gatherbeam.Shard {
	return gatherbeam.Shard{Index: r.Block, Start: r.Start, Dtype: r.Dtype, Shape: r.Shape, Data: r.Data}
}

// A table of five rows lies in two shards. One pipeline adds updates to its rows,
// another one gathers some of them into a table of their own.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "tables")
	check(err)
	defer os.RemoveAll(folder)

	first, err := gatherbeam.NewGeneration(ctx, folder)
	check(err)
	words, err := first.Table("words", tensor.Float32, tensor.Shape{5, 2}, 2)
	check(err)
	check(words.Store(ctx, tensor.New(tensor.WithShape(5, 2), tensor.WithBacking([]float32{0, 1, 10, 11, 20, 21, 30, 31, 40, 41}))))
	check(first.Commit(ctx))

	second, err := gatherbeam.NewGeneration(ctx, folder)
	check(err)
	learnt, err := second.Like(words)
	check(err)
	p, s := beam.NewPipelineWithRoot()
	which := beam.ParDo(s, &ids{}, beam.Impulse(s))
	sums := gatherbeam.ScatterND(s, gatherbeam.ReadTable(s, words), which, beam.ParDo(s, &updates{}, which), dense.WithReduction(dense.Add))
	gatherbeam.WriteTable(s, learnt, sums)
	check(beamx.Run(ctx, p))
	check(second.Commit(ctx))

	third, err := gatherbeam.NewGeneration(ctx, folder)
	check(err)
	picked, err := third.Table("picked", tensor.Float32, tensor.Shape{4, 2}, 1)
	check(err)
	p, s = beam.NewPipelineWithRoot()
	parts := gatherbeam.GatherFrom(s, learnt, beam.ParDo(s, &ids{}, beam.Impulse(s)))
	gatherbeam.WriteTable(s, picked, beam.ParDo(s, &rowsAsShard{}, gatherbeam.Assemble(s, parts)))
	check(beamx.Run(ctx, p))
	check(third.Commit(ctx))

	for _, name := range []string{"words", "picked"} {
		table, err := gatherbeam.OpenTable(ctx, folder, name)
		check(err)
		rows, err := table.Load(ctx)
		check(err)
		fmt.Println(name, rows.Float32s())
	}
	// Output:
	// words [2 3 10 11 20 21 34 35 44 45]
	// picked [44 45 2 3 44 45 34 35]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
