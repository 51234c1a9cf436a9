package kernel

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A helper that has done its part takes a seat and watches it for the next
// call, for the time that waking another helper would take. A program that
// calls again before that, as one does that runs a graph, finds its helpers
// awake. Later they are gone, and no goroutine stays behind.

// seats has room for the helpers that wait. A seat is nil when it is free, has
// &vacant while somebody waits in it, and then the run that wants help.
var seats [64]struct {
	run atomic.Pointer[parallel]
	_   [56]byte // seats in cache lines of their own
}

var vacant parallel

// patience is how long somebody waits awake.
const patience = 100 * time.Microsecond

// watch waits until something has happened, for as long as there is patience,
// and reports whether it has.
func watch(happened func() bool) bool {
	for begin := time.Now(); time.Since(begin) < patience; {
		for range 16 {
			if happened() {
				return true
			}
			pause()
		}
		yield()
	}
	return false
}

// help is the life of a helper.
func help(p *parallel) {
	for p != nil {
		if p.join() {
			p.work(int(p.helpers.Add(1)))
			p.leave()
		}
		p = await()
	}
}

// await waits in a seat, if one is free. It returns nil when nobody came.
func await() *parallel {
	for i := range places() {
		seat := &seats[i].run
		if !seat.CompareAndSwap(nil, &vacant) {
			continue
		}
		watch(func() bool { return seat.Load() != &vacant })
		if seat.CompareAndSwap(&vacant, nil) {
			return nil
		}
		return seat.Swap(nil)
	}
	return nil
}

// recruit gives a run to at most n helpers that wait, and returns to how many.
func recruit(p *parallel, n int) (found int) {
	for i := range places() {
		if found == n {
			break
		}
		seat := &seats[i].run
		if seat.Load() == &vacant && seat.CompareAndSwap(&vacant, p) {
			found++
		}
	}
	return found
}

// places is the number of seats in use: the caller needs none.
func places() int { return min(len(seats), runtime.GOMAXPROCS(0)-1) }
