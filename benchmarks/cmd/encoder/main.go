// Command encoder measures a training step of a model that PyTorch exported, an
// encoder of transformer layers, beside PyTorch: forward, cost, and all gradients.
//
//	go run ./cmd/encoder -torch DIR/python/bin/python
//
// In every other step of the library the time is split into that of BLAS and the rest. Built with
// -tags openblas and CGO_LDFLAGS=-lopenblas, BLAS is OpenBLAS instead of Gonum's.
package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"

	"github.com/pkg/errors"

	"gorgonia.org/gather/benchmarks/internal/command"
)

// A Case is the model and its input: batch sequences of length words.
type Case struct {
	Batch      int    `json:"batch"`
	Length     int    `json:"length"`
	Width      int    `json:"width"`
	Heads      int    `json:"heads"`
	Hidden     int    `json:"hidden"`
	Layers     int    `json:"layers"`
	Activation string `json:"activation"`
	Threads    int    `json:"threads"`
}

type settings struct {
	Case
	torch, profile string
	rounds         int
}

func main() {
	command.Exit("encoder", run(os.Args[1:], os.Stdout, os.Stderr))
}

func parse(args []string, stderr io.Writer) (s settings, err error) {
	flags := flag.NewFlagSet("encoder", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.torch, "torch", "", "python with PyTorch, onnx and onnxscript")
	flags.IntVar(&s.rounds, "rounds", 11, "how many steps of each, of which the median counts")
	flags.IntVar(&s.Threads, "threads", 2, "how many threads")
	flags.IntVar(&s.Batch, "batch", 16, "how many sequences")
	flags.IntVar(&s.Length, "length", 64, "how many words each has")
	flags.IntVar(&s.Width, "width", 256, "width of the model")
	flags.IntVar(&s.Heads, "heads", 8, "heads of its attention")
	flags.IntVar(&s.Hidden, "hidden", 1024, "width of its hidden layers")
	flags.IntVar(&s.Layers, "layers", 2, "how many layers")
	flags.StringVar(&s.Activation, "activation", "gelu", "relu or gelu")
	flags.StringVar(&s.profile, "profile", "", "write a profile of the library's steps to this file")
	if err := command.Parse(flags, args); err != nil {
		return s, err
	}
	switch {
	case s.rounds < 1:
		return s, errors.Errorf("flag -rounds: %d, at least 1 is needed", s.rounds)
	case s.torch == "":
		return s, errors.New("flag -torch is needed: PyTorch makes the model")
	}
	return s, nil
}

func run(args []string, stdout, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(s.Threads)
	dir, err := os.MkdirTemp("", "encoder")
	if err != nil {
		return errors.WithStack(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	peer, err := startPyTorch(s, filepath.Join(dir, "encoder.onnx"))
	if err != nil {
		return err
	}
	defer func() { _ = peer.Stop() }()
	ours, err := newStep(peer.file, s.Case)
	if err != nil {
		return err
	}
	defer func() { _ = ours.machine.Close() }()
	if err := ours.agrees(peer.hello); err != nil {
		return err
	}
	if s.profile != "" {
		f, err := os.Create(s.profile)
		if err != nil {
			return errors.WithStack(err)
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return errors.WithStack(err)
		}
		defer pprof.StopCPUProfile()
	}
	var r report
	for range s.rounds {
		if err := r.add(ours, peer); err != nil {
			return err
		}
	}
	return r.print(stdout, s.Case, peer.hello.Version)
}
