// Package par runs work on the positions 0 to n in several goroutines. It knows
// nothing of what the work is.
//
// A goroutine on a core that sleeps starts late: the wake-up takes 50 to 100 µs on
// a virtual machine, as long as a call often does. So the positions are not assigned
// in advance. Each goroutine takes the next piece until none is left, and the caller,
// which is there from the beginning, waits only for workers that have come: one that
// is late finds nothing to do.
//
// Jobs are pooled, and a worker serves any of them (see workers.go). So all that is
// between goroutines are atomic values and a Mutex: a channel, Cond or WaitGroup
// made in a bubble of testing/synctest must not be used outside of it.
package par

import "runtime"

// Work is work on a range of positions that may be divided into pieces. Piece does a
// part of it and returns the first position that fails, or -1. No two pieces may
// write to the same memory.
type Work interface{ Piece(lo, hi int) int }

// Run runs all positions from 0 to n, each once: in one piece or, when there are at
// least grain positions for each of two or more goroutines, in pieces in up to as
// many of them as there are threads. It returns the least position that a piece
// returned, or -1. A piece stops at the first position that fails, so this is what
// one piece alone would have returned.
//
// When a piece panics, in whichever goroutine, Run panics with a Panic in the
// caller's, after all have left. Where there is one piece only, it panics with what
// that piece panicked with.
func Run(w Work, n, grain int) int {
	if !pays(n, grain) {
		return w.Piece(0, n) // most work is small
	}
	return run(w, n, grain, max(1, grain/4))
}

// RunEven is Run with one piece for each goroutine: what every piece has to read is
// read no more often than needed.
func RunEven(w Work, n, grain int) int {
	if !pays(n, grain) {
		return w.Piece(0, n)
	}
	return run(w, n, grain, n)
}

// Each calls do with ranges that together are 0 to n, in several goroutines if
// there are at least grain positions for each. Two calls must not write to the same memory.
func Each(n, grain int, do func(lo, hi int)) { Run(eachRange(do), n, grain) }

type eachRange func(lo, hi int)

func (do eachRange) Piece(lo, hi int) int {
	do(lo, hi)
	return -1
}

// pays reports whether there is enough work for two goroutines.
func pays(n, grain int) bool { return n >= 2*grain && n > 1 && Threads() > 1 }

// cores is how many cores the machine has.
var cores = runtime.NumCPU()

// UseCores makes the package believe in n cores until restore is called. It is
// for tests of more goroutines than the machine has cores, and not safe while
// work runs.
func UseCores(n int) (restore func()) {
	before := cores
	cores = n
	return func() { cores = before }
}

// Threads is how many goroutines can run at a time. Where GOMAXPROCS is above the number
// of cores, more of them would only take turns.
func Threads() int { return min(runtime.GOMAXPROCS(0), cores) }

// GrainBytes is how much memory a goroutine should at least write: to start it takes about
// as long.
const GrainBytes = 64 << 10

// Grain is the number of positions that write GrainBytes, if each writes size bytes.
func Grain(size int) int { return max(1, GrainBytes/max(1, size)) }
