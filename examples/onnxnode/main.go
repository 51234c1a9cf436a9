// Command onnxnode runs an ONNX model: it builds the model into a Gorgonia graph,
// with the operators of packages onnx and builders, prints the graph's nodes with
// their shapes, runs it on a TapeMachine, and prints the outputs. Inputs are files that
// numpy.save has written, NAME.npy, or tensors as ONNX's own tests have them, in the order
// of the model's inputs without its initializers.
//
//	go run ./examples/onnxnode MODEL.onnx INPUT.npy…
//	go run ./examples/onnxnode -expect output_0.pb -dot graph.dot MODEL.onnx INPUT.pb…
//
// With -expect, once for each output, the outputs must be those of the files. A
// model may ask for any amount of memory, however small its file is: -max-bytes
// bounds what its values take, and Ctrl-C ends the program at any moment. A small
// model to try it on:
//
//	cd onnx/testdata
//	go run ../../examples/onnxnode -expect embedded.pb embedding.onnx words.pb
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pkg/errors"
	"gorgonia.org/gorgonia"
	"gorgonia.org/gorgonia/encoding/dot"
	"gorgonia.org/tensor"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gather/onnx"
	"gorgonia.org/gather/onnx/builders"
)

const name = "onnxnode"

func main() { console.Main(run) }

// settings are what the command line says.
type settings struct {
	model  string
	inputs []string
	expect []string
	dot    string
	limit  int64
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		usage(stdout)
		return console.OK
	}
	if err == nil {
		err = interruptible(ctx, stdout, s.run)
	}
	var wrong usageError
	if errors.As(err, &wrong) {
		fmt.Fprintf(stderr, "%s: %v (-h shows the usage)\n", name, err)
		return console.Usage
	}
	if err != nil {
		return console.Fail(stderr, name, err)
	}
	return console.OK
}

// A usageError is a mistake on the command line.
type usageError struct{ error }

func flags(s *settings) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Int64Var(&s.limit, "max-bytes", 16<<30, "memory that the model may take, in bytes: for its file, and for its values")
	f.StringVar(&s.dot, "dot", "", "file to write the graph to, in the DOT language of Graphviz")
	f.Func("expect", "tensor file with an expected output; once for each of the model's outputs, in order", func(path string) error {
		s.expect = append(s.expect, path)
		return nil
	})
	return f
}

func usage(w io.Writer) {
	f := flags(&settings{})
	fmt.Fprintf(w, "usage: %s [flags] MODEL.onnx INPUT…\n\nRuns an ONNX model on tensors from files, .npy or .pb, one for each of its inputs,\nand prints the outputs or compares them with -expect.\n\n", name)
	console.PrintFlags(w, f)
}

func parse(args []string) (settings, error) {
	var s settings
	f := flags(&s)
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return s, err
		}
		return s, usageError{err}
	}
	if f.NArg() == 0 {
		return s, usageError{errors.New("no model given")}
	}
	if err := console.AtLeast("max-bytes", s.limit, 1); err != nil {
		return s, usageError{err}
	}
	s.model, s.inputs = f.Arg(0), f.Args()[1:]
	return s, nil
}

func (s settings) run(w io.Writer) error {
	model, err := s.readModel()
	if err != nil {
		return err
	}
	declared := model.Inputs()
	if len(s.inputs) != len(declared) {
		return supported(model, s.model, usageError{errors.Errorf("%s takes %d input(s) (%s), %d given",
			s.model, len(declared), join(declared), len(s.inputs))})
	}
	if n := len(model.Outputs()); len(s.expect) != 0 && len(s.expect) != n {
		return usageError{errors.Errorf("%s has %d outputs, expected ones are given for %d", s.model, n, len(s.expect))}
	}
	var inputs []*tensor.Dense
	for i, path := range s.inputs {
		in, err := s.readTensor(path)
		if err != nil {
			return err
		}
		if err := model.SetInputShape(declared[i].Name, in.Shape()...); err != nil {
			return supported(model, s.model, errors.WithMessage(err, path))
		}
		inputs = append(inputs, in)
	}
	g := gorgonia.NewGraph()
	built, err := model.Build(g, builders.All())
	if err != nil {
		return errors.WithMessage(err, s.model)
	}
	for i, in := range inputs {
		if err := built.Let(declared[i].Name, in); err != nil {
			return errors.WithMessage(err, s.inputs[i])
		}
	}
	printGraph(w, s.model, model.Opset(), g, built)
	// Before the run: where that fails, the picture helps most.
	if s.dot != "" {
		if err := writeDot(s.dot, g); err != nil {
			return err
		}
	}
	machine := gorgonia.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		return plain(err)
	}
	return s.report(w, built)
}

// supported is err, unless the model cannot be built whatever its inputs are:
// that is the better thing to say.
func supported(model *onnx.Model, path string, err error) error {
	var lacking *onnx.UnsupportedError
	if _, other := model.Build(gorgonia.NewGraph(), builders.All()); errors.As(other, &lacking) {
		return errors.WithMessage(other, path)
	}
	return err
}

// join lists values in one line, and of thousands the first ones.
func join(values []onnx.Value) string {
	const enough = 500 // bytes
	text := ""
	for i, v := range values {
		if i > 0 {
			text += "; "
		}
		if len(text) > enough {
			return text + "…"
		}
		text += v.String()
	}
	return text
}

// readModel reads the model within the limit, and the files beside it in which it keeps
// data, unless it comes from a pipe.
func (s settings) readModel() (*onnx.Model, error) {
	if info, err := os.Stat(s.model); err == nil && info.Mode().IsRegular() {
		return onnx.ReadModelFile(s.model, onnx.WithMaxBytes(s.limit))
	}
	return readFile(s.model, func(r io.Reader) (*onnx.Model, error) { return onnx.ReadModel(r, onnx.WithMaxBytes(s.limit)) })
}

// readTensor reads a tensor within the limit.
func (s settings) readTensor(path string) (*tensor.Dense, error) {
	return readFile(path, func(r io.Reader) (*tensor.Dense, error) {
		if filepath.Ext(path) == ".npy" {
			return dense.ReadNpy(bufio.NewReader(r), dense.WithMaxBytes(s.limit))
		}
		return onnx.ReadTensor(r, onnx.WithMaxBytes(s.limit))
	})
}

// report prints the outputs, and compares them with the expected ones.
func (s settings) report(w io.Writer, built *onnx.Graph) error {
	fmt.Fprintln(w, "\noutputs:")
	for i, out := range built.Outputs {
		got, err := built.Value(out.Name)
		if err != nil {
			return err
		}
		printTensor(w, out.Name, got)
		if i >= len(s.expect) {
			continue
		}
		want, err := s.readTensor(s.expect[i])
		if err != nil {
			return err
		}
		if err := compare(got, want); err != nil {
			return errors.WithMessagef(err, "output %s is not that of %s", out.Name, s.expect[i])
		}
		fmt.Fprintf(w, "  as expected by %s\n", s.expect[i])
	}
	return nil
}

// readFile opens a file and reads it.
func readFile[T any](path string, read func(io.Reader) (T, error)) (T, error) {
	f, err := os.Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	v, err := read(f)
	return v, errors.WithMessage(err, path)
}

func writeDot(path string, g *gorgonia.ExprGraph) error {
	b, err := dot.Marshal(g)
	if err != nil {
		return errors.Wrap(err, "DOT")
	}
	return os.WriteFile(path, b, 0o644)
}
