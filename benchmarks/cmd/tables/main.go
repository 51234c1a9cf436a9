// Command tables measures training steps of package embedding beside PyTorch's with
// sparse gradients: the table part alone, and a whole model.
//
//	go run ./cmd/tables -torch DIR/python/bin/python -noasm BINARY
//
// Without flags it measures the library alone. BINARY is this program, built with
// -tags noasm.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/pkg/errors"

	"gorgonia.org/gather/benchmarks/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	command.Exit("tables", run(ctx, os.Args[1:], os.Stderr))
}

func run(ctx context.Context, args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("tables", flag.ContinueOnError)
	flags.SetOutput(stderr)
	torch := flags.String("torch", "", "python with PyTorch")
	noasm := flags.String("noasm", "", "this program, built with -tags noasm")
	group := flags.String("group", "", "only cases of these groups: "+strings.Join(groupNames(), ", "))
	only := flags.String("case", "", "only cases whose names contain this")
	rounds := flags.Int("rounds", 7, "how many samples of each runner, of which the least counts")
	threads := flags.String("threads", "1,2", "numbers of threads")
	list := flags.Bool("list", false, "print the cases, and measure nothing")
	serve := flags.Bool("serve", false, "answer requests on standard input")
	jsonFile := flags.String("json", "", "write the times to this file")
	markdown := flags.String("markdown", "", "write the tables to this file")
	svg := flags.String("svg", "", "draw time against rows in this file")
	from := flags.String("from", "", "measure nothing, and report from these JSON files, separated by commas")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	if *rounds < 1 {
		return errors.Errorf("flag -rounds: %d, at least 1 is needed", *rounds)
	}
	if *serve {
		return answer(os.Stdin, os.Stdout)
	}
	chosen, err := choose(*group, *only, *threads)
	if err != nil {
		return err
	}
	if *list {
		for _, c := range chosen {
			fmt.Println(c)
		}
		return nil
	}
	var r *report
	if *from != "" {
		r, err = readReports(strings.Split(*from, ","))
	} else {
		r, err = measure(ctx, chosen, *rounds, *torch, *noasm)
	}
	if err != nil {
		return err
	}
	return r.write(*jsonFile, *markdown, *svg)
}
