// Package command is what the programs of cmd have in common: how they read their flags,
// and how they end.
package command

import (
	"flag"
	"fmt"
	"os"

	"github.com/pkg/errors"
)

// ErrFlags is of flags that are wrong: the flag set has said why, and listed them.
var ErrFlags = errors.New("the flags are wrong")

// Parse parses flags of a program that takes no arguments. The error is [flag.ErrHelp],
// [ErrFlags], or says which argument is too many.
func Parse(flags *flag.FlagSet, args []string) error {
	err := ParseFlags(flags, args)
	if err == nil && flags.NArg() > 0 {
		err = errors.Errorf("no argument is known, %q is too many", flags.Arg(0))
	}
	return err
}

// ParseFlags is Parse for a program that takes arguments after the flags.
func ParseFlags(flags *flag.FlagSet, args []string) error {
	err := flags.Parse(args)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		err = ErrFlags
	}
	return err
}

// Exit ends the program, with status 2 for wrong flags and 1 for another error, which it
// prints. It returns if there is none, or if help was asked for.
func Exit(name string, err error) {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, ErrFlags):
		os.Exit(2)
	default:
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}
