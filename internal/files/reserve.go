//go:build linux || darwin

package files

// writeZeros reserves blocks by filling them, where the file system cannot do it
// in another way.
func (f *File) writeZeros(size int64) error {
	zeros := make([]byte, 1<<20)
	for at := int64(0); at < size; at += int64(len(zeros)) {
		if _, err := f.Write(zeros[:min(int64(len(zeros)), size-at)]); err != nil {
			return err
		}
	}
	return nil
}
