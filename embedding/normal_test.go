package embedding_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/oracle"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// divided are bags of ids with weights, some of which have the divisor 0, as tensors and
// for the formulas.
type divided struct {
	ids, lengths, weights *tensor.Dense
	indices               oracle.Array[int64]
	bags                  [][]int
	rule                  oracle.BagRule
}

const dividedPadding = 99

func drawDivided(rng *rand.Rand, mode embedding.Mode, rows, bags int) divided {
	lengths, n := make([]int64, bags), 0
	for i := range lengths {
		lengths[i] = int64(rng.IntN(5))
		n += int(lengths[i])
	}
	lengths[0]++
	n++
	ids, weights := make([]int64, n), make([]float64, n)
	for i := range ids {
		if ids[i] = rng.Int64N(int64(rows)); rng.IntN(6) == 0 {
			ids[i] = dividedPadding
		}
		weights[i] = float64(rng.IntN(5)-2) / 2
	}
	d := divided{ids: vector(ids...), lengths: vector(lengths...), weights: vector(weights...)}
	d.indices, d.bags = oracle.From(ids, n), oracle.LengthBags(lengths)
	d.rule = oracle.BagRule{Reduction: oracle.Mean, Default: -1, Policy: oracle.Policy{ZeroFill: true}}
	if mode == embedding.SqrtN {
		d.rule.Reduction = oracle.SqrtN
	}
	return d
}

func nearFormula(t *testing.T, what string, got []float64, want oracle.Near, unit float64) {
	t.Helper()
	for i, x := range got {
		if bound := 32 * unit * want.Terms.Data[i]; !(math.Abs(x-want.Values.Data[i]) <= bound) {
			t.Errorf("%s: element %d is %v, want %v", what, i, x, want.Values.Data[i])
		}
	}
}

// TestDividedWeightGradients compares values and the gradients of weights of means and of
// SqrtN with the formulas, on both machines.
func TestDividedWeightGradients(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 8))
		mode := []embedding.Mode{embedding.Mean, embedding.SqrtN}[seed%2]
		rows, inner, bags := 1+rng.IntN(6), 1+rng.IntN(20), 1+rng.IntN(5)
		numbers, factors := draw[float64](rng, rows*inner), draw[float64](rng, bags*inner)
		table, err := embedding.New(matrix(rows, inner, append([]float64(nil), numbers...)...), embedding.WithPadding(dividedPadding))
		ok(t, err)
		g := G.NewGraph()
		lookup, err := table.Bag(g, "bags", bags, mode)
		ok(t, err)
		loss := G.Must(G.Sum(G.Must(G.HadamardProd(lookup.Node(), G.NewConstant(matrix(bags, inner, factors...), G.WithName("factors"))))))
		var machine G.VM = G.NewLispMachine(g)
		if rng.IntN(2) == 0 {
			_, err = G.Grad(loss, lookup.Node())
			ok(t, err)
			machine = G.NewTapeMachine(g)
		}
		d := drawDivided(rng, mode, rows, bags)
		ok(t, lookup.SetBags(d.ids, d.lengths, d.weights, dense.WithLengths()))
		ok(t, machine.RunAll())
		what := fmt.Sprintf("seed %d, %v", seed, mode)
		want, bad := oracle.WeightedBag(oracle.From(numbers, rows, inner), d.indices, d.bags, d.weights.Float64s(), d.rule)
		if bad != nil {
			t.Fatal(bad)
		}
		nearFormula(t, what, lookup.Node().Value().Data().([]float64), want, 0x1p-53)
		got, err := lookup.WeightGradients()
		ok(t, err)
		gradients, _ := oracle.WeightsOfBag(oracle.From(factors, bags, inner), oracle.From(numbers, rows, inner), d.indices, d.bags, d.weights.Float64s(), d.rule)
		nearFormula(t, what+", weights", got.Float64s(), gradients, 0x1p-53)
		ok(t, machine.Close())
	}
}

// TestDividedBagsOfStorages compares means with weights and SqrtN of rows in every storage
// with the formulas.
func TestDividedBagsOfStorages(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	const rows, inner, bags = 7, 33, 4
	table, err := embedding.New(matrix(rows, inner, draw[float32](rng, rows*inner)...), embedding.WithPadding(dividedPadding))
	ok(t, err)
	for s := embedding.Float64; s <= embedding.Int4; s++ {
		stored, err := table.Quantize(s)
		ok(t, err)
		all, err := stored.Rows(vector(0, 1, 2, 3, 4, 5, 6))
		ok(t, err)
		numbers := make([]float64, rows*inner)
		for i := range numbers {
			numbers[i] = number(all, i)
		}
		for _, mode := range []embedding.Mode{embedding.Mean, embedding.SqrtN} {
			d := drawDivided(rng, mode, rows, bags)
			var weights tensor.Tensor = d.weights
			if s != embedding.Float64 {
				narrow := make([]float32, d.weights.Size())
				for i, w := range d.weights.Float64s() {
					narrow[i] = float32(w)
				}
				weights = vector(narrow...)
			}
			for _, w := range []tensor.Tensor{weights, nil} {
				var plain []float64
				if w != nil {
					plain = d.weights.Float64s()
				}
				want, bad := oracle.WeightedBag(oracle.From(numbers, rows, inner), d.indices, d.bags, plain, d.rule)
				if bad != nil {
					t.Fatal(bad)
				}
				y, err := stored.Bags(d.ids, d.lengths, w, mode, dense.WithLengths())
				ok(t, err)
				got := make([]float64, bags*inner)
				for i := range got {
					got[i] = number(y, i)
				}
				nearFormula(t, fmt.Sprintf("%v, %v, weights %v", s, mode, w != nil), got, want, 0x1p-24)
			}
		}
	}
}

// number is a number of a tensor of floats.
func number(d *tensor.Dense, i int) float64 {
	if d.Dtype() == tensor.Float32 {
		return float64(d.Float32s()[i])
	}
	return d.Float64s()[i]
}
