package embedding_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// heap is how many bytes are left after a garbage collection.
func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// lettingGo is a table of 4 MB, of which Adam remembers 8, and gradients of a row.
func lettingGo(t *testing.T) (table *embedding.Table, grads *tensor.Dense) {
	t.Helper()
	table, err := embedding.Make(tensor.Float32, 1000, 1000, embedding.Zeros())
	ok(t, err)
	return table, tensor.New(tensor.WithShape(1, 1000), tensor.WithBacking(make([]float32, 1000)))
}

// TestStateOfClosedTables: a table that is closed leaves nothing with its optimiser,
// which would keep it as long as there is one, and a step of it is an error that
// brings nothing back.
func TestStateOfClosedTables(t *testing.T) {
	o, err := embedding.NewAdam()
	ok(t, err)
	before := heap()
	for range 16 {
		table, grads := lettingGo(t)
		ok(t, o.Update(table, vector(1), grads))
		if n := len(o.State(table)); n != 2 {
			t.Errorf("Adam remembers %d tensors, want 2", n)
		}
		ok(t, table.Close())
		if o.Update(table, vector(1), grads) == nil {
			t.Error("a step of a closed table is no error")
		}
		if n := len(o.State(table)); n != 0 {
			t.Errorf("%d tensors are remembered of a closed table", n)
		}
	}
	if grown := heap() - before; grown > 16<<20 {
		t.Errorf("%d bytes are left of 16 closed tables", grown)
	}
	runtime.KeepAlive(o)
}

// TestStateOfForgottenTables: what is remembered goes with a table, too, that nobody
// has closed and nobody can reach.
func TestStateOfForgottenTables(t *testing.T) {
	o, err := embedding.NewAdam()
	ok(t, err)
	before := heap()
	for range 16 {
		table, grads := lettingGo(t)
		ok(t, o.Update(table, vector(1), grads))
	}
	if grown := heap() - before; grown > 32<<20 {
		t.Errorf("%d bytes are left of 16 tables that nobody can reach", grown)
	}
	runtime.KeepAlive(o)
}

// TestStateOfForgottenOptimizers: a table keeps nothing of optimisers that nobody can
// reach.
func TestStateOfForgottenOptimizers(t *testing.T) {
	table, grads := lettingGo(t)
	before := heap()
	for range 16 {
		o, err := embedding.NewAdam()
		ok(t, err)
		ok(t, o.Update(table, vector(1), grads))
	}
	// A collection finds out, and another goroutine lets go.
	grown := heap() - before
	for deadline := time.Now().Add(20 * time.Second); grown > 32<<20 && time.Now().Before(deadline); grown = heap() - before {
		time.Sleep(time.Millisecond)
	}
	if grown > 32<<20 {
		t.Errorf("%d bytes are left of 16 optimisers that nobody can reach", grown)
	}
	runtime.KeepAlive(table)
}

// TestStateOutlivesClose: a tensor of a state that has been handed out stays.
func TestStateOutlivesClose(t *testing.T) {
	for _, rows := range []int{10, 1 << 16} { // in Go's heap, and in huge pages
		table, err := embedding.Make(tensor.Float32, rows, 64, embedding.Zeros())
		ok(t, err)
		o, err := embedding.NewAdagrad(embedding.WithInitialAccumulator(3))
		ok(t, err)
		grads := tensor.New(tensor.WithShape(1, 64), tensor.WithBacking(make([]float32, 64)))
		ok(t, o.Update(table, vector(1), grads))
		s := o.State(table)["s"].Float32s()
		ok(t, table.Close())
		runtime.GC()
		for i, x := range s {
			if x != 3 {
				t.Fatalf("%d rows: s[%d] is %v after Close, want 3", rows, i, x)
			}
		}
	}
}

// TestBagsBesideClose: bags of a table that is closed at the same time are right or an
// error. The race detector says what else they are.
func TestBagsBesideClose(t *testing.T) {
	for range 20 {
		table, err := embedding.Make(tensor.Float32, 100, 8, embedding.Zeros())
		ok(t, err)
		var all sync.WaitGroup
		for range 2 {
			all.Add(1)
			go func() {
				defer all.Done()
				for range 100 {
					_, err := table.Bags(matrix(2, 2, int64(1), 2, 3, 4), nil, nil, embedding.Sum)
					if err != nil && !strings.Contains(err.Error(), "is closed") {
						t.Error(err)
					}
				}
			}()
		}
		ok(t, table.Close())
		all.Wait()
	}
}
