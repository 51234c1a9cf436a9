package screen

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFit(t *testing.T) {
	status := []string{"epoch 3 of 20", "größe 2"}
	for columns, want := range map[int]string{
		100: "epoch 3 of 20, größe 2, 4s left", 31: "epoch 3 of 20, größe 2, 4s left",
		30: "größe 2, 4s left", 16: "größe 2, 4s left",
		15: "größe 2", 7: "größe 2",
		6: "", -5: "",
	} {
		assert.Equal(t, want, Fit(columns, status, "4s left"), columns)
	}
	assert.Equal(t, "1s left", Fit(7, []string{"longer than that"}, "1s left"))
	assert.Len(t, status, 2, "not written over")
}

func TestWidthOfNoTerminal(t *testing.T) {
	assert.Zero(t, Width(new(bytes.Buffer)))
	assert.Zero(t, Width((*os.File)(nil)))
	f, err := os.CreateTemp(t.TempDir(), "")
	assert.NoError(t, err)
	defer f.Close()
	assert.Zero(t, Width(f))
	t.Setenv("TERM", "dumb")
	assert.Zero(t, Width(os.Stdout))
}
