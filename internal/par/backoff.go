package par

import "sync/atomic"

// A backoff bounds the processor time that workers take beside their work. A miss, a
// worker that watches for a job and finds none, takes as long as up to 100 grains of work,
// and may take a third of what workers join in. So missCost grains are owed for it, and
// paid by those of the jobs that workers join in time. Beyond debtLimit only one try in
// retryEvery is made: where each of them is useful, as where calls follow each other, the
// debt is paid after some 10 ms.
type backoff struct{ debt, skipped atomic.Int64 }

const (
	missCost   = 300
	debtLimit  = 3 * missCost
	retryEvery = 32
)

// record records a try that found a job of some grains or, if they are 0, a miss.
func (b *backoff) record(grains int) {
	for {
		before := b.debt.Load()
		after := max(0, before-int64(grains))
		if grains == 0 {
			after = min(before, debtLimit) + missCost
		}
		if after == before || b.debt.CompareAndSwap(before, after) {
			return
		}
	}
}

// skip reports whether this try is to be left out.
func (b *backoff) skip() bool { return b.debt.Load() >= debtLimit && b.skipped.Add(1)%retryEvery != 0 }
