package gatherbeam_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gorgonia.org/gather/beam"
	"gorgonia.org/tensor"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[saveRowsFn]())
	beam.RegisterDoFn(reflect.TypeFor[savePartsFn]())
	beam.RegisterDoFn(reflect.TypeFor[saveShardsFn]())
}

// What comes out of a pipeline goes to files: a worker shares no memory with a test.
type (
	saveRowsFn   struct{ Folder string }
	savePartsFn  struct{ Folder string }
	saveShardsFn struct{ Folder string }
)

// ProcessElement is called by Beam.
func (f *saveRowsFn) ProcessElement(r gatherbeam.Rows) (int64, int64, error) {
	return 0, 0, save(f.Folder, r)
}

// ProcessElement is called by Beam.
func (f *savePartsFn) ProcessElement(p gatherbeam.Part) (int64, int64, error) {
	return 0, 0, save(f.Folder, p)
}

// ProcessElement is called by Beam.
func (f *saveShardsFn) ProcessElement(s gatherbeam.Shard) (int64, int64, error) {
	return 0, 0, save(f.Folder, s)
}

func save(folder string, element any) error {
	text, err := json.Marshal(element)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, "element")
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(text)
	return err
}

// saved are the elements that went to a folder.
func saved[T any](t *testing.T, folder string) []T {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		var element T
		if err := json.Unmarshal(text, &element); err != nil {
			t.Fatal(err)
		}
		all = append(all, element)
	}
	return all
}

// randomTensor is a tensor of a dtype whose sums depend on their order.
func randomTensor(r *rand.Rand, dt tensor.Dtype, shape ...int) *tensor.Dense {
	n := tensor.Shape(shape).TotalSize()
	var backing any
	switch dt {
	case tensor.Float32:
		backing = randoms(r, n, func() float32 { return float32(randomFloat(r)) })
	case tensor.Float64:
		backing = randoms(r, n, func() float64 { return randomFloat(r) })
	case tensor.Int32:
		backing = randoms(r, n, func() int32 { return int32(r.Uint32()) })
	default:
		backing = randoms(r, n, func() int64 { return int64(r.Uint64()) })
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(backing))
}

func randoms[T any](_ *rand.Rand, n int, next func() T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = next()
	}
	return s
}

func randomFloat(r *rand.Rand) float64 {
	switch r.IntN(40) {
	case 0:
		return math.NaN()
	case 1:
		return math.Inf(1)
	case 2:
		return math.Copysign(0, -1)
	}
	return r.NormFloat64() * math.Exp(5*r.NormFloat64())
}

// cuts divides n into some sizes, some of them 0.
func cuts(r *rand.Rand, n, most int) []int {
	sizes := make([]int, 1+r.IntN(most))
	for range n {
		sizes[r.IntN(len(sizes))]++
	}
	if r.IntN(3) == 0 { // all in one
		clear(sizes)
		sizes[r.IntN(len(sizes))] = n
	}
	return sizes
}

// randomCase is a table in shards and ids in blocks.
type randomCase struct {
	table  *tensor.Dense
	ids    *tensor.Dense // (M)
	shards []gatherbeam.Shard
	blocks []gatherbeam.IDs // in some order
}

var rowDtypes = []tensor.Dtype{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64}

// newCase makes a case. bad ids are out of range, if there is a row or not.
func newCase(t *testing.T, r *rand.Rand, bad bool) randomCase {
	t.Helper()
	rows := []int{0, 1, 5, 40}[r.IntN(4)]
	shape := []int{rows}
	for range r.IntN(3) {
		shape = append(shape, r.IntN(5))
	}
	c := randomCase{table: randomTensor(r, rowDtypes[r.IntN(4)], shape...)}
	n := []int{0, 1, 7, 60}[r.IntN(4)]
	if rows == 0 && !bad {
		n = 0
	}
	ids := make([]int64, n)
	for i := range ids {
		least, most := -rows, rows
		if bad {
			least, most = -2*rows-1, 2*rows+1
		}
		ids[i] = int64(least + r.IntN(most-least))
	}
	c.ids = idTensor(r, ids)
	start := 0
	for i, size := range cuts(r, rows, 6) {
		c.shards = append(c.shards, shardOf(t, i, start, c.table, size))
		start += size
	}
	r.Shuffle(len(c.shards), func(i, j int) { c.shards[i], c.shards[j] = c.shards[j], c.shards[i] })
	start = 0
	for i, size := range cuts(r, n, 5) {
		b, err := gatherbeam.NewIDs(int64(1000+i*7%11), int64(start), idTensor(r, ids[start:start+size]))
		if err != nil {
			t.Fatal(err)
		}
		c.blocks = append(c.blocks, b)
		start += size
	}
	r.Shuffle(len(c.blocks), func(i, j int) { c.blocks[i], c.blocks[j] = c.blocks[j], c.blocks[i] })
	return c
}

