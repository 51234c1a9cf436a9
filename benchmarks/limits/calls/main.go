// Command calls measures the calls in which the library is hardly faster than
// PyTorch beside plain loops in C, which are compiled for the processor at hand and
// written for one case each. What C does no better is bounded by the processor.
//
//	go run ./limits/calls
//
// The library and all loops take turns within one process and on the same memory.
// It needs a C compiler.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"
)

func main() {
	only := flag.String("case", "", "only cases whose names contain this")
	threads := flag.String("threads", "1,2", "numbers of threads")
	rounds := flag.Int("rounds", 31, "samples of each loop, of which the median counts")
	flag.Parse()
	if err := run(*only, *threads, *rounds); err != nil {
		fmt.Fprintf(os.Stderr, "calls: %v\n", err)
		os.Exit(1)
	}
}

func run(only, threads string, rounds int) error {
	if flag.NArg() > 0 {
		return errors.Errorf("no argument is known, %q is too many", flag.Arg(0))
	}
	if rounds < 1 {
		return errors.Errorf("flag -rounds: %d, at least 1 is needed", rounds)
	}
	var counts []int
	for _, s := range strings.Split(threads, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return errors.Errorf("flag -threads: %q, numbers from 1 on with commas between are needed", threads)
		}
		counts = append(counts, n)
	}
	chosen := slices.DeleteFunc(cases(), func(c limit) bool { return !strings.Contains(c.name, only) })
	if len(chosen) == 0 {
		return errors.Errorf("flag -case: no case has %q in its name", only)
	}
	fmt.Println("µs, medians; C / gather is below 1 where C is faster")
	for _, c := range chosen {
		for _, n := range counts {
			times, err := c.measure(n, rounds)
			if err != nil {
				return errors.Wrap(err, c.name)
			}
			fmt.Printf("\n%s, threads %d\n", c.name, n)
			for _, t := range times {
				fmt.Printf("  %-24s %8.1f  %5.2f\n", t.name, t.micros, t.micros/times[0].micros)
			}
		}
	}
	return nil
}
