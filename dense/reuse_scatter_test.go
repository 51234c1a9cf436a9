package dense_test

import (
	"errors"
	"fmt"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/cases"
	"gorgonia.org/gather/internal/layout"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/tensor"
)

// smallScatters are one or two calls of each scatter, with duplicates and
// negative indices.
var smallScatters = []scatterCall{
	{Scatter: cases.Scatter{Op: "ScatterElements", Data: dims{4, 3}, Axis: 0, Indices: oracle.From([]int64{3, -1, 2, 0, 1, 0, 0, 0, 1, 3}, 5, 2), Updates: dims{5, 2}}},
	{Scatter: cases.Scatter{Op: "ScatterElements", Data: dims{3, 4}, Axis: -1, Indices: oracle.From([]int64{3, -1, 2, 0, 1, 0, 0, 0, 1, 3, 3, 3, 2, 0, -4}, 3, 5), Updates: dims{3, 5}}},
	{Scatter: cases.Scatter{Op: "ScatterND", Data: dims{3, 4, 5}, Indices: oracle.From([]int64{2, 3, 0, 0, -1, -4, 2, 3}, 4, 2), Updates: dims{4, 5}}},
	{Scatter: cases.Scatter{Op: "ScatterND", Data: dims{3, 4}, Indices: oracle.From([]int64{2, 3, 0, 0, -1, -4, 2, 3}, 4, 2), Updates: dims{4}}},
	{Scatter: cases.Scatter{Op: "ScatterUpdate", Data: dims{3, 4, 5}, Axis: 1, Indices: oracle.From([]int64{3, 0, -1, 3, -4, 2}, 2, 3), Updates: dims{3, 2, 3, 5}}},
}

// TestScatterEveryDtype runs each small scatter on data of every dtype with
// every reduction, to each destination in every layout of data; the other
// layouts go round.
func TestScatterEveryDtype(t *testing.T) {
	for _, d := range dtypes {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			turn := 0
			for _, c := range smallScatters {
				for _, r := range cases.Reductions {
					for _, to := range []destination{newTensor, given, inPlace} {
						turn++
						for i := range layout.All {
							if !turns.Case(2, turn+i) {
								continue
							}
							c := c
							c.Rule = oracle.Rule{Reduction: r, NoInit: (turn+i)%3 == 0 && r != oracle.None}
							c.to, c.values, c.indexType = to, int64(turn+i), indexTypes[(turn+i)%5] // those with negatives
							c.in, c.at = layout.All[i], layout.All[(i+turn)%len(layout.All)]
							c.up, c.out = layout.All[(i+3*turn)%len(layout.All)], layout.All[(i+5*turn)%len(layout.All)]
							if err := d.(scatterer).scatter(&c); err != nil {
								t.Fatalf("%v: %v", &c, err)
							}
						}
					}
				}
			}
		})
	}
}

// TestScatterInPlaceIsAtomic updates a table in place with one bad index, at
// each position: the table must not change, by whatever kernel it is reached.
func TestScatterInPlaceIsAtomic(t *testing.T) {
	for _, c := range smallScatters {
		for _, r := range cases.Reductions {
			t.Run(fmt.Sprintf("%s %v %v", c.Op, c.Data, r), func(t *testing.T) {
				for position := range c.Indices.Data {
					for i, bad := range []int64{7, -8, 1 << 40} {
						for _, l := range layout.All {
							c := c
							c.Indices = c.Indices.Clone()
							c.Indices.Data[position] = bad
							c.Rule = oracle.Rule{Reduction: r, NoInit: i == 1 && r != oracle.None}
							c.to, c.values, c.indexType, c.in, c.up = inPlace, 3, int64s, l, layout.All[position%len(layout.All)]
							if err := dtypeNamed("float64").(scatterer).scatter(&c); err != nil {
								t.Fatalf("%v: %v", &c, err)
							}
						}
					}
				}
			})
		}
	}
}

