// Command sweep measures calls of package dense that are drawn at random, beside the
// loops that a user would write in plain Go.
//
//	go run ./cmd/sweep -twice SEED N
//	go run ./cmd/sweep "Gather float32:2077x15x1 axis=2 int64:1"
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gorgonia.org/gather/benchmarks/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	command.Exit("sweep", run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// settings are what the flags say.
type settings struct {
	only, json, markdown, plot, from string
	torch, library                   string
	list, twice                      bool
	threads, rounds                  int
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags, s := flag.NewFlagSet("sweep", flag.ContinueOnError), settings{}
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "Usage of sweep: [flags] SEED N, or [flags] NAME...")
		flags.PrintDefaults()
	}
	flags.StringVar(&s.only, "only", "", "only calls whose names match this regular `expression`")
	flags.BoolVar(&s.list, "list", false, "print the names of the calls, and measure nothing")
	flags.BoolVar(&s.twice, "twice", false, "measure calls that are over a limit again, and count those that are over it in both runs")
	flags.IntVar(&s.threads, "threads", 2, "measure with this `number` of threads, too")
	flags.IntVar(&s.rounds, "rounds", 13, "so many samples of each side, of which the least counts: on a busy machine more agree better")
	flags.StringVar(&s.torch, "torch", "", "measure PyTorch, too: a Python `interpreter` that has it")
	flags.StringVar(&s.library, "onnxruntime", "", "measure ONNX Runtime, too: its shared `library`")
	flags.StringVar(&s.json, "json", "", "write the times to this `file`")
	flags.StringVar(&s.markdown, "markdown", "", "write the report to this `file` instead of standard output")
	flags.StringVar(&s.plot, "plot", "", "draw the distributions in this `file`, as .svg or .png")
	flags.StringVar(&s.from, "from", "", "measure nothing, and report from these JSON `files`, separated by commas")
	if err := command.ParseFlags(flags, args); err != nil {
		return err
	}
	if s.threads < 1 || s.rounds < 1 {
		return errors.Errorf("flags -threads and -rounds: %d and %d, at least 1 is needed", s.threads, s.rounds)
	}
	if s.from != "" {
		all, err := readReports(strings.Split(s.from, ","))
		if err != nil {
			return err
		}
		return s.output(all, stdout)
	}
	calls, err := s.calls(flags.Args())
	if err != nil {
		return err
	}
	if s.list {
		for _, c := range calls {
			fmt.Fprintln(stdout, c)
		}
		return nil
	}
	r := newReport(s, strings.Join(flags.Args(), " "))
	err = r.measure(ctx, calls, s, stderr)
	// Who interrupts a long run gets what it has found out so far.
	if e := s.output([]*Report{r}, stdout); err == nil {
		err = e
	}
	return err
}

// output writes reports to where the flags say.
func (s settings) output(all []*Report, stdout io.Writer) error {
	if s.json != "" {
		text, err := json.MarshalIndent(all[0], "", "\t")
		if err != nil {
			return errors.WithStack(err)
		}
		if err := os.WriteFile(s.json, append(text, '\n'), 0o644); err != nil {
			return errors.WithStack(err)
		}
	}
	var text bytes.Buffer
	for i, r := range all {
		if i > 0 {
			fmt.Fprintln(&text)
		}
		r.write(&text)
	}
	if s.plot != "" {
		if err := draw(all, s.plot); err != nil {
			return err
		}
	}
	if s.markdown == "" {
		_, err := stdout.Write(text.Bytes())
		return errors.WithStack(err)
	}
	return errors.WithStack(os.WriteFile(s.markdown, text.Bytes(), 0o644))
}

// calls are those that are named, or drawn by a seed.
func (s settings) calls(args []string) (some []Call, err error) {
	if len(args) == 0 {
		return nil, errors.New("a seed and a number of calls are needed, or the names of calls")
	}
	seed, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		for _, name := range args {
			c, err := parseCall(name)
			if err != nil {
				return nil, err
			}
			some = append(some, c)
		}
		return some, nil
	}
	if len(args) != 2 {
		return nil, errors.New("after a seed stands the number of calls, alone")
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < 1 {
		return nil, errors.Errorf("%q is no number of calls", args[1])
	}
	only, err := regexp.Compile(s.only)
	if err != nil {
		return nil, errors.Wrap(err, "flag -only")
	}
	for _, c := range generate(seed, n) {
		if only.MatchString(c.String()) {
			some = append(some, c)
		}
	}
	if len(some) == 0 {
		return nil, errors.Errorf("none of %d calls matches %q", n, s.only)
	}
	return some, nil
}

// measure measures calls, those over a limit a second time after all others.
func (r *Report) measure(ctx context.Context, calls []Call, s settings, progress io.Writer) (err error) {
	peers, err := s.startPeers()
	defer func() {
		for _, p := range peers {
			if e := p.close(); err == nil {
				err = e
			}
		}
	}()
	if err != nil {
		return err
	}
	// A collection would take part of a sample. Calls leave no garbage but their operands.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var over []int
	for i, c := range calls {
		if ctx.Err() != nil {
			return nil
		}
		one, err := measure(c, s, peers)
		if err != nil {
			return err
		}
		r.Results = append(r.Results, one)
		if overAny(one) {
			over = append(over, i)
		}
		fmt.Fprintf(progress, "%d of %d: %.2f %v\n", i+1, len(calls), one.Ours/one.Plain, c)
	}
	if !s.twice {
		return nil
	}
	for _, i := range over {
		if ctx.Err() != nil {
			return nil
		}
		if r.Results[i].Again, err = measure(calls[i], s, peers); err != nil {
			return err
		}
	}
	return nil
}
