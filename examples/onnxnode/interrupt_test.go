//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gorgonia.org/gather/internal/examples/console"
)

// pipe is a model that never comes: to open it blocks until somebody writes.
func pipe(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "pipe.onnx")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	// Whoever is left waiting may go on when the test ends.
	t.Cleanup(func() {
		if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
			f.Close()
		}
	})
	return path
}

// The end of the context ends the program, whatever it waits for.
func TestInterrupt(t *testing.T) {
	for name, args := range map[string][]string{
		"a model":  {pipe(t)},
		"an input": {data("embedding.onnx"), pipe(t)},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			var out, complaint bytes.Buffer
			status := make(chan int)
			go func() { status <- run(ctx, args, &out, &complaint) }()
			select {
			case s := <-status:
				t.Fatalf("it ended with status %d before the interrupt: %s", s, &complaint)
			case <-time.After(50 * time.Millisecond):
			}
			cancel()
			select {
			case s := <-status:
				assert.Equal(t, console.Failed, s)
				assert.Equal(t, "onnxnode: interrupted\n", complaint.String())
			case <-time.After(time.Minute):
				t.Fatal("it goes on")
			}
		})
	}
}

// TestMain is the program itself in a process that a test has started.
func TestMain(m *testing.M) {
	if os.Getenv("ONNXNODE_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// The first Ctrl-C ends the process.
func TestCtrlC(t *testing.T) {
	path := pipe(t)
	c := exec.Command(os.Args[0], path)
	c.Env = append(os.Environ(), "ONNXNODE_MAIN=1")
	var complaint bytes.Buffer
	c.Stderr = &complaint
	require.NoError(t, c.Start())
	// To open the pipe for writing waits until the program opens it for reading.
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, c.Process.Signal(os.Interrupt))
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case <-done:
		assert.Equal(t, console.Failed, c.ProcessState.ExitCode())
		assert.Equal(t, "onnxnode: interrupted\n", complaint.String())
	case <-time.After(time.Minute):
		_ = c.Process.Kill()
		t.Fatal("it goes on")
	}
}
