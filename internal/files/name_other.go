//go:build !linux && !darwin

package files

import "syscall"

// renameExclusive is not there.
func renameExclusive(string, string) error { return syscall.ENOSYS }
