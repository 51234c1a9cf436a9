// Command ratings recommends films: matrix factorisation with biases and a small dense
// layer, whose tables stay in files.
//
// A user and a film are a row each of a table (package embedding), and the rating is
// predicted from what the two rows have in common. The cost of a training step depends
// on its ratings alone, however large the tables are. The dense layer is tables,
// too, of which the graph has all rows. The model is that of Y. Koren, R. Bell and C. Volinsky,
// "Matrix Factorization Techniques for Recommender Systems", 2009, with the layer of
// X. He and others, "Neural Collaborative Filtering", 2017.
//
//	go run ./examples/ratings                        # synthetic ratings; 15 seconds
//	examples/ratings/fetch.sh                        # real ones, into examples/ratings/data
//	go run ./examples/ratings -ratings examples/ratings/data/movielens.csv
//	go run ./examples/ratings -ratings … -resume     # after Ctrl-C, or worse
//	go run ./examples/ratings -users 1e7 -epochs 1 -save=false
//	go run ./examples/ratings -dim 64 -storage all   # rows in fewer bits: size, time, error
//	go run ./examples/ratings -h                     # the flags
//
// It also reads ratings.csv of MovieLens, with the titles in movies.csv beside it.
// Every epoch is a checkpoint. A run that was stopped or killed and is resumed ends
// with the same numbers, to the last bit, as one that was not.
//
// The RMSE on held-out ratings is printed beside those of three models without
// tastes: the mean of all ratings, the means of user and film, and
// biases of both.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"github.com/pkg/errors"

	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gather/internal/examples/ratings"
)

func main() { console.Main(run) }

// settings are the flags.
type settings struct {
	path, out            string
	users, items, count  int // of generated ratings
	dim, hidden, batch   int
	epochs, patience     int
	rate, denseRate, l2  float64
	seed                 uint64
	resume, save, mapped bool
	storages             storages
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s := settings{users: 1000, items: 500, count: 60_000}
	flags := flag.NewFlagSet("ratings", flag.ContinueOnError)
	flags.StringVar(&s.path, "ratings", "", "CSV file with columns userId, movieId, rating and perhaps title (default: synthetic ratings)")
	flags.Var((*console.Size)(&s.users), "users", "number of users in synthetic ratings, such as 1e7")
	flags.Var((*console.Size)(&s.items), "items", "number of films in synthetic ratings")
	flags.Var((*console.Size)(&s.count), "count", "number of synthetic ratings")
	flags.IntVar(&s.dim, "dim", 16, "columns of the rows of users and films")
	flags.IntVar(&s.hidden, "hidden", 8, "size of the dense layer")
	flags.IntVar(&s.batch, "batch", 512, "ratings per batch")
	flags.IntVar(&s.epochs, "epochs", 40, "epochs at most")
	flags.IntVar(&s.patience, "patience", 3, "epochs without improvement before it stops")
	flags.Float64Var(&s.rate, "rate", 0.05, "learning rate of the tables (Adagrad)")
	flags.Float64Var(&s.denseRate, "dense-rate", 0.02, "learning rate of the dense layer (SGD)")
	flags.Float64Var(&s.l2, "l2", 0.2, "L2 regularisation of the rows, per rating")
	flags.Uint64Var(&s.seed, "seed", 1, "seed of all that is random: the same seed, the same result")
	flags.BoolVar(&s.resume, "resume", false, "continue from the checkpoint in the -out folder")
	flags.BoolVar(&s.save, "save", true, "save a checkpoint after each epoch")
	flags.BoolVar(&s.mapped, "mapped", false, "keep the tables in files in the -out folder, larger than memory if need be")
	flags.Var(&s.storages, "storage", "after training, store the rows in fewer bits and report size, time and error:\n"+
		"float16, bfloat16, int8, int4, several with commas between, or all")
	flags.StringVar(&s.out, "out", "ratings-out", "folder for checkpoints and pictures")
	return console.Job{
		Flags: flags,
		About: "Predicts ratings of films from a learnt row for each user and each film.\n" +
			"Draws the RMSE, a map of the films, and what -storage has measured.",
		Check: s.check,
		Out:   &s.out,
		Work:  func() error { return learn(ctx, s, stdout) },
	}.Run(args, stdout, stderr)
}

// check refuses flags that are out of range.
func (s *settings) check() error {
	if err := console.First(
		console.Within("users", s.users, 2, 1<<31-1),
		console.Within("items", s.items, 2, 1<<31-1),
		console.Within("count", s.count, 1000, 1<<31-1),
		console.Within("dim", s.dim, 2, 4096), // 2 to be drawn on a map
		console.Within("hidden", s.hidden, 1, 4096),
		console.Within("batch", s.batch, 1, 1<<20),
		console.Within("epochs", s.epochs, 1, maxEpochs),
		console.Within("patience", s.patience, 1, maxEpochs),
		console.Within("rate", s.rate, 1e-6, 10),
		console.Within("dense-rate", s.denseRate, 1e-6, 10),
		console.Within("l2", s.l2, 0, 10),
	); err != nil {
		return err
	}
	if s.resume && !s.save {
		return errors.New("flag -resume: it needs the checkpoints of -save, which is false")
	}
	return nil
}

// maxEpochs is how many epochs a checkpoint has room for.
const maxEpochs = 1000

// learn does the work; the flags have been checked.
func learn(ctx context.Context, s settings, stdout io.Writer) error {
	var all *ratings.Ratings
	var err error
	if s.path == "" {
		all = ratings.Generate(s.seed, s.users, s.items, s.count)
	} else if all, err = ratings.ReadCSV(s.path); err != nil {
		return err
	}
	fmt.Fprintln(stdout, all.Source)
	d := ratings.Split(all, s.seed)
	fmt.Fprintf(stdout, "%d ratings for training, %d for validation, %d held out\n", len(d.Train), len(d.Valid), len(d.Held))
	if s.batch > len(d.Train) {
		return errors.Errorf("flag -batch: %d is more than the %d ratings there are to learn from", s.batch, len(d.Train))
	}

	t, err := newTrainer(s, d)
	if err != nil {
		return err
	}
	defer t.close()
	if s.resume {
		if err := t.load(lastCheckpoint); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "resuming after epoch %d and %d steps of the next one\n", t.progress.epoch(), t.progress.step())
	}
	bar := console.NewProgress(stdout, t.left())
	err = t.run(ctx, bar)
	bar.Finish()
	if err != nil {
		return err
	}
	if !t.done() {
		fmt.Fprintf(stdout, "\nstopped in epoch %d of %d", t.progress.epoch()+1, s.epochs)
		if s.save {
			fmt.Fprintf(stdout, "; -resume continues from here")
		}
		fmt.Fprintln(stdout)
	}
	if t.done() && t.progress.epoch() < s.epochs {
		fmt.Fprintf(stdout, "\nstopped after epoch %d: no improvement in %d epochs\n", t.progress.epoch(), s.patience)
	}
	if s.save && t.progress.best() > 0 { // what is reported is the best, not the last
		if err := t.load(bestCheckpoint); err != nil {
			return err
		}
	}
	if err := t.report(stdout); err != nil {
		return err
	}
	stored, err := t.reportStorages(stdout)
	if err != nil {
		return err
	}
	if err := t.draw(stdout, filepath.Join(s.out, "error.png"), filepath.Join(s.out, "films.png")); err != nil {
		return err
	}
	return drawStorages(stdout, filepath.Join(s.out, "storage.png"), stored)
}
