// Command benchmarks measures package dense beside other implementations of the
// same operators. README.md says how.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/pkg/errors"
	ort "github.com/yalue/onnxruntime_go"
	"gorgonia.org/gather/benchmarks/internal/onnxruntime"
	"gorgonia.org/gather/benchmarks/peers"
)

func main() {
	// After the first Ctrl-C the signal has its usual effect again.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	match, group, threads, library string
	torch, openvino, noasm         string
	without, assembly, source      string
	json, markdown, svg, from, tmp string
	rounds, runs                   int
	list, scaling, serve, resume   bool
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("benchmarks", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&s.match, "case", "", "only the cases whose name or group contains this")
	f.StringVar(&s.group, "group", "", "only the cases of these groups, with commas between; \""+Published+"\" and \""+Wider+"\" are known as well")
	f.IntVar(&s.rounds, "rounds", 11, "samples of each runner in each case")
	f.IntVar(&s.runs, "runs", 5, "runs of the cases that the fastest peer does in less than twice our time")
	f.StringVar(&s.threads, "threads", "1,2", "numbers of threads")
	f.StringVar(&s.library, "onnxruntime", os.Getenv("ONNXRUNTIME_LIB"), "shared library of ONNX Runtime")
	f.StringVar(&s.torch, "torch", "", "Python interpreter that has PyTorch")
	f.StringVar(&s.openvino, "openvino", "", "Python interpreter that has OpenVINO")
	f.StringVar(&s.noasm, "noasm", "", "this program built with -tags noasm, to be compared with")
	f.StringVar(&s.without, "without", "", "measure what these families of assembly bring, with commas between, or all of them: \"all\"")
	f.StringVar(&s.assembly, "assembly", "avx2", "implementation that -without takes the families out of")
	f.StringVar(&s.source, "source", "..", "folder of the library, for the lines of assembly of -without")
	f.StringVar(&s.json, "json", "", "file for the report as JSON")
	f.StringVar(&s.markdown, "markdown", "", "file for the tables as Markdown")
	f.StringVar(&s.svg, "svg", "", "file for the chart of the means; those of the groups go beside it, and all as PNG, too")
	f.StringVar(&s.from, "from", "", "measure nothing, read the reports that -json wrote to these files, with commas between")
	f.StringVar(&s.tmp, "tmp", os.TempDir(), "folder for tensors on their way to other processes, 1 GB at most")
	f.BoolVar(&s.resume, "resume", false, "go on with the run whose report -json names, if it was interrupted")
	f.BoolVar(&s.list, "list", false, "print the names of the cases")
	f.BoolVar(&s.scaling, "scaling", false, "measure time against size instead of the cases")
	f.BoolVar(&s.serve, "serve", false, "run cases for another process, see -noasm")
	err := f.Parse(args)
	switch {
	case err != nil:
		// The flag set has said why.
		return s, flag.ErrHelp
	case f.NArg() > 0:
		return s, errors.Errorf("no argument is known, %q is too many", f.Arg(0))
	case s.rounds < 1:
		return s, errors.Errorf("-rounds %d, at least 1 is needed", s.rounds)
	case s.resume && s.json == "":
		return s, errors.New("-resume needs the report's name, -json")
	case s.runs < 1:
		return s, errors.Errorf("-runs %d, at least 1 is needed", s.runs)
	}
	return s, nil
}

func (s settings) threadCounts() ([]int, error) {
	var all []int
	for _, field := range strings.Split(s.threads, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return nil, errors.Errorf("-threads %s: %q is no number of threads", s.threads, field)
		}
		all = append(all, n)
	}
	return all, nil
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	switch {
	case s.serve:
		return serve(stdin, stdout)
	case s.list:
		some, err := selected(s.group, s.match)
		list(some, stdout)
		return err
	case s.without != "":
		return s.measureWithout(ctx, stdout, stderr)
	case s.from != "" && s.scaling:
		r, err := loadScaling(s.from)
		if err != nil {
			return err
		}
		return s.outputScaling(r, stdout)
	case s.from != "":
		r, err := loadReports(strings.Split(s.from, ","))
		if err != nil {
			return err
		}
		return s.output(r, stdout)
	}
	return s.measure(ctx, stdout, stderr)
}

// measure starts what takes part, and measures.
func (s settings) measure(ctx context.Context, stdout, stderr io.Writer) (err error) {
	b := &Bench{rounds: s.rounds, runs: s.runs, progress: stderr}
	if b.threads, err = s.threadCounts(); err != nil {
		return err
	}
	if s.library != "" {
		if err := onnxruntime.Start(s.library); err != nil {
			return err
		}
		b.onnxRuntime = true
	}
	if s.scaling {
		r, err := b.scale(ctx)
		if err != nil {
			return err
		}
		s.stamp(&r.Machine)
		return s.outputScaling(r, stdout)
	}
	some, err := selected(s.group, s.match)
	if err != nil {
		return err
	}
	if s.resume {
		// There is none yet in the first of several pieces of a run.
		if _, e := os.Stat(s.json); e == nil {
			if b.before, err = loadReports([]string{s.json}); err != nil {
				return err
			}
		}
	}
	if b.dir, err = os.MkdirTemp(s.tmp, "benchmarks-"); err != nil {
		return errors.Wrap(err, "tensors for other processes")
	}
	defer func() {
		if e := os.RemoveAll(b.dir); err == nil {
			err = errors.Wrap(e, "tensors for other processes")
		}
	}()
	defer func() {
		for _, r := range b.remotes {
			if e := r.Stop(); err == nil {
				err = e
			}
		}
	}()
	if err := s.startRemotes(b); err != nil {
		return err
	}
	r, err := b.run(ctx, some)
	if err != nil && len(r.Results) == 0 {
		return err
	}
	// Who interrupts a long run, or meets an error in it, gets what it has found out so far.
	s.stamp(&r.Machine)
	if e := s.output(r, stdout); err == nil {
		err = e
	}
	return err
}

// stamp adds the version that only the loaded library knows.
func (s settings) stamp(m *Machine) {
	if s.library != "" {
		m.Versions[ONNXRuntime] = ort.GetVersion()
	}
}

func (s settings) startRemotes(b *Bench) error {
	script, err := peers.Write(b.dir)
	if err != nil {
		return err
	}
	for _, x := range []struct {
		name, program string
		files         bool
		args          []string
	}{
		{OursNoasm, s.noasm, false, []string{"-serve"}},
		{PyTorch, s.torch, true, []string{script, "torch"}},
		{OpenVINO, s.openvino, true, []string{script, "openvino"}},
	} {
		if x.program == "" {
			continue
		}
		r, err := startRemote(x.name, x.files, append([]string{x.program}, x.args...)...)
		if err != nil {
			return err
		}
		b.remotes = append(b.remotes, r)
	}
	return nil
}

// output prints and writes a report.
func (s settings) output(r *Report, stdout io.Writer) error {
	r.print(stdout, false)
	if s.json != "" {
		if err := r.save(s.json); err != nil {
			return err
		}
	}
	if s.markdown != "" {
		var text strings.Builder
		r.print(&text, true)
		if err := os.WriteFile(s.markdown, []byte(text.String()), 0o644); err != nil {
			return errors.Wrap(err, "tables")
		}
	}
	if s.svg != "" {
		return drawCharts(r, s.svg)
	}
	return nil
}
