//go:build !linux

package memtest

import "testing"

// Paged is just n bytes where no protected pages are at hand.
func Paged(_ *testing.T, n int, _ bool) []byte { return make([]byte, n) }
