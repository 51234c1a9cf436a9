// Package console holds what every example needs as a command: one line for a wrong
// flag, an output folder that is checked before the work starts, files that are
// whole, progress on a terminal or in a log file, and a Ctrl-C that stops the work
// and still saves what is done.
//
// An example is a function of type [Program], which tests call directly, and a
// main of one line:
//
//	func main() { console.Main(run) }
//
//	func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
//		flags := flag.NewFlagSet("names", flag.ContinueOnError)
//		epochs := flags.Int("epochs", 20, "passes over the data")
//		out := flags.String("out", "names-out", "folder for the pictures")
//		return console.Job{
//			Flags: flags,
//			About: "Learns what names look like, and invents some.",
//			Check: func() error { return console.AtLeast("epochs", *epochs, 1) },
//			Out:   out,
//			Work:  func() error { return learn(ctx, *epochs, stdout) },
//		}.Run(args, stdout, stderr)
//	}
//
//	func learn(ctx context.Context, epochs int, stdout io.Writer) error {
//		bar := console.NewProgress(stdout, epochs)
//		for e := 0; e < epochs && ctx.Err() == nil; e++ {
//			bar.Step(fmt.Sprintf("loss %.3f", train(e)))
//		}
//		bar.Finish()
//		return nil
//	}
package console

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// The exit statuses of an example.
const (
	OK     = 0 // also after Ctrl-C: what was learnt so far is reported and saved
	Failed = 1 // the work could not be done or saved
	Usage  = 2 // a flag is wrong
)

// Program is an example without its process: it reads args (without the
// program's name), writes its report to stdout and its complaints to stderr,
// and returns the exit status. When ctx ends it stops working early, and still
// reports and saves.
type Program func(ctx context.Context, args []string, stdout, stderr io.Writer) int

// Main runs p as the whole process and does not return.
//
// The first Ctrl-C ends the context of p. From then on the signal has its usual
// effect again, so that a second Ctrl-C kills a program that saves too slowly.
func Main(p Program) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(p(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Fail writes err as one line that starts with the example's name, and returns
// [Failed].
func Fail(stderr io.Writer, name string, err error) int {
	fmt.Fprintf(stderr, "%s: %v\n", name, err)
	return Failed
}

// Must is x. It panics on an error, which can only be a mistake of the example: what flags and
// files may cause is returned.
func Must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
