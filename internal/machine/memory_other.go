//go:build !linux

package machine

func memory() int64 { return unknownMemory }
