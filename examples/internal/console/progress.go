package console

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// plainLines is how often a log file hears of the work: often enough to see it
// move, seldom enough to read.
const plainLines = 20

// Progress shows how far a loop of known length has come, how it is doing and
// how long it will still take: as a bar that redraws itself when the output is
// a terminal, as about twenty plain lines otherwise.
type Progress struct {
	out         io.Writer
	total, done int
	bar         *progressbar.ProgressBar // nil when the output is no terminal
	start       time.Time
	now         func() time.Time // a test's clock
}

// NewProgress starts the clock. total is the number of calls of Step to come,
// at least 1.
func NewProgress(out io.Writer, total int) *Progress {
	return newProgress(out, total, isTerminal(out), time.Now)
}

func newProgress(out io.Writer, total int, terminal bool, now func() time.Time) *Progress {
	p := &Progress{out: out, total: total, start: now(), now: now}
	if terminal {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetWidth(20),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetTheme(progressbar.ThemeASCII),
			// The bar's own times read [12s:48s]; Step spells out what they are.
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionShowDescriptionAtLineEnd())
	}
	return p
}

// Step says that one more part is done. status, such as "loss 2.10", is what
// the reader wants to see change; 40 characters of it fit on a terminal.
func (p *Progress) Step(status string) {
	before := p.done * plainLines / p.total
	p.done++
	spent := p.now().Sub(p.start)
	left := time.Duration(float64(spent) / float64(p.done) * float64(p.total-p.done)).Round(time.Second)
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("%s, %s left", status, left))
		// It fails when it is stepped past its end or the terminal has gone
		// away, and neither is a reason to stop the work.
		_ = p.bar.Add(1)
		return
	}
	if p.done == 1 || p.done*plainLines/p.total > before {
		fmt.Fprintf(p.out, "%3d%%  %s, %s spent, %s left\n",
			p.done*100/p.total, status, spent.Round(time.Second), left)
	}
}

// Finish ends the line of the bar, wherever it stands: the work may have
// stopped early.
func (p *Progress) Finish() {
	if p.bar != nil {
		fmt.Fprintln(p.out)
	}
}

// isTerminal is false for files, pipes, test buffers, and terminals that say
// they cannot move the cursor.
func isTerminal(out io.Writer) bool {
	f, isFile := out.(*os.File)
	return isFile && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}
