// Command serving measures lookups and bags of tables in memory without a graph, by the
// storage of their rows, beside PyTorch's.
//
//	go run ./cmd/serving -torch DIR/python/bin/python
//
// Without flags it measures the library alone.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gorgonia.org/gather/benchmarks/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	command.Exit("serving", run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("serving", flag.ContinueOnError)
	flags.SetOutput(stderr)
	python := flags.String("torch", "", "python with PyTorch")
	rows := flags.Int("rows", 1_000_000, "rows of a table")
	dim := flags.Int("dim", 64, "columns")
	bags := flags.Int("bags", 4096, "bags of a call")
	perBag := flags.Int("bag", 32, "ids of a bag; rows are looked up for the ids of all bags")
	sets := flags.Int("sets", 16, "sets of ids that take turns: of one the rows would stay in the cache")
	names := flags.String("storages", "Float32,Float16,BFloat16,Int8,Int4", "storages of the tables")
	pages := flags.String("pages", "huge", "pages of all tables, PyTorch's too: huge, small, or own, those that each program asks for by itself")
	rounds := flags.Int("rounds", 7, "samples of each call, of which the least counts")
	threads := flags.String("threads", "1,2", "numbers of threads")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	for name, n := range map[string]int{"rows": *rows, "dim": *dim, "bags": *bags, "bag": *perBag, "sets": *sets, "rounds": *rounds} {
		if n < 1 {
			return errors.Errorf("flag -%s: %d, at least 1 is needed", name, n)
		}
	}
	s := setup{Rows: *rows, Dim: *dim, Storages: strings.Split(*names, ","), Bags: *bags, Sets: *sets}
	for _, name := range s.Storages {
		if _, ok := storages[name]; !ok {
			return errors.Errorf("flag -storages: there is no storage %q", name)
		}
	}
	var counts []int
	for n := range strings.SplitSeq(*threads, ",") {
		count, err := strconv.Atoi(n)
		if err != nil || count < 1 {
			return errors.Errorf("flag -threads: %q is no number of threads", n)
		}
		counts = append(counts, count)
	}
	if err := usePages(*pages); err != nil {
		return errors.WithMessage(err, "flag -pages")
	}
	runners, version := []runner{new(ours)}, func() string { return "" }
	if *python != "" {
		t, err := startTorch(*python)
		if err != nil {
			return err
		}
		runners, version = append(runners, t), func() string { return ", PyTorch " + t.version }
	}
	times, err := measure(ctx, s, *perBag, counts, *rounds, runners)
	for _, r := range runners {
		if other := r.close(); err == nil {
			err = other
		}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d rows of %d, %d ids in %d bags, %s pages, %s%s\n\n", s.Rows, s.Dim, s.Bags**perBag, s.Bags, *pages, runtime.Version(), version())
	print(stdout, s.Storages, times)
	return nil
}

// print writes a table of the times in milliseconds.
func print(w io.Writer, storages []string, times []timing) {
	fmt.Fprint(w, "| | threads | storage | ms | PyTorch, ms | PyTorch / here | Float32 here / here |\n|---|---|---|---|---|---|---|\n")
	at := func(c call, runner int) float64 {
		for _, t := range times {
			if t.Times = 0; t.call == c && t.runner == runner {
				return t.seconds
			}
		}
		return 0
	}
	for len(times) > 0 {
		c := times[0].call
		c.Times = 0
		what := "rows"
		if c.Bags {
			what = "bags"
		}
		for _, c.Storage = range storages {
			here, there := at(c, 0), at(c, 1)
			plain := c
			plain.Storage = "Float32"
			fmt.Fprintf(w, "| %s | %d | %s | %.2f |%s%s%s\n", what, c.Threads, c.Storage, 1e3*here, cell(1e3*there), cell(there/here), cell(at(plain, 0)/here))
		}
		times = slices.DeleteFunc(times, func(t timing) bool { return t.Bags == c.Bags && t.Threads == c.Threads })
	}
}

// cell is a number, or nothing.
func cell(x float64) string {
	if x == 0 {
		return " |"
	}
	return fmt.Sprintf(" %.2f |", x)
}
