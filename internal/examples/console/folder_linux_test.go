package console

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Nobody can write there, root included, whatever its permission bits say.
func TestFolderThatIsNotForFiles(t *testing.T) {
	assert.ErrorContains(t, Folder("/proc"), `cannot write to the output folder "/proc"`)
}
