package main

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/pkg/errors"
)

const (
	// sampleTime is how long a sample should take at least, so that the clock
	// and the switch between runners do not matter.
	sampleTime = 8 * time.Millisecond
	// quietTime lets the threads of the runner before fall asleep: those of
	// ONNX Runtime and OpenMP spin for some milliseconds after a run, and would
	// take a core from whoever comes next.
	quietTime = 10 * time.Millisecond
	// warmTime is how long a runner runs before a sample: until its data is in
	// the caches, and the system has spread its threads over the cores. It may
	// wake two of them on one, and find that out at a later tick only.
	warmTime = 16 * time.Millisecond
	// patience is how long the samples of one runner may take in all. A slow
	// runner gets fewer of them, but leastRounds.
	patience    = 3 * time.Second
	leastRounds = 3
)

var (
	errCannot = errors.New("has no such operator")
	errWrong  = errors.New("wrong result")
)

// Time is how long one runner takes for a case.
type Time struct {
	Runner  string  `json:"runner"`
	Median  float64 `json:"median_us,omitempty"` // of the samples
	Min     float64 `json:"min_us,omitempty"`
	Samples int     `json:"samples,omitempty"`
	Runs    int     `json:"runs,omitempty"`    // in each sample
	Call    string  `json:"call,omitempty"`    // which of several ways was the fastest
	Missing string  `json:"missing,omitempty"` // why there is no time
}

// measure times the runners in turn. The one to begin moves on each round.
func measure(ctx context.Context, runners []Runner, rounds int) ([]Time, error) {
	times := make([]Time, len(runners))
	samples := make([][]float64, len(runners))
	for i, r := range runners {
		runs, most, err := calibrate(r)
		if err != nil {
			return nil, errors.Wrap(err, r.Name())
		}
		times[i] = Time{Runner: r.Name(), Runs: runs, Samples: min(rounds, max(most, leastRounds))}
		if c, ok := r.(interface{ Call() string }); ok {
			times[i].Call = c.Call()
		}
	}
	for round := range rounds {
		// Only some runners make garbage; none should clear up another's.
		runtime.GC()
		for turn := range runners {
			i := (round + turn) % len(runners)
			if round >= times[i].Samples {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			t, err := sample(runners[i], times[i].Runs)
			if err != nil {
				return nil, errors.Wrap(err, runners[i].Name())
			}
			samples[i] = append(samples[i], t)
		}
	}
	for i, s := range samples {
		times[i].Median, times[i].Min = median(s), slices.Min(s)
	}
	return times, nil
}

// sample is the time of one run in microseconds. Other runs come before it, to
// warm up, unless a run takes as long as a sample.
func sample(r Runner, runs int) (float64, error) {
	time.Sleep(quietTime)
	if runs > 1 {
		if _, err := r.Sample(runs * int(warmTime/sampleTime)); err != nil {
			return 0, err
		}
	}
	t, err := r.Sample(runs)
	return float64(t) / float64(runs) / float64(time.Microsecond), err
}

// calibrate finds how many runs make a sample, and how many samples there is
// patience for.
func calibrate(r Runner) (runs, most int, err error) {
	t, err := r.Sample(1)
	if err != nil {
		return 0, 0, err
	}
	n := 1
	// The first run is often slow, as memory comes from the system. One that
	// takes so long is slow anyway.
	for warm := t > sampleTime*10; !warm || t < sampleTime/4; warm = true {
		if warm {
			n *= 4
		}
		if t, err = r.Sample(n); err != nil {
			return 0, 0, err
		}
	}
	one := max(t/time.Duration(n), 1)
	runs = int((sampleTime + one - 1) / one)
	return runs, int(patience / (one * time.Duration(runs+1))), nil
}

func median(samples []float64) float64 {
	s := slices.Sorted(slices.Values(samples))
	middle := len(s) / 2
	if len(s)%2 == 1 {
		return s[middle]
	}
	return (s[middle-1] + s[middle]) / 2
}

// agree tells whether two results are equal but for rounding: sums are made in
// different orders.
func agree(got, want []float32) bool {
	if len(got) != len(want) {
		return false
	}
	for i, g := range got {
		w := float64(want[i])
		// Written so that a NaN is no agreement.
		if !(math.Abs(float64(g)-w) <= 1e-4*(1+math.Abs(w))) {
			return false
		}
	}
	return true
}
