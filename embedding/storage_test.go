package embedding_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/simd"
	"gorgonia.org/gather/internal/turns"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

var narrow = []embedding.Storage{embedding.Float16, embedding.BFloat16, embedding.Int8, embedding.Int4}

// readAs is what a row should read as after it was stored.
func readAs(s embedding.Storage, row []float32) []float32 {
	out := make([]float32, len(row))
	switch s {
	case embedding.Int8:
		return oracle.DecodeRow(8, len(row), oracle.EncodeRow(8, row))
	case embedding.Int4:
		return oracle.DecodeRow(4, len(row), oracle.EncodeRow(4, row))
	}
	for c, x := range row {
		switch s {
		case embedding.Float16:
			out[c] = float16.Fromfloat32(x).Float32()
		case embedding.BFloat16:
			bits := math.Float32bits(x)
			upper := bits &^ 0xffff
			if rest := bits & 0xffff; rest > 0x8000 || rest == 0x8000 && upper>>16&1 == 1 {
				upper += 0x10000
			}
			out[c] = math.Float32frombits(upper)
		default:
			out[c] = x
		}
	}
	return out
}

// TestQuantized compares lookups of tables in every storage with the oracle, bit for bit:
// rows, bags and all of it, in a graph and without one, for every implementation and any
// GOMAXPROCS.
func TestQuantized(t *testing.T) {
	threads, seeds := []int{1, 3}, uint64(25)
	if testing.Short() {
		seeds = 10
	}
	for i, impl := range simd.Implementations {
		restore := simd.Use(impl)
		for j, n := range threads {
			before := runtime.GOMAXPROCS(n)
			pairs, pair := len(simd.Implementations)*len(threads), i*len(threads)+j
			for seed := range seeds {
				for k, s := range narrow {
					if turns.Of(pairs, pair, int(seed)+int(seed)/pairs+k) { // the quotient: what a seed is depends on remainders, too
						quantized(t, seed, s, fmt.Sprintf("%s, %d threads, seed %d, %v", impl.Name, n, seed, s))
					}
				}
			}
			runtime.GOMAXPROCS(before)
		}
		restore()
	}
}

func quantized(t *testing.T, seed uint64, s embedding.Storage, what string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	rows, inner := 1+rng.IntN(60), 1+rng.IntN(100)
	if seed%10 == 9 {
		inner = 20000 // more than is decoded at a time
		rows = 5
	}
	plain := newPlainTable(draw[float32](rng, rows*inner), rows, inner, 0)
	from, err := embedding.New(matrix(rows, inner, flat(plain.w)...), embedding.WithPadding(0))
	ok(t, err)
	if seed%3 == 0 { // by way of another storage
		from, err = from.Quantize(embedding.Float64)
		ok(t, err)
	}
	table, err := from.Quantize(s)
	ok(t, err)
	if table.Storage() != s || table.Dtype() != tensor.Float32 || !table.Shape().Eq(tensor.Shape{rows, inner}) {
		t.Fatalf("%s: %v, %v, %v", what, table.Storage(), table.Dtype(), table.Shape())
	}
	for r, row := range plain.w {
		plain.w[r] = readAs(s, row)
	}
	bags := rng.IntN(20)
	perBag := rng.IntN(60)
	if inner > 1000 {
		perBag = 10
	}
	ids, picked := make([]int64, bags*perBag), make([]int, bags*perBag)
	for i := range ids {
		ids[i] = rng.Int64N(int64(rows))
		if picked[i] = int(ids[i]); ids[i] == 0 {
			picked[i] = -1
		}
	}
	var want []float32
	for _, row := range picked {
		if row < 0 {
			want = append(want, make([]float32, inner)...)
		} else {
			want = append(want, plain.w[row]...)
		}
	}
	got, err := table.Rows(idTensor(rng, ids, bags, perBag))
	ok(t, err)
	if len(want) > 0 {
		same(t, what+", Rows", got.Float32s(), want)
	}
	g := G.NewGraph()
	for mode := embedding.Sum; mode <= embedding.Max; mode++ {
		var weights tensor.Tensor
		var numbers []float32
		if mode == embedding.Sum && len(ids) > 0 && rng.IntN(2) == 0 {
			numbers = draw[float32](rng, len(ids))
			weights = tensor.New(tensor.WithShape(bags, perBag), tensor.WithBacking(numbers))
		}
		want = nil
		for b := range bags {
			var part []float32
			if numbers != nil {
				part = numbers[b*perBag : (b+1)*perBag]
			}
			out, _ := plainBag(plain, mode, picked[b*perBag:(b+1)*perBag], part, inner)
			want = append(want, out...)
		}
		if len(want) == 0 {
			continue
		}
		packed := idTensor(rng, ids, bags, perBag)
		got, err := table.Bags(packed, nil, weights, mode)
		ok(t, err)
		same(t, fmt.Sprint(what, ", Bags of ", mode), got.Float32s(), want)
		bag, err := table.Bag(g, mode.String(), bags, mode)
		ok(t, err)
		ok(t, bag.SetBags(packed, nil, weights))
		same(t, fmt.Sprint(what, ", Bag of ", mode), bag.Node().Value().Data(), want)
	}
	whole, err := table.Whole(g, "whole")
	ok(t, err)
	ok(t, whole.Set(nil))
	same(t, what+", Whole", whole.Node().Value().Data(), flat(plain.w))
}

