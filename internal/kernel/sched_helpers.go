package kernel

import "sync/atomic"

// Helpers are the goroutines that work for calls beside their callers. There are
// fewer than threads in the whole process, those included that have been started
// and did not run yet: a program that calls faster than they come would pile them
// up. No helper belongs to a call. One that comes when the call that asked for it
// is over works for another that is on its way.
//
// A helper that has done its part watches for another call, for about the time
// that waking it again would take. A program that calls again before that, as one
// does that runs a graph, finds its helpers awake. Later they are gone, and no
// goroutine stays behind. Helpers watch for a number of looks: a clock stands
// still for those that were started in a bubble of testing/synctest.

// offers are the calls that have seats for helpers.
var offers [16]atomic.Pointer[parallel]

// crew is the number of helpers and, in the upper half, of those without work:
// those that watch, and those that have been started and are not there.
var crew atomic.Int64

const (
	member = 1
	free   = 1 << 32
)

// ask offers n seats to helpers. If there are too few without work it starts some,
// for a large call in any case. A call that finds no room for its offer does
// without them: sixteen others are at work.
func (p *parallel) ask(n int, large bool) (offer int) {
	for i := range offers {
		if offers[i].Load() != nil || !offers[i].CompareAndSwap(nil, p) {
			continue
		}
		if large || !starts.skip() {
			for enlist(n) {
				go help()
			}
		}
		return i
	}
	return -1
}

func withdraw(offer int) {
	if offer >= 0 {
		offers[offer].Store(nil)
	}
}

// enlist makes room for a helper, if there should be one more, for n to be
// without work.
func enlist(n int) bool {
	for {
		c := crew.Load()
		if c/free >= int64(n) || c%free >= int64(threads()-1) {
			return false
		}
		if crew.CompareAndSwap(c, c+free+member) {
			return true
		}
	}
}

// tour is how many calls a helper works for at most. Those that other goroutines
// make without a pause would else keep it in the bubble it was started in.
const tour = 1000

// help is the life of a helper.
func help() {
	for served := range tour {
		p, own := seek(served == 0)
		if p != nil {
			crew.Add(-free)
			p.work(own)
			p.leave()
			crew.Add(free)
			continue
		}
		crew.Add(-free - member)
		// A call that saw this helper without work may have started no other.
		if !wanted() || !enlist(1) {
			return
		}
	}
	crew.Add(-free - member)
}

// seek takes a seat of a call, if there is one or comes one. A new helper has
// been sent for by a call.
func seek(sentFor bool) (p *parallel, own int) {
	look := func() bool {
		p, own = find()
		return p != nil
	}
	switch found := look(); {
	case !found && (sentFor || !watches.skip()):
		watches.was(watch(look))
	case found && !sentFor:
		watches.was(true)
	}
	if sentFor {
		starts.was(p != nil)
	}
	return p, own
}

// find takes a seat of a call, and the share that goes with it.
func find() (p *parallel, own int) {
	for i := range offers {
		if p := offers[i].Load(); p != nil {
			if own, ok := p.join(); ok {
				return p, own
			}
		}
	}
	return nil, 0
}

// wanted reports whether a call has a seat.
func wanted() bool {
	for i := range offers {
		if p := offers[i].Load(); p != nil && p.seats() > 0 {
			return true
		}
	}
	return false
}

// fortune remembers whether something was worth its while. In a program that
// makes a call each millisecond, helpers come too late for small calls and watch
// in vain behind large ones, which takes more time than the calls do. So after
// some vain tries a number of them is left out. Then there is one more.
type fortune struct{ vain, left atomic.Int64 }

// starts are those of helpers for calls that are not large. They were good if the
// helper has found work.
var starts, watches fortune

const (
	vainMost = 3 // so many vain tries may happen to anybody
	leftMost = 5 // at most 1<<leftMost are left out
)

func (f *fortune) was(good bool) {
	switch {
	case !good:
		if n := f.vain.Add(1) - vainMost; n > 0 {
			f.left.Store(1 << min(n, leftMost))
		}
	case f.vain.Load() != 0:
		f.vain.Store(0)
		f.left.Store(0)
	}
}

// skip reports whether this try is to be left out.
func (f *fortune) skip() bool { return f.left.Load() > 0 && f.left.Add(-1) >= 0 }

// watch waits until something has happened, and reports whether it has: for 100 to
// 200 µs, where pause takes 30 to 50 ns, as it does on amd64. Half of that, and a helper
// that comes late once may give up just before the next call, time after time: a scatter
// of 4096 rows in place took 170 to 270 µs in two goroutines then, now 80, and 126 in one
// (2 cores of a Zen 3).
func watch(happened func() bool) bool {
	const rounds, looks = 90, 32
	for range rounds {
		for range looks {
			if happened() {
				return true
			}
			pause()
		}
		yield()
	}
	return false
}
