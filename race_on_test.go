//go:build race

package gather_test

const raceEnabled = true
