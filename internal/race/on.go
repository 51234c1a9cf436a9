//go:build race

package race

// Enabled is true: the tests run under the race detector.
const Enabled = true
