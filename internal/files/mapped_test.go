//go:build linux || darwin

package files_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"gorgonia.org/gather/internal/files"
)

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write is a fill that writes one letter everywhere.
func write(letter byte) func([]byte) error {
	return func(mem []byte) error {
		for i := range mem {
			mem[i] = letter
		}
		return nil
	}
}

// content is that of a file of so many times a letter.
func content(t *testing.T, path string, letter byte, n int) {
	t.Helper()
	got, err := os.ReadFile(path)
	ok(t, err)
	if !bytes.Equal(got, bytes.Repeat([]byte{letter}, n)) {
		t.Errorf("%s: %d bytes %.20q…, want %d times %q", path, len(got), got, n, letter)
	}
}

// alone fails if the folder of a file has other files, too.
func alone(t *testing.T, path string, want int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	ok(t, err)
	if len(entries) != want {
		t.Errorf("%d files, want %d: %v", len(entries), want, entries)
	}
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	m, err := files.Create(path, 10000, func(mem []byte) error {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file has its name before it is whole: %v", err)
		}
		return write('a')(mem)
	})
	ok(t, err)
	alone(t, path, 1)
	content(t, path, 'a', 10000)
	var info unix.Stat_t
	ok(t, unix.Stat(path, &info))
	if info.Blocks*512 < 10000 {
		t.Errorf("%d blocks of 512 bytes are reserved for 10000 bytes", info.Blocks)
	}

	ok(t, write('b')(m.Bytes()))
	ok(t, m.Sync())
	content(t, path, 'b', 10000)
	if size, err := m.Size(); err != nil || size != 10000 {
		t.Errorf("size %d, error %v", size, err)
	}
	if _, err := files.Create(path, 10, write('c')); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a name that is taken: error %v", err)
	}
	if _, err := files.Open(path, false); !errors.Is(err, files.ErrLocked) {
		t.Errorf("a second writer: error %v", err)
	}
	ok(t, m.Close(true))
	ok(t, m.Close(true))
	content(t, path, 'b', 10000)

	m, err = files.Open(path, false)
	ok(t, err)
	ok(t, write('d')(m.Bytes()))
	mem := m.Bytes()
	ok(t, m.Close(false))
	if mem[9999] != 'd' {
		t.Error("the memory that stays has another content")
	}
	content(t, path, 'd', 10000)
	m, err = files.Open(path, false)
	ok(t, err)
	ok(t, m.Close(true))
}

// TestCreateFails leaves nothing behind.
func TestCreateFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	broken := errors.New("broken")
	if _, err := files.Create(path, 10000, func([]byte) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	for _, size := range []int64{-1, 0, 1 << 61} {
		if _, err := files.Create(path, size, write('a')); err == nil {
			t.Errorf("no error for %d bytes", size)
		}
	}
	// Somebody else takes the name meanwhile.
	_, err := files.Create(path, 10, func([]byte) error { return os.WriteFile(path, []byte("mine"), 0o600) })
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	alone(t, path, 1)
	if got, err := os.ReadFile(path); err != nil || string(got) != "mine" {
		t.Errorf("%q, error %v", got, err)
	}
	if _, err := files.Create(filepath.Join(path, "below"), 10, write('a')); err == nil {
		t.Error("no error below a file")
	}
	if _, err := files.Create(filepath.Join(t.TempDir(), "no", "folder"), 10, write('a')); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: error %v", err)
	}
}

// TestFullDisk asks a file system in memory for more than it has.
func TestFullDisk(t *testing.T) {
	var system unix.Statfs_t
	const shared = "/dev/shm"
	if err := unix.Statfs(shared, &system); err != nil || system.Blocks == 0 {
		t.Skipf("no %s: %v", shared, err)
	}
	folder, err := os.MkdirTemp(shared, "files-test-*")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "file")
	size := int64(system.Blocks)*int64(system.Bsize) + 1<<20
	if size > math.MaxInt {
		t.Skipf("no file of %d bytes can be mapped here", size)
	}
	_, err = files.Create(path, size, write('a'))
	if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v", err)
	}
	alone(t, path, 0)
}

// TestCreateKilled ends a process while it makes a file: nothing of that name is
// there, and the next one makes it.
func TestCreateKilled(t *testing.T) {
	const name = "FILES_TEST_CREATE"
	if path := os.Getenv(name); path != "" {
		_, err := files.Create(path, 10000, func(mem []byte) error {
			ok(t, write('x')(mem[:5000]))
			os.Stdout.WriteString("half\n")
			time.Sleep(time.Minute)
			return nil
		})
		t.Fatal("alive: ", err)
	}
	path := filepath.Join(t.TempDir(), "file")
	child := exec.Command(os.Args[0], "-test.run=^TestCreateKilled$")
	child.Env = append(os.Environ(), name+"="+path)
	out, err := child.StdoutPipe()
	ok(t, err)
	ok(t, child.Start())
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Create(path, 10, write('y')); !errors.Is(err, files.ErrLocked) {
		t.Errorf("two make one file: error %v", err)
	}
	ok(t, child.Process.Signal(syscall.SIGKILL))
	child.Wait()
	alone(t, path, 1) // what is left has another name
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was never whole has its name: %v", err)
	}
	m, err := files.Create(path, 7000, write('y'))
	ok(t, err)
	alone(t, path, 1)
	content(t, path, 'y', 7000)
	ok(t, m.Close(true))
}

// TestOpenReadOnly sees what the writer writes, and changes nothing.
func TestOpenReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	writer, err := files.Create(path, 9000, write('a'))
	ok(t, err)
	defer writer.Close(true)
	reader, err := files.Open(path, true)
	ok(t, err)
	defer reader.Close(true)
	writer.Bytes()[0] = 'b'
	if got := reader.Bytes()[0]; got != 'b' {
		t.Errorf("the reader sees %q", got)
	}
	ok(t, reader.Writable())
	reader.Bytes()[8999] = 'z'
	ok(t, reader.Sync())
	ok(t, writer.Sync())
	if got := writer.Bytes()[8999]; got != 'a' {
		t.Errorf("what is written to the memory of a reader is in the file: %q", got)
	}
}

// TestOpenErrors names files that cannot be mapped.
func TestOpenErrors(t *testing.T) {
	folder := t.TempDir()
	file := func(name string, size int, mode os.FileMode) string {
		path := filepath.Join(folder, name)
		ok(t, os.WriteFile(path, make([]byte, size), mode))
		return path
	}
	pipe := filepath.Join(folder, "pipe")
	ok(t, syscall.Mkfifo(pipe, 0o600))
	for _, c := range []struct {
		path     string
		readOnly bool
		is       error
		text     string
	}{
		{filepath.Join(folder, "missing"), false, fs.ErrNotExist, "missing"},
		{folder, false, nil, "no regular file"},
		{pipe, true, nil, "no regular file"},
		{file("empty", 0, 0o600), false, nil, "0 bytes cannot be mapped"},
		{file("read-only", 100, 0o444), false, fs.ErrPermission, "is read-only (-r--r--r--)"},
	} {
		_, err := files.Open(c.path, c.readOnly)
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %s", c.path, err, c.text)
		}
	}
	m, err := files.Open(filepath.Join(folder, "read-only"), true)
	ok(t, err)
	ok(t, m.Close(true))
}
