package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress shows how far the work is: as a bar of less than 40 columns where the
// output is a terminal, and not at all in files and pipes.
type progress struct {
	out io.Writer
	bar *progressbar.ProgressBar // nil where the output is no terminal
}

func newProgress(out io.Writer, total int) *progress {
	f, isFile := out.(*os.File)
	return progressOn(out, total, isFile && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb")
}

func progressOn(out io.Writer, total int, terminal bool) *progress {
	p := &progress{out: out}
	if terminal {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(8),
			progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetTheme(progressbar.ThemeASCII),
			progressbar.OptionSetElapsedTime(false))
	}
	return p
}

// step says that n more are done.
func (p *progress) step(n int) {
	if p.bar != nil {
		// It fails when the terminal has gone away, which is no reason to stop.
		_ = p.bar.Add(n)
	}
}

// finish ends the line of the bar, wherever it stands.
func (p *progress) finish() {
	if p.bar != nil {
		fmt.Fprintln(p.out)
	}
}
