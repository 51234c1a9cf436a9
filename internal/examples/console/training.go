package console

import "flag"

// Training are the settings that every example has that learns something: the
// learning rate of Adam, the seed of what is random, and the folder to write to.
type Training struct {
	Rate float64
	Seed uint64
	Out  string
}

// Flags declares the settings. Their texts go on where those of all examples end:
// what the rate does, what the seed is of, and what the folder is for.
func (s *Training) Flags(flags *flag.FlagSet, rate float64, does, of, what string) {
	flags.Float64Var(&s.Rate, "rate", rate, "learning rate of Adam"+does)
	flags.Uint64Var(&s.Seed, "seed", 1, "seed of "+of+": the same seed, the same result")
	flags.StringVar(&s.Out, "out", flags.Name()+"-out", "folder for "+what)
}

// Check is an error that names the flag unless its value is allowed.
func (s *Training) Check() error { return Within("rate", s.Rate, 1e-6, 10) }
