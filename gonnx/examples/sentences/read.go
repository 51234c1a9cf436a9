package main

import (
	"bufio"
	_ "embed"
	"io"
	"os"
	"strings"

	"github.com/pkg/errors"
)

// shipped is what the program embeds when it is given nothing else.
//
//go:embed sentences.txt
var shipped string

// maxLine is the longest line that is taken, in bytes: a file that is no text may be
// one line as large as itself.
const maxLine = 1 << 20

// readSentences reads one sentence a line, and counts the lines without any. The name
// is that of a file, - for standard input, or empty for the shipped ones.
func readSentences(name string, stdin io.Reader) (all []*sentence, empty int, err error) {
	var r io.Reader
	switch name {
	case "":
		r = strings.NewReader(shipped)
	case "-":
		r, name = stdin, "standard input"
	default:
		f, err := os.Open(name)
		if err != nil {
			return nil, 0, errors.Wrap(err, "reading sentences")
		}
		defer f.Close()
		r = f
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 1
	for ; lines.Scan(); n++ {
		// Editors of Windows begin a file with a byte order mark.
		text := strings.TrimSpace(strings.TrimPrefix(strings.ToValidUTF8(lines.Text(), "\ufffd"), "\ufeff"))
		if text == "" {
			empty++
			continue
		}
		all = append(all, &sentence{line: n, text: text})
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, 0, errors.Errorf("%s: line %d is longer than %d bytes", name, n, maxLine)
	}
	if lines.Err() != nil {
		return nil, 0, errors.Wrap(lines.Err(), "reading sentences")
	}
	if len(all) == 0 {
		return nil, 0, errors.Errorf("%s has no sentences, one a line is needed", name)
	}
	return all, empty, nil
}
