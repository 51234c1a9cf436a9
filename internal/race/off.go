//go:build !race

// Package race tells tests whether the race detector watches them. It makes
// sync.Pool forget at random, so that allocations cannot be counted, it makes
// loops many times slower, and it sees a race of Gorgonia's own in each failing
// run of a LispMachine.
package race

// Enabled is false: the tests run without the race detector.
const Enabled = false
