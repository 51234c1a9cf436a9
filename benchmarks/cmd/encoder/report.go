package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/pkg/errors"
)

// A report is the times of the steps in seconds.
type report struct{ ours, blas, rest, theirs []float64 }

// add takes a step of each, and one of ours in which BLAS is timed.
func (r *report) add(ours *step, peer *pyTorch) error {
	all, _, err := ours.run(false)
	if err != nil {
		return err
	}
	timed, blas, err := ours.run(true)
	if err != nil {
		return err
	}
	theirs, err := peer.step()
	if err != nil {
		return err
	}
	r.ours, r.blas, r.rest = append(r.ours, all), append(r.blas, blas), append(r.rest, timed-blas)
	r.theirs = append(r.theirs, theirs)
	return nil
}

func (r *report) print(w io.Writer, c Case, version string) error {
	_, err := fmt.Fprintf(w, `%d layers of width %d, %d heads, hidden %d, %s; %d sequences of %d words; %d threads
library  %4.0f ms
         %4.0f ms %s in another step, and the rest of that %.0f ms
PyTorch  %4.0f ms, %s
`,
		c.Layers, c.Width, c.Heads, c.Hidden, c.Activation, c.Batch, c.Length, c.Threads,
		1e3*median(r.ours), 1e3*median(r.blas), blasName, 1e3*median(r.rest), 1e3*median(r.theirs), version)
	return errors.WithStack(err)
}

func median(times []float64) float64 {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}
