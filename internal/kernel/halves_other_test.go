//go:build !amd64 || !gc || noasm

package kernel

func hasHalves() bool { return false }
