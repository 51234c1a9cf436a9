package par

import "testing"

// TestBackoff records misses until tries are left out, all but some, and a useful try
// until none is.
func TestBackoff(t *testing.T) {
	var b backoff
	made := func() (n int) {
		for range 10 * retryEvery {
			if !b.skip() {
				n++
			}
		}
		return n
	}
	for range debtLimit/missCost - 1 {
		b.record(0)
	}
	if n := made(); n != 10*retryEvery {
		t.Errorf("%d of %d tries are made after few misses", n, 10*retryEvery)
	}
	for range 1000 {
		b.record(0)
	}
	if n := made(); n != 10 {
		t.Errorf("%d of %d tries are made after many misses", n, 10*retryEvery)
	}
	b.record(missCost + 1)
	if n := made(); n != 10*retryEvery {
		t.Errorf("%d of %d tries are made after a useful one", n, 10*retryEvery)
	}
	for range 1000 {
		b.record(missCost)
		b.record(0)
	}
	if n := made(); n != 10*retryEvery {
		t.Errorf("%d of %d tries are made where useful ones pay for the misses", n, 10*retryEvery)
	}
}
