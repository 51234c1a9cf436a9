package console

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/screen"
)

// clock is a time that moves one second each time it is asked.
func clock() func() time.Time {
	t := time.Unix(0, 0)
	return func() time.Time { t = t.Add(time.Second); return t }
}

// wide is the width of a terminal, or 0 for something else.
func wide(columns int) func() int { return func() int { return columns } }

func TestProgressPlain(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, 40, wide(0), clock())
	for range 40 {
		p.Step("epoch 1/1", "loss 2.50")
	}
	p.Finish()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	assert.Len(t, lines, plainLines+1, "the first step, then one line in twenty")
	assert.Equal(t, "  2% epoch 1/1, loss 2.50, 39s left", lines[0])
	assert.Equal(t, " 50% epoch 1/1, loss 2.50, 20s left", lines[10])
	assert.Equal(t, "100% epoch 1/1, loss 2.50, 0s left", lines[20])
}

// A line without a terminal fits 40 columns: the last of a long status is kept.
func TestProgressPlainFits(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, 4, wide(0), clock())
	p.Step("epoch 12/20", "loss 2.436")
	p.Step("a status as long as no line is", "loss 2.436")
	assert.Equal(t, " 25% epoch 12/20, loss 2.436, 3s left\n 50% loss 2.436, 2s left\n", out.String())
}

func TestProgressPlainShortLoop(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, 3, wide(0), clock())
	for range 3 {
		p.Step("loss 2.50")
	}
	assert.Equal(t, 3, strings.Count(out.String(), "\n"), "fewer steps than lines: one each")
}

func TestProgressTinyTerminal(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, 3, wide(screen.Narrowest-1), clock())
	p.Step("loss 2.50")
	p.Finish()
	assert.Equal(t, " 33% loss 2.50, 2s left\n", out.String(), "lines, which may be broken, and no bar, which may not")
}

func TestProgressBar(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, 4, wide(80), clock())
	p.Step("loss 2.50")
	p.Step("loss 2.25")
	p.Finish()
	assert.Contains(t, out.String(), "loss 2.50, 3s left")
	assert.True(t, strings.HasSuffix(out.String(), "\n"), "stopped early, the line is ended all the same")
	assert.True(t, strings.HasSuffix(out.String(), "\r\n"), "with the cursor where the line begins")
	assert.Equal(t, 1, strings.Count(out.String(), "\n"), "everything else is redrawn in place")
}

func TestProgressBarIsNotRedrawnAllTheTime(t *testing.T) {
	now := time.Unix(0, 0)
	var out bytes.Buffer
	p := newProgress(&out, 1000, wide(80), func() time.Time { now = now.Add(redraw / 10); return now })
	for range 999 {
		p.Step("loss 2.50")
	}
	drawn := strings.Count(out.String(), "left \r")
	assert.Greater(t, drawn, 90)
	assert.Less(t, drawn, 220, "twice every ten steps: once for the text, once for the bar")
	p.Step("loss 2.25")
	assert.Contains(t, out.String(), " 100% [")
	assert.Contains(t, out.String(), "loss 2.25, 0s left", "the end is shown, however soon it comes")
}

func TestFit(t *testing.T) {
	full := []string{"epoch 12 of 20", "loss 2.436"}
	cases := map[int]string{
		100: "epoch 12 of 20, loss 2.436, 1m12s left",
		38:  "epoch 12 of 20, loss 2.436, 1m12s left",
		37:  "loss 2.436, 1m12s left",
		22:  "loss 2.436, 1m12s left",
		21:  "loss 2.436",
		10:  "loss 2.436",
		9:   "",
		-7:  "",
	}
	for columns, want := range cases {
		assert.Equal(t, want, screen.Fit(columns, full, "1m12s left"), "%d columns", columns)
	}
	assert.Equal(t, "9s left", screen.Fit(9, full, "9s left"), "better than nothing")
	assert.Equal(t, []string{"epoch 12 of 20", "loss 2.436"}, full)
}

func TestNoTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer file.Close()
	assert.Zero(t, screen.Width(file))
	assert.Zero(t, screen.Width(io.Discard))
}
