package par

import (
	"sync/atomic"

	"gorgonia.org/gather/internal/simd"
)

// Workers are the goroutines that take pieces beside the callers of Run: fewer than
// threads in the whole process, those included that have been started and did not run
// yet, so that a program that calls faster than they come does not pile them up. No
// worker belongs to a job: one that comes late works for another that is on its way.
//
// A worker without a job watches for one, for about the time that waking it again would
// take: a program that calls again before that, as one does that runs a graph, finds it
// awake. Then it leaves; no goroutine stays behind. It watches for a number of reads: a
// clock stands still for workers started in a bubble of testing/synctest. Whether a start
// or a watch found work in time is recorded, and where the next call always comes too late
// only one in retryEvery is tried: so a call every 3 ms takes hardly more processor time
// than with one thread (see backoff.go).

// slots are the jobs that workers may join.
var slots [16]atomic.Pointer[job]

// workers is the number of workers and, in the upper half, of those that are idle:
// those that watch, and those that have been started and are not there.
var workers atomic.Int64

const (
	worker = 1
	idle   = 1 << 32
)

// announce shows a job to n workers. If too few are idle it starts some, for a large
// job in any case. It returns the slot that shows the job, or -1: sixteen others are
// shown, and the job does without workers.
func announce(j *job, n int, large bool) (slot int) {
	for i := range slots {
		if slots[i].Load() != nil || !slots[i].CompareAndSwap(nil, j) {
			continue
		}
		if large || !starting.skip() {
			for addWorker(n) {
				if large { // an argument of go that is no constant would be an allocation
					go func() { serve(&watching) }()
				} else {
					go func() { serve(&starting) }()
				}
			}
		}
		return i
	}
	return -1
}

func retract(slot int) {
	if slot >= 0 {
		slots[slot].Store(nil)
	}
}

// addWorker counts one more worker, unless n are idle or there are enough.
func addWorker(n int) bool {
	for {
		w := workers.Load()
		if w/idle >= int64(n) || w%idle >= int64(Threads()-1) {
			return false
		}
		if workers.CompareAndSwap(w, w+idle+worker) {
			return true
		}
	}
}

// maxCallsPerWorker is how many jobs a worker joins at most. Those that other
// goroutines make without a pause would else keep it in the bubble it was started in.
const maxCallsPerWorker = 1000

// starting is the backoff of workers that are started for jobs that are not large:
// of use if they come in time for one, or soon find another. watching is that of workers
// without a job.
var starting, watching backoff

// serve is the life of a worker. What comes of its first watch is recorded in the
// backoff that it was started by.
func serve(record *backoff) {
	for range maxCallsPerWorker {
		j, own, inTime := find()
		switch {
		case j != nil && (inTime || record == &watching):
			record.record(true)
			record = &watching
		case j == nil && (record == &starting || !watching.skip()):
			watch(func() bool {
				j, own, _ = find()
				return j != nil
			})
			record.record(j != nil)
			record = &watching
		}
		if j != nil {
			workers.Add(-idle)
			j.take(own)
			j.leave()
			workers.Add(idle)
			continue
		}
		workers.Add(-idle - worker)
		// A caller that saw this worker idle may have started no other.
		if !wanted() || !addWorker(1) {
			return
		}
	}
	workers.Add(-idle - worker)
}

// find joins a job that is shown, and returns it with the share that goes with it. The
// worker is in time if nobody else has begun that share.
func find() (j *job, own int, inTime bool) {
	for i := range slots {
		if j := slots[i].Load(); j != nil {
			if own, ok := j.join(); ok {
				return j, own, j.shares[own].next.Load() == j.shares[own-1].end
			}
		}
	}
	return nil, 0, false
}

// wanted reports whether a worker may join a job.
func wanted() bool {
	for i := range slots {
		if j := slots[i].Load(); j != nil && j.open() {
			return true
		}
	}
	return false
}

// watch waits until something has happened, and reports whether it has: for 100 to
// 200 µs, where Pause takes 30 to 50 ns, as it does on amd64. With half of that, a
// worker that comes late once may give up just before the next job, time after time.
func watch(happened func() bool) bool {
	const rounds, reads = 90, 32
	for range rounds {
		for range reads {
			if happened() {
				return true
			}
			simd.Pause()
		}
		yield()
	}
	return false
}
