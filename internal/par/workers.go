package par

import (
	"sync/atomic"

	"gorgonia.org/gather/internal/simd"
)

// Workers are the goroutines that take pieces beside the callers of Run. There are
// fewer than threads in the whole process, those included that have been started
// and did not run yet: a program that calls faster than they come would pile them
// up. No worker belongs to a job. One that comes when the job that asked for it
// is over works for another that is on its way.
//
// A worker that has done its part watches for another job, for about the time
// that waking it again would take. A program that calls again before that, as one
// does that runs a graph, finds its workers awake. Later they are gone, and no
// goroutine stays behind. Workers watch for a number of reads: a clock stands
// still for those that were started in a bubble of testing/synctest.

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
				go serve()
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

// serve is the life of a worker.
func serve() {
	for served := range maxCallsPerWorker {
		j, own := seek(served == 0)
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

// starting is the backoff of workers that are started for jobs that are not large:
// of use if they join one. watching is that of workers that have done their part.
var starting, watching backoff

// seek joins a job, if there is one or comes one. A new worker has been started
// for one.
func seek(started bool) (j *job, own int) {
	joined := func() bool {
		j, own = find()
		return j != nil
	}
	switch found := joined(); {
	case !found && (started || !watching.skip()):
		watching.record(watch(joined))
	case found && !started:
		watching.record(true)
	}
	if started {
		starting.record(j != nil)
	}
	return j, own
}

// find joins a job that is shown, and returns it with the share that goes with it.
func find() (j *job, own int) {
	for i := range slots {
		if j := slots[i].Load(); j != nil {
			if own, ok := j.join(); ok {
				return j, own
			}
		}
	}
	return nil, 0
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
