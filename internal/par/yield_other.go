//go:build !linux

package par

// yield does nothing: Go has no portable way to let another thread run.
func yield() {}
