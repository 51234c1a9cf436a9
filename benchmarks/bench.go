package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/pkg/errors"
)

// Bench runs cases.
type Bench struct {
	rounds      int
	runs        int // of close cases
	threads     []int
	onnxRuntime bool // has been started
	remotes     []*Remote
	dir         string  // for the tensors of the remotes
	before      *Report // that was interrupted, or nil
	progress    io.Writer
}

// run measures the cases one after the other, and those again that are close. On
// an error it returns what it has measured so far.
func (b *Bench) run(ctx context.Context, some []Case) (*Report, error) {
	start := time.Now()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	r := &Report{Machine: thisMachine(), Rounds: b.rounds}
	for _, remote := range b.remotes {
		r.Machine.Versions[remote.Name] = remote.version
	}
	if b.before != nil {
		r.add(b.before)
		some = slices.DeleteFunc(slices.Clone(some), func(c Case) bool { return r.has(c, b.threads) })
	}
	bar := newProgress(b.progress, len(some)*len(b.threads))
	var err error
	for _, c := range some {
		if err = b.runCase(ctx, r, c, bar); err != nil {
			err = errors.Wrap(err, c.Name)
			break
		}
	}
	bar.finish()
	if err == nil {
		err = b.repeat(ctx, r)
	}
	r.Seconds += time.Since(start).Seconds()
	return r, err
}

// runCase measures a case at each number of threads.
func (b *Bench) runCase(ctx context.Context, r *Report, c Case, bar *progress) error {
	p, missing, err := b.load(c)
	if err != nil {
		return err
	}
	for _, threads := range b.threads {
		runtime.GOMAXPROCS(threads)
		x := Result{Case: c, Threads: threads, Bytes: p.bytes()}
		if x.Times, err = b.measure(ctx, p, threads, missing); err != nil {
			return err
		}
		if c.Mode == Step {
			if x.Share, err = ourShare(p); err != nil {
				return err
			}
		}
		r.Results = append(r.Results, x)
		bar.step(c.Name, fmt.Sprintf("threads %d", threads))
	}
	return nil
}

// load makes the problem and gives it to the remotes. It returns which cannot do
// it.
func (b *Bench) load(c Case) (p *Problem, missing map[string]bool, err error) {
	if p, err = newProblem(c); err != nil {
		return nil, nil, err
	}
	missing = map[string]bool{}
	form := p.scatterForm()
	if slices.ContainsFunc(b.remotes, func(r *Remote) bool { return r.files && c.takes(r.Name) }) {
		if err := writeFiles(p, form, b.dir); err != nil {
			return nil, nil, err
		}
	}
	for _, r := range b.remotes {
		if missing[r.Name] = !c.takes(r.Name); missing[r.Name] {
			continue
		}
		switch err := r.load(p, &form, b.dir); {
		case errors.Is(err, errCannot):
			missing[r.Name] = true
		case err != nil:
			return nil, nil, err
		}
	}
	files, err := filepath.Glob(filepath.Join(b.dir, "*.bin"))
	if err != nil {
		return nil, nil, errors.Wrap(err, "tensors for other processes")
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			return nil, nil, errors.Wrap(err, "tensors for other processes")
		}
	}
	return p, missing, nil
}

// takes tells whether a runner that may be able to do the case is to do it. The
// yardsticks stay with the published cases, and with them what says little of a
// case: the build without assembly in a graph or at sizes of others.
func (c Case) takes(name string) bool {
	switch name {
	case Memcpy:
		return slices.Contains(publishedGroups, c.Group)
	case OursNoasm:
		return slices.Contains(publishedGroups, c.Group) || c.Group == Dtypes || c.Group == Layouts
	case PyTorch, OpenVINO:
		return c.Dtype != String
	}
	return true
}

// measure runs a problem everywhere but where it is missing. Who cannot do it or
// does it wrong is listed with the reason instead of a time.
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
	right, absent, err := check(made)
	if err != nil {
		return nil, err
	}
	times, err := measure(ctx, right, b.rounds)
	return append(times, absent...), err
}

// check compares the results with ours, which is the first. It returns who has
// the same.
func check(made []Runner) (right []Runner, absent []Time, err error) {
	var want Values
	for i, r := range made {
		got, err := r.Result()
		switch {
		case err != nil:
			return nil, nil, err
		case i == 0:
			want = got
		case r.Name() != Memcpy && !agree(got, want):
			absent = append(absent, Time{Runner: r.Name(), Missing: errWrong.Error()})
			continue
		}
		right = append(right, r)
	}
	return right, absent, nil
}

// runners makes those that can do the case, ours first.
func (b *Bench) runners(p *Problem, threads int, missing map[string]bool) ([]Runner, error) {
	var some []Runner
	var failed error
	add := func(name string, make func() (Runner, error)) {
		if failed != nil || missing[name] || !p.takes(name) {
			return
		}
		switch r, err := make(); {
		case err == nil:
			some = append(some, r)
		case !errors.Is(err, errCannot):
			failed = err
		}
	}
	add(Ours, func() (Runner, error) { return newOurs(Ours, p) })
	add(Memcpy, func() (Runner, error) { return newMemcpy(p), nil })
	if b.onnxRuntime {
		add(ONNXRuntime, func() (Runner, error) { return newONNXRuntime(p, threads) })
	}
	for _, r := range b.remotes {
		add(r.Name, func() (Runner, error) { return r.runner(p.kind(), threads, b.dir) })
	}
	add(ByIndices, func() (Runner, error) { return newByIndices(p) })
	add(Gonnx, func() (Runner, error) { return newGonnx(p) })
	add(Loop, func() (Runner, error) { return newLoop(p) })
	return some, failed
}
