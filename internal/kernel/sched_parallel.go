package kernel

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// parallel is what a Call needs to run its loop in several goroutines.
//
// A goroutine on a core that sleeps starts late: the wake-up takes 50 to 100 µs
// on a virtual machine, as long as a call of this package often does. So the
// positions are not dealt out. Whoever comes takes the next piece until none is
// left, and the caller, who is there from the beginning, waits only for those
// who have come: a helper that is late finds nothing to do.
//
// Calls are kept in a pool, and helpers serve any call (see sched_helpers.go). So all
// that is between them are atomic values and a Mutex: a channel, Cond or WaitGroup
// made in a bubble of testing/synctest must not be used outside of it.
type parallel struct {
	call     *Call
	loop     Loop
	minPiece int // the fewest positions in a piece, but for the last of a share
	shares   []share
	bad      atomic.Int64 // the least position of a bad index so far
	state    atomic.Int64
	left     sync.Mutex            // the caller locks it to wait; the last helper to leave unlocks it
	cause    atomic.Pointer[Panic] // what the loop panicked with first
}

// share is a range of positions that one goroutine takes pieces from first.
// Call after call it works on the same part of memory then, and finds it in the
// cache of its core: to fetch what another core has written takes far longer.
type share struct {
	next atomic.Int64 // the first position that nobody has taken
	end  int64
	_    [48]byte // shares in cache lines of their own
}

// The state is the number of helpers at work, of seats for more of them, and
// whether the caller waits for the last to leave.
const (
	seat     = 1 << 24
	awaiting = 1 << 60
	atWork   = seat - 1
)

// Run runs n positions of the loop, each once, in one piece or, when there are
// at least grain positions for each of two or more goroutines, in pieces in up
// to as many of them as there are threads. No two pieces may write to the
// same memory.
// The result is the least position of a bad index over all pieces, or -1. A piece
// stops at its own first bad index only, so the least is what one piece alone
// would have found.
//
// When the loop panics, in whichever goroutine, Run panics in the caller's, after
// all have left.
func (c *Call) Run(loop Loop, n, grain int) int {
	helpers := helpers(n, grain)
	if helpers == 0 {
		return loop(c, 0, n)
	}
	p := c.parallel
	p.call, p.loop, p.minPiece = c, loop, c.minPieceOf(n, grain)
	p.deal(n, 1+helpers)
	p.bad.Store(math.MaxInt64)
	p.state.Store(int64(helpers) * seat)
	offer := p.ask(helpers, n/grain >= largeCall)
	p.work(0)
	withdraw(offer)
	p.close()
	p.call, p.loop = nil, nil
	if cause := p.cause.Swap(nil); cause != nil {
		panic(cause)
	}
	if bad := p.bad.Load(); bad < math.MaxInt64 {
		return int(bad)
	}
	return -1
}

// cores is how many goroutines can run at a time.
var cores = runtime.NumCPU()

// UseCores makes the package believe in n cores until restore is called. It is
// for tests of more goroutines than the machine has cores, and not safe while
// kernels run.
func UseCores(n int) (restore func()) {
	before := cores
	cores = n
	return func() { cores = before }
}

// threads is how many goroutines are worth having. Where GOMAXPROCS is above the
// number of cores, more of them would only take turns.
func threads() int { return min(runtime.GOMAXPROCS(0), cores) }

// helpers is how many goroutines are worth having beside the caller's own.
func helpers(n, grain int) int {
	if n < 2*grain {
		return 0
	}
	return min(threads(), n/grain) - 1
}

// minPieceOf is the fewest positions in a piece. Columns go in one piece for
// each thread: every piece reads all indices again.
func (c *Call) minPieceOf(n, grain int) int {
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
	defer p.keepPanic()
	for i := range p.shares {
		s := &p.shares[(own+i)%len(p.shares)]
		for lo, hi := s.take(p.minPiece); lo < hi; lo, hi = s.take(p.minPiece) {
			if bad := p.loop(p.call, lo, hi); bad >= 0 {
				p.report(int64(bad))
			}
		}
	}
}

// take takes the next piece, half of what is left. The pieces get smaller
// towards the end, so that all goroutines end at about the same time.
func (s *share) take(minPiece int) (lo, hi int) {
	for {
		from := s.next.Load()
		to := min(s.end, from+max(int64(minPiece), (s.end-from)/2))
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

// A Panic is what a loop panicked with while several goroutines ran it. In a
// goroutine without a caller to recover it, it would end the process.
type Panic struct {
	Value any
	Stack []byte // of the goroutine, where it panicked
}

func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// Format adds the stack for %+v.
func (p *Panic) Format(s fmt.State, verb rune) {
	_, _ = fmt.Fprint(s, p.Value)
	if verb == 'v' && s.Flag('+') {
		_, _ = fmt.Fprintf(s, "\n%s", p.Stack)
	}
}

// Unwrap is the value, if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// keepPanic keeps the first panic for the caller, and leaves the others nothing
// more to do.
func (p *parallel) keepPanic() {
	value := recover()
	if value == nil {
		return
	}
	p.cause.CompareAndSwap(nil, &Panic{value, debug.Stack()})
	for i := range p.shares {
		p.shares[i].next.Store(p.shares[i].end)
	}
}

// join takes a seat, if there is one, and the share that goes with it.
func (p *parallel) join() (own int, ok bool) {
	for {
		s := p.state.Load()
		seats := s % awaiting / seat
		if seats == 0 {
			return 0, false
		}
		if p.state.CompareAndSwap(s, s-seat+1) {
			return len(p.shares) - int(seats), true
		}
	}
}

// seats is the number of helpers that may still come.
func (p *parallel) seats() int64 { return p.state.Load() % awaiting / seat }

func (p *parallel) leave() {
	if p.state.Add(-1) == awaiting {
		p.left.Unlock()
	}
}

// close lets no more helpers come and waits for those that are at work.
func (p *parallel) close() {
	if p.state.And(atWork)&atWork == 0 {
		return
	}
	if watch(func() bool { return p.state.Load() == 0 }) {
		return
	}
	p.left.Lock()
	if p.state.Add(awaiting) != awaiting {
		p.left.Lock() // until the last helper unlocks it
	}
	p.state.Store(0)
	p.left.Unlock()
}

// largeCall is how many grains make a call last longer than a helper takes to
// come.
const largeCall = 16

// grainBytes is how much memory a goroutine should at least write to be worth
// its start.
const grainBytes = 64 << 10

// grain is the number of positions that write grainBytes, if each writes size.
func grain(size int) int { return max(1, grainBytes/max(1, size)) }
