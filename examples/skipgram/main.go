// Command skipgram learns what words mean from the words around them, and shows
// which ones it takes for near to each other.
//
// It is the skip-gram model with negative sampling (T. Mikolov, I. Sutskever, K.
// Chen, G. Corrado and J. Dean, "Distributed Representations of Words and Phrases
// and their Compositionality", 2013): the vectors of a word and of one that stands
// near it are to have a large dot product, those of a word and of one drawn at
// random a small one. The random words are drawn once for a batch, as in S. Ji, N.
// Satish, S. Li and P. Dubey, "Parallelizing Word2Vec in Shared and Distributed
// Memory", 2016, so that a word meets them once and not with each word near it.
//
// The vectors are two tables of package embedding: a step changes only the rows of
// the words that are in it. The dot products and their gradients are Gorgonia's.
//
//	go run ./examples/skipgram                       # from the comments of Go's own library
//	examples/skipgram/fetch.sh                       # two million words of presidents
//	go run ./examples/skipgram -text examples/skipgram/text
//	go run ./examples/skipgram -h                    # the flags
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
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
	flags.StringVar(&s.text, "text", "", "a file of text, or a folder with files *.txt; without it the comments of Go's standard library are read")
	flags.StringVar(&s.words, "words", "", "words to show the neighbours of, separated by commas; without it some common ones are chosen")
	flags.StringVar(&s.out, "out", "skipgram-out", "folder for the picture and the vectors")
	flags.IntVar(&s.least, "least", 3, "words that occur less often are left out")
	flags.IntVar(&s.epochs, "epochs", 7, "epochs")
	flags.IntVar(&s.batch, "batch", 512, "words per batch")
	flags.IntVar(&s.dim, "dim", 64, "columns of a word vector")
	flags.IntVar(&s.window, "window", 5, "largest distance of two words that are near each other")
	flags.IntVar(&s.negatives, "negatives", 5, "weight of the random words beside a true one")
	flags.Float64Var(&s.rate, "rate", 0.4, "learning rate of Adagrad")
	flags.DurationVar(&s.time, "time", 60*time.Second, "longest training time")
	flags.Uint64Var(&s.seed, "seed", 1, "seed of all that is random: the same seed, the same result")
	return console.Job{
		Flags: flags,
		About: "Learns vectors of words from the words around them, by skip-gram with negative sampling.\n" +
			"Prints the neighbours of some words, draws a map of them, and writes all vectors.",
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

// learn does the work, once nothing is left to complain of.
func learn(ctx context.Context, s settings, stdout io.Writer) error {
	words, source, err := readWords(s.text)
	if err != nil {
		return err
	}
	c, err := newCorpus(words, s.least)
	if err != nil {
		return errors.Wrap(err, source)
	}
	fmt.Fprintf(stdout, "%d words of %s, of which %d are learnt: those that occur %d times or more\n",
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
	if seen < s.epochs*len(c.text) {
		fmt.Fprintf(stdout, "stopped after %d of %d words\n", seen, s.epochs*len(c.text))
	}
	seconds := time.Since(start).Seconds()
	fmt.Fprintf(stdout, "%.0f words a second, %.0f pairs a second, each beside %d random words\n\n",
		float64(seen)/seconds, float64(pairs)/seconds, sharedNegatives)

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
		fmt.Fprintf(stdout, "%-12s %s\n", c.words[word], strings.Join(names, ", "))
	}
	return save(stdout, s.out, c, near, asked, vectors, s.dim)
}
