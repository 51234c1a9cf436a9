package par

import (
	"sync/atomic"

	"gorgonia.org/gather/internal/simd"
)

// Workers are the goroutines that take pieces beside the callers of Run: fewer than
// threads in the whole process, those that have been started and do not run yet among
// them. A Run shows its job in a slot, and starts workers if too few are idle. A worker
// joins any job that is shown, and one that is late the next, whosever that is. Without a
// job it watches for one, about as long as to start another would take: it finds the call
// that comes right behind the last, as in a graph. Then it leaves, and no goroutine stays
// behind. It counts reads, as a clock stands still in a bubble of testing/synctest. What
// starting and watching bring is recorded, and where they bring too little they are mostly
// left out (see backoff.go): calls with pauses between them take little more processor
// time than one thread would.

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
// job in any case. It returns the slot that shows the job, or -1 if all are taken: then
// the job does without workers.
func announce(j *job, n int) (slot int) {
	for i := range slots {
		if slots[i].Load() != nil || !slots[i].CompareAndSwap(nil, j) {
			continue
		}
		if try := !tries.skip(); try || j.grains >= largeJob {
			for addWorker(n) {
				go serve(try)
			}
		}
		return i
	}
	return -1
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

// maxCallsPerWorker is how many jobs a worker joins at most. Without a limit, jobs that
// other goroutines make without a pause would keep it in the bubble it was started in.
const maxCallsPerWorker = 1000

// tries is the backoff of workers that are started, if not for a large job, and that watch.
var tries backoff

// serve is what a worker runs. One that was started by a try watches until it misses, so that
// calls that follow each other keep it, whatever is owed.
func serve(try bool) {
	for range maxCallsPerWorker {
		j, share, inTime := find()
		switch {
		case j != nil && inTime:
			tries.record(j.grains)
		case j == nil && (try || !tries.skip()):
			grains := 0
			if watch(func() bool {
				j, share, _ = find()
				return j != nil
			}) {
				grains = j.grains
			}
			tries.record(grains)
			try = try && grains > 0
		}
		if j != nil {
			workers.Add(-idle)
			j.take(share)
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
func find() (j *job, share int, inTime bool) {
	for i := range slots {
		if j := slots[i].Load(); j != nil {
			if share, ok := j.join(); ok {
				return j, share, j.shares[share].next.Load() == j.shares[share-1].end
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
