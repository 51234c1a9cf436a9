package console

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	cases := []struct {
		name   string
		args   []string
		status int
		ok     bool
		stdout string // a part of it, "" for none at all
		stderr string // the whole
	}{
		{"defaults", nil, OK, true, "", ""},
		{"a value", []string{"-epochs", "7"}, OK, true, "", ""},
		{"help says what it is for", []string{"-h"}, OK, false, "usage: demo [flags]\n\nDoes things.\n\n", ""},
		{"help lists the flags on stdout", []string{"-h"}, OK, false, "passes over the data", ""},
		{"unknown flag", []string{"-epoch=3"}, Usage, false, "",
			"demo: flag provided but not defined: -epoch (-h lists the flags)\n"},
		{"not a number", []string{"-epochs=many"}, Usage, false, "",
			"demo: invalid value \"many\" for flag -epochs: parse error (-h lists the flags)\n"},
		{"rejected by the check", []string{"-epochs=0"}, Usage, false, "",
			"demo: flag -epochs: 0 is not allowed, the least is 1 (-h lists the flags)\n"},
		{"a word that is no flag", []string{"fast"}, Usage, false, "",
			"demo: unexpected argument \"fast\" (-h lists the flags)\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			flags := flag.NewFlagSet("demo", flag.ContinueOnError)
			epochs := flags.Int("epochs", 20, "passes over the data")
			job := Job{Flags: flags, About: "Does things.", Check: func() error { return AtLeast("epochs", *epochs, 1) }}
			status, ok := job.parse(c.args, &stdout, &stderr)
			assert.Equal(t, c.status, status)
			assert.Equal(t, c.ok, ok)
			assert.Equal(t, c.stderr, stderr.String())
			assert.Contains(t, stdout.String(), c.stdout)
			assert.Equal(t, c.stdout == "", stdout.Len() == 0)
		})
	}
}

func TestChecks(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	assert.Equal(t, first, First(nil, first, second))
	assert.NoError(t, First(nil, nil))

	assert.NoError(t, AtLeast("rate", 0.5, 0))
	assert.NoError(t, Within("rate", 1.0, 0, 1), "both ends are allowed")
	assert.ErrorContains(t, Within("rate", 1.5, 0, 1), "flag -rate: 1.5 is not allowed, it ranges from 0 to 1")
	for _, bad := range []float64{-0.5, math.NaN(), math.Inf(1), math.Inf(-1)} {
		assert.Error(t, AtLeast("rate", bad, 0), "AtLeast %v", bad)
		assert.Error(t, Within("rate", bad, 0, 1), "Within %v", bad)
	}
}

func TestFail(t *testing.T) {
	var stderr bytes.Buffer
	assert.Equal(t, Failed, Fail(&stderr, "demo", errors.New("disk full")))
	assert.Equal(t, "demo: disk full\n", stderr.String())
}

func TestFolder(t *testing.T) {
	t.Run("made with its parents, left empty", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a", "b")
		require.NoError(t, Folder(path))
		entries, err := os.ReadDir(path)
		require.NoError(t, err)
		assert.Empty(t, entries)
	})
	t.Run("what is there stays", func(t *testing.T) {
		path := t.TempDir()
		kept := filepath.Join(path, "kept")
		require.NoError(t, os.WriteFile(kept, []byte("x"), 0o644))
		require.NoError(t, Folder(path))
		assert.FileExists(t, kept)
	})
	// Below a regular file nothing can be made, not even by root, for whom
	// every folder is writable.
	t.Run("below a regular file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, nil, 0o644))
		assert.ErrorContains(t, Folder(filepath.Join(file, "out")), "cannot make the output folder")
		assert.ErrorContains(t, Folder(file), "cannot make the output folder")
	})
}
