// Command ratings recommends films by matrix factorisation with biases, on Apache
// Beam: the rows of users and films, and the ratings, lie in shards, blocks of them
// train in parallel, and no machine has to hold them all.
//
//	go run ./examples/ratings                           # synthetic ratings, on Beam's own Prism
//	../examples/ratings/fetch.sh                        # real ones, into ../examples/ratings/data
//	go run ./examples/ratings -ratings ../examples/ratings/data/movielens.csv -l2 0.15
//	go run ./examples/ratings -resume -epochs 20        # after Ctrl-C, or to train further
//	go run ./examples/ratings -users 1e6 -items 1e5 -count 1e7 -blocks 16 -compare=false
//	go run ./examples/ratings -runner universal -endpoint HOST:PORT -environment_type LOOPBACK
//	go run ./examples/ratings -h                        # the flags
//
// Run it in the folder beam. Ratings and held-out ratings are those of examples/ratings
// of the library, and the model is the same without its dense layer. Each job trains for
// some epochs and leaves the rows in files. After each job it prints the RMSE on held-out
// ratings, beside that of one process that has done the same steps in the same order: the
// two are equal, to the last bit of each row.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/pkg/errors"

	gatherbeam "gorgonia.org/gather/beam"
	"gorgonia.org/gather/internal/examples/console"
)

func main() {
	if slices.Contains(os.Args, "--worker=true") || slices.Contains(os.Args, "--worker") {
		flag.Parse() // a runner has started this program to work for it
		beam.Init()
	}
	console.Main(run)
}

// settings are the flags.
type settings struct {
	path, out           string
	users, items, count int // of generated ratings
	dim, blocks, batch  int
	epochs, each        int
	rate, l2            float64
	seed                uint64
	resume, compare     bool
}

// ofBeam are flags of Beam that this program has, too: which runner, and where it is.
var ofBeam = []string{"runner", "endpoint", "environment_type", "environment_config", "worker_binary", "parallelism"}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s := settings{users: 1000, items: 500, count: 60_000}
	flags := flag.NewFlagSet("ratings", flag.ContinueOnError)
	flags.StringVar(&s.path, "ratings", "", "CSV file with columns userId, movieId and rating (default: synthetic ratings)")
	flags.Var((*console.Size)(&s.users), "users", "number of users in synthetic ratings, such as 1e7")
	flags.Var((*console.Size)(&s.items), "items", "number of films in synthetic ratings")
	flags.Var((*console.Size)(&s.count), "count", "number of synthetic ratings, such as 1e9")
	flags.IntVar(&s.dim, "dim", 17, "columns of the rows of users and films; the last one is a bias")
	flags.IntVar(&s.blocks, "blocks", 4, "number of blocks that the users are divided into, and the films")
	flags.IntVar(&s.batch, "batch", 64, "ratings per batch")
	flags.IntVar(&s.epochs, "epochs", 20, "epochs")
	flags.IntVar(&s.each, "each", 2, "epochs of a job")
	flags.Float64Var(&s.rate, "rate", 0.1, "learning rate (Adagrad)")
	flags.Float64Var(&s.l2, "l2", 0.08, "L2 regularisation of the rows, per rating")
	flags.Uint64Var(&s.seed, "seed", 1, "seed of all that is random: the same seed, the same result")
	flags.BoolVar(&s.resume, "resume", false, "continue from the last job in the -out folder")
	flags.BoolVar(&s.compare, "compare", true, "train in this process, too, which then holds all rows, and compare")
	flags.StringVar(&s.out, "out", "ratings-out", "folder for shards and pictures")
	for _, name := range ofBeam {
		if f := flag.Lookup(name); f != nil {
			flags.Var(f.Value, name, "of Beam: "+f.Usage)
		}
	}
	return console.Job{
		Flags: flags,
		About: "Trains a matrix factorisation that predicts ratings of films, from a row for each\n" +
			"user and film, in blocks in parallel on Apache Beam. Draws the RMSE.",
		Check: s.check,
		Out:   &s.out,
		Work: func() error {
			if !beam.Initialized() {
				beam.Init()
			}
			slog.SetDefault(slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelError + 1})))
			return learn(ctx, s, stdout)
		},
	}.Run(args, stdout, stderr)
}

// check refuses flags that are out of range.
func (s *settings) check() error {
	return console.First(
		console.Within("users", s.users, 2, 1<<31-1),
		console.Within("items", s.items, 2, 1<<31-1),
		console.Within("count", s.count, 1000, 1<<31-1),
		console.Within("dim", s.dim, 2, 4096),
		console.Within("blocks", s.blocks, 1, 316),
		console.Within("batch", s.batch, 1, 1<<20),
		console.Within("epochs", s.epochs, 1, 10_000),
		console.Within("each", s.each, 1, 10_000),
		console.Within("rate", s.rate, 1e-6, 10),
		console.Within("l2", s.l2, 0, 10),
	)
}

// learn does the work; the flags have been checked.
func learn(ctx context.Context, s settings, stdout io.Writer) error {
	folder := filepath.Join(s.out, "tables")
	in, err := s.source()
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, in.source)
	if !s.resume {
		if err := os.RemoveAll(folder); err != nil {
			return errors.WithStack(err)
		}
		if err := in.store(ctx, s, folder); err != nil {
			return err
		}
	}
	t, err := open(ctx, s, folder)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d ratings for training, %d held-out ratings, in %d × %d blocks\n", t.ratings.Rows(), t.held.Rows(), s.blocks, s.blocks)
	if s.resume {
		fmt.Fprintf(stdout, "resuming after %d epochs\n", t.factors.Epochs)
	}
	bar := console.NewProgress(stdout, max(t.jobs(), 1))
	err = t.run(ctx, bar)
	bar.Finish()
	if err != nil {
		return err
	}
	if t.jobs() > 0 {
		fmt.Fprintf(stdout, "\nstopped after %d of %d epochs; -resume continues from here\n", t.factors.Epochs, s.epochs)
	}
	if len(t.history) == 0 { // stopped before anything was measured
		return nil
	}
	t.report(stdout, in)
	return t.draw(stdout, filepath.Join(s.out, "error.png"))
}

// dsgd is how a job learns.
func (s *settings) dsgd(mean float64) gatherbeam.DSGD {
	return gatherbeam.DSGD{
		Epochs: s.each, Rule: gatherbeam.Adagrad, LearnRate: s.rate,
		Mean: mean, Biases: true, L2: s.l2, Batch: s.batch, Seed: s.seed,
	}
}
