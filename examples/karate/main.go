// Command karate learns from two labels who took whose side in a club.
//
// Zachary's karate club split in two, and every one of its 34 members had to
// choose. The program is told the choice of two of them, the quarrelling
// instructor and president, and who is friends with whom, and learns the choice
// of the other 32. It is a graph neural network of two layers of message
// passing, each made of gather.Gather, which reads the rows of a member's friends,
// and gather.ScatterND with gather.Add, which sums it up. With -attention it is a
// graph attention network: gather.SegmentSoftmax weighs the rows of a member's friends,
// and gather.SegmentSum sums it up.
//
//	go run ./examples/karate             # some seconds
//	go run ./examples/karate -attention
//	go run ./examples/karate -h          # the flags
//
// It trains with ten seeds, prints how many of the 32 each gets right, and draws the
// guesses of the first one.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"gorgonia.org/gather/internal/examples/console"
)

func main() { console.Main(run) }

// settings are the flags.
type settings struct {
	console.Training
	epochs, hidden, runs int
	attention            bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s settings
	flags := flag.NewFlagSet("karate", flag.ContinueOnError)
	flags.IntVar(&s.epochs, "epochs", 200, "epochs of each run")
	flags.IntVar(&s.hidden, "hidden", 16, "columns of the hidden layer")
	flags.IntVar(&s.runs, "runs", 10, "number of runs, each with the next seed")
	flags.BoolVar(&s.attention, "attention", false, "use graph attention")
	s.Flags(flags, 0.01, "", "the first run", "the picture")
	return console.Job{
		Flags: flags,
		About: "Learns from two members of a club and their friendships on whose\n" +
			"side the other 32 are. Draws the club.",
		Check: func() error {
			return console.First(
				console.Within("epochs", s.epochs, 1, 100_000),
				console.Within("hidden", s.hidden, 1, 10_000),
				console.Within("runs", s.runs, 1, 1000),
				s.Training.Check(),
			)
		},
		Out:  &s.Out,
		Work: func() error { return learn(ctx, s, stdout) },
	}.Run(args, stdout, stderr)
}

// learn does the work; the flags have been checked.
func learn(ctx context.Context, s settings, stdout io.Writer) error {
	fmt.Fprintf(stdout, "%d members, %d friendships, the factions of members %d and %d are known\n",
		members, len(friendships()), instructor, president)
	bar := console.NewProgress(stdout, s.runs*s.epochs)
	var results []*result
	for i := 0; i < s.runs && (i == 0 || ctx.Err() == nil); i++ {
		r, err := train(ctx, s, s.Seed+uint64(i), bar)
		if err != nil {
			bar.Finish()
			return err
		}
		results = append(results, r)
	}
	bar.Finish()
	if last := results[len(results)-1]; len(results) < s.runs || last.epochs < s.epochs {
		fmt.Fprintf(stdout, "\nstopped in run %d of %d, after %d of its %d epochs\n", len(results), s.runs, last.epochs, s.epochs)
	}
	report(stdout, s, results)

	picture := filepath.Join(s.Out, "club.png")
	if err := drawClub(picture, results[0].guess); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "\npicture\n  %s\n", picture)
	return err
}

// report prints how many of the other members each run got right.
func report(stdout io.Writer, s settings, results []*result) {
	others := members - len(known)
	least, most, sum := others, 0, 0
	fmt.Fprintf(stdout, "\nright factions of the other %d members\n", others)
	for i, r := range results {
		line := fmt.Sprintf("  seed %-4d %d  (%.1f %%)", s.Seed+uint64(i), r.right, percent(r.right, others))
		if wrong := mistakes(r.guess); len(wrong) > 0 {
			line = console.List(line+"  wrong: ", wrong, " ", 4)
		}
		fmt.Fprintln(stdout, line)
		least, most, sum = min(least, r.right), max(most, r.right), sum+r.right
	}
	fmt.Fprintf(stdout, "mean %.1f %%, least %.1f %%, most %.1f %%\n",
		percent(sum, others*len(results)), percent(least, others), percent(most, others))
}

// mistakes lists the members whose faction was guessed wrong.
func mistakes(guess []int) (wrong []string) {
	for m, side := range sides() {
		if guess[m] != side {
			wrong = append(wrong, strconv.Itoa(m+1))
		}
	}
	return wrong
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(whole) }