// TestQuantizedWeightGradients: weights of bags of a table that is not trained have
// gradients, those of the rows as they are read.
func TestQuantizedWeightGradients(t *testing.T) {
	from, err := embedding.New(matrix(3, 2, float32(1), 2, 3, 4, 5, 6))
	ok(t, err)
	read, err := from.Quantize(embedding.Int8)
	ok(t, err)
	read, err = read.Quantize(embedding.Float32)
	ok(t, err)
	var all [2][]float32
	for i, table := range []*embedding.Table{must(from.Quantize(embedding.Int8)), read} {
		g := G.NewGraph()
		bag, err := table.Bag(g, "bag", 1, embedding.Sum)
		ok(t, err)
		loss := G.Must(G.Sum(G.Must(G.Square(bag.Node()))))
		_, err = G.Grad(loss, bag.Node())
		ok(t, err)
		ok(t, bag.SetBags(matrix(1, 3, 0, 2, 1), nil, matrix(1, 3, float32(1), 2, 3)))
		m := G.NewTapeMachine(g)
		ok(t, m.RunAll())
		grads, err := bag.WeightGradients()
		ok(t, err)
		all[i] = grads.Float32s()
		ok(t, m.Close())
	}
	same(t, "gradients", all[0], all[1])
}

// TestQuantizedIsNotTrained: what a table in fewer bits refuses, and what it says to do.
func TestQuantizedIsNotTrained(t *testing.T) {
	from, err := embedding.New(matrix(3, 2, float32(1), 2, 3, 4, 5, float32(math.NaN())))
	ok(t, err)
	_, err = from.Quantize(embedding.Int8)
	refused(t, err, nil, "Quantize: row 2: column 1 is NaN")
	_, err = from.Quantize(embedding.Storage(6))
	refused(t, err, dense.ErrOption, "Quantize: storage 6", "Int4")
	_, err = from.Quantize(embedding.Int4, embedding.WithReadOnly())
	refused(t, err, dense.ErrOption, "WithReadOnly")
	copied, err := from.Quantize(embedding.Float32)
	ok(t, err)
	sameBits(t, "a copy", bits(t, copied), bits(t, from))
	wide, err := embedding.New(matrix(1, 1, 1e300))
	ok(t, err)
	_, err = wide.Quantize(embedding.Float32)
	refused(t, err, nil, "row 0", "column 0 is +Inf", "rounded to float32")

	from, err = embedding.New(matrix(3, 2, float32(1), 2, 3, 4, 5, 6))
	ok(t, err)
	for _, s := range narrow {
		table, err := from.Quantize(s)
		ok(t, err)
		_, err = table.Weights()
		refused(t, err, nil, "Weights: the table's storage is "+s.String(), "Rows")
		for name, o := range optimizers(t) {
			refused(t, o.Update(table, vector(0), matrix(1, 2, float32(1), 1)), nil, "Update: the table's storage is "+s.String(), "Quantize")
			if len(o.State(table)) > 0 {
				t.Errorf("%s has a state", name)
			}
		}
		adam := newAdam(t)
		refused(t, embedding.SetState(adam, table, 1, nil), nil, "SetState: the table's storage is", "Quantize")
		g := G.NewGraph()
		words, err := table.Lookup(g, "words", 2)
		ok(t, err)
		_, err = G.Grad(G.Must(G.Sum(words.Node())), words.Node())
		ok(t, err)
		ok(t, words.Set(vector(0, 2)))
		m := G.NewTapeMachine(g)
		ok(t, m.RunAll())
		refused(t, adam.Step(words), nil, "Step: the table's storage is", "Quantize")
		ok(t, m.Close())
		ok(t, table.Close())
		_, err = table.Quantize(embedding.Float32)
		refused(t, err, nil, "closed")
	}
}

