package main

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/pkg/errors"
	"gorgonia.org/gather/benchmarks/internal/processor"
)

//go:embed torch.py
var torchProgram string

// The runners' names.
const (
	gather  = "gather"
	noasm   = "gather, noasm"
	pyTorch = "PyTorch"
)

// result is the least times of a step, in seconds, by runner.
type result struct {
	Case    Case               `json:"case"`
	Seconds map[string]float64 `json:"seconds"`
}

// sampleTime is how long a sample takes at least.
const sampleTime = 40 * time.Millisecond

// measure measures the cases, runner after runner in turns.
func measure(ctx context.Context, cases []Case, rounds int, torch, noasmBinary string) (r *report, err error) {
	// A collection would end a lookup's rest for all runners to see.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	r = &report{Machine: processor.Name(), Versions: map[string]string{"Go": runtime.Version()}}
	names, runners := []string{gather}, map[string]runner{gather: new(ours)}
	defer func() {
		for _, name := range names {
			if other := runners[name].close(); err == nil {
				err = other
			}
		}
	}()
	start := func(name string, command ...string) error {
		p, err := startRemote(name, command...)
		if err != nil {
			return err
		}
		names, runners[name], r.Versions[name] = append(names, name), p, p.version
		return nil
	}
	if torch != "" {
		if err := start(pyTorch, torch, "-c", torchProgram); err != nil {
			return nil, err
		}
	}
	if noasmBinary != "" {
		if err := start(noasm, noasmBinary, "-serve"); err != nil {
			return nil, err
		}
	}
	for i, c := range cases {
		if ctx.Err() != nil {
			break
		}
		result, err := measureCase(c, rounds, names, runners)
		if err != nil {
			return nil, errors.Wrap(err, c.String())
		}
		r.Results = append(r.Results, *result)
		fmt.Fprintf(os.Stderr, "%d of %d: %v:%s\n", i+1, len(cases), c, result.text())
	}
	return r, nil
}

func measureCase(c Case, rounds int, names []string, runners map[string]runner) (*result, error) {
	ids := c.ids()
	sums, times, r := map[string]float64{}, map[string]int{}, &result{c, map[string]float64{}}
	for _, name := range names {
		sum, err := runners[name].load(c, ids)
		if errors.Is(err, errCannot) {
			continue
		}
		if err != nil {
			return nil, err
		}
		sums[name], times[name], r.Seconds[name] = sum, 1, math.Inf(1)
		once, err := runners[name].sample(1)
		if err != nil {
			return nil, err
		}
		times[name] = max(1, int(sampleTime.Seconds()/(once*sets)))
	}
	// The layers of the models begin with other weights, and PyTorch has another
	// optimiser for row-wise Adagrad.
	if want, ok := sums[pyTorch]; ok && !c.Model && c.Optimizer != "RowWiseAdagrad" {
		if got := sums[gather]; math.Abs(got-want) > 1e-3*math.Abs(want) {
			return nil, errors.Errorf("the rows looked up have the sum %v, PyTorch's %v", got, want)
		}
	}
	for round := range rounds {
		for i := range names {
			name := names[(round+i)%len(names)]
			if times[name] == 0 {
				continue
			}
			seconds, err := runners[name].sample(times[name])
			if err != nil {
				return nil, err
			}
			r.Seconds[name] = min(r.Seconds[name], seconds)
		}
	}
	return r, nil
}
