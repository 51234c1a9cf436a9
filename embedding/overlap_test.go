package embedding_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// TestGradientsThatAreTheTable updates a table by gradients in its own memory or in
// that of a state: all rows, part of them, and with duplicates. What is there before
// the call counts, for any number of threads.
func TestGradientsThatAreTheTable(t *testing.T) {
	const rows, dim = 4000, 16
	rng := rand.New(rand.NewPCG(1, 2))
	begin := draw[float32](rng, rows*dim)
	ids := make([]int, rows-1)
	for i := range ids {
		ids[i] = rng.IntN(rows)
	}
	for name := range optimizers(t) {
		for _, threads := range []int{1, 2, 8} {
			restore := runtime.GOMAXPROCS(threads)
			for _, from := range []string{"the table", "the end of the table", "a state"} {
				run := func(apart bool) []float32 {
					weights := tensor.New(tensor.WithShape(rows, dim), tensor.WithBacking(slices.Clone(begin)))
					table, err := embedding.New(weights)
					ok(t, err)
					o := optimizers(t, embedding.WithLearnRate(0.5))[name]
					ok(t, o.Update(table, vector(ids...), tensor.New(tensor.WithShape(rows-1, dim), tensor.WithBacking(slices.Clone(begin[:(rows-1)*dim])))))
					grads := weights.Float32s()[:(rows-1)*dim]
					switch state := o.State(table); {
					case from == "the end of the table":
						grads = weights.Float32s()[dim:]
					case from == "a state" && state["m"] != nil:
						grads = state["m"].Float32s()[:(rows-1)*dim]
					case from == "a state" && name == "Adagrad":
						grads = state["s"].Float32s()[:(rows-1)*dim]
					}
					if apart {
						grads = slices.Clone(grads)
					}
					ok(t, o.Update(table, vector(ids...), tensor.New(tensor.WithShape(rows-1, dim), tensor.WithBacking(grads))))
					return weights.Float32s()
				}
				if got, want := run(false), run(true); !slices.Equal(got, want) {
					t.Errorf("%s, %d threads: gradients in %s change while they are used", name, threads, from)
				}
			}
			runtime.GOMAXPROCS(restore)
		}
	}
}
