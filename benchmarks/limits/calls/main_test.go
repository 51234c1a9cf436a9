package main

import (
	"strings"
	"testing"
)

// TestLoops runs every loop on every case that is not large, with one and two
// threads: each must compute what the library does.
func TestLoops(t *testing.T) {
	for _, c := range cases() {
		if strings.Contains(c.name, "32000") {
			c.data, c.indices = []int{64, 320}, []int{64, 1}
		}
		for _, threads := range []int{1, 2} {
			times, err := c.measure(threads, 1)
			if err != nil {
				t.Errorf("%s, threads %d: %v", c.name, threads, err)
			}
			if err == nil && len(times) != len(c.loops)+1 {
				t.Errorf("%s: %d times for %d loops", c.name, len(times), len(c.loops))
			}
		}
	}
}

// TestLoopsRefuse gives an index that is out of range to every loop that checks.
func TestLoopsRefuse(t *testing.T) {
	for _, c := range cases() {
		if strings.Contains(c.name, "32000") {
			c.data, c.indices = []int{64, 320}, []int{64, 1}
		}
		data, other, indices := c.tensors(1)
		indices[0].Int64s()[len(indices[0].Int64s())-1] = 1 << 40
		for _, f := range c.loops {
			if f.name == "unchecked" {
				continue
			}
			if err := c.runner(f, data, other, indices, 2).run(0); err == nil {
				t.Errorf("%s, %s: a bad index is not found", c.name, f.name)
			}
		}
	}
}

// TestFlags has flags that are wrong, and demands an error that names the flag.
func TestFlags(t *testing.T) {
	for _, f := range []struct {
		only, threads string
		rounds        int
		want          string
	}{
		{"no such case", "1", 1, "-case"},
		{"", "1,0", 1, "-threads"},
		{"", "", 1, "-threads"},
		{"", "1", 0, "-rounds"},
	} {
		if err := run(f.only, f.threads, f.rounds); err == nil || !strings.Contains(err.Error(), f.want) {
			t.Errorf("%+v: error %v", f, err)
		}
	}
}
