package main

import (
	"bytes"
	"runtime"
	"time"

	"github.com/pkg/errors"
)

// sampleTime is how long a sample lasts at least.
const sampleTime = time.Millisecond

// The calls before a sample find the memory of the other sides in the caches, and wake other
// threads. They are warmCalls, or more that last sampleTime, but none begins after warmTime.
const (
	warmCalls = 8
	warmTime  = 10 * time.Millisecond
)

// Result is the times of a call, in seconds.
type Result struct {
	Name    string
	Ours    float64
	Plain   float64
	Threads float64                // ours, with several threads
	Peers   map[string]*[2]float64 `json:",omitempty"` // by their names, with one thread and with several
	Again   *Result                `json:",omitempty"` // a second run of a call that was over a limit
}

// measure measures a call, with some threads beside one. The sides take turns, and the
// least time of each counts.
func measure(c Call, s settings, peers []peer) (*Result, error) {
	runtime.GC() // of the call before
	o, ours, plain, err := prepare(c, s.threads)
	if err != nil {
		return nil, errors.Wrap(err, c.String())
	}
	r := &Result{Name: c.String(), Peers: map[string]*[2]float64{}}
	local := func(least *float64, threads int, one side) turn {
		return turn{least, threads, time.Millisecond, func() (float64, error) { return timeCalls(one.run) }}
	}
	turns, err := peerTurns(o, plain, s.threads, peers, r.Peers)
	turns = append(turns, local(&r.Ours, 1, ours), local(&r.Plain, 1, plain))
	if s.threads > 1 {
		turns = append(turns, local(&r.Threads, s.threads, ours))
	}
	for round := range s.rounds {
		for i := range turns {
			if err == nil {
				err = turns[(round+i)%len(turns)].take()
			}
		}
	}
	return r, errors.Wrap(err, c.String())
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
	pause   time.Duration // in which its other threads fall asleep
	sample  func() (seconds float64, err error)
}

// take takes a sample.
func (t *turn) take() error {
	runtime.GOMAXPROCS(t.threads)
	seconds, err := t.sample()
	if t.threads > 1 {
		time.Sleep(t.pause)
	}
	if *t.least == 0 || seconds < *t.least {
		*t.least = seconds
	}
	return err
}

// timeCalls measures the mean of as many calls as last sampleTime.
func timeCalls(run func() error) (seconds float64, err error) {
	start := time.Now()
	for n, past := 0, time.Duration(0); past < warmTime && (n < warmCalls || past < sampleTime); n++ {
		if err := run(); err != nil {
			return 0, err
		}
		past = time.Since(start)
	}
	n, batch := 0, 1
	start = time.Now()
	for {
		for range batch {
			if err := run(); err != nil {
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
