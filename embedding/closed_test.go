package embedding_test

import (
	"runtime"
	"testing"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// TestStateOfClosedTables: a step of a closed table is an error that makes no state,
// which would be as large as the table was and stay as long as the optimiser.
func TestStateOfClosedTables(t *testing.T) {
	o, err := embedding.NewAdam()
	ok(t, err)
	grads := tensor.New(tensor.WithShape(1, 1000), tensor.WithBacking(make([]float32, 1000)))
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := heap()
	for range 16 {
		table, err := embedding.Make(tensor.Float32, 1000, 1000, embedding.Zeros())
		ok(t, err)
		ok(t, table.Close())
		if o.Update(table, vector(1), grads) == nil {
			t.Error("a step of a closed table is no error")
		}
	}
	if grown := int64(heap()) - int64(before); grown > 16<<20 {
		t.Errorf("%d bytes are left of steps of closed tables", grown)
	}
	runtime.KeepAlive(o)
}
