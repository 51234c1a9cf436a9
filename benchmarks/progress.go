package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far the work has come and how long it will still take: as
// a bar on a terminal, as plain lines elsewhere.
type progress struct {
	out         io.Writer
	total, done int
	bar         *progressbar.ProgressBar // nil when out is no terminal
	start       time.Time
}

func newProgress(out io.Writer, total int) *progress {
	p := &progress{out: out, total: total, start: time.Now()}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(20),
			progressbar.OptionSetTheme(progressbar.ThemeASCII),
			// Step spells out what the bar's own times would be.
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionShowDescriptionAtLineEnd())
	}
	return p
}

// step says that a part is done.
func (p *progress) step(status string) {
	p.done++
	spent := time.Since(p.start)
	left := (spent / time.Duration(p.done) * time.Duration(p.total-p.done)).Round(time.Second)
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%s, %s left", status, left))
		// It fails when the terminal has gone away, no reason to stop.
		_ = p.bar.Add(1)
		return
	}
	fmt.Fprintf(p.out, "%d of %d  %s, %s spent, %s left\n", p.done, p.total, status, spent.Round(time.Second), left)
}

// finish ends the line of the bar.
func (p *progress) finish() {
	if p.bar != nil {
		fmt.Fprintln(p.out)
	}
}
