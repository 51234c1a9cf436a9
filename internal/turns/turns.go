// Package turns lets the combinations that a test could try take turns: a case runs one of
// them, and the next case another. With -everypair each case runs all. With -short some cases
// run none.
package turns

import (
	"flag"
	"testing"
)

var every = flag.Bool("everypair", false, "tests: run all combinations of implementations, threads and arguments, which take turns otherwise")

// Every tells whether all combinations are run.
func Every() bool { return *every }

// Of tells whether combination i of n is run in a case, numbered from 0.
func Of(n, i, number int) bool { return *every || number%n == i }

// Case tells whether a case, numbered from 0, is run: one of n is with -short, and all without it.
func Case(n, number int) bool { return *every || !testing.Short() || number%n == 0 }
