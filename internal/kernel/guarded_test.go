package kernel

import (
	"bytes"
	"testing"
)

// guarded is memory with a canary on both sides, which no kernel may touch.
// Neither -race nor the garbage collector would see assembly that does.
type guarded struct{ all, mem []byte }

const (
	guard  = 128 // more than the longest vector
	canary = 0xA5
)

// newGuarded starts the memory at an odd place, so that no vector is aligned.
func newGuarded(n, odd int) guarded {
	all := make([]byte, guard+odd+n+guard)
	fill(all)
	return guarded{all, all[guard+odd:][:n:n]}
}

var canaries = bytes.Repeat([]byte{canary}, 4<<10)

// first is n bytes of the memory between guards of their own.
func (g guarded) first(n int) guarded {
	odd := len(g.all) - 2*guard - len(g.mem)
	fill(g.mem[n:min(n+guard, len(g.mem))])
	return guarded{g.all[:guard+odd+n+guard], g.mem[:n:n]}
}

// fill writes the canary everywhere.
func fill(mem []byte) {
	for len(mem) > 0 {
		mem = mem[copy(mem, canaries):]
	}
}

func (g guarded) check(t *testing.T, what string) {
	start := len(g.all) - guard - len(g.mem)
	for _, side := range [][2]int{{0, start}, {start + len(g.mem), len(g.all)}} {
		if bytes.Count(g.all[side[0]:side[1]], []byte{canary}) == side[1]-side[0] {
			continue
		}
		for i := side[0]; i < side[1]; i++ {
			if g.all[i] != canary {
				t.Helper() // not in each of many calls: it takes longer than they do
				t.Fatalf("%s: the byte at %d, outside of the memory of %d bytes, was written", what, i-start, len(g.mem))
			}
		}
	}
}
