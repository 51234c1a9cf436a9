package embedding_test

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/badinput"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// hostileNumbers are those that somebody may give where a number is wanted.
var hostileNumbers = []float64{0, 1, -1, 0.5, 1e-320, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64}

var hostileInts = []int{0, 1, 3, -1, math.MaxInt, math.MinInt}

// TestCalls calls everything with everything that may be wrong: nothing panics.
func TestCalls(t *testing.T) {
	tensors := badinput.Tensors()
	table := func() *embedding.Table {
		table, err := embedding.New(matrix(3, 2, float32(1), 2, 3, 4, 5, 6))
		ok(t, err)
		return table
	}
	closed := table()
	ok(t, closed.Close())
	tables := map[string]*embedding.Table{"nil": nil, "zero": new(embedding.Table), "closed": closed, "good": table()}
	lookups := func() map[string]*embedding.Lookup {
		words, err := table().Lookup(G.NewGraph(), "words", 3)
		ok(t, err)
		bags, err := table().Bag(G.NewGraph(), "bags", 1, embedding.Max)
		ok(t, err)
		return map[string]*embedding.Lookup{"nil": nil, "zero": new(embedding.Lookup), "words": words, "bags": bags}
	}
	option := func(of func(float64) embedding.Option) func(t *testing.T) {
		return func(t *testing.T) {
			for _, x := range hostileNumbers {
				opts := []embedding.Option{of(x), {}}
				for _, make := range []func(...embedding.Option) (embedding.Optimizer, error){
					embedding.NewSGD, embedding.NewAdagrad, embedding.NewRowWiseAdagrad, embedding.NewAdam,
				} {
					for n := range 3 {
						badinput.Try(t, fmt.Sprint("an optimiser with ", x), func() {
							if o, err := make(opts[:n]...); (o == nil) == (err == nil) {
								t.Errorf("%v, %v", o, err)
							}
						})
					}
				}
			}
		}
	}
	constructor := func(make func(...embedding.Option) (embedding.Optimizer, error)) func(t *testing.T) {
		return func(t *testing.T) {
			o, err := make()
			ok(t, err)
			for name, table := range tables {
				for idsName, ids := range tensors {
					for gradsName, grads := range tensors {
						badinput.Try(t, fmt.Sprint("Update ", name, idsName, gradsName), func() {
							i, _ := ids.(*tensor.Dense)
							g, _ := grads.(*tensor.Dense)
							_ = o.Update(table, i, g)
						})
					}
				}
				badinput.Try(t, "State "+name, func() { _ = o.State(table) })
			}
			for name, l := range lookups() {
				badinput.Try(t, "Step "+name, func() {
					if o.Step(l) == nil {
						t.Errorf("Step of %s, which was not run, is no error", name)
					}
				})
			}
			for _, x := range hostileNumbers {
				o.SetLearnRate(x)
				badinput.Try(t, fmt.Sprint("Update with the rate ", x), func() { _ = o.Update(table(), vector(int64(1)), matrix(1, 2, float32(1), 1)) })
			}
		}
	}
	inits := func(of func(a, b float64) embedding.Init) func(t *testing.T) {
		return func(t *testing.T) {
			for _, a := range hostileNumbers {
				for _, b := range hostileNumbers {
					badinput.OneOf(t, func() (*embedding.Table, error) { return embedding.Make(tensor.Float32, 2, 2, of(a, b)) }, fmt.Sprint(a, b))
				}
			}
		}
	}
	eachTable := func(call func(name string, table *embedding.Table)) func(t *testing.T) {
		return func(t *testing.T) {
			for name, table := range tables {
				badinput.Try(t, name, func() { call(name, table) })
			}
		}
	}
	tableOption := func(opts ...embedding.TableOption) func(t *testing.T) {
		return func(t *testing.T) {
			for name, d := range tensors {
				weights, _ := d.(*tensor.Dense)
				badinput.OneOf(t, func() (*embedding.Table, error) { return embedding.New(weights, opts...) }, name)
			}
		}
	}
	calls := map[string]func(t *testing.T){
		"New": tableOption(embedding.TableOption{}),
		"Make": func(t *testing.T) {
			for _, dt := range []tensor.Dtype{{}, tensor.Float32, tensor.Float64, tensor.Int, tensor.String, tensor.UnsafePointer, dense.Float16} {
				for _, rows := range hostileInts {
					for _, dim := range hostileInts {
						badinput.OneOf(t, func() (*embedding.Table, error) { return embedding.Make(dt, rows, dim, embedding.Zeros()) }, fmt.Sprint(dt, rows, dim))
					}
				}
			}
		},
		"Zeros":                  func(*testing.T) { embedding.Zeros() },
		"Uniform":                inits(func(a, b float64) embedding.Init { return embedding.Uniform(1, a, b) }),
		"Normal":                 inits(func(a, b float64) embedding.Init { return embedding.Normal(1, a, b) }),
		"FromRows":               inits(func(a, b float64) embedding.Init { return embedding.FromRows(nil) }),
		"WithPadding":            tableOption(embedding.WithPadding(math.MinInt64)),
		"WithOutOfRange":         tableOption(embedding.WithOutOfRange(200)),
		"WithNonNegativeIDs":     tableOption(embedding.WithNonNegativeIDs(), embedding.WithPadding(-1)),
		"WithLearnRate":          option(embedding.WithLearnRate),
		"WithEps":                option(embedding.WithEps),
		"WithBeta1":              option(embedding.WithBeta1),
		"WithBeta2":              option(embedding.WithBeta2),
		"WithL2Reg":              option(embedding.WithL2Reg),
		"WithClipNorm":           option(embedding.WithClipNorm),
		"WithLearnRateDecay":     option(embedding.WithLearnRateDecay),
		"WithInitialAccumulator": option(embedding.WithInitialAccumulator),
		"SetState": func(t *testing.T) {
			for name, table := range tables {
				for stateName, state := range tensors {
					for _, steps := range hostileInts {
						s, _ := state.(*tensor.Dense)
						adagrad, err := embedding.NewAdagrad()
						ok(t, err)
						for _, o := range []embedding.Optimizer{nil, adagrad} {
							badinput.Try(t, fmt.Sprint("SetState ", name, stateName, steps), func() {
								_ = embedding.SetState(o, table, steps, map[string]*tensor.Dense{"s": s})
							})
						}
					}
				}
			}
		},
		"NewSGD":            constructor(embedding.NewSGD),
		"NewAdagrad":        constructor(embedding.NewAdagrad),
		"NewRowWiseAdagrad": constructor(embedding.NewRowWiseAdagrad),
		"NewAdam":           constructor(embedding.NewAdam),
		"Mode.String":       func(t *testing.T) { _ = embedding.Mode(200).String() },
		"Table.Shape":       eachTable(func(_ string, table *embedding.Table) { _ = table.Shape() }),
		"Table.Dtype":       eachTable(func(_ string, table *embedding.Table) { _ = table.Dtype() }),
		"Table.Storage":     eachTable(func(_ string, table *embedding.Table) { _ = table.Storage() }),
		"Table.Quantize": eachTable(func(name string, table *embedding.Table) {
			for s := range embedding.Int4 + 3 {
				badinput.OneOf(t, func() (*embedding.Table, error) { return table.Quantize(s, embedding.WithPadding(1)) }, name, s.String())
			}
		}),
		"Table.Weights": eachTable(func(name string, table *embedding.Table) {
			if w, err := table.Weights(); (w == nil) == (err == nil) || (err == nil) != (name == "good") {
				t.Errorf("%s: %v, %v", name, w, err)
			}
		}),
		"Table.Prefetch": eachTable(func(name string, table *embedding.Table) {
			for idsName, ids := range tensors {
				badinput.Try(t, name+idsName, func() { _ = table.Prefetch(ids) })
			}
		}),
		"Table.Close": eachTable(func(name string, table *embedding.Table) {
			if name != "good" {
				_ = table.Close()
			}
		}),
		"Table.Lookup": eachTable(func(name string, table *embedding.Table) {
			for _, g := range []*G.ExprGraph{nil, new(G.ExprGraph), G.NewGraph()} {
				for _, n := range hostileInts {
					badinput.OneOf(t, func() (*embedding.Lookup, error) { return table.Lookup(g, fmt.Sprint("words", n), n, 2) }, name, fmt.Sprint(n))
				}
				badinput.OneOf(t, func() (*embedding.Lookup, error) { return table.Lookup(g, "\xff\x00") }, name)
			}
		}),
		"Table.Bag": eachTable(func(name string, table *embedding.Table) {
			for _, g := range []*G.ExprGraph{nil, new(G.ExprGraph), G.NewGraph()} {
				for _, n := range hostileInts {
					badinput.OneOf(t, func() (*embedding.Lookup, error) { return table.Bag(g, fmt.Sprint("bags", n), n, embedding.Mode(n)) }, name, fmt.Sprint(n))
				}
			}
		}),
		"Table.Rows": eachTable(func(name string, table *embedding.Table) {
			for idsName, ids := range tensors {
				dst, _ := ids.(*tensor.Dense)
				for _, opts := range [][]dense.Option{nil, {{}}, {dense.WithReuse(dst)}, {dense.WithBatchDims(1)}} {
					badinput.OneOf(t, func() (*tensor.Dense, error) { return table.Rows(ids, opts...) }, name, idsName)
				}
			}
		}),
		"Table.Bags": eachTable(func(name string, table *embedding.Table) {
			badinput.Tuples(tensors, 2, func(names []string, list []tensor.Tensor) {
				for weightsName, weights := range map[string]tensor.Tensor{"none": nil, "sparse": tensors["sparse"], "a vector": tensors["a vector"]} {
					for _, mode := range []embedding.Mode{embedding.Sum, embedding.Max, 200} {
						badinput.OneOf(t, func() (*tensor.Dense, error) { return table.Bags(list[0], list[1], weights, mode) }, append(names, name, weightsName)...)
					}
				}
			})
		}),
		"Table.Whole": eachTable(func(name string, table *embedding.Table) {
			for _, g := range []*G.ExprGraph{nil, new(G.ExprGraph), G.NewGraph()} {
				for _, node := range []string{"", "whole", "\xff\x00"} {
					badinput.OneOf(t, func() (*embedding.Lookup, error) { return table.Whole(g, node) }, name, node)
				}
			}
		}),
		"Lookup.WeightGradients": func(t *testing.T) {
			for name, l := range lookups() {
				badinput.OneOf(t, l.WeightGradients, name)
			}
		},
		"Lookup.Node": func(t *testing.T) {
			for _, l := range lookups() {
				_ = l.Node()
			}
		},
		"Lookup.Set": func(t *testing.T) {
			for name, l := range lookups() {
				for idsName, ids := range tensors {
					badinput.Try(t, name+idsName, func() { _ = l.Set(ids) })
				}
			}
		},
		"Lookup.SetBags": func(t *testing.T) {
			for name, l := range lookups() {
				badinput.Tuples(tensors, 2, func(names []string, list []tensor.Tensor) {
					for weightsName, weights := range map[string]tensor.Tensor{"none": nil, "sparse": tensors["sparse"], "a vector": tensors["a vector"]} {
						badinput.Try(t, fmt.Sprint(name, names, weightsName), func() { _ = l.SetBags(list[0], list[1], weights) })
					}
				})
			}
		},
	}
	maps.Copy(calls, fileCalls(t, tables))
	badinput.Calls(t, ".", calls)
}
