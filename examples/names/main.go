// Command names learns what names look like, character by character, from the
// names of the world's territories and languages in a dozen languages (CLDR's,
// as golang.org/x/text has them), and then generates new ones.
//
// It is the model of Y. Bengio, R. Ducharme, P. Vincent and C. Jauvin, "A Neural
// Probabilistic Language Model", 2003, for characters instead of words: gather.Gather
// looks the last few characters up in an embedding matrix, a hidden layer
// guesses the next one, gather.GatherElements picks the log-probability of the
// one that was true, and Gorgonia's Adam improves all of it, the embeddings
// included, by the gradients of both.
//
//	go run ./examples/names            # about a minute on two cores
//	go run ./examples/names -h         # the flags
//
// What it learnt is measured in bits per character on names of territories and
// languages it was not shown, beside a model that counts pairs of characters.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/pkg/errors"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"gorgonia.org/gather/internal/examples/console"
)

func main() { console.Main(run) }

// settings are the flags.
type settings struct {
	console.Training
	epochs, batch, size int
	languages           string
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s settings
	var c *corpus
	flags := flag.NewFlagSet("names", flag.ContinueOnError)
	flags.IntVar(&s.epochs, "epochs", 20, "epochs")
	flags.IntVar(&s.batch, "batch", 256, "characters per batch")
	flags.IntVar(&s.size, "embedding", 32, "how many numbers describe a character")
	flags.StringVar(&s.languages, "languages", "en,de,fr,es,it,pt,nl,sv,fi,pl,hu,ro", "languages to take the names from")
	s.Flags(flags, 0.004, " at the start; it falls to a tenth", "all that is random", "the pictures")
	return console.Job{
		Flags: flags,
		About: "Learns names of territories and languages, character by character, and generates\n" +
			"new ones. Draws the loss and a map of the characters.",
		Check: func() (err error) { c, err = s.check(); return err },
		Out:   &s.Out,
		Work:  func() error { return learn(ctx, s, c, stdout) },
	}.Run(args, stdout, stderr)
}

// check refuses flags that are out of range, and returns the names of the languages chosen.
func (s *settings) check() (*corpus, error) {
	if err := console.First(
		console.Within("epochs", s.epochs, 1, 10_000),
		console.Within("batch", s.batch, 1, 100_000),
		console.Within("embedding", s.size, 2, 1000), // 2 to be drawn on a map
		s.Training.Check(),
	); err != nil {
		return nil, err
	}
	tags, err := parseLanguages(s.languages)
	if err != nil {
		return nil, err
	}
	c, err := readCorpus(tags)
	if err != nil {
		return nil, errors.Wrap(err, "flag -languages")
	}
	if n := newExamples(c.train).len(); s.batch > n {
		return nil, errors.Errorf("flag -batch: %d is more than the %d characters there are to learn from", s.batch, n)
	}
	return c, nil
}

// parseLanguages reads a list such as en,de,pt-BR. Package display answers for
// any language, if need be in another one (for Occitan in French), so the list is
// held against those it really has.
func parseLanguages(list string) ([]language.Tag, error) {
	supported := map[language.Base]bool{}
	for _, tag := range display.Supported.Tags() {
		base, _ := tag.Base()
		supported[base] = true
	}
	var tags []language.Tag
	for _, l := range strings.Split(list, ",") {
		tag, err := language.Parse(strings.TrimSpace(l))
		if base, _ := tag.Base(); err != nil || !supported[base] {
			return nil, errors.Errorf("flag -languages: no names are known in %q; write for example en,de,pt-BR", l)
		}
		tags = append(tags, tag)
	}
	return tags, nil
}

// learn does the work; the flags have been checked.
func learn(ctx context.Context, s settings, c *corpus, stdout io.Writer) error {
	fmt.Fprintf(stdout, "%d names for training, %d held out, %d characters (CLDR %s)\n",
		len(c.train), len(c.held), len(c.symbols)-1, display.CLDRVersion)

	rng := rand.New(rand.NewPCG(s.Seed, 0))
	w := newWeights(rng, len(c.symbols), s.size)
	t, err := newTrainer(s, c, w, rng)
	if err != nil {
		return err
	}
	defer t.close()
	bar := console.NewProgress(stdout, s.epochs*t.steps())
	h, err := t.run(ctx, bar)
	bar.Finish()
	if err != nil {
		return err
	}
	if !h.complete {
		fmt.Fprintf(stdout, "\nstopped in epoch %d of %d; the results so far:\n", len(h.held), s.epochs)
	}
	names, err := invent(w, c, rng)
	if err != nil {
		return err
	}
	base := newBigram(c)
	report(stdout, h, base, c, names)
	return save(stdout, s.Out, h, base, c, w)
}
