// Command finetune trains a classifier from elsewhere further: which language is
// this name?
//
// classifier.onnx is a model that PyTorch has trained (classifier.py, beside it)
// on half of the names of the world's territories and languages in fifteen
// languages (CLDR's, as golang.org/x/text has them). The program reads it, builds it
// into a graph with the operators of onnx and onnx/builders, trains all of its
// weights on the other half, and writes the model again, for any ONNX runtime.
//
//	go run ./examples/finetune         # some seconds
//	go run ./examples/finetune -h      # the flags
//
// It prints what is trained, and which parameters are not trained as in PyTorch: of a model
// of your own, exported by torch.onnx.export with its defaults, there may be some. With
// optimize=False there are none. See docs/onnx.md.
//
// It tells how many held-out names, of places and languages that no other name
// speaks of, it gets right before and after, and draws which languages it mistakes
// for which.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"github.com/pkg/errors"
	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gather/internal/files"
)

func main() { console.Main(run) }

// settings are the flags.
type settings struct {
	console.Training
	epochs, batch int
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s settings
	flags := flag.NewFlagSet("finetune", flag.ContinueOnError)
	flags.IntVar(&s.epochs, "epochs", 8, "epochs")
	flags.IntVar(&s.batch, "batch", 64, "names per batch")
	s.Flags(flags, 0.01, "", "the order of the names", "the new model, the picture, and the names for classifier.py")
	return console.Job{
		Flags: flags,
		About: "Reads an ONNX model that classifies names by language, trains it further on\n" +
			"names it has not seen, and writes it again. Draws the confusion of languages.",
		Check: func() error {
			return console.First(
				console.Within("epochs", s.epochs, 1, 10_000),
				console.Within("batch", s.batch, 1, 1000),
				s.Training.Check(),
			)
		},
		Out:  &s.Out,
		Work: func() error { return learn(ctx, s, stdout) },
	}.Run(args, stdout, stderr)
}

// learn does the work; the flags have been checked.
func learn(ctx context.Context, s settings, stdout io.Writer) error {
	names := collect()
	count := map[part]int{}
	for _, n := range names {
		count[n.part]++
	}
	fmt.Fprintf(stdout, "%d names in %d languages: %d trained in PyTorch, %d new, %d held out\n",
		len(names), len(languages), count[script], count[finetune], count[heldOut])
	if s.batch > count[finetune] {
		return errors.Errorf("flag -batch: %d is more than the %d names there are to learn from", s.batch, count[finetune])
	}
	n, err := newNetwork(s.batch)
	if err != nil {
		return err
	}
	n.printWeights(stdout)
	bar := console.NewProgress(stdout, s.epochs*(count[finetune]/s.batch))
	r, err := train(ctx, s, names, n, bar)
	bar.Finish()
	if err != nil {
		return err
	}
	if r.epochs < s.epochs {
		fmt.Fprintf(stdout, "\nstopped after %d of %d epochs\n", r.epochs, s.epochs)
	}
	report(stdout, r)

	list := filepath.Join(s.Out, "names.tsv")
	if err := files.Replace(list, func(w io.Writer) error { return printNames(w, names) }); err != nil {
		return err
	}
	model := filepath.Join(s.Out, "classifier.onnx")
	if err := files.Replace(model, r.trained.write); err != nil {
		return err
	}
	picture := filepath.Join(s.Out, "confusion.png")
	if err := drawConfusion(picture, r); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "\nnames\n  %s\nmodel\n  %s\npicture\n  %s\n", list, model, picture)
	return err
}

// report prints how many held-out names of each language are right.
func report(stdout io.Writer, r *result) {
	fmt.Fprintf(stdout, "\nheld-out names that are classified right, before and after\n")
	for l, code := range languages {
		var of []name
		var before, after []int
		for i, n := range r.held {
			if n.language == l {
				of, before, after = append(of, n), append(before, r.before[i]), append(after, r.after[i])
			}
		}
		fmt.Fprintf(stdout, "  %s  %3d names  %5.1f %%  %5.1f %%\n", code, len(of), right(of, before), right(of, after))
	}
	fmt.Fprintf(stdout, "all  %4d names  %5.1f %%  %5.1f %%\n", len(r.held), right(r.held, r.before), right(r.held, r.after))
}

// printNames writes a line for each name, for classifier.py: its part, its language,
// the name.
func printNames(w io.Writer, names []name) error {
	for _, n := range names {
		if _, err := fmt.Fprintf(w, "%v\t%s\t%s\n", n.part, languages[n.language], n.text); err != nil {
			return errors.WithStack(err)
		}
	}
	return nil
}
