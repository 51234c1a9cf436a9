package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"gorgonia.org/gather/internal/screen"
)

// progress shows how far the work has come and how long it will still take: as
// a bar on a terminal, as plain lines elsewhere.
type progress struct {
	out         io.Writer
	total, done int
	bar         *progressbar.ProgressBar // nil when out is no terminal
	width       int                      // of the bar
	columns     func() int               // of the terminal, which may change
	start       time.Time
}

// The bar is as long as the terminal allows, up to longestBar, so that a text of
// roomForText columns stands beside it. Package progressbar could take the whole
// line for it, but asks standard output for its length, which may be a file while
// the bar is drawn to standard error.
const (
	longestBar  = 20
	roomForText = 24
)

func newProgress(out io.Writer, total int) *progress {
	p := &progress{out: out, total: total, start: time.Now(), columns: func() int { return screen.Width(out) }}
	if columns := p.columns(); columns >= screen.Narrowest {
		p.width = min(longestBar, max(screen.ShortestBar, columns-screen.BesidesBar-roomForText))
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(p.width),
			progressbar.OptionUseANSICodes(true), // no blanks to clear a line that has become shorter
			progressbar.OptionSetTheme(progressbar.ThemeASCII),
			// Step spells out what the bar's own times would be.
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionShowDescriptionAtLineEnd())
	}
	return p
}

// step says that a part is done. Of a status that does not fit the terminal its
// last part is shown.
func (p *progress) step(status ...string) {
	p.done++
	spent := time.Since(p.start)
	left := (spent / time.Duration(p.done) * time.Duration(p.total-p.done)).Round(time.Second)
	if p.bar != nil {
		p.bar.Describe(screen.Fit(p.columns()-screen.BesidesBar-p.width, status, fmt.Sprintf("%s left", left)))
		// It fails when the terminal has gone away, no reason to stop.
		_ = p.bar.Add(1)
		return
	}
	fmt.Fprintf(p.out, "%d of %d  %s, %s spent, %s left\n", p.done, p.total, strings.Join(status, ", "), spent.Round(time.Second), left)
}

// finish ends the line of the bar.
func (p *progress) finish() {
	if p.bar != nil {
		fmt.Fprintln(p.out)
	}
}
