package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"gorgonia.org/gather/internal/screen"
)

// The bar fits the line of every terminal, to the column before the last: a line
// that reached the last one would be broken, and the next bar drawn below. It is
// standard error that it is drawn to, so that standard output tells no width.
func TestProgressFitsTheTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for _, columns := range []int{screen.Narrowest, 30, 40, 80, 200} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
			if err != nil {
				t.Skipf("this system has no pseudo-terminals: %v", err)
			}
			defer master.Close()
			require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
			number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
			require.NoError(t, err)
			tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
			require.NoError(t, err)
			defer tty.Close()
			require.NoError(t, unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)}))

			p := newProgress(tty, 3)
			for i := range 3 {
				p.step("GatherElements of a very long name "+strings.Repeat("x", 20*i), "threads 2")
			}
			p.finish()
			_, err = tty.WriteString("\x01") // it may come out in pieces
			require.NoError(t, err)
			var shown []byte
			for buffer := make([]byte, 1<<12); !bytes.HasSuffix(shown, []byte("\x01")); {
				n, err := master.Read(buffer)
				require.NoError(t, err)
				shown = append(shown, buffer[:n]...)
			}
			text := strings.ReplaceAll(strings.TrimSuffix(string(shown), "\x01"), "\x1b[2K", "")
			lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' })
			require.NotEmpty(t, lines)
			for _, line := range lines {
				assert.Less(t, utf8.RuneCountInString(line), columns, "%q", line)
				assert.Regexp(t, `^ +\d+% \[.{4,20}\]`, line)
			}
			last := lines[len(lines)-1]
			assert.Contains(t, last, "100% [====")
			if columns >= 40 {
				assert.Contains(t, last, "threads 2, 0s left")
			}
			if columns >= 200 {
				assert.Contains(t, last, "GatherElements of a very long name")
			}
		})
	}
}
