//go:build unix

package onnx

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A pipe would be waited for.
func TestReadModelFileOfPipes(t *testing.T) {
	path := outsideModel(t, []message{outsideMessage("w0", "location", "pipe")}, nil)
	pipe := filepath.Join(filepath.Dir(path), "pipe")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	_, err := ReadModelFile(path)
	assert.ErrorContains(t, err, "no regular file")
	_, err = ReadModelFile(pipe)
	assert.ErrorContains(t, err, "no regular file")
}
