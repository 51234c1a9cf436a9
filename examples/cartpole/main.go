// Command cartpole learns to balance a pole on a cart by pushing the cart to the
// left or to the right, fifty times a second, for four seconds.
//
// It is told only when the pole has fallen or the cart has left its track, and learns
// from that the value of either push in any state, by double Q-learning with neural
// networks. gather.GatherElements picks the value of the push that was chosen, Q(s,a),
// and Gorgonia's Adam improves the network by its gradient.
//
//	go run ./examples/cartpole         # stops when it has solved the problem, in about half a minute
//	go run ./examples/cartpole -h      # the flags
//
// The return of an episode is the number of pushes it lasted, 200 at most. The
// problem counts as solved when the average return of 100 episodes in a row is
// at least 195; episodes with random pushes count, too.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"

	"gorgonia.org/gather/internal/examples/console"
)

func main() { console.Main(run) }

// settings are the flags.
type settings struct {
	console.Training
	episodes, updates, batch, hidden, memory int
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s settings
	flags := flag.NewFlagSet("cartpole", flag.ContinueOnError)
	flags.IntVar(&s.episodes, "episodes", 600, "episodes at most")
	flags.IntVar(&s.updates, "updates", 50, "training steps after each episode")
	flags.IntVar(&s.batch, "batch", 128, "remembered steps per batch")
	flags.IntVar(&s.hidden, "hidden", 64, "width of the two hidden layers")
	flags.IntVar(&s.memory, "memory", 100_000, "size of the replay memory")
	s.Flags(flags, 0.001, " at the start; it falls to a tenth", "all that is random", "the picture")
	return console.Job{
		Flags: flags,
		About: "Learns to balance a pole on a cart by deep Q-learning.\n" +
			"Draws the length of each episode.",
		Check: func() error {
			return console.First(
				console.Within("episodes", s.episodes, 1, 100_000),
				console.Within("updates", s.updates, 1, 10_000),
				console.Within("batch", s.batch, 1, 10_000),
				console.Within("hidden", s.hidden, 1, 1000),
				console.Within("memory", s.memory, 1, 10_000_000),
				s.Training.Check(),
			)
		},
		Out:  &s.Out,
		Work: func() error { return learn(ctx, s, stdout) },
	}.Run(args, stdout, stderr)
}

// learn does the work; the flags have been checked.
func learn(ctx context.Context, s settings, stdout io.Writer) error {
	fmt.Fprintf(stdout, "at most %d episodes, until %d in a row have an average return of %d\n", s.episodes, inARow, enough)
	a, err := newAgent(s, rand.New(rand.NewPCG(s.Seed, 0)))
	if err != nil {
		return err
	}
	defer a.close()
	bar := console.NewProgress(stdout, s.episodes)
	h, err := train(ctx, a, bar)
	bar.Finish()
	if err != nil {
		return err
	}
	report(stdout, s, h)

	picture := filepath.Join(s.Out, "returns.png")
	if err := plotReturns(picture, h); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "\npicture\n  %s\n", picture)
	return err
}

// report says whether the problem is solved, and if not, how far it got.
func report(stdout io.Writer, s settings, h *history) {
	if episodes := len(h.returns); !h.solved() && episodes < s.episodes {
		fmt.Fprintf(stdout, "\nstopped after %d of %d episodes\n", episodes, s.episodes)
	}
	fmt.Fprintf(stdout, "\n%s\n", h.verdict())
	if h.long() && !h.solved() {
		fmt.Fprintln(stdout, "try more -episodes or another -seed")
	}
}
