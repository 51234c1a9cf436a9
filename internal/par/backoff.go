package par

import "sync/atomic"

// A backoff remembers whether something was of use. In a program that makes a call
// each millisecond, workers come too late for small jobs and watch in vain after
// large ones, which takes more time than the calls do. So after some failures a
// number of tries is left out. Then there is one more.
type backoff struct{ failures, left atomic.Int64 }

const (
	freeFailures = 3 // so many may happen to anybody
	maxLeftOut   = 5 // at most 1<<maxLeftOut tries are left out
)

func (b *backoff) record(useful bool) {
	switch {
	case !useful:
		if n := b.failures.Add(1) - freeFailures; n > 0 {
			b.left.Store(1 << min(n, maxLeftOut))
		}
	case b.failures.Load() != 0:
		b.failures.Store(0)
		b.left.Store(0)
	}
}

// skip reports whether this try is to be left out.
func (b *backoff) skip() bool { return b.left.Load() > 0 && b.left.Add(-1) >= 0 }
