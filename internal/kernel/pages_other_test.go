//go:build !linux

package kernel

import "testing"

// paged is just n bytes where no protected pages are at hand.
func paged(_ *testing.T, n int, _ bool) []byte { return make([]byte, n) }
