// Package memtest has what tests of loops over memory share: memory between guards,
// numbers to put there, and several numbers of threads.
package memtest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// Guarded is memory with a canary on both sides, which no loop may touch. Neither -race
// nor the garbage collector would see assembly that does.
type Guarded struct{ all, Mem []byte }

const (
	guard  = 128 // more than the longest vector
	canary = 0xA5
)

// Copy is a copy of values between guard words, at an odd place but aligned to its elements.
func Copy[T any](values []T, rng *rand.Rand) Guarded {
	size := len(num.Bytes(make([]T, 1)))
	odd := size * rng.IntN(9)
	all := bytes.Repeat([]byte{canary}, guard+odd+len(values)*size+guard)
	g := Guarded{all, all[guard+odd:][: len(values)*size : len(values)*size]}
	copy(g.Mem, num.Bytes(values))
	return g
}

// Check fails the test if a byte outside of the memory was written.
func (g Guarded) Check(t *testing.T, what string) {
	start := len(g.all) - guard - len(g.Mem)
	for _, side := range [][2]int{{0, start}, {start + len(g.Mem), len(g.all)}} {
		if bytes.Count(g.all[side[0]:side[1]], []byte{canary}) == side[1]-side[0] {
			continue
		}
		for i := side[0]; i < side[1]; i++ {
			if g.all[i] != canary {
				t.Helper() // not in each of many calls: it takes longer than they do
				t.Fatalf("%s: the byte at %d, outside of the memory of %d bytes, was written", what, i-start, len(g.Mem))
			}
		}
	}
}

// oddFloats are those that a wrong order of operations, or a wrong comparison,
// shows in.
var oddFloats = []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e-40, -1e-40, 5e-324, 3e38, -3e38, 1e-30}

// DrawFloat draws a number of any size, now and then an odd one.
func DrawFloat(rng *rand.Rand) float64 {
	if rng.IntN(40) == 0 {
		return oddFloats[rng.IntN(len(oddFloats))]
	}
	return rng.NormFloat64() * math.Exp(4*rng.NormFloat64())
}

// OnThreads runs a test with several numbers of threads.
func OnThreads(t *testing.T, test func(t *testing.T)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer par.UseCores(8)()
	for _, n := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(n)
		Case(t, fmt.Sprintf("%d threads", n), test)
	}
}
