package kernel

import "gorgonia.org/gather/internal/par"

// loopWork is a loop of a call, for package par.
type loopWork struct {
	call *Call
	loop Loop
}

func (w *loopWork) Piece(lo, hi int) int { return w.loop(w.call, lo, hi) }

// Run runs n positions of the loop, each once, in several goroutines if there are
// at least grain positions for each. No two pieces may write to the same memory.
// The result is the least position of a bad index, or -1. Columns go in one piece
// for each goroutine: every piece reads all indices again.
func (c *Call) Run(loop Loop, n, grain int) int {
	c.work = loopWork{c, loop}
	if c.columns {
		return par.RunEven(&c.work, n, grain)
	}
	return par.Run(&c.work, n, grain)
}
