//go:build !race

package embedding_test

// raceEnabled tells that the race detector watches. It makes sync.Pool forget
// things, so that allocations cannot be counted, and sees a race of Gorgonia's
// own in each failing run of a LispMachine.
const raceEnabled = false
