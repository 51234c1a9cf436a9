package gatherbeam_test

import (
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gorgonia.org/gather/beam"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[drawFn]())
	beam.RegisterDoFn(reflect.TypeFor[onesFn]())
	beam.RegisterDoFn(reflect.TypeFor[countPartsFn]())
	beam.RegisterDoFn(reflect.TypeFor[countRowsFn]())
	beam.RegisterDoFn(reflect.TypeFor[countShardsFn]())
}

const benchDim = 64

// drawFn draws ids, so that the graph of the pipeline does not hold them.
type drawFn struct{ Rows, Block int }

// ProcessElement is called by Beam.
func (f *drawFn) ProcessElement(_ []byte, emit func(gatherbeam.IDs)) error {
	r := rand.New(rand.NewPCG(1, 2))
	for start := 0; start < f.Rows; start += f.Block {
		ids := make([]int64, min(f.Block, f.Rows-start))
		for i := range ids {
			ids[i] = int64(r.IntN(f.Rows))
		}
		b, err := gatherbeam.NewIDs(int64(start/f.Block), int64(start), tensor.New(tensor.WithShape(len(ids)), tensor.WithBacking(ids)))
		if err != nil {
			return err
		}
		emit(b)
	}
	return nil
}

// onesFn gives an update for each id.
type onesFn struct{}

// ProcessElement is called by Beam.
func (*onesFn) ProcessElement(b gatherbeam.IDs) (gatherbeam.Rows, error) {
	return gatherbeam.NewRows(b.Block, b.Start, tensor.New(tensor.WithShape(len(b.Data)/8, benchDim), tensor.WithBacking(make([]float32, len(b.Data)/8*benchDim))))
}

type (
	countPartsFn  struct{}
	countRowsFn   struct{}
	countShardsFn struct{}
)

// ProcessElement is called by Beam.
func (*countPartsFn) ProcessElement(p gatherbeam.Part) (int64, int64) { return 0, p.Shape[0] }

// ProcessElement is called by Beam.
func (*countRowsFn) ProcessElement(r gatherbeam.Rows) (int64, int64) { return 0, r.Shape[0] }

// ProcessElement is called by Beam.
func (*countShardsFn) ProcessElement(s gatherbeam.Shard) (int64, int64) { return 0, s.Shape[0] }

// BenchmarkPipeline runs whole pipelines: as many ids as rows, 64 float32 a row.
func BenchmarkPipeline(b *testing.B) {
	for _, c := range []struct {
		name               string
		rows, shard, block int
		build              func(s beam.Scope, table gatherbeam.Table, ids beam.PCollection) (count any, counted beam.PCollection)
	}{
		{"GatherFrom/parts/rows=1e6", 1e6, 62500, 65536, func(s beam.Scope, table gatherbeam.Table, ids beam.PCollection) (any, beam.PCollection) {
			return &countPartsFn{}, gatherbeam.GatherFrom(s, table, ids)
		}},
		{"GatherFrom/assembled/rows=1e5", 1e5, 16384, 65536, func(s beam.Scope, table gatherbeam.Table, ids beam.PCollection) (any, beam.PCollection) {
			return &countRowsFn{}, gatherbeam.Assemble(s, gatherbeam.GatherFrom(s, table, ids))
		}},
		{"Gather/assembled/rows=1e5", 1e5, 16384, 65536, func(s beam.Scope, table gatherbeam.Table, ids beam.PCollection) (any, beam.PCollection) {
			return &countRowsFn{}, gatherbeam.Assemble(s, gatherbeam.Gather(s, gatherbeam.ReadTable(s, table), ids))
		}},
		{"ScatterND/rows=1e5", 1e5, 16384, 65536, func(s beam.Scope, table gatherbeam.Table, ids beam.PCollection) (any, beam.PCollection) {
			updates := beam.ParDo(s, &onesFn{}, ids)
			return &countShardsFn{}, gatherbeam.ScatterND(s, gatherbeam.ReadTable(s, table), ids, updates, dense.WithReduction(dense.Add))
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			folder := b.TempDir()
			g, err := gatherbeam.NewGeneration(background, folder)
			if err != nil {
				b.Fatal(err)
			}
			table, err := g.Table("t", tensor.Float32, tensor.Shape{c.rows, benchDim}, (c.rows+c.shard-1)/c.shard)
			if err == nil {
				err = table.Store(background, tensor.New(tensor.WithShape(c.rows, benchDim), tensor.WithBacking(make([]float32, c.rows*benchDim))))
			}
			if err == nil {
				err = g.Commit(background)
			}
			if err != nil {
				b.Fatal(err)
			}
			forgetPeak()
			b.SetBytes(int64(c.rows * benchDim * 4))
			for b.Loop() {
				p, s := beam.NewPipelineWithRoot()
				ids := beam.ParDo(s, &drawFn{Rows: c.rows, Block: c.block}, beam.Impulse(s))
				count, counted := c.build(s, table, ids)
				sink(s, count, counted)
				if err := run(p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(peak(), "peak-MB")
		})
	}
}

// forgetPeak makes peak begin anew, on Linux.
func forgetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak is the most memory that the process has had, in MB, or 0 where the system
// does not tell.
func peak() float64 {
	text, _ := os.ReadFile("/proc/self/status")
	m := peakLine.FindSubmatch(text)
	if m == nil {
		return 0
	}
	kb, _ := strconv.ParseFloat(string(m[1]), 64)
	return kb * 1024 / 1e6
}
