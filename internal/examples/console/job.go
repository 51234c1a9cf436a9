package console

import (
	"flag"
	"io"
)

// Job is what a [Program] does with its arguments, in the order in which
// mistakes cost least: the flags, the output folder, the work.
type Job struct {
	Flags *flag.FlagSet
	About string       // what -h says besides the flags
	Check func() error // what is wrong with the values of the flags
	Out   *string      // the folder to write to, known once the flags are
	Work  func() error
}

// Run does the job and returns the exit status.
func (j Job) Run(args []string, stdout, stderr io.Writer) int {
	if status, ok := j.parse(args, stdout, stderr); !ok {
		return status
	}
	if err := Folder(*j.Out); err != nil {
		return Fail(stderr, j.Flags.Name(), err)
	}
	if err := j.Work(); err != nil {
		return Fail(stderr, j.Flags.Name(), err)
	}
	return OK
}
