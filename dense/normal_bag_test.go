package dense_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand"
	"runtime"
	"slices"
	"testing"

	"github.com/x448/float16"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/tensor"
)

// widened are floats as float64, nil for nil.
func widened[T any](values []T) []float64 {
	if values == nil {
		return nil
	}
	out := make([]float64, len(values))
	for i := range values {
		switch v := any(values[i]).(type) {
		case float32:
			out[i] = float64(v)
		case float64:
			out[i] = v
		case float16.Float16:
			out[i] = float64(v.Float32())
		case dense.BF16:
			out[i] = float64(fromBF16(v))
		}
	}
	return out
}

// precision is the half of the distance from 1 to the next number, the least positive
// number, and the greatest one of a dtype.
func precision[T any]() (half, least, greatest float64) {
	switch any(*new(T)).(type) {
	case float16.Float16:
		return 0x1p-11, 0x1p-24, 65504
	case dense.BF16:
		return 0x1p-8, 0x1p-133, 0x1.fep127
	case float32:
		return 0x1p-24, 0x1p-149, math.MaxFloat32
	}
	return 0x1p-53, 0x1p-1074, math.MaxFloat64
}

// nearTo compares numbers that were made of some terms each with a formula in float64:
// each term, divided weight and sum may be rounded.
func nearTo[T any](got []T, want oracle.Near, terms int) error {
	half, least, greatest := precision[T]()
	for i, x := range widened(got) {
		y, size := want.Values.Data[i], want.Terms.Data[i]
		if size > greatest/16 { // it may overflow
			continue
		}
		if bound := float64(terms+8) * (half*size + 16*least) * 2; !(math.Abs(x-y) <= bound) {
			return fmt.Errorf("element %d is %v, want %v within %v", i, x, y, bound)
		}
	}
	return nil
}

// bagWeights compares the gradient of weights with the formula.
func (e elements[T]) bagWeights(c *bagCall) error {
	if !c.weighted || !e.reducesBag(c) || e.arith.Div == nil || e.arith.Conj != nil {
		return nil
	}
	c.odd = 0
	in := e.bagInputs(c)
	count := len(c.borders)
	switch {
	case c.last:
		count--
	case c.op == "EmbeddingBagPacked":
		count = c.indices.Shape[0]
	case c.op != "EmbeddingBagOffsets":
		count = c.segments
	}
	shape := append([]int{count}, c.table[1:]...)
	grad := layout.Lay(c.out, e.draws(c, tensor.ProdInts(shape), 3), e.of(-2), shape...)
	var p plan.Params
	_, err := p.Resolve(map[string]plan.Op{
		"EmbeddingBagOffsets": plan.EmbeddingBagOffsets, "EmbeddingBagPacked": plan.EmbeddingBagPacked, "EmbeddingSegments": plan.EmbeddingSegments,
	}[c.op], 0, c.options()...)
	if err != nil {
		return err
	}
	p.NumSegments = c.segments
	var bad *oracle.BadIndex
	var want oracle.Near
	if !c.badBorder() {
		want, bad = oracle.WeightsOfBag(oracle.From(widened(grad.Values()), shape...), oracle.From(widened(in.table.Values()), c.table...),
			c.indices, c.bags(), widened(in.weightValues()), c.rule)
	}
	got, err := core.BagWeights(p, nil, grad.Dense, core.BagInputs{Table: in.table.Dense, Indices: in.indices.tensor(), Borders: in.borders.tensor(), Weights: in.weight()})
	if wrong := c.sameError(err, bad); wrong != nil || err != nil {
		return wrong
	}
	return nearTo(packed[T](got), want, len(c.indices.Data)+tensor.ProdInts(c.table[1:]))
}