// TestQuantizedCheckpoint saves tables of every storage and loads them: the same rows, in
// the same storage, in files of the bytes that the storage takes.
func TestQuantizedCheckpoint(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 9))
	const rows, dim = 100, 64
	tables, others := map[string]*embedding.Table{}, map[string]*embedding.Table{}
	from, err := embedding.New(matrix(rows, dim, draw[float32](rng, rows*dim)...))
	ok(t, err)
	zeros, err := embedding.Make(tensor.Float32, rows, dim, embedding.Zeros())
	ok(t, err)
	for _, s := range narrow {
		tables[s.String()], others[s.String()] = must(from.Quantize(s)), must(zeros.Quantize(s))
	}
	ok(t, embedding.Save(dir, tables, nil))
	ok(t, embedding.Load(dir, others, nil))
	for name, table := range tables {
		sameBits(t, name, bits(t, others[name]), bits(t, table))
	}
	for name, bytes := range map[string]int64{"%46loat16": 128, "%42%46loat16": 128, "%49nt8": 72, "%49nt4": 36} {
		info, err := os.Stat(filepath.Join(dir, "generation-000001", name+".npy"))
		ok(t, err)
		if info.Size() != 4096+rows*bytes {
			t.Errorf("%s: %d bytes, want %d of rows", name, info.Size(), rows*bytes)
		}
	}
	others["Int8"], others["Int4"] = others["Int4"], others["Int8"]
	refused(t, embedding.Load(dir, others, nil), dense.ErrDtype, "int8", "int4")
}

// TestQuantizeFarRows: rows that lie behind the first blocks that are read are those of the
// table, and an error names them.
func TestQuantizeFarRows(t *testing.T) {
	for _, dim := range []int{3, 300_000} { // a row may be longer than a block
		rows := 1_000_000 / dim
		table, err := embedding.Make(tensor.Float32, rows, dim, embedding.Uniform(1, -1, 1))
		ok(t, err)
		same, err := table.Quantize(embedding.Float64)
		ok(t, err)
		weights, err := table.Weights()
		ok(t, err)
		far, err := same.Rows(vector(rows - 1))
		ok(t, err)
		for c, x := range far.Float64s() {
			if x != float64(weights.Float32s()[(rows-1)*dim+c]) {
				t.Fatalf("rows of %d: column %d of the last row is %v", dim, c, x)
			}
		}
		weights.Float32s()[(rows-1)*dim+1] = float32(math.NaN())
		if _, err := table.Quantize(embedding.Int8); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("row %d: column 1 is NaN", rows-1)) {
			t.Errorf("rows of %d: error %v", dim, err)
		}
	}
}
