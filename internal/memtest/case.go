package memtest

import "testing"

// Case runs one of many cases, and names it if it is the first that fails: a subtest
// for each of thousands would tell no more, and take longer.
func Case(t *testing.T, name any, test func(t *testing.T)) {
	t.Helper()
	before := t.Failed()
	defer func() {
		if t.Failed() && !before {
			t.Logf("the case: %v", name)
		}
	}()
	test(t)
}
