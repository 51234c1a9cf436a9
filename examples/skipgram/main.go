// Command skipgram learns vectors of words from the words around them, and prints
// which words have similar vectors.
//
// It is the skip-gram model with negative sampling (T. Mikolov, I. Sutskever, K.
// Chen, G. Corrado and J. Dean, "Distributed Representations of Words and Phrases
// and their Compositionality", 2013): the vectors of a word and of one that stands
// near it are to have a large dot product, those of a word and of one drawn at
// random a small one. The random words are drawn once for a batch, as in S. Ji, N.
// Satish, S. Li and P. Dubey, "Parallelizing Word2Vec in Shared and Distributed
// Memory", 2016: each word is compared with them once, and not for each word near it.
//
// The vectors are two tables of package embedding: a step changes only the rows of
// the words that are in it. The dot products and their gradients are Gorgonia's.
//
//	go run ./examples/skipgram                       # from the comments of Go's own library
//	examples/skipgram/fetch.sh                       # two million words of speeches of presidents
//	go run ./examples/skipgram -text examples/skipgram/text
//	go run ./examples/skipgram -h                    # the flags
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/pkg/errors"

	"gorgonia.org/gather/internal/examples/console"
)

func main() { console.Main(run) }

// settings are the flags.
type settings struct {
	text, words, out string
	least            int
	epochs, batch    int
	dim, window      int
	negatives        int
	rate             float64
	seed             uint64
	time             time.Duration
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s settings
	flags := flag.NewFlagSet("skipgram", flag.ContinueOnError)
	flags.StringVar(&s.text, "text", "", "a text file, or a folder with files *.txt (default: the comments of Go's standard library)")
	flags.StringVar(&s.words, "words", "", "words to show the neighbours of, separated by commas (default: some common ones)")
	flags.StringVar(&s.out, "out", "skipgram-out", "folder for the picture and the vectors")
	flags.IntVar(&s.least, "least", 3, "how often a word must occur to get a vector")
	flags.IntVar(&s.epochs, "epochs", 7, "epochs")
	flags.IntVar(&s.batch, "batch", 512, "words per batch")
	flags.IntVar(&s.dim, "dim", 64, "columns of a word vector")
	flags.IntVar(&s.window, "window", 5, "largest distance of two words that are near each other")
	flags.IntVar(&s.negatives, "negatives", 5, "weight of the random words against the true ones")
	flags.Float64Var(&s.rate, "rate", 0.4, "learning rate of Adagrad")
	flags.DurationVar(&s.time, "time", 60*time.Second, "longest training time")
	flags.Uint64Var(&s.seed, "seed", 1, "seed of all that is random: the same seed, the same result")
	return console.Job{
		Flags: flags,
		About: "Learns vectors of words from the words around them (skip-gram with negative\n" +
			"sampling). Prints the neighbours of some words, draws a map of them, and writes\n" +
			"all vectors.",
		Check: s.check,
		Out:   &s.out,
		Work:  func() error { return learn(ctx, s, stdout) },
	}.Run(args, stdout, stderr)
}

func (s *settings) check() error {
	return console.First(
		console.Within("least", s.least, 1, 1_000_000),
		console.Within("epochs", s.epochs, 1, 10_000),
		console.Within("batch", s.batch, 1, 100_000),
		console.Within("dim", s.dim, 2, 1000), // 2 to be drawn on a map
		console.Within("window", s.window, 1, 100),
		console.Within("negatives", s.negatives, 1, 100),
		console.Within("rate", s.rate, 1e-6, 10),
		console.Within("time", s.time.Seconds(), 1, 1e6),
	)
}

// learn does the work; the flags have been checked.
func learn(ctx context.Context, s settings, stdout io.Writer) error {
	words, source, err := readWords(s.text)
	if err != nil {
		return err
	}
	c, err := newCorpus(words, s.least)
	if err != nil {
		return errors.Wrap(err, source)
	}
	fmt.Fprintf(stdout, "%d words of text: %s\n%d different words occur %d times or more and get a vector\n",
		len(words), source, len(c.words), s.least)
	asked, err := c.chosen(s.words)
	if err != nil {
		return err
	}
	m, err := newModel(s, len(c.words))
	if err != nil {
		return err
	}
	defer m.close()

	start := time.Now()
	seen, pairs, err := m.train(ctx, c, rand.New(rand.NewPCG(s.seed, 0)), stdout)
	if err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	if all := s.epochs * len(c.text); seen < all {
		fmt.Fprintf(stdout, "stopped after %d of %d words", seen, all)
		if ctx.Err() == nil {
			fmt.Fprintf(stdout, ": -time is over")
		}
		fmt.Fprintln(stdout)
	}
	fmt.Fprintf(stdout, "%.0f words a second, %.0f pairs a second\n", float64(seen)/seconds, float64(pairs)/seconds)

	fmt.Fprintf(stdout, "\nwords and their nearest neighbours\n")

	vectors, err := m.vectors()
	if err != nil {
		return err
	}
	near := newNeighbours(vectors, s.dim, c.counts)
	for _, word := range asked {
		var names []string
		for _, other := range near.of(word, shownNeighbours) {
			names = append(names, c.words[other])
		}
		fmt.Fprintln(stdout, console.List(fmt.Sprintf("  %-12s ", c.words[word]), names, ", ", 15))
	}
	return save(stdout, s.out, c, near, asked, vectors, s.dim)
}
