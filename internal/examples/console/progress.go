package console

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"gorgonia.org/gather/internal/screen"
)

const (
	// plainLines is the number of lines in a log file, plainColumns their width.
	plainLines   = 20
	plainColumns = 40

	// redraw is the time between two pictures of the bar.
	redraw = 100 * time.Millisecond
)

// Progress shows how far a loop of known length has come, its status and the time
// left: as a bar that is redrawn, as wide as the terminal, or as about twenty lines
// of at most 40 columns where the output is no terminal.
type Progress struct {
	out         io.Writer
	total, done int
	bar         *progressbar.ProgressBar // nil when the output is no terminal
	columns     func() int               // of the terminal, which may change; 0 without one
	start       time.Time
	drawn       time.Time        // when the bar was
	now         func() time.Time // a test's clock
}

// NewProgress starts the clock. total is the number of calls of Step to come,
// at least 1.
func NewProgress(out io.Writer, total int) *Progress {
	return newProgress(out, total, func() int { return screen.Width(out) }, time.Now)
}

func newProgress(out io.Writer, total int, columns func() int, now func() time.Time) *Progress {
	p := &Progress{out: out, total: total, columns: columns, start: now(), now: now}
	if columns() >= screen.Narrowest {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(out),
			progressbar.OptionFullWidth(),
			progressbar.OptionUseANSICodes(true), // every line has the full width: none to clear
			progressbar.OptionSetTheme(progressbar.ThemeASCII),
			// The bar's own times read [12s:48s]; Step spells out what they are.
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionShowDescriptionAtLineEnd())
	}
	return p
}

// Step says that one more part is done. status is what changes, such as
// "epoch 3/20", "loss 2.100"; where not all of it fits, the last one is shown.
func (p *Progress) Step(status ...string) {
	before := p.done * plainLines / p.total
	p.done++
	now := p.now()
	spent := now.Sub(p.start)
	left := time.Duration(float64(spent) / float64(p.done) * float64(p.total-p.done)).Round(time.Second)
	remaining := fmt.Sprintf("%s left", left)
	switch {
	case p.bar == nil && (p.done == 1 || p.done*plainLines/p.total > before):
		percent := fmt.Sprintf("%3d%% ", p.done*100/p.total)
		fmt.Fprintln(p.out, percent+screen.Fit(plainColumns-len(percent), status, remaining))
	case p.bar != nil && (p.done == p.total || now.Sub(p.drawn) >= redraw):
		p.drawn = now
		p.bar.Describe(screen.Fit(p.columns()-screen.BesidesBar-screen.ShortestBar, status, remaining))
		// It fails when it is stepped past its end or the terminal has gone
		// away, and neither is a reason to stop the work.
		_ = p.bar.Set(p.done)
		// Where the line begins it is blank, and there the terminal may write the
		// ^C of whoever stops the work: at its end that would break the line.
		fmt.Fprint(p.out, "\r")
	}
}

// Finish ends the line of the bar, wherever it stands: the work may have
// stopped early.
func (p *Progress) Finish() {
	if p.bar != nil {
		fmt.Fprintln(p.out)
	}
}
