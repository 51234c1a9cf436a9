// Package screen tells how much of a text fits the line of a terminal, for the
// progress of examples and benchmarks.
package screen

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

const (
	// ShortestBar is the length of the shortest bar to draw.
	ShortestBar = 4
	// BesidesBar is what stands beside a bar and its text: the percentage, the bar's
	// ends, blanks, and the last column, since a terminal breaks the line when that is
	// written to.
	BesidesBar = len(" 100% ") + len("[]") + len("  ") + len(" ") + 1
	// Narrowest is the width from which on a bar is drawn: no text fits beside one in
	// a narrower terminal, which is treated as a log file.
	Narrowest = 20
)

// Width is the width of the terminal. It is 0 for files, pipes, test buffers, and
// terminals that say they cannot move the cursor or do not know their width.
func Width(out io.Writer) int {
	f, isFile := out.(*os.File)
	if !isFile || os.Getenv("TERM") == "dumb" {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Fit is as much of the status and the time left as the columns hold. Where not all
// of it fits, the last of the status is what matters.
func Fit(columns int, status []string, left string) string {
	last := status[len(status)-1:]
	for _, parts := range [][]string{append(status[:len(status):len(status)], left), {last[0], left}, last, {left}} {
		if text := strings.Join(parts, ", "); utf8.RuneCountInString(text) <= columns {
			return text
		}
	}
	return ""
}
