//go:build linux || darwin

package files

import "os"

// writeZeros reserves blocks by filling them, where the file system cannot do it
// in another way.
func writeZeros(file *os.File, size int64) error {
	zeros := make([]byte, 1<<20)
	for at := int64(0); at < size; at += int64(len(zeros)) {
		if _, err := file.WriteAt(zeros[:min(int64(len(zeros)), size-at)], at); err != nil {
			return err
		}
	}
	return nil
}
