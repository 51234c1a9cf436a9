package main

import (
	"context"
	_ "embed"
	"math"
	"math/rand"
	"os"
	"runtime"
	"time"
	"unsafe"

	"github.com/pkg/errors"
	"gorgonia.org/gather/benchmarks/internal/child"
)

//go:embed torch.py
var torchProgram string

// setup is what a runner loads: tables of these storages, and sets of ids, one after the
// other.
type setup struct {
	Rows     int      `json:"rows"`
	Dim      int      `json:"dim"`
	Storages []string `json:"storages"`
	Bags     int      `json:"bags"`
	Sets     int      `json:"sets"`
	File     string   `json:"file"` // of the ids, for another process
}

// call is what is measured: bags of rows, or rows, of a storage. All sets of ids run so
// many times; after one the sum of the last result is compared.
type call struct {
	Storage string `json:"storage"`
	Bags    bool   `json:"bags"`
	Threads int    `json:"threads"`
	Times   int    `json:"times"`
}

type answer struct {
	Version string  `json:"version"`
	Seconds float64 `json:"seconds"` // of a call
	Sum     float64 `json:"sum"`
	Cannot  bool    `json:"cannot"`
	Error   string  `json:"error"`
}

// runner runs calls.
type runner interface {
	load(s setup, ids []int64) error
	run(c call) (answer, error)
	close() error
}

// torch is PyTorch in a process of its own.
type torch struct {
	*child.Process
	version string
}

func startTorch(python string) (*torch, error) {
	p, err := child.Start("PyTorch", python, "-c", torchProgram)
	return &torch{Process: p}, err
}

func (t *torch) ask(question any) (a answer, err error) {
	if err = t.Ask(question, &a); err == nil && a.Error != "" {
		err = errors.Errorf("%s: %s", t.Name, a.Error)
	}
	return a, err
}

func (t *torch) load(s setup, ids []int64) error {
	f, err := os.CreateTemp("", "ids")
	if err != nil {
		return errors.WithStack(err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	s.File = f.Name()
	_, err = f.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(ids))), 8*len(ids)))
	if other := f.Close(); err == nil {
		err = other
	}
	if err != nil {
		return errors.WithStack(err)
	}
	a, err := t.ask(s)
	t.version = a.Version
	return err
}

func (t *torch) run(c call) (answer, error) { return t.ask(c) }

func (t *torch) close() error { return t.Stop() }

// timing is the least time of a call, in seconds.
type timing struct {
	call
	runner  int
	seconds float64
}

// sampleTime is how long a sample takes at least.
const sampleTime = 60 * time.Millisecond

// measure loads the tables and measures all calls, those of one kind and number of
// threads in turns.
func measure(ctx context.Context, s setup, perBag int, threads []int, rounds int, runners []runner) ([]timing, error) {
	rng := rand.New(rand.NewSource(1))
	ids := make([]int64, s.Sets*s.Bags*perBag)
	for i := range ids {
		ids[i] = rng.Int63n(int64(s.Rows))
	}
	for _, r := range runners {
		if err := r.load(s, ids); err != nil {
			return nil, err
		}
	}
	runtime.GC()
	var all []timing
	for _, bags := range []bool{true, false} {
		for _, n := range threads {
			some, err := measureTurns(ctx, call{Bags: bags, Threads: n}, s.Storages, rounds, runners)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	return all, nil
}

func measureTurns(ctx context.Context, c call, storages []string, rounds int, runners []runner) (all []timing, err error) {
	for _, c.Storage = range storages {
		var sums []float64
		for i, r := range runners {
			c.Times = 1
			a, err := r.run(c)
			if err != nil {
				return nil, err
			}
			if a.Cannot {
				continue
			}
			sums = append(sums, a.Sum)
			// 16-bit results are rounded, and PyTorch fuses products and sums.
			if math.Abs(sums[0]-a.Sum) > 1e-2*math.Abs(sums[0]) {
				return nil, errors.Errorf("%v: the sums are %v", c, sums)
			}
			t := timing{c, i, math.Inf(1)}
			t.Times = 1 + int(sampleTime.Seconds()/(a.Seconds*16))
			all = append(all, t)
		}
	}
	for round := range rounds {
		for i := range all {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			t := &all[(round+i)%len(all)]
			a, err := runners[t.runner].run(t.call)
			if err != nil {
				return nil, err
			}
			t.seconds = min(t.seconds, a.Seconds)
		}
	}
	return all, nil
}
