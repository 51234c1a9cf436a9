package embedding_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/files"
	"gorgonia.org/gather/internal/race"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// forgotten is a file of which nothing is in memory, mapped. It skips where files
// stay in memory, as in a file system that is memory.
func forgotten(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	ok(t, err)
	defer f.Close()
	ok(t, f.Sync())
	ok(t, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
	info, err := f.Stat()
	ok(t, err)
	mem, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	ok(t, err)
	t.Cleanup(func() { ok(t, unix.Munmap(mem)) })
	ok(t, unix.Madvise(mem, unix.MADV_RANDOM))
	if count(resident(t, mem)) > 0 {
		t.Skip("this file system keeps files in memory")
	}
	return mem
}

// count is how many are true.
func count(all []bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

// TestMemoryFiles: files in a file system that is memory are trained and served as others
// are, and soon no page of them is asked for.
func TestMemoryFiles(t *testing.T) {
	path := filepath.Join(memoryFolder(t), "items.npy")
	table, err := embedding.Create(path, tensor.Float32, 30, 5, embedding.Normal(1, 0, 1))
	ok(t, err)
	defer table.Close()
	other := newPair(t, 1)["items"]
	adam, adamOfOther := newAdam(t), newAdam(t)
	for k := range 20 {
		n, restore := asked(path)
		ok(t, table.Prefetch(vector(1, 2, 3)))
		prefetched := n.Load()
		update(t, adam, table, k)
		update(t, adamOfOther, other, k)
		sameBits(t, "the table", bits(t, table), bits(t, other))
		restore()
		if prefetched != 1 || k >= 8 && n.Load() != 1 {
			t.Errorf("step %d: the file is asked for %d pages, %d of them by Prefetch", k, n.Load(), prefetched)
		}
	}
}

// asked counts how often pages of a file are asked for.
func asked(path string) (n *atomic.Int64, restore func()) {
	n = new(atomic.Int64)
	return n, files.Intercept(func(name, of string, do func() error) error {
		if name == "fadvise" && of == path {
			n.Add(1)
		}
		return do()
	})
}

// TestAhead: a table that is in memory soon asks for nothing, and one that was taken
// out of it does again, from the ninth call on. What an optimiser remembers is a matter
// of its own.
func TestAhead(t *testing.T) {
	const rows, dim, n = 1 << 16, 64, 1000
	path := filepath.Join(t.TempDir(), "items.npy")
	table, err := embedding.Create(path, tensor.Float32, rows, dim, embedding.Uniform(1, 1, 2))
	ok(t, err)
	defer table.Close()
	lookup, err := table.Lookup(G.NewGraph(), "rows", n)
	ok(t, err)
	bags, err := table.Bag(G.NewGraph(), "bags", 10, embedding.Max)
	ok(t, err)
	adagrad := makers(t)["Adagrad"]()
	rng := rand.New(rand.NewPCG(3, 4))
	ids := tensor.New(tensor.WithShape(n), tensor.WithBacking(make([]int64, n)))
	square := tensor.New(tensor.WithShape(10, n/10), tensor.WithBacking(ids.Int64s()))
	grads := tensor.New(tensor.WithShape(n, dim), tensor.WithBacking(draw[float32](rng, n*dim)))
	calls := map[string]func() error{
		"Set":    func() error { return lookup.Set(ids) },
		"bags":   func() error { return bags.Set(square) },
		"Update": func() error { return adagrad.Update(table, ids, grads) },
		"Rows": func() error {
			_, err := table.Rows(ids)
			return err
		},
		"Bags": func() error {
			_, err := table.Bags(square, nil, nil, embedding.Mean)
			return err
		},
	}
	weights, err := table.Weights()
	ok(t, err)
	name := map[string]string{"Set": path, "bags": path, "Rows": path, "Bags": path, "Update": filepath.Join(path+".adagrad", "s.npy")}
	asks := func(call string) bool {
		t.Helper()
		for i := range n {
			ids.Int64s()[i] = rng.Int64N(rows)
		}
		n, restore := asked(name[call])
		defer restore()
		ok(t, calls[call]())
		return n.Load() > 0
	}
	for _, call := range []string{"Set", "bags", "Update"} {
		if call != "bags" && !asks(call) {
			t.Errorf("the first call of %s asks for no page", call)
		}
		for range 10 {
			asks(call)
		}
		if asks(call) {
			t.Errorf("%s asks for pages that are all in memory", call)
		}
	}
	for _, call := range []string{"Set", "bags", "Rows", "Bags", "Update"} {
		memory := weights
		if call == "Update" {
			memory = adagrad.State(table)["s"]
		}
		asked := false
		for range 9 {
			ok(t, unix.Madvise(bytesOf(memory), unix.MADV_DONTNEED))
			forgotten(t, name[call])
			asked = asks(call)
		}
		if !asked {
			t.Errorf("%s does not ask for pages of which none is in memory", call)
		}
		for range 100 { // until all is there
			asked = asks(call)
		}
		if asked {
			t.Errorf("%s asks for pages that are in memory again", call)
		}
	}
}

// TestFileAllocations: what asks for pages allocates nothing.
func TestFileAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	const rows, dim, n = 5000, 64, 600
	table, err := embedding.Create(filepath.Join(t.TempDir(), "items.npy"), tensor.Float32, rows, dim, embedding.Uniform(1, 1, 2))
	ok(t, err)
	defer table.Close()
	lookup, err := table.Lookup(G.NewGraph(), "rows", n)
	ok(t, err)
	adam := newAdam(t)
	rng := rand.New(rand.NewPCG(3, 4))
	ids := tensor.New(tensor.WithShape(n), tensor.WithBacking(make([]int64, n)))
	grads := tensor.New(tensor.WithShape(n, dim), tensor.WithBacking(draw[float32](rng, n*dim)))
	for name, call := range map[string]func() error{
		"Set":      func() error { return lookup.Set(ids) },
		"Update":   func() error { return adam.Update(table, ids, grads) },
		"Prefetch": func() error { return table.Prefetch(ids) },
	} {
		ok(t, call())
		for range 2 { // while it asks, and after
			if allocs := testing.AllocsPerRun(3, func() {
				for i := range n {
					ids.Int64s()[i] = rng.Int64N(rows)
				}
				if err := call(); err != nil {
					t.Error(err)
				}
			}); allocs > 0 {
				t.Errorf("%s: %v allocations", name, allocs)
			}
		}
	}
}

// TestAdviceFails: rows are there whether or not the system takes advice.
func TestAdviceFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "items.npy")
	failed := 0
	defer files.Intercept(func(name, of string, do func() error) error {
		if strings.HasSuffix(name, "advise") {
			failed++
			return unix.EIO
		}
		return do()
	})()
	items, err := embedding.Create(path, tensor.Float32, 30, 5, embedding.Normal(1, 0, 1))
	ok(t, err)
	got, want := pair{"items": items}, newPair(t, 1)
	got[odd] = want[odd]
	adam, other := newAdam(t), newAdam(t)
	for k := range 3 {
		ok(t, items.Prefetch(vector(1, 2, 3, 4, 5, 6, 7, 8)))
		update(t, adam, items, k)
		update(t, other, want["items"], k)
	}
	folder := checkpointIn(t.TempDir())
	ok(t, embedding.Save(folder, pair{"items": items}, adam))
	update(t, adam, items, 3)
	ok(t, embedding.Load(folder, pair{"items": items}, adam))
	sameBits(t, "the table", bits(t, items), bits(t, want["items"]))
	ok(t, items.Close())
	if failed < 10 {
		t.Errorf("%d calls failed, there should be more", failed)
	}
}
