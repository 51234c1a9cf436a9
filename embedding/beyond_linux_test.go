package embedding_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// beyond is the environment variable that asks for TestBeyondMemory, and says how many GiB
// its table has; beyondFolder is where the process that trains it works, and beyondLimit
// which of the limits it has.
const (
	beyond       = "EMBEDDING_TEST_BEYOND_GIB"
	beyondFolder = "EMBEDDING_TEST_BEYOND_FOLDER"
	beyondLimit  = "EMBEDDING_TEST_BEYOND_LIMIT"

	beyondDim, beyondIDs = 64, 4096
	beyondMemory         = 1 << 30
)

// TestBeyondMemory trains a table of some GiB, with as much of what Adagrad remembers, and
// serves it, in a process that has 1 GiB. Every row is what plain formulas say.
func TestBeyondMemory(t *testing.T) {
	gib, err := strconv.Atoi(os.Getenv(beyond))
	if err != nil {
		t.Skipf("%s is the size of a table in GiB; twice as much of the disk is needed", beyond)
	}
	if folder := os.Getenv(beyondFolder); folder != "" {
		t.Log(beyondLimits[os.Getenv(beyondLimit)](t))
		trainBeyond(t, folder, gib)
		return
	}
	for limit := range beyondLimits {
		t.Run(limit, func(t *testing.T) {
			child := exec.Command(os.Args[0], "-test.run=^TestBeyondMemory$", "-test.v")
			child.Env = append(os.Environ(), beyondFolder+"="+t.TempDir(), beyondLimit+"="+limit)
			out, err := child.CombinedOutput()
			t.Logf("%s", out)
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// beyondLimits limit the memory of a process, and say how. A control group bounds what of
// files is in memory. RLIMIT_DATA does not: it bounds private memory that can be written,
// to which a file that is mapped and shared does not belong, and so shows that a table
// takes none of it.
var beyondLimits = map[string]func(testing.TB) string{"memory": limitMemory, "data": limitData}

// limitMemory puts this process into a control group of its own.
func limitMemory(tb testing.TB) string {
	for _, group := range [][2]string{{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"}} {
		folder := fmt.Sprintf("%s/embedding-test-%d", group[0], os.Getpid())
		if os.Mkdir(folder, 0o777) != nil {
			continue
		}
		tb.Cleanup(func() { // a group with a process in it stays
			_ = os.WriteFile(group[0]+"/cgroup.procs", []byte("0"), 0)
			_ = os.Remove(folder)
		})
		if os.WriteFile(filepath.Join(folder, group[1]), []byte(strconv.Itoa(beyondMemory)), 0) == nil &&
			os.WriteFile(filepath.Join(folder, "cgroup.procs"), []byte("0"), 0) == nil {
			return "memory and files in memory have 1 GiB"
		}
	}
	tb.Skip("no control group of memory can be made here")
	return ""
}

func limitData(tb testing.TB) string {
	fatal(tb, unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: beyondMemory, Max: beyondMemory}))
	return "private memory has 1 GiB"
}

// beyondRow is what a row begins with.
func beyondRow(row int, weights []float64) {
	for c := range weights {
		x := uint32(row*beyondDim+c) * 2654435761
		weights[c] = float64(x>>8) / (1 << 24)
	}
}

func trainBeyond(t *testing.T, folder string, gib int) {
	rows := gib << 30 / (4 * beyondDim)
	path := filepath.Join(folder, "items.npy")
	start := time.Now()
	took := func(what string, calls int) {
		d := time.Since(start)
		t.Logf("%s: %v", what, d/time.Duration(calls))
		start = time.Now()
	}
	table, err := embedding.Create(path, tensor.Float32, rows, beyondDim, embedding.FromRows(beyondRow))
	ok(t, err)
	took(fmt.Sprintf("Create of %d GiB", gib), 1)

	// Beside it the rows of all steps, in memory.
	const steps = 40
	rng := rand.New(rand.NewPCG(1, 2))
	var batches [steps][]int
	place, all := map[int]int{}, []int{}
	for k := range batches {
		for range beyondIDs {
			row := rng.IntN(rows)
			if rng.IntN(8) == 0 && len(all) > 0 {
				row = all[rng.IntN(len(all))] // again
			}
			if _, seen := place[row]; !seen {
				place[row] = len(all)
				all = append(all, row)
			}
			batches[k] = append(batches[k], row)
		}
	}
	small, err := embedding.Make(tensor.Float32, len(all), beyondDim, embedding.FromRows(func(at int, weights []float64) { beyondRow(all[at], weights) }))
	ok(t, err)
	newAdagrad := func() embedding.Optimizer {
		o, err := embedding.NewAdagrad(embedding.WithInitialAccumulator(1))
		ok(t, err)
		return o
	}
	large, plain := newAdagrad(), newAdagrad()
	took("small table", 1)
	for k, ids := range batches {
		at := make([]int, len(ids))
		for i, id := range ids {
			at[i] = place[id]
		}
		grads := tensor.New(tensor.WithShape(len(ids), beyondDim), tensor.WithBacking(draw[float32](rng, len(ids)*beyondDim)))
		ok(t, plain.Update(small, vector(at...), grads))
		start = time.Now()
		if k%10 == 9 {
			ok(t, table.Prefetch(vector(ids...)))
			took("Prefetch", 1)
		}
		ok(t, large.Update(table, vector(ids...), grads))
		if k%10 > 7 {
			took("Update", 1)
		}
	}
	ok(t, table.Close())

	// Served by whoever opens it.
	table, err = embedding.Open(path, embedding.WithReadOnly())
	ok(t, err)
	defer table.Close()
	weights, err := small.Weights()
	ok(t, err)
	row := make([]float64, beyondDim)
	want := make([]float32, beyondIDs*beyondDim)
	for k := range 20 {
		ids := make([]int, beyondIDs)
		for i := range ids {
			ids[i] = rng.IntN(rows)
			if i%3 == 0 {
				ids[i] = all[rng.IntN(len(all))]
			}
			if at, changed := place[ids[i]]; changed {
				copy(want[i*beyondDim:], weights.Float32s()[at*beyondDim:][:beyondDim])
				continue
			}
			beyondRow(ids[i], row)
			for c, x := range row {
				want[i*beyondDim+c] = float32(x)
			}
		}
		start = time.Now()
		got, err := table.Rows(vector(ids...))
		ok(t, err)
		if k > 15 {
			took("Rows", 1)
		}
		sums, err := table.Bags(tensor.New(tensor.WithShape(beyondIDs/4, 4), tensor.WithBacking(ids)), nil, nil, embedding.Sum)
		ok(t, err)
		for i, x := range got.Float32s() {
			if x != want[i] {
				t.Fatalf("row %d, column %d: %v, want %v", ids[i/beyondDim], i%beyondDim, x, want[i])
			}
		}
		for i, x := range sums.Float32s() {
			sum := float32(0)
			for j := range 4 {
				sum += want[(i/beyondDim*4+j)*beyondDim+i%beyondDim]
			}
			if x != sum {
				t.Fatalf("bag %d, column %d: %v, want %v", i/beyondDim, i%beyondDim, x, sum)
			}
		}
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(status)) {
			if strings.HasPrefix(line, "VmHWM") || strings.HasPrefix(line, "VmData") || strings.HasPrefix(line, "RssAnon") {
				t.Log(strings.TrimSpace(line))
			}
		}
	}
}
