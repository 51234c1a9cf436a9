package main

import (
	"bytes"
	"runtime"
	"time"

	"github.com/pkg/errors"
)

// How a call is measured: the sides take turns, and the least time of each counts.
const (
	rounds     = 13
	sampleTime = time.Millisecond
)

// Result is the times of a call, in seconds.
type Result struct {
	Name    string
	Ours    float64
	Plain   float64
	Threads float64            // ours, with several threads
	Peers   map[string]float64 // by their names, with one thread
	Again   *Result            // a second run of a call that was over a limit
}

// measure measures a call, with some threads beside one.
func measure(c Call, threads int, peers []peer) (*Result, error) {
	runtime.GC() // of the call before
	_, ours, plain, err := prepare(c, threads)
	if err != nil {
		return nil, errors.Wrap(err, c.String())
	}
	r := &Result{Name: c.String(), Peers: map[string]float64{}}
	turns := []turn{newTurn(&r.Ours, 1, ours.run), newTurn(&r.Plain, 1, plain.run)}
	if threads > 1 {
		turns = append(turns, newTurn(&r.Threads, threads, ours.run))
	}
	for range rounds {
		for i := range turns {
			if err := turns[i].sample(); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// prepare makes both sides of a call and runs each once, ours also with some threads. An
// error says that what they write is not the same.
func prepare(c Call, threads int) (o *operands, ours, plain side, err error) {
	runtime.GOMAXPROCS(1)
	if o, err = newOperands(c); err != nil {
		return nil, ours, plain, err
	}
	if plain, err = newPlain(o); err == nil {
		err = plain.run()
	}
	for _, n := range []int{threads, 1} { // what is timed has run with one
		if err != nil {
			break
		}
		runtime.GOMAXPROCS(n)
		if ours, err = newOurs(o); err == nil {
			err = ours.run()
		}
		if err == nil && !bytes.Equal(ours.result.Uint8s(), plain.result.Uint8s()) {
			err = errors.Errorf("the result with %d threads is not that of the plain loop", n)
		}
	}
	return o, ours, plain, err
}

// turn is one of those that take turns.
type turn struct {
	least   *float64
	threads int
	run     func() error
}

func newTurn(least *float64, threads int, run func() error) turn { return turn{least, threads, run} }

// sample takes some calls that last sampleTime together, at least one.
func (t *turn) sample() error {
	runtime.GOMAXPROCS(t.threads)
	if t.threads > 1 {
		// The helpers wake before the first call that counts, and end after the last.
		if _, err := t.calls(); err != nil {
			return err
		}
		defer time.Sleep(time.Millisecond)
	}
	seconds, err := t.calls()
	if *t.least == 0 || seconds < *t.least {
		*t.least = seconds
	}
	return err
}

// calls measures the mean of as many calls as last sampleTime.
func (t *turn) calls() (seconds float64, err error) {
	n, batch := 0, 1
	start := time.Now()
	for {
		for range batch {
			if err := t.run(); err != nil {
				return 0, err
			}
		}
		n += batch
		past := time.Since(start)
		if past >= sampleTime {
			return past.Seconds() / float64(n), nil
		}
		// A look at the clock takes as long as a short call.
		batch = max(1, min(n, int(float64(n)*float64(sampleTime-past)/float64(past+1))))
	}
}
