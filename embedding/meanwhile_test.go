package embedding_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/turns"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestClosedMeanwhile: a table whose memory is the system's is closed while goroutines
// look its rows up, change them, and ask for what is remembered. Whatever comes after is
// an error that says so, and nobody reads memory that is gone: that would end the test.
func TestClosedMeanwhile(t *testing.T) {
	const rows, dim, n = 1 << 17, 64, 512 // 32 MiB
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(i * 7919 % rows)
	}
	grads := tensor.New(tensor.WithShape(n, dim), tensor.Of(tensor.Float32))
	for round := range 6 {
		if !turns.Case(3, round) { // an even one and an odd one
			continue
		}
		table, err := embedding.Make(tensor.Float32, rows, dim, embedding.Zeros())
		ok(t, err)
		adam, err := embedding.NewAdam()
		ok(t, err)
		var running, done sync.WaitGroup
		loop := func(once func() error) {
			running.Add(1)
			done.Add(1)
			go func() {
				defer done.Done()
				for first := true; ; first = false {
					err := once()
					if first {
						running.Done()
					}
					if err == nil {
						continue
					}
					if !strings.Contains(err.Error(), "the table is closed") {
						t.Error(err)
					}
					return
				}
			}()
		}
		for i := range 2 {
			lookup, err := table.Lookup(G.NewGraph(), fmt.Sprint("ids", i), n)
			ok(t, err)
			bags, err := table.Bag(G.NewGraph(), fmt.Sprint("bags", i), n/4, embedding.Max)
			ok(t, err)
			loop(func() error { return lookup.Set(vector(ids...)) })
			loop(func() error {
				return bags.Set(tensor.New(tensor.WithShape(n/4, 4), tensor.WithBacking(ids)))
			})
			loop(func() error { return adam.Update(table, vector(ids...), grads) })
		}
		if round%2 == 1 { // what has been handed out stays
			loop(func() error {
				_, err := table.Weights()
				_ = adam.State(table)
				return err
			})
		}
		running.Wait()
		ok(t, table.Close())
		done.Wait()
	}
}

// TestOneRow: many ids that are all the same, of a table of one row, are one
// gradient, added up from the first to the last, on any number of processors.
func TestOneRow(t *testing.T) {
	n := 300_000 // more than one processor gets
	if testing.Short() {
		n = 100_000
	}
	for _, dim := range []int{1, 2, 3, 9, 17} {
		backing, sum := make([]float32, n*dim), make([]float32, dim)
		for i := range backing {
			backing[i] = float32(i%1009)/1009 - 0.5
			sum[i%dim] += backing[i]
		}
		grads := tensor.New(tensor.WithShape(n, dim), tensor.WithBacking(backing))
		ids := tensor.New(tensor.WithBacking(make([]int8, n)))
		for _, processors := range []int{1, 2, 3, 16} {
			t.Run(fmt.Sprintf("dim=%d/processors=%d", dim, processors), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
				table, err := embedding.Make(tensor.Float32, 1, dim, embedding.Zeros())
				ok(t, err)
				sgd, err := embedding.NewSGD(embedding.WithLearnRate(0.5))
				ok(t, err)
				ok(t, sgd.Update(table, ids, grads))
				weights, err := table.Weights()
				ok(t, err)
				for i, w := range weights.Float32s() {
					if want := 0 - 0.5*sum[i]; w != want {
						t.Fatalf("column %d is %v, want %v", i, w, want)
					}
				}
			})
		}
	}
}
