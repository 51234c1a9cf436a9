package console

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"

	"github.com/pkg/errors"
)

// parse reads args into the flags and checks the values.
//
// When ok is false the program ends at once with status: [OK] after -h, which
// lists the flags on stdout, and [Usage] after a mistake, of which stderr gets
// one line. The usual behaviour of package flag, which follows a mistake with
// the whole list, hides the one line that matters.
func (j Job) parse(args []string, stdout, stderr io.Writer) (status int, ok bool) {
	flags := j.Flags
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(stdout, "usage: %s [flags]\n\n%s\n\n", flags.Name(), j.About)
		PrintFlags(stdout, flags)
		return OK, false
	}
	if err == nil && flags.NArg() > 0 {
		err = errors.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err == nil {
		err = j.Check()
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v (-h lists the flags)\n", flags.Name(), err)
		return Usage, false
	}
	return OK, true
}

// AtLeast is an error that names the flag unless value >= least. NaN is an
// error too, and so are the infinities: no flag of an example means them.
func AtLeast[T cmp.Ordered](name string, value, least T) error {
	if f, isFloat := any(value).(float64); isFloat && math.IsInf(f, 0) || !(value >= least) {
		return errors.Errorf("flag -%s: %v is not allowed, the least is %v", name, value, least)
	}
	return nil
}

// Within is an error that names the flag unless least <= value <= most.
func Within[T cmp.Ordered](name string, value, least, most T) error {
	if !(value >= least && value <= most) {
		return errors.Errorf("flag -%s: %v is not allowed, it ranges from %v to %v", name, value, least, most)
	}
	return nil
}

// First returns the first error of a list of checks, nil if there is none.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
