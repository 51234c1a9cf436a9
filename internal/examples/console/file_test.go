package console

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	alone := func(want string) {
		t.Helper()
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		assert.Len(t, entries, 1, "nothing else is left")
	}
	write := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, _ = io.WriteString(w, text)
			return err
		}
	}
	require.NoError(t, WriteFile(path, write("whole", nil)))
	alone("whole")
	require.NoError(t, WriteFile(path, write("another", nil)))
	alone("another")
	assert.ErrorContains(t, WriteFile(path, write("half", errors.New("disk full"))), "disk full")
	alone("another")
	assert.Error(t, WriteFile(filepath.Join(path, "below"), write("", nil)), "below a file")
	require.NoError(t, os.Mkdir(filepath.Join(folder, "folder"), 0o755))
	assert.Error(t, WriteFile(filepath.Join(folder, "folder"), write("", nil)), "where a folder is")
	require.NoError(t, os.Remove(filepath.Join(folder, "folder")))
	alone("another")
}
