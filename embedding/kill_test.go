//go:build linux || darwin

package embedding_test

import (
	"bufio"
	"errors"
	"flag"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// killed is the environment variable that makes TestKilled the process to be killed,
// and says where it works.
const killed = "EMBEDDING_TEST_KILLED"

var killCount = flag.Int("kills", 40, "how many times TestKilled kills a process")

// run is a training whose every step is saved: a table in memory, one in a file,
// and the number of steps, as a table, too.
type run struct {
	pair
	steps []float64
	o     embedding.Optimizer
}

// newRun begins a training. Without a folder for files both tables are in memory.
func newRun(t *testing.T, folder string) *run {
	t.Helper()
	r := &run{pair: newPair(t, 1), steps: make([]float64, 1), o: newAdam(t)}
	if folder != "" {
		path := filepath.Join(folder, "items.npy")
		items, err := embedding.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			items, err = embedding.Create(path, tensor.Float32, 30, 5, embedding.Normal(1, 0, 1))
		}
		ok(t, err)
		r.pair["items"] = items
	}
	steps, err := embedding.New(tensor.New(tensor.WithShape(1, 1), tensor.WithBacking(r.steps)))
	ok(t, err)
	r.pair["steps"] = steps
	return r
}

// train makes the steps up to this one.
func (r *run) train(t *testing.T, to int) {
	t.Helper()
	r.pair.train(t, r.o, int(r.steps[0]), to)
	r.steps[0] = float64(to)
}

func checkpointIn(folder string) string { return filepath.Join(folder, "checkpoint") }

// TestKilled kills a process that trains and saves, at random moments. Each time
// there is a whole generation, and training goes on from it to the same bits as a
// training that nobody killed.
func TestKilled(t *testing.T) {
	if folder := os.Getenv(killed); folder != "" {
		trainUntilKilled(t, folder)
		return
	}
	kills := *killCount
	if testing.Short() {
		kills = min(5, kills)
	}
	folder := t.TempDir()
	want := newRun(t, "")
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	moved := 0
	longest := 60 * time.Millisecond // a busy disk or machine takes longer to save, and then so do we
	for kill := range kills {
		switch {
		case kill > 0 && moved == 0:
			longest = min(2*longest, 5*time.Second)
		case 3*moved < kill:
			longest += longest / 10
		}
		child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		child.Env = append(os.Environ(), killed+"="+folder)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		ok(t, err)
		ok(t, child.Start())
		// The first kills may come before anything is saved.
		if kill > 2 {
			lines := bufio.NewReader(out)
			if line, err := lines.ReadString('\n'); line != "loaded\n" {
				rest, _ := io.ReadAll(lines)
				t.Fatalf("the process says %q, error %v, and then:\n%s", line, err, rest)
			}
		}
		time.Sleep(time.Duration(rng.Int64N(int64(min(longest, 5*time.Second)))))
		ok(t, child.Process.Kill())
		child.Wait()

		got := newRun(t, "")
		err = embedding.Load(checkpointIn(folder), got.pair, got.o)
		if errors.Is(err, fs.ErrNotExist) && moved == 0 {
			continue // nothing has been saved yet
		}
		ok(t, err)
		if got.steps[0] > want.steps[0] {
			moved++
		}
		want.train(t, int(got.steps[0]))
		got.pair.same(t, "after a kill", want.pair)
		if t.Failed() {
			return
		}
		// What the process does next time, and further.
		got.train(t, int(got.steps[0])+3)
		further := newRun(t, "")
		further.train(t, int(got.steps[0]))
		got.pair.same(t, "trained further", further.pair)
	}
	if moved < kills/10 {
		t.Errorf("only %d of %d processes came to save something", moved, kills)
	}
	t.Logf("%d kills, %d steps", kills, int(want.steps[0]))
}

func trainUntilKilled(t *testing.T, folder string) {
	r := newRun(t, folder)
	err := embedding.Load(checkpointIn(folder), r.pair, r.o)
	if errors.Is(err, fs.ErrNotExist) {
		// The file may hold steps that nothing else knows of. Its states go first: a
		// kill in between leaves a table, which is opened, not states without one,
		// beside which no table can be created.
		ok(t, r.pair["items"].Close())
		ok(t, os.RemoveAll(filepath.Join(folder, "items.npy.adam")))
		ok(t, os.RemoveAll(filepath.Join(folder, "items.npy")))
		r, err = newRun(t, folder), nil
	}
	ok(t, err)
	os.Stdout.WriteString("loaded\n")
	for {
		r.train(t, int(r.steps[0])+1)
		ok(t, embedding.Save(checkpointIn(folder), r.pair, r.o))
	}
}
