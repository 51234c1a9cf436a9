//go:build race

package dense_test

// raced tells that the race detector is on. It makes sync.Pool forget at
// random, so that nothing can be said about allocations.
const raced = true
