package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
	"gorgonia.org/gather/internal/files"
)

// TestHoles opens a file with holes, such as NumPy's open_memmap makes: it has
// blocks then, and its content.
func TestHoles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	file, err := os.Create(path)
	ok(t, err)
	ok(t, file.Truncate(1<<20))
	_, err = file.WriteAt([]byte("end"), 1<<20-3)
	ok(t, err)
	ok(t, file.Close())
	m, err := files.Open(path, false)
	ok(t, err)
	defer m.Close(true)
	var info unix.Stat_t
	ok(t, unix.Stat(path, &info))
	if info.Blocks*512 < 1<<20 || info.Size != 1<<20 {
		t.Errorf("%d blocks of 512 bytes, %d bytes", info.Blocks, info.Size)
	}
	if got := string(m.Bytes()[1<<20-4:]); got != "\x00end" {
		t.Errorf("the content is %q", got)
	}
}
