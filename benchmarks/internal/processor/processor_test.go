package processor

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpuinfo")
	assert.Equal(t, runtime.GOARCH, name(file))
	require.NoError(t, os.WriteFile(file, []byte("processor\t: 0\nmodel name\t: A CPU: fast\n"), 0o600))
	assert.Equal(t, "A CPU: fast", name(file))
}
