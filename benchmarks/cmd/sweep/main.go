// Command sweep measures calls of package dense that are drawn at random, beside the
// loops that a user would write in plain Go.
//
//	go run ./cmd/sweep -twice SEED N
//	go run ./cmd/sweep "Gather float32:2077x15x1 axis=2 int64:1"
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"

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
	only, markdown string
	list, twice    bool
	threads        int
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
	flags.StringVar(&s.markdown, "markdown", "", "write the report to this `file`, too")
	if err := command.ParseFlags(flags, args); err != nil {
		return err
	}
	if s.threads < 1 {
		return errors.Errorf("flag -threads: %d, at least 1 is needed", s.threads)
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
	r := &Report{Head: fmt.Sprintf("%d calls, `sweep %s`, %s", len(calls), flags.Args(), build())}
	if err := r.measure(ctx, calls, s, stderr); err != nil {
		return err
	}
	r.write(stdout)
	if s.markdown == "" {
		return nil
	}
	f, err := os.Create(s.markdown)
	if err != nil {
		return errors.WithStack(err)
	}
	r.write(f)
	return errors.WithStack(f.Close())
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
func (r *Report) measure(ctx context.Context, calls []Call, s settings, progress io.Writer) error {
	// A collection would take part of a sample. Calls leave no garbage but their operands.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var over []int
	for i, c := range calls {
		if ctx.Err() != nil {
			return nil
		}
		one, err := measure(c, s.threads, nil)
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
		var err error
		if r.Results[i].Again, err = measure(calls[i], s.threads, nil); err != nil {
			return err
		}
	}
	return nil
}

// build says how the program was built.
func build() string {
	text := runtime.Version() + " " + runtime.GOARCH
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" {
				text += " -tags " + s.Value
			}
		}
	}
	return text
}
