package kernel

import (
	"math"
	"runtime"
	"sync/atomic"
)

// parallel is what a Call needs to run its loop in several goroutines.
//
// A goroutine on a core that sleeps starts late: the wake-up takes 50 to 100 µs
// on a virtual machine, as long as a call of this package often does. So the
// positions are not dealt out. Whoever comes takes the next piece until none is
// left, and the caller, who is there from the beginning, waits only for those
// who have come: a helper that is late finds nothing to do. And a helper that
// is done stays for about as long as waking it took: see helpers.go.
type parallel struct {
	call    *Call
	loop    Loop
	least   int // the fewest positions in a piece, but for the last of a share
	shares  []share
	helpers atomic.Int64 // how many have come
	bad     atomic.Int64 // the least place of a bad index so far
	state   atomic.Int64
	allLeft chan struct{}
	start   func() // made once: a go statement without arguments allocates nothing
}

// share is a range of positions that one goroutine takes pieces from first.
// Call after call it works on the same part of memory then, and finds it in the
// cache of its core: to fetch what another core has written takes far longer.
type share struct {
	next atomic.Int64 // the first position that nobody has taken
	end  int64
	_    [48]byte // shares in cache lines of their own
}

// The state is the number of helpers at work and two flags.
const (
	open     = 1 << 32 // helpers may come
	awaiting = 1 << 33 // the last helper to leave sends on allLeft
)

func newParallel() *parallel {
	p := &parallel{allLeft: make(chan struct{}, 1)}
	p.start = func() { help(p) }
	return p
}

// Run runs n positions of the loop, each once, in one piece or, when there are
// at least grain positions for each of two or more goroutines, in pieces in up
// to GOMAXPROCS of them. Pieces must write to separate places. The result is
// the least place of a bad index over all pieces, or -1. A piece stops at its
// own first bad index only, so the least is what one piece alone would have
// found.
func (c *Call) Run(loop Loop, n, grain int) int {
	threads := 1
	if n >= 2*grain {
		threads = min(runtime.GOMAXPROCS(0), n/grain)
	}
	if threads == 1 {
		return loop(c, 0, n)
	}
	p := c.parallel
	p.call, p.loop, p.least = c, loop, c.leastPiece(n, threads, grain)
	p.deal(n, threads)
	p.helpers.Store(0)
	p.bad.Store(math.MaxInt64)
	p.state.Store(open)
	for range threads - 1 - recruit(p, threads-1) {
		go p.start()
	}
	p.work(0)
	p.close()
	p.call, p.loop = nil, nil
	if bad := p.bad.Load(); bad < math.MaxInt64 {
		return int(bad)
	}
	return -1
}

// leastPiece is the fewest positions in a piece. Columns go in one piece for
// each thread: every piece reads all indices again.
func (c *Call) leastPiece(n, threads, grain int) int {
	if c.columns {
		return n
	}
	return max(1, grain/4)
}

// deal makes the shares.
func (p *parallel) deal(n, threads int) {
	if cap(p.shares) < threads {
		p.shares = make([]share, threads)
	}
	p.shares = p.shares[:threads]
	lo := 0
	for i := range p.shares {
		s := &p.shares[i]
		s.next.Store(int64(lo))
		lo += (n - lo) / (threads - i)
		s.end = int64(lo)
	}
}

// work runs pieces until there are none: those of its own share, then what is
// left of the others.
func (p *parallel) work(own int) {
	for i := range p.shares {
		s := &p.shares[(own+i)%len(p.shares)]
		for lo, hi := s.take(p.least); lo < hi; lo, hi = s.take(p.least) {
			if bad := p.loop(p.call, lo, hi); bad >= 0 {
				p.report(int64(bad))
			}
		}
	}
}

// take takes the next piece, half of what is left. The pieces get smaller
// towards the end, so that all goroutines end at about the same time.
func (s *share) take(least int) (lo, hi int) {
	for {
		from := s.next.Load()
		to := min(s.end, from+max(int64(least), (s.end-from)/2))
		if from == to || s.next.CompareAndSwap(from, to) {
			return int(from), int(to)
		}
	}
}

func (p *parallel) report(bad int64) {
	for {
		least := p.bad.Load()
		if bad >= least || p.bad.CompareAndSwap(least, bad) {
			return
		}
	}
}

// join makes the goroutine a helper, unless it comes too late. The run that it
// joins may be a later one of the same Call than the one that asked for it.
func (p *parallel) join() bool {
	for {
		s := p.state.Load()
		if s&open == 0 {
			return false
		}
		if p.state.CompareAndSwap(s, s+1) {
			return true
		}
	}
}

func (p *parallel) leave() {
	if p.state.Add(-1) == awaiting {
		p.allLeft <- struct{}{}
	}
}

// close lets no more helpers come and waits for those that are at work.
func (p *parallel) close() {
	if p.state.And(^open) == open {
		return
	}
	if watch(func() bool { return p.state.Load() == 0 }) {
		return
	}
	if p.state.Add(awaiting) == awaiting {
		p.state.Store(0)
		return
	}
	<-p.allLeft
	p.state.Store(0)
}

// grainBytes is how much memory a goroutine should at least write to be worth
// its start.
const grainBytes = 64 << 10

// grain is the number of positions that write grainBytes, if each writes size.
func grain(size int) int { return max(1, grainBytes/max(1, size)) }