// idTensor is ids of some dtype that has them all.
func idTensor(r *rand.Rand, ids []int64) *tensor.Dense {
	switch r.IntN(3) {
	case 0:
		return tensor.New(tensor.WithShape(len(ids)), tensor.WithBacking(converted[int32](ids)))
	case 1:
		return tensor.New(tensor.WithShape(len(ids)), tensor.WithBacking(converted[int](ids)))
	}
	return tensor.New(tensor.WithShape(len(ids)), tensor.WithBacking(converted[int64](ids)))
}

func converted[T int | int32 | int64](ids []int64) []T {
	s := make([]T, len(ids))
	for i, id := range ids {
		s[i] = T(id)
	}
	return s
}

// sliceRows is some rows of a tensor, as a tensor of its own.
func sliceRows(t *testing.T, d *tensor.Dense, start, n int) *tensor.Dense {
	t.Helper()
	shape := d.Shape().Clone()
	width := tensor.Shape(shape[1:]).TotalSize()
	if len(shape) == 1 {
		width = 1
	}
	shape[0] = n
	data := reflect.ValueOf(backing(d)).Slice(start*width, (start+n)*width)
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data.Interface()))
}

// backing is the elements of a tensor, which Data panics on if there are none.
func backing(d *tensor.Dense) any {
	switch d.Dtype() {
	case tensor.Float32:
		return append([]float32{}, d.Float32s()...)
	case tensor.Float64:
		return append([]float64{}, d.Float64s()...)
	case tensor.Int32:
		return append([]int32{}, d.Int32s()...)
	}
	return append([]int64{}, d.Int64s()...)
}

func shardOf(t *testing.T, index, start int, table *tensor.Dense, rows int) gatherbeam.Shard {
	t.Helper()
	s, err := gatherbeam.NewShard(int64(index), int64(start), sliceRows(t, table, start, rows))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// elementsOf puts elements into a pipeline.
func elementsOf[T any](s beam.Scope, all []T) beam.PCollection {
	values := make([]any, len(all))
	for i, v := range all {
		values[i] = v
	}
	return beam.Create(s, values...)
}

// sameBits compares tensors bit for bit: NaNs, and zeros of either sign.
func sameBits(t *testing.T, what string, got, want *tensor.Dense) {
	t.Helper()
	if !got.Shape().Eq(want.Shape()) || got.Dtype() != want.Dtype() || bitsOf(got) != bitsOf(want) {
		t.Errorf("%s: got %v of %v\n%v, want %v of %v\n%v", what, got.Dtype(), got.Shape(), backing(got), want.Dtype(), want.Shape(), backing(want))
	}
}

func bitsOf(d *tensor.Dense) string {
	var bits []uint64
	switch d.Dtype() {
	case tensor.Float32:
		for _, v := range d.Float32s() {
			bits = append(bits, uint64(math.Float32bits(v)))
		}
	case tensor.Float64:
		for _, v := range d.Float64s() {
			bits = append(bits, math.Float64bits(v))
		}
	default:
		return fmt.Sprint(backing(d))
	}
	return fmt.Sprint(bits)
}

// sink ends a pipeline in a step that saves elements. It has an output, which ends
// in a group: a stage without one makes Prism 2.77 spin as long as it runs.
func sink(s beam.Scope, save any, elements beam.PCollection) {
	beam.GroupByKey(s, beam.ParDo(s, save, elements))
}

// background is the context of tests.
var background = context.Background()
