//go:build !linux && !darwin && !windows

package files

// LockFolder does nothing.
func LockFolder(string) (release func(), err error) { return func() {}, nil }
