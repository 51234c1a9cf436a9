package console

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"gorgonia.org/gather/internal/screen"
)

// terminal opens a pseudo-terminal: what is written to tty can be read from
// master.
func terminal(t *testing.T, columns int) (master, tty *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this system has no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { tty.Close() })
	resize(t, master, columns)
	return master, tty
}

func resize(t *testing.T, master *os.File, columns int) {
	t.Helper()
	require.NoError(t, unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)}))
}

// lines reads what was written, as the lines that stood on the master one after
// the other. What a terminal is given may come out of it in pieces, and later: a
// mark behind it tells where it ends.
func lines(t *testing.T, master, tty *os.File) []string {
	t.Helper()
	const mark = "\x01"
	_, err := tty.WriteString(mark)
	require.NoError(t, err)
	var shown []byte
	for buffer := make([]byte, 1<<12); !bytes.HasSuffix(shown, []byte(mark)); {
		n, err := master.Read(buffer)
		require.NoError(t, err)
		shown = append(shown, buffer[:n]...)
	}
	return strings.FieldsFunc(strings.TrimSuffix(string(shown), mark), func(r rune) bool { return r == '\r' || r == '\n' })
}

// The bar fits the line of every terminal, to the column before the last: a
// line that reached the last one would be broken, and the next bar drawn below.
func TestProgressFitsTheTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	for _, columns := range []int{screen.Narrowest, 30, 40, 60, 80, 200} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			master, tty := terminal(t, columns)
			os.Stdout = tty // the bar asks it for its width
			now := clock()
			p := newProgress(tty, 5, func() int { return screen.Width(tty) }, now)
			for i := range 5 {
				p.Step(fmt.Sprintf("epoch %d of 20", 8+i), "loss 2.436")
			}
			p.Finish()
			shown := lines(t, master, tty)
			require.NotEmpty(t, shown)
			for _, line := range shown {
				assert.Equal(t, columns-1, utf8.RuneCountInString(line), "%q", line)
				assert.Regexp(t, `^ +\d+% \[.{4,}\] `, line, "with a bar in any width")
			}
			last := shown[len(shown)-1]
			assert.Contains(t, last, "100% [====")
			if columns >= 40 {
				assert.Contains(t, last, "loss 2.436, 0s left")
			}
			if columns >= 60 {
				assert.Contains(t, last, "epoch 12 of 20, loss 2.436")
			}
		})
	}
}

func TestProgressFollowsTheTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	master, tty := terminal(t, 80)
	os.Stdout = tty
	p := NewProgress(tty, 3)
	for _, columns := range []int{80, 40, 100} {
		resize(t, master, columns)
		p.drawn = time.Time{}
		p.Step("epoch 1 of 20", "loss 2.436")
		for _, line := range lines(t, master, tty) {
			assert.Equal(t, columns-1, utf8.RuneCountInString(line), "%q", line)
		}
	}
}

func TestATerminalThatDoesNotKnowItsWidth(t *testing.T) {
	t.Setenv("TERM", "xterm")
	_, tty := terminal(t, 0)
	assert.Nil(t, NewProgress(tty, 5).bar)
}

func TestDumbTerminal(t *testing.T) {
	t.Setenv("TERM", "dumb")
	_, tty := terminal(t, 80)
	assert.Nil(t, NewProgress(tty, 5).bar)
}