// normalCall is a bag of each form with weights: bag 1 is empty, the weights of bag 2 have
// the sum 0, and those of bag 3 are 0. Its rows are not finite where nothing may be read.
func normalCall[T float32 | float64](r dense.Reduction, rows int) (table, ids, lengths, weights *tensor.Dense, opts []dense.Option) {
	const columns = 5
	numbers := make([]T, rows*columns)
	for i := range numbers {
		numbers[i] = T(i%17) - 8
	}
	for c := range columns {
		numbers[3*columns+c], numbers[4*columns+c] = T(math.NaN()), T(math.Inf(1))
	}
	list := []int64{0, 1, 2, 3, 4, 3, 4, 4}
	return tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(numbers)),
		tensor.New(tensor.WithShape(len(list)), tensor.WithBacking(list)),
		tensor.New(tensor.WithShape(4), tensor.WithBacking([]int32{3, 0, 2, 3})),
		tensor.New(tensor.WithShape(len(list)), tensor.WithBacking([]T{1, -2, 0.5, 2, -2, 0, 0, 0})),
		[]dense.Option{dense.WithReduction(r), dense.WithLengths(), dense.WithDefaultIndex(0)}
}

// TestDivisorOfZero has bags whose divisor is 0: zeros, although their rows are not finite,
// and no gradient, although that of the result is not finite either. An empty bag has the
// default row.
func TestDivisorOfZero(t *testing.T) {
	for _, r := range []dense.Reduction{dense.Mean, dense.SqrtN} {
		table, ids, lengths, weights, opts := normalCall[float64](r, 6)
		dead := []int{2, 3}
		if r == dense.SqrtN { // a sum of 0 is none of the squares
			dead = dead[1:]
		}
		y, err := dense.EmbeddingBagOffsets(table, ids, lengths, weights, opts...)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := y.Float64s()[5:10], table.Float64s()[:5]; !slices.Equal(got, want) {
			t.Errorf("%v: the empty bag is %v, want the default row %v", r, got, want)
		}
		grad := make([]float64, 20)
		for _, b := range dead {
			if got := y.Float64s()[5*b:][:5]; !slices.Equal(got, make([]float64, 5)) {
				t.Errorf("%v: bag %d is %v, want zeros", r, b, got)
			}
			for c := range 5 {
				grad[5*b+c] = math.NaN()
			}
		}
		dst := tensor.New(tensor.WithShape(6, 5), tensor.Of(tensor.Float64))
		updates := tensor.New(tensor.WithShape(4, 5), tensor.WithBacking(grad))
		if err := dense.AddEmbeddingBagOffsets(dst, updates, nil, ids, lengths, weights, opts...); err != nil {
			t.Fatal(err)
		}
		if got := dst.Float64s(); !slices.Equal(got, make([]float64, 30)) {
			t.Errorf("%v: the gradient is %v, want zeros", r, got)
		}
	}
}

// TestNaNOfWeightedBags has a NaN and an infinity in rows, which stay in their bag, and a
// NaN among the weights.
func TestNaNOfWeightedBags(t *testing.T) {
	for _, r := range []dense.Reduction{dense.Mean, dense.SqrtN} {
		table, ids, lengths, weights, opts := normalCall[float32](r, 5)
		copy(weights.Float32s()[3:], []float32{2, 3, float32(math.NaN()), 1, 1})
		y, err := dense.EmbeddingBagOffsets(table, ids, lengths, weights, opts...)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range y.Float32s() {
			if nan := x != x; nan != (i >= 10) {
				t.Errorf("%v: element %d of the result is %v", r, i, x)
			}
		}
	}
}

