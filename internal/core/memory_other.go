//go:build !linux

package core

func machineMemory() int64 { return unknownMemory }
