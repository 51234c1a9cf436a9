package embedding_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// prefetched are tables of 30 rows of 5 numbers, in memory and, where the system has
// them, in a file.
func prefetched(t *testing.T, opts ...embedding.TableOption) map[string]*embedding.Table {
	t.Helper()
	all := map[string]*embedding.Table{}
	var err error
	all["memory"], err = embedding.Make(tensor.Float32, 30, 5, embedding.Zeros(), opts...)
	ok(t, err)
	if runtime.GOOS == "linux" || runtime.GOOS == "darwin" {
		all["file"], err = embedding.Create(filepath.Join(t.TempDir(), "items.npy"), tensor.Float32, 30, 5, embedding.Zeros(), opts...)
		ok(t, err)
	}
	return all
}

// TestPrefetch takes ids as lookups do, whether there is a file or not.
func TestPrefetch(t *testing.T) {
	for name, table := range prefetched(t) {
		for _, ids := range []tensor.Tensor{
			vector(0, 29, -30, -1, 3, 3),
			tensor.New(tensor.Of(tensor.Int), tensor.WithShape(0)),
			tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]uint8{1, 2, 3, 4, 5, 29})),
			tensor.New(tensor.FromScalar(int64(7))),
			vector(make([]int, 1<<17)...),
		} {
			ok(t, table.Prefetch(ids))
		}
		var bad *dense.IndexError
		if err := table.Prefetch(vector(1, 30)); !errors.As(err, &bad) || bad.Index != 30 || bad.Position[0] != 1 || bad.Op != "Prefetch" {
			t.Errorf("%s: error %v, want one of the index 30 at 1", name, err)
		}
		if err := table.Prefetch(vector(uint64(math.MaxUint64))); !errors.As(err, &bad) {
			t.Errorf("%s: error %v, want one of an index", name, err)
		}
		if err := table.Prefetch(vector(1.0)); !errors.Is(err, dense.ErrDtype) {
			t.Errorf("%s: error %v, want ErrDtype", name, err)
		}
		for _, none := range []tensor.Tensor{nil, (*tensor.Dense)(nil)} {
			if table.Prefetch(none) == nil {
				t.Errorf("%s: no ids are no error", name)
			}
		}
		ok(t, table.Close())
		if err := table.Prefetch(vector(1)); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: error %v of a closed table", name, err)
		}
	}
	for _, table := range prefetched(t, embedding.WithPadding(100), embedding.WithOutOfRange(dense.ZeroFill), embedding.WithNonNegativeIDs()) {
		ok(t, table.Prefetch(vector(100, -1, 1000, 29)))
		ok(t, table.Close())
	}
}

// TestPrefetchMeanwhile: prefetches, lookups and steps of many goroutines, and Close in
// the middle of them.
func TestPrefetchMeanwhile(t *testing.T) {
	for name, table := range prefetched(t) {
		t.Run(name, func(t *testing.T) {
			adam := newAdam(t)
			var workers sync.WaitGroup
			for worker := range 8 {
				workers.Add(1)
				go func() {
					defer workers.Done()
					rng := rand.New(rand.NewPCG(uint64(worker), 1))
					for round := 0; ; round++ {
						ids := make([]int, 16)
						for i := range ids {
							ids[i] = rng.IntN(30)
						}
						var err error
						switch worker % 4 {
						case 0:
							_, err = table.Rows(vector(ids...))
						case 1:
							err = adam.Update(table, vector(ids...), tensor.New(tensor.WithShape(16, 5), tensor.WithBacking(make([]float32, 80))))
						default:
							err = table.Prefetch(vector(ids...))
						}
						if err != nil {
							if !strings.Contains(err.Error(), "closed") {
								t.Error(err)
							}
							return
						}
						if worker == 7 && round == 200 {
							if err := table.Close(); err != nil {
								t.Error(err)
							}
						}
					}
				}()
			}
			workers.Wait()
		})
	}
}
