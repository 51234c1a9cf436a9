package embedding_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/race"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

const (
	larger = "EMBEDDING_TEST_LARGER"

	// A table of 256 MiB, and as much of what Adagrad remembers, in a process that may
	// have 128 MiB of memory of its own.
	largerRows, largerDim = 1 << 20, 64
	memoryLimit           = 128 << 20
	largerSteps           = 15
)

// largerStep is ids and gradients of step k, ids from all over the table.
func largerStep(k int) (ids []int64, grads []float32) {
	rng := rand.New(rand.NewPCG(uint64(k), 5))
	ids = make([]int64, 256)
	for i := range ids {
		ids[i] = rng.Int64N(largerRows)
		if i%16 == 15 {
			ids[i] = ids[i-7] // twice
		}
	}
	return ids, draw[float32](rng, len(ids)*largerDim)
}

func applyLarger(t *testing.T, o embedding.Optimizer, table *embedding.Table, ids []int64, grads []float32) {
	t.Helper()
	ok(t, o.Update(table, tensor.New(tensor.WithBacking(ids)), tensor.New(tensor.WithShape(len(ids), largerDim), tensor.WithBacking(grads))))
}

// TestLargerThanMemory trains a table that is larger than the memory that its
// process may have.
func TestLargerThanMemory(t *testing.T) {
	if path := os.Getenv(larger); path != "" {
		trainLarger(t, path)
		return
	}
	if race.Enabled {
		t.Skip("the race detector alone takes more memory than that")
	}
	path := filepath.Join(t.TempDir(), "items.npy")
	child := exec.Command(os.Args[0], "-test.run=^TestLargerThanMemory$")
	child.Env = append(os.Environ(), larger+"="+path)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	} else if _, err := os.Stat(path); err != nil {
		t.Skipf("%s", out)
	}

	// The same with a small table of the rows that were touched.
	place := map[int64]int64{}
	var rows []int64
	for k := range largerSteps {
		ids, _ := largerStep(k)
		for _, id := range ids {
			if _, seen := place[id]; !seen {
				place[id] = int64(len(rows))
				rows = append(rows, id)
			}
		}
	}
	small, err := embedding.Make(tensor.Float32, len(rows), largerDim, embedding.Zeros())
	ok(t, err)
	o := makers(t)["Adagrad"]()
	for k := range largerSteps {
		ids, grads := largerStep(k)
		for i, id := range ids {
			ids[i] = place[id]
		}
		applyLarger(t, o, small, ids, grads)
	}
	table, err := embedding.Open(path, embedding.WithReadOnly())
	ok(t, err)
	defer table.Close()
	l, err := table.Lookup(G.NewGraph(), "rows", len(rows))
	ok(t, err)
	ok(t, l.Set(tensor.New(tensor.WithShape(len(rows)), tensor.WithBacking(rows))))
	if !slices.Equal(bitsOf(l.Node().Value().(*tensor.Dense)), bits(t, small)) {
		t.Error("other bits than in memory")
	}
}

func trainLarger(t *testing.T, path string) {
	ok(t, unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: memoryLimit, Max: memoryLimit}))
	if mem, err := unix.Mmap(-1, 0, largerRows*largerDim*4, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE); !errors.Is(err, unix.ENOMEM) {
		if err == nil {
			ok(t, unix.Munmap(mem))
		}
		t.Logf("the system lets a process have more memory than its limit: error %v", err)
		return
	}
	if _, err := embedding.Make(tensor.Float32, largerRows, largerDim, embedding.Zeros()); err == nil {
		t.Error("the table is not larger than the memory")
	}
	table, err := embedding.Create(path, tensor.Float32, largerRows, largerDim, embedding.Zeros())
	ok(t, err)
	o := makers(t)["Adagrad"]()
	for k := range largerSteps {
		ids, grads := largerStep(k)
		applyLarger(t, o, table, ids, grads)
	}
	ok(t, table.Sync())
	ok(t, table.Close())
}
