package console

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// columns is the width that all output fits, but for single words that are longer.
const columns = 80

// List is a heading and items after it, with a separator such as ", " between them. Where
// they do not fit a line of 80 columns, they continue on lines that begin with so many
// blanks.
func List(heading string, items []string, separator string, indent int) string {
	var text strings.Builder
	text.WriteString(heading)
	used := utf8.RuneCountInString(heading)
	last := strings.TrimRight(separator, " ")
	for i, item := range items {
		if i < len(items)-1 {
			item += last
		}
		blank, width := 1, utf8.RuneCountInString(item)
		if i == 0 {
			blank = 0
		}
		switch {
		case i > 0 && used+blank+width > columns:
			text.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		case i > 0:
			text.WriteString(" ")
			used++
		}
		text.WriteString(item)
		used += width
	}
	return text.String()
}

// PrintFlags lists the flags as flag.PrintDefaults does, in lines of 80 columns.
func PrintFlags(out io.Writer, flags *flag.FlagSet) {
	const tab, indent = "    \t", 8
	var list bytes.Buffer
	flags.SetOutput(&list)
	flags.PrintDefaults()
	for line := range strings.Lines(list.String()) {
		if text, described := strings.CutPrefix(line, tab); described {
			blanks := strings.Repeat(" ", indent)
			line = List(blanks, strings.Fields(text), " ", indent) + "\n"
		}
		fmt.Fprint(out, line)
	}
	flags.SetOutput(io.Discard)
}