// TestScatterLinesInPlace updates lines in place in every layout, each by more indices than
// it has elements, with a bad one and without.
func TestScatterLinesInPlace(t *testing.T) {
	for _, data := range []dims{{6, 20}, {2, 3, 20}, {20}} {
		shape := append(dims{}, data...)
		shape[len(shape)-1] = 48
		indices := make([]int64, tensor.ProdInts(shape))
		for i := range indices {
			indices[i] = int64(i*i%40 - 20)
		}
		for _, r := range cases.Reductions {
			t.Run(fmt.Sprintf("%v %v", data, r), func(t *testing.T) {
				for _, position := range []int{-1, 0, len(indices) / 2, len(indices) - 1} {
					for i, l := range layout.All {
						c := scatterCall{Scatter: cases.Scatter{Op: "ScatterElements", Data: data, Axis: -1, Indices: oracle.From(indices, shape...).Clone(), Updates: shape}}
						if position >= 0 {
							c.Indices.Data[position] = 20
						}
						c.Rule = oracle.Rule{Reduction: r, NoInit: (position+i)%3 == 0 && r != oracle.None}
						c.to, c.values, c.indexType, c.in = inPlace, 3, indexTypes[i%2], l
						for _, dtype := range []string{"float64", "int8"} {
							if err := dtypeNamed(dtype).(scatterer).scatter(&c); err != nil {
								t.Fatalf("%v: %v", &c, err)
							}
						}
					}
				}
			})
		}
	}
}

// TestScatterReuseRefused gives destinations that overlap an input in another
// way than data itself.
func TestScatterReuseRefused(t *testing.T) {
	numbers := make([]float64, 20)
	table := tensor.New(tensor.WithShape(4, 3), tensor.WithBacking(numbers[:12]))
	twin := tensor.New(tensor.WithShape(4, 3), tensor.WithBacking(numbers[:12])) // the same memory, another tensor
	shifted := tensor.New(tensor.WithShape(4, 3), tensor.WithBacking(numbers[3:15]))
	updates := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking(numbers[9:15]))
	rows := values(dims{2, 1}, 0, 3)
	for _, c := range []struct {
		name    string
		updates *tensor.Dense
		dst     *tensor.Dense
		text    string
	}{
		{"a part of data", upTo(1, 2, 3), shifted, "ScatterND: dst overlaps data in memory"},
		{"another tensor on data's memory", upTo(1, 2, 3), twin, "ScatterND: dst overlaps data in memory"},
		{"data in place, updates a part of it", updates, table, "ScatterND: dst overlaps updates in memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := dense.ScatterND(table, rows, c.updates, dense.WithReuse(c.dst))
			if !errors.Is(err, dense.ErrLayout) || err.Error() != c.text || got != nil {
				t.Errorf("error\n%v, want\n%s", err, c.text)
			}
		})
	}
	t.Run("strings", func(t *testing.T) {
		words := values(dims{2}, "a", "b")
		_, err := dense.ScatterElements(words, index(0), values(dims{1}, "c"), 0, dense.WithReuse(words))
		if want := "ScatterElements: strings cannot be written to a given dst"; !errors.Is(err, dense.ErrDtype) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	})
}

// TestScatterInPlaceAllocatesNothing updates a table with all its tensors given.
func TestScatterInPlaceAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool is not itself under the race detector")
	}
	table, rows := upTo(1, 100, 8), values(dims{5, 1}, 99, 3, 3, -7, 0)
	updates := upTo(1, 5, 8)
	lines := values(dims{5, 8}, make([]int32, 40)...)
	vector := values(dims{5}, 4, 3, 2, -1, 0)
	reuse := dense.WithReuse(table)
	for _, r := range []dense.Reduction{dense.None, dense.Add, dense.Sub, dense.Mul, dense.Min, dense.Max} {
		t.Run(r.String(), func(t *testing.T) {
			how := dense.WithReduction(r)
			var err error
			for name, run := range map[string]func(){
				"ScatterND":       func() { _, err = dense.ScatterND(table, rows, updates, how, reuse) },
				"ScatterElements": func() { _, err = dense.ScatterElements(table, lines, updates, 0, how, reuse) },
				"ScatterUpdate":   func() { _, err = dense.ScatterUpdate(table, vector, updates, 0, reuse) },
			} {
				if n := testing.AllocsPerRun(20, run); n != 0 || err != nil {
					t.Errorf("%s: %v allocations a run, error %v", name, n, err)
				}
			}
		})
	}
}

// TestLargeScatterAllocatesNothing copies more old values than one goroutine should.
func TestLargeScatterAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool is not itself under the race detector")
	}
	table, result, row, at := upTo(1, 500, 1000), upTo(1, 500, 1000), upTo(1, 1, 1000), values(dims{1}, 7)
	if n := testing.AllocsPerRun(20, func() { _, _ = dense.ScatterUpdate(table, at, row, 0, dense.WithReuse(result)) }); n >= 1 {
		t.Errorf("%v allocations a run", n)
	}
}
