package files_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"gorgonia.org/gather/internal/files"
)

// TestReplace leaves the old file as it is until the new one is whole.
func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	text := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%q, error %v; want %q", got, err, want)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("files %v, error %v", entries, err)
		}
	}
	write := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			return err
		}
	}
	if err := files.Replace(path, write("one", nil)); err != nil {
		t.Fatal(err)
	}
	text("one")
	broken := errors.New("broken")
	if err := files.Replace(path, write("tw", broken)); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	text("one")
	if err := files.Replace(path, write("two", nil)); err != nil {
		t.Fatal(err)
	}
	text("two")
	if err := files.Replace(filepath.Join(path, "below"), write("three", nil)); err == nil {
		t.Error("no error below a file")
	}
	folder := filepath.Join(filepath.Dir(path), "folder")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := files.Replace(folder, write("four", nil)); err == nil {
		t.Error("no error where a folder is")
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	text("two")
	if err := files.Write(filepath.Join(t.TempDir(), "no", "file"), write("four", nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// TestLockFolder lets one in at a time.
func TestLockFolder(t *testing.T) {
	folder := t.TempDir()
	release, err := files.LockFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := files.LockFolder(folder); err == nil {
		again()
	} else if !errors.Is(err, files.ErrLocked) {
		t.Errorf("error %v", err)
	}
	release()
	release, err = files.LockFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	release()
}

func TestMakeFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "c")
	for range 2 {
		if err := files.MakeFolder(path); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			t.Errorf("%v, error %v", info, err)
		}
	}
	t.Chdir(path)
	if err := files.MakeFolder("d"); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile("file", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"file", "file/below", ""} {
		if err := files.MakeFolder(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
