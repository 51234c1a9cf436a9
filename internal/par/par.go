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

// Run runs all positions from 0 to n, each once. Together they are some grains of
// work, each of which is worth a goroutine's start: with less than two Run makes
// one piece of them, else pieces in up to as many goroutines as there are grains, positions and
// threads. It returns the least position that a piece returned, or -1. A piece stops at the
// first position that fails, so this is what one piece alone would have returned.
//
// When a piece panics, in whichever goroutine, Run panics with a Panic in the
// caller's, after all have left. Where there is one piece only, it panics with what
// that piece panicked with.
func Run(w Work, n, grains int) int { return RunParts(w, n, grains, grains) }

// RunParts is Run in at most parts goroutines, for pieces that are not to be small.
func RunParts(w Work, n, parts, grains int) int { return run(w, n, parts, grains, 4*parts) }

// RunEven is RunParts with one piece for each goroutine: what every piece has to read is
// read no more often than needed.
func RunEven(w Work, n, parts, grains int) int { return run(w, n, parts, grains, 1) }

// Each is Run for a function that cannot fail: it is called with ranges that together are
// 0 to n.
func Each(n, grains int, do func(lo, hi int)) { Run(eachRange(do), n, grains) }

type eachRange func(lo, hi int)

func (do eachRange) Piece(lo, hi int) int {
	do(lo, hi)
	return -1
}

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

// Grains is how many grains n positions are, if each writes size bytes.
func Grains(n, size int) int { return n * size / GrainBytes }
