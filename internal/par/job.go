package par

import (
	"math"
	"sync"
	"sync/atomic"

	"gorgonia.org/gather/internal/num"
)

// A job is one Run that is shared with workers.
type job struct {
	work     Work
	grains   int   // how many there are
	minPiece int64 // the fewest positions in a piece, but for the last of a share
	shares   []share
	failed   atomic.Int64 // the least position that failed so far
	state    atomic.Int64
	left     sync.Mutex            // the caller locks it to wait; the last worker to leave unlocks it
	cause    atomic.Pointer[Panic] // what a piece panicked with first
}

// share is a range of positions from which one goroutine takes pieces first. So from
// Run to Run it works on the same part of memory, which is in the cache of its core:
// to fetch what another core has written takes far longer.
type share struct {
	next atomic.Int64 // the first position that nobody has taken
	end  int64
	_    [48]byte // each share has a cache line
}

// The state of a job is the number of workers at work, of those that may still
// join, and whether the caller waits for the last one to leave.
const (
	joinable = 1 << 24
	awaiting = 1 << 60
	present  = joinable - 1
)

// largeJob is how many grains make a job last longer than a worker takes to come, on
// any machine.
const largeJob = 64

// jobs are those that no Run uses. A worker that is late may still hold one: it cannot
// join it or, if it is in use again, works for the new Run.
var jobs = sync.Pool{New: func() any { return new(job) }}

// run shares the work with workers, if there is enough for two goroutines. A piece has n/pieces positions at
// least, but for the last of each share.
func run(w Work, n, parts, grains, pieces int) int {
	if grains <= 1 || min(n, parts) <= 1 || Threads() <= 1 {
		return w.Piece(0, n) // most work is small
	}
	threads := min(Threads(), parts, grains, n)
	j := jobs.Get().(*job)
	j.work, j.grains, j.minPiece = w, grains, int64(max(1, n/pieces))
	j.deal(n, threads)
	j.failed.Store(math.MaxInt64)
	j.state.Store(int64(threads-1) * joinable)
	s := announce(j, threads-1)
	j.take(0)
	if s >= 0 {
		slots[s].Store(nil)
	}
	j.close()
	j.work = nil
	failed, cause := j.failed.Load(), j.cause.Swap(nil)
	jobs.Put(j)
	switch {
	case cause != nil:
		panic(cause)
	case failed == math.MaxInt64:
		return -1
	}
	return int(failed)
}

// deal makes the shares.
func (j *job) deal(n, threads int) {
	j.shares = num.Resize(j.shares, threads)
	lo := 0
	for i := range j.shares {
		s := &j.shares[i]
		s.next.Store(int64(lo))
		lo += (n - lo) / (threads - i)
		s.end = int64(lo)
	}
}

// take runs pieces until there are none: those of one share, then what is left of the
// others.
func (j *job) take(first int) {
	defer j.recordPanic()
	for i := range j.shares {
		s := &j.shares[(first+i)%len(j.shares)]
		for lo, hi := s.piece(j.minPiece); lo < hi; lo, hi = s.piece(j.minPiece) {
			if failed := int64(j.work.Piece(lo, hi)); failed >= 0 {
				for least := j.failed.Load(); failed < least && !j.failed.CompareAndSwap(least, failed); {
					least = j.failed.Load()
				}
			}
		}
	}
}

// piece takes the next piece, half of what is left. The pieces get smaller
// towards the end, so that all goroutines end at about the same time.
func (s *share) piece(minPiece int64) (lo, hi int) {
	for {
		from := s.next.Load()
		to := min(s.end, from+max(minPiece, (s.end-from)/2))
		if from == to || s.next.CompareAndSwap(from, to) {
			return int(from), int(to)
		}
	}
}

// join counts a worker in, if one more may come, and returns its share.
func (j *job) join() (share int, ok bool) {
	for {
		s := j.state.Load()
		open := s % awaiting / joinable
		if open == 0 {
			return 0, false
		}
		if j.state.CompareAndSwap(s, s-joinable+1) {
			return len(j.shares) - int(open), true
		}
	}
}

// open reports whether a worker may join.
func (j *job) open() bool { return j.state.Load()%awaiting/joinable > 0 }

func (j *job) leave() {
	if j.state.Add(-1) == awaiting {
		j.left.Unlock()
	}
}

// close lets no more workers join and waits for those that are at work.
func (j *job) close() {
	if j.state.And(present)&present == 0 || watch(func() bool { return j.state.Load() == 0 }) {
		return
	}
	j.left.Lock()
	if j.state.Add(awaiting) != awaiting {
		j.left.Lock() // until the last worker unlocks it
	}
	j.state.Store(0)
	j.left.Unlock()
}
