//go:build race

package embedding_test

const raceEnabled = true
