package main

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/pkg/errors"
)

// interruptible does the work, and stops waiting for it when the context ends.
// Reading a pipe and running a machine cannot be interrupted: what is under way
// goes on until the process ends, which is what main does next, and writes nothing
// any more.
func interruptible(ctx context.Context, stdout io.Writer, work func(io.Writer) error) error {
	out := &gate{w: stdout}
	done := make(chan error, 1)
	go func() { done <- work(out) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		out.closed.Store(true)
		return errors.New("interrupted")
	}
}

// A gate is a writer that can be closed while another goroutine writes. Closing it
// does not wait for that: a pipe may be full.
type gate struct {
	w      io.Writer
	closed atomic.Bool
}

// Write writes, unless the gate is closed.
func (g *gate) Write(p []byte) (int, error) {
	if g.closed.Load() {
		return 0, io.ErrClosedPipe
	}
	return g.w.Write(p)
}
