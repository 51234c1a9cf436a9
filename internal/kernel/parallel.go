package kernel

import (
	"runtime"
	"sync"
)

// parallel is what a Call needs to run its loop in several goroutines.
type parallel struct {
	workers []*worker
	done    sync.WaitGroup
}

// worker runs one chunk. Its start func is made once, so that the go statement
// has no arguments to pack up and allocates nothing.
type worker struct {
	call   *Call
	loop   Loop
	lo, hi int
	bad    int
	start  func()
}

func newWorker() *worker {
	w := new(worker)
	w.start = func() {
		w.bad = w.loop(w.call, w.lo, w.hi)
		w.call.done.Done()
	}
	return w
}

// Run runs n positions of the loop, in one chunk or, when there are at least
// grain positions for each of two or more goroutines, in one chunk for each of
// up to GOMAXPROCS. Chunks must write to separate places. The result is the
// least place of a bad index over all chunks, or -1. A chunk stops at its own
// first bad index only, so the least is what one chunk alone would have found.
func (c *Call) Run(loop Loop, n, grain int) int {
	chunks := 1
	if n >= 2*grain {
		chunks = min(runtime.GOMAXPROCS(0), n/grain)
	}
	if chunks == 1 {
		return loop(c, 0, n)
	}
	p := c.parallel
	for len(p.workers) < chunks-1 {
		p.workers = append(p.workers, newWorker())
	}
	workers := p.workers[:chunks-1]
	p.done.Add(len(workers))
	size, lo := n/chunks, 0
	for _, w := range workers {
		w.call, w.loop, w.lo, w.hi = c, loop, lo, lo+size
		lo += size
		go w.start()
	}
	bad := loop(c, lo, n)
	p.done.Wait()
	for _, w := range workers {
		if w.bad >= 0 && (bad < 0 || w.bad < bad) {
			bad = w.bad
		}
		*w = worker{start: w.start}
	}
	return bad
}

// grainBytes is how much memory a chunk should at least write to be worth a
// goroutine of its own.
const grainBytes = 64 << 10

// grain is the number of positions that write grainBytes, if each writes size.
func grain(size int) int { return max(1, grainBytes/max(1, size)) }
