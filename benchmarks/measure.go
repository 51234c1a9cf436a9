package main

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/pkg/errors"
)

const (
	// sampleTime is how long a sample should take at least, so that the clock
	// and the switch between runners do not matter.
	sampleTime = 8 * time.Millisecond
	// collectedTime is the same for runners whose results the garbage collector has to
	// look at. It works for some 10 ms, once in a dozen: shorter samples, with more
	// or less of that, were anything between 0.4 and 1.2 ms a run.
	collectedTime = 120 * time.Millisecond
	// warmTime is how long a runner runs before a sample. Its data is in the
	// caches then. The threads of the runner before are asleep: those of ONNX
	// Runtime and OpenMP spin for some milliseconds after a run. And its own are
	// on different cores: a system that has woken two on one may find that out
	// ticks later.
	warmTime = 40 * time.Millisecond
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
	warm := make([]int, len(runners)) // runs before a sample
	for i, r := range runners {
		one, err := calibrate(r)
		if err != nil {
			return nil, errors.Wrap(err, r.Name())
		}
		runs := int((sampleTimeOf(r) + one - 1) / one)
		warm[i] = int(warmTime / one)
		most := int(patience / (one * time.Duration(warm[i]+runs)))
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
			t, err := sample(runners[i], warm[i], times[i].Runs)
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

// sample is the time of one run in microseconds, after some that warm up.
func sample(r Runner, warm, runs int) (float64, error) {
	if warm > 0 {
		if _, err := r.Sample(warm); err != nil {
			return 0, err
		}
	}
	t, err := r.Sample(runs)
	return float64(t) / float64(runs) / float64(time.Microsecond), err
}

// sampleTimeOf is how long a sample of a runner should take at least.
func sampleTimeOf(r Runner) time.Duration {
	if r, ok := r.(interface{ Collected() bool }); ok && r.Collected() {
		return collectedTime
	}
	return sampleTime
}

// calibrate finds how long a run takes, about.
func calibrate(r Runner) (time.Duration, error) {
	t, err := r.Sample(1)
	if err != nil {
		return 0, err
	}
	n := 1
	// The first run is often slow, as memory comes from the system. One that
	// takes so long is slow anyway.
	for warm := t > sampleTime*10; !warm || t < sampleTime/4; warm = true {
		if warm {
			n *= 4
		}
		if t, err = r.Sample(n); err != nil {
			return 0, err
		}
	}
	return max(t/time.Duration(n), 1), nil
}

func median(samples []float64) float64 {
	s := slices.Sorted(slices.Values(samples))
	middle := len(s) / 2
	if len(s)%2 == 1 {
		return s[middle]
	}
	return (s[middle-1] + s[middle]) / 2
}
