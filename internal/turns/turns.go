// Package turns lets the combinations that a test could try take turns: a case runs one of
// them, and the next case another. With -everypair each case runs all.
package turns

import "flag"

var every = flag.Bool("everypair", false, "tests: run all combinations of implementations, threads and arguments, which take turns otherwise")

// Every tells whether all combinations are run.
func Every() bool { return *every }

// Of tells whether combination i of n is run in a case, numbered from 0.
func Of(n, i, number int) bool { return *every || number%n == i }
