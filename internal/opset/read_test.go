package opset

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readerFunc is a reader, and as nil none.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestReadAll(t *testing.T) {
	for _, size := range []int{0, 1, 511, 512, 513, 1024, 1025, 1 << 20, 1<<20 + 3} {
		content := make([]byte, size)
		for i := range content {
			content[i] = byte(i * 7 >> 3)
		}
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		file, err := os.Open(path)
		require.NoError(t, err)
		for name, r := range map[string]io.Reader{
			"bytes":   bytes.NewReader(content),
			"buffer":  bytes.NewBuffer(bytes.Clone(content)),
			"string":  strings.NewReader(string(content)),
			"file":    file,
			"stream":  struct{ io.Reader }{bytes.NewReader(content)},
			"half":    iotest.HalfReader(bytes.NewReader(content)),
			"end":     iotest.DataErrReader(bytes.NewReader(content)),
			"timeout": io.MultiReader(bytes.NewReader(content), bytes.NewReader(nil)),
		} {
			got, err := ReadAll(r, 1<<30)
			require.NoError(t, err, name)
			assert.True(t, bytes.Equal(content, got), "%s of %d bytes", name, size)
		}
		require.NoError(t, file.Close())
		for _, r := range []io.Reader{bytes.NewReader(content), struct{ io.Reader }{bytes.NewReader(content)}} {
			got, err := ReadAll(r, int64(size)/2)
			require.NoError(t, err)
			assert.Len(t, got, min(size, size/2+1), "as much as is allowed, and one byte")
		}
	}
}

// A reader that never ends, gives nothing or lies is an error, and no reader is
// read further than allowed.
func TestReadAllOfBadReaders(t *testing.T) {
	broken := errors.New("cable cut")
	for name, c := range map[string]struct {
		r    io.Reader
		text string
	}{
		"nil":              {nil, "the reader is nil"},
		"nil buffer":       {(*bytes.Buffer)(nil), "the reader is nil (*bytes.Buffer)"},
		"nil bytes":        {(*bytes.Reader)(nil), "the reader is nil"},
		"nil string":       {(*strings.Reader)(nil), "the reader is nil"},
		"nil file":         {(*os.File)(nil), "the reader is nil"},
		"nil func":         {readerFunc(nil), "the reader is nil"},
		"gives nothing":    {readerFunc(func([]byte) (int, error) { return 0, nil }), io.ErrNoProgress.Error()},
		"gives too much":   {readerFunc(func(p []byte) (int, error) { return len(p) + 1, nil }), "bytes into a buffer of"},
		"gives less":       {readerFunc(func([]byte) (int, error) { return -1, nil }), "read -1 bytes"},
		"fails":            {iotest.ErrReader(broken), "cable cut"},
		"fails in between": {io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)), "cable cut"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadAll(c.r, 1<<20)
			assert.ErrorContains(t, err, c.text)
			assert.Nil(t, got)
		})
	}
	given := 0
	endless := readerFunc(func(p []byte) (int, error) { given += len(p); return len(p), nil })
	got, err := ReadAll(endless, 10_000)
	require.NoError(t, err)
	assert.Len(t, got, 10_001)
	assert.Equal(t, 10_001, given)
}

// Reading allocates little more than what there is.
func TestReadAllMemory(t *testing.T) {
	content := make([]byte, 4<<20)
	for name, c := range map[string]struct {
		r     io.Reader
		times float64
	}{
		"of a known length": {bytes.NewReader(content), 1.01},
		"a stream":          {struct{ io.Reader }{bytes.NewReader(content)}, 2.5},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadAll(c.r, 1<<30)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		assert.Less(t, float64(after.TotalAlloc-before.TotalAlloc), c.times*float64(len(content)), name)
	}
}