// TestDividedWeightsDoNotDependOnThreads has results, adjoints and gradients of weights of
// bags large enough for several goroutines, one of which has a third of all positions.
func TestDividedWeightsDoNotDependOnThreads(t *testing.T) {
	const rows, columns, n = 300, 48, 12000
	numbers, weights, ids, lengths := make([]float32, rows*columns), make([]float32, n), make([]int64, n), []int64{n / 3}
	rng := rand.New(rand.NewSource(5))
	for i := range numbers {
		numbers[i] = float32(rng.NormFloat64())
	}
	for i := range weights {
		weights[i], ids[i] = float32(rng.NormFloat64()), rng.Int63n(rows)
	}
	for left := int64(n - n/3); left > 0; {
		length := min(left, rng.Int63n(9))
		lengths, left = append(lengths, length), left-length
	}
	grad := make([]float32, len(lengths)*columns)
	for i := range grad {
		grad[i] = float32(rng.NormFloat64())
	}
	in := core.BagInputs{
		Table: tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(numbers)), Indices: tensor.New(tensor.WithBacking(ids)),
		Borders: tensor.New(tensor.WithBacking(lengths)), Weights: tensor.New(tensor.WithBacking(weights)),
	}
	updates := tensor.New(tensor.WithShape(len(lengths), columns), tensor.WithBacking(grad))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, r := range []dense.Reduction{dense.Mean, dense.SqrtN} {
		var p plan.Params
		_, err := p.Resolve(plan.EmbeddingBagOffsets, 0, dense.WithReduction(r), dense.WithLengths())
		if err != nil {
			t.Fatal(err)
		}
		var first [3][]float32
		for threads := 1; threads <= 4; threads++ {
			runtime.GOMAXPROCS(threads)
			y, err := core.Bag(&p, nil, &in)
			if err != nil {
				t.Fatal(err)
			}
			dst := tensor.New(tensor.WithShape(rows, columns), tensor.Of(tensor.Float32))
			if err := core.AddBag(p, dst, updates, in); err != nil {
				t.Fatal(err)
			}
			ofWeights, err := core.BagWeights(p, nil, updates, in)
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range []*tensor.Dense{y, dst, ofWeights} {
				if threads == 1 {
					first[i] = d.Float32s()
				} else if !slices.Equal(d.Float32s(), first[i]) {
					t.Errorf("%v: result %d differs with %d threads", r, i, threads)
				}
			}
		}
	}
}

// TestDividedWeightsAllocateNothing reuses the memory of divided weights and of lengths.
func TestDividedWeightsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("pools drop what they are given")
	}
	for _, r := range []dense.Reduction{dense.Mean, dense.SqrtN} {
		table, ids, lengths, weights, opts := normalCall[float32](r, 6)
		dst := tensor.New(tensor.WithShape(4, 5), tensor.Of(tensor.Float32))
		opts = append(opts, dense.WithReuse(dst))
		if n := testing.AllocsPerRun(100, func() {
			if _, err := dense.EmbeddingBagOffsets(table, ids, lengths, weights, opts...); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations", r, n)
		}
	}
}

// TestManyEmptyRows divides the rows of more bags than there is memory for, which have no columns.
func TestManyEmptyRows(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("so many bags have no int32 for their number")
	}
	n := math.MaxInt >> 20
	rows := func(rows int) *tensor.Dense {
		return tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(rows, 0))
	}
	one, weights :=
		tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{1})), tensor.New(tensor.WithShape(1), tensor.WithBacking([]float64{2}))
	for _, r := range []dense.Reduction{dense.Add, dense.Mean, dense.SqrtN, dense.Max} {
		w := tensor.Tensor(weights)
		if r == dense.Max {
			w = nil
		}
		if err := dense.AddEmbeddingSegments(rows(3), rows(n), rows(3), one, one, w, n, dense.WithReduction(r)); err != nil {
			t.Errorf("%v: %v", r, err)
		}
		indices := tensor.New(tensor.Of(tensor.Int64), tensor.WithShape(n, 0))
		if err := dense.AddEmbeddingBagPacked(rows(3), rows(n), rows(3), indices, nil, dense.WithReduction(r)); err != nil {
			t.Errorf("%v: %v", r, err)
		}
		if _, err := dense.EmbeddingSegments(rows(3), one, one, w, n, dense.WithReduction(r)); err != nil {
			t.Errorf("%v: %v", r, err)
		}
		if r == dense.Max {
			continue
		}
		p := plan.Params{Op: plan.EmbeddingSegments, NumSegments: n, Settings: plan.Settings{Reduction: r}}
		got, err := core.BagWeights(p, nil, rows(n), core.BagInputs{Table: rows(3), Indices: one, Borders: one, Weights: w})
		if err != nil || got.Data().([]float64)[0] != 0 {
			t.Errorf("the gradient of weights, %v: %v, %v", r, got, err)
		}
	}
}
