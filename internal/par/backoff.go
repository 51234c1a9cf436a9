package par

import "sync/atomic"

// A backoff bounds what is tried in vain. A program that makes a call each
// millisecond has workers come too late for small jobs, and watch in vain after
// large ones, which takes more processor time than the calls do. So a try in vain
// costs as much as vainCost useful ones bring in. Who is in debt leaves out tries
// until one in retryEvery has been useful: that one clears the way for the next.
type backoff struct{ debt, skipped atomic.Int64 }

const (
	vainCost   = 4
	debtLimit  = 3 * vainCost // so much may happen to anybody
	retryEvery = 32
)

func (b *backoff) record(useful bool) {
	for {
		before := b.debt.Load()
		after := min(before+vainCost, debtLimit+vainCost)
		if useful {
			after = max(0, min(before, debtLimit)-1)
		}
		if after == before || b.debt.CompareAndSwap(before, after) {
			return
		}
	}
}

// skip reports whether this try is to be left out.
func (b *backoff) skip() bool { return b.debt.Load() >= debtLimit && b.skipped.Add(1)%retryEvery != 0 }
