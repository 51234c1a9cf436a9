//go:build !linux

package kernel

// yield does nothing: Go has no portable way to let another thread run.
func yield() {}
