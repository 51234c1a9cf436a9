//go:build !amd64 || !gc || noasm

package simd

// Pause does nothing: there is no instruction for it that Go could reach.
func Pause() {}

// Prefetch does nothing: there is no instruction for it that Go could reach.
func Prefetch(*byte, int, int) {}
