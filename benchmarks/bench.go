package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/pkg/errors"
)

// Bench runs cases.
type Bench struct {
	rounds      int
	threads     []int
	onnxRuntime bool // has been started
	remotes     []*Remote
	dir         string // for the tensors of the remotes
	progress    io.Writer
}

// run measures the cases one after the other.
func (b *Bench) run(ctx context.Context, some []Case) (*Report, error) {
	start := time.Now()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	r := &Report{Machine: thisMachine(), Rounds: b.rounds}
	for _, remote := range b.remotes {
		r.Machine.Versions[remote.name] = remote.version
	}
	bar := newProgress(b.progress, len(some)*len(b.threads))
	defer bar.finish()
	for _, c := range some {
		p := newProblem(c)
		missing, err := b.load(p)
		if err != nil {
			return nil, errors.Wrap(err, c.Name)
		}
		for _, threads := range b.threads {
			runtime.GOMAXPROCS(threads)
			times, err := b.measure(ctx, p, threads, missing)
			if err != nil {
				return nil, errors.Wrap(err, c.Name)
			}
			r.Results = append(r.Results, Result{Case: c, Threads: threads, Bytes: p.bytes(), Times: times})
			bar.step(fmt.Sprintf("%s, threads %d", c.Name, threads))
		}
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// load gives the problem to the remotes, and returns which cannot do it.
func (b *Bench) load(p *Problem) (missing map[string]bool, err error) {
	missing = map[string]bool{}
	form := p.scatterForm()
	for _, r := range b.remotes {
		if r.files {
			if err := writeFiles(p, form, b.dir); err != nil {
				return nil, err
			}
			break
		}
	}
	for _, r := range b.remotes {
		switch err := r.load(p, &form, b.dir); {
		case errors.Is(err, errCannot):
			missing[r.name] = true
		case err != nil:
			return nil, err
		}
	}
	files, err := filepath.Glob(filepath.Join(b.dir, "*.bin"))
	if err != nil {
		return nil, errors.Wrap(err, "tensors for other processes")
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			return nil, errors.Wrap(err, "tensors for other processes")
		}
	}
	return missing, nil
}

// measure runs a problem everywhere. Who cannot do it or does it wrong is
// listed with the reason instead of a time.
func (b *Bench) measure(ctx context.Context, p *Problem, threads int, missing map[string]bool) ([]Time, error) {
	made, err := b.runners(p, threads, missing)
	defer func() {
		for _, r := range made {
			r.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	var want []float32
	var right []Runner
	var absent []Time
	for _, r := range made {
		got, err := r.Result()
		switch {
		case err != nil:
			return nil, err
		case want == nil:
			want = got
		case r.Name() != Memcpy && !agree(got, want):
			absent = append(absent, Time{Runner: r.Name(), Missing: errWrong.Error()})
			continue
		}
		right = append(right, r)
	}
	times, err := measure(ctx, right, b.rounds)
	return append(times, absent...), err
}

// runners makes those that can do the case, ours first.
func (b *Bench) runners(p *Problem, threads int, missing map[string]bool) ([]Runner, error) {
	some := []Runner{newOurs(Ours, p), newMemcpy(p)}
	add := func(r Runner, err error) error {
		if err == nil {
			some = append(some, r)
		}
		if errors.Is(err, errCannot) {
			return nil
		}
		return err
	}
	if b.onnxRuntime {
		if err := add(newONNXRuntime(p, threads)); err != nil {
			return some, err
		}
	}
	for _, r := range b.remotes {
		if missing[r.name] {
			continue
		}
		if err := add(r.runner(threads, b.dir)); err != nil {
			return some, err
		}
	}
	// They copy row by row and element by element, and would take minutes for
	// rows that are out of the cache.
	if p.Group != Rows {
		if err := add(newByIndices(p)); err != nil {
			return some, err
		}
		if err := add(newGonnx(p)); err != nil {
			return some, err
		}
	}
	return some, nil
}
