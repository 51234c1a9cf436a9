package console

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pkg/errors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJob(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	taken := os.MkdirAll(file, 0o755)
	require.Error(t, taken)
	cases := []struct {
		name           string
		args           []string
		status         int
		stderr         string
		folder, worked bool
	}{
		{"it works", nil, OK, "", true, true},
		{"a wrong flag makes no folder", []string{"-epochs=0"}, Usage,
			"demo: flag -epochs: 0 is not allowed, the least is 1 (-h lists the flags)\n", false, false},
		{"help makes none either", []string{"-h"}, OK, "", false, false},
		{"work that fails", []string{"-epochs=13"}, Failed, "demo: unlucky\n", true, true},
		{"without a folder it does not begin", []string{"-out=" + file}, Failed,
			fmt.Sprintf("demo: cannot make the output folder %q: %v\n", file, taken), false, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "out")
			flags := flag.NewFlagSet("demo", flag.ContinueOnError)
			epochs := flags.Int("epochs", 20, "passes over the data")
			out := flags.String("out", folder, "folder")
			worked := false
			var stdout, stderr bytes.Buffer
			status := Job{
				Flags: flags,
				Check: func() error { return AtLeast("epochs", *epochs, 1) },
				Out:   out,
				Work: func() error {
					worked = true
					if *epochs == 13 {
						return errors.New("unlucky")
					}
					return nil
				},
			}.Run(c.args, &stdout, &stderr)
			assert.Equal(t, c.status, status)
			assert.Equal(t, c.stderr, stderr.String())
			assert.Equal(t, c.worked, worked)
			if c.folder {
				assert.DirExists(t, folder)
			} else {
				assert.NoDirExists(t, folder)
			}
		})
	}
}
