// Command pauses measures what a call costs when others come right behind it, and
// when the program pauses before the next: the time it takes, and the processor time
// of the process, in which workers that watch for the next call have a share.
// It runs itself with one and with two threads.
//
//	go run ./limits/pauses
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"gorgonia.org/tensor"

	"gorgonia.org/gather/dense"
)

var (
	pauses = []time.Duration{0, 100 * time.Microsecond, time.Millisecond, 3 * time.Millisecond}
	rows   = []int{0, 1024, 4096, 16384, 65536}
	bursts = []int{1, 2, 10}
)

func main() {
	child := flag.Bool("child", false, "measure in this process, with its GOMAXPROCS")
	flag.Parse()
	if *child {
		measureAll()
		return
	}
	for _, threads := range []string{"1", "2"} {
		self := exec.Command(os.Args[0], "-child")
		self.Env = append(os.Environ(), "GOMAXPROCS="+threads)
		self.Stderr = os.Stderr
		out, err := self.Output()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("GOMAXPROCS=%s, µs a call: median time / processor time\n%s\n", threads, out)
	}
}

func measureAll() {
	fmt.Printf("%-16s", "rows, in a row")
	for _, p := range pauses {
		fmt.Printf("%16s", "pause "+p.String())
	}
	fmt.Println()
	for _, n := range rows {
		call := gatherOf(n)
		for _, burst := range bursts {
			fmt.Printf("%-16s", fmt.Sprintf("%d, %d", n, burst))
			for _, pause := range pauses {
				took, used := measure(call, burst, pause)
				fmt.Printf("%16s", fmt.Sprintf("%.0f / %.0f", took, used))
			}
			fmt.Println()
		}
	}
}

// gatherOf is a gather of so many rows of 64 float32, with index sets in rotation.
func gatherOf(n int) func() {
	const size, columns, sets = 100_000, 64, 16
	data := tensor.New(tensor.WithShape(size, columns), tensor.Of(tensor.Float32))
	dst := tensor.New(tensor.WithShape(n, columns), tensor.Of(tensor.Float32))
	var indices [sets]*tensor.Dense
	state := uint32(1)
	for i := range indices {
		idx := make([]int64, n)
		for k := range idx {
			state = state*1664525 + 1013904223
			idx[k] = int64(state>>8) % size
		}
		indices[i] = tensor.New(tensor.WithShape(n), tensor.WithBacking(idx))
	}
	next := 0
	return func() {
		next++
		if _, err := dense.Gather(data, indices[next%sets], 0, dense.WithReuse(dst)); err != nil {
			panic(err)
		}
	}
}

// measure makes bursts of calls with pauses between them, and returns µs a call.
func measure(call func(), burst int, pause time.Duration) (took, used float64) {
	const atLeast = 200 * time.Millisecond
	var times []time.Duration
	for range 10 {
		call()
	}
	before, begin := processorTime(), time.Now()
	for len(times) < 100 || time.Since(begin) < atLeast {
		for range burst {
			t := time.Now()
			call()
			times = append(times, time.Since(t))
		}
		if pause > 0 {
			time.Sleep(pause)
		}
	}
	used = float64(processorTime()-before) / float64(len(times)) / 1000
	slices.Sort(times)
	return float64(times[len(times)/2]) / 1000, used
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
