package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"gorgonia.org/gather/internal/examples/console"
	"gorgonia.org/gather/internal/examples/ratings"
)

// report prints the errors of the model, and films that are near each other.
func (t *trainer) report(stdout io.Writer) error {
	held, err := t.judge.error(t.data, t.data.Held)
	if err != nil {
		return err
	}
	b := ratings.NewBaselines(t.data)
	fmt.Fprintf(stdout, "\nRMSE on held-out ratings\n")
	for _, line := range []struct {
		name  string
		error float64
	}{
		{"mean of all ratings", b.Global},
		{"means of user and film", b.Means},
		{"biases of user and film", b.Biased},
		{fmt.Sprintf("this model, after epoch %d", t.shownEpoch()), held},
	} {
		fmt.Fprintf(stdout, "  %-28s %.4f\n", line.name, line.error)
	}
	if t.path == "" {
		fmt.Fprintf(stdout, "  %.1f is the noise of the synthetic ratings, which no model can predict\n", ratings.Chance)
	}
	fmt.Fprintf(stdout, "\nthe tables take %s\n", inBytes(t.weights.bytes()))
	if n := len(t.times); n > 0 {
		slices.Sort(t.times)
		fmt.Fprintf(stdout, "%.2f ms a step of %d ratings (median)\n", t.times[n/2].Seconds()*1000, t.batch)
	}
	return t.neighbours(stdout)
}

// shownEpoch is the epoch whose weights are reported.
func (t *trainer) shownEpoch() int {
	if t.save && t.progress.best() > 0 {
		return t.progress.best()
	}
	return t.progress.epoch()
}

// inBytes is a number of bytes with a unit.
func inBytes(n int) string {
	for _, unit := range []string{"bytes", "kB", "MB"} {
		if n < 10_000 {
			return fmt.Sprintf("%d %s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%d GB", n)
}

// A film is one with a title and so many ratings that its row means something.
type film struct {
	title   string
	ratings int
	vector  []float32 // of its row, of length 1
}

// films are the best-known films, the best-known first.
func (t *trainer) films(most, atLeast int) ([]film, error) {
	d := t.data
	if d.Titles == nil {
		return nil, nil
	}
	count := make([]int, d.Items)
	for _, k := range d.Train {
		count[d.Item[k]]++
	}
	var known []int32
	for item, n := range count {
		if n >= atLeast && d.Titles[item] != "" {
			known = append(known, int32(item))
		}
	}
	slices.SortStableFunc(known, func(a, b int32) int { return cmp.Compare(count[b], count[a]) })
	known = known[:min(most, len(known))]
	weights, err := t.weights.items.Weights()
	if err != nil {
		return nil, err
	}
	counts, err := t.weights.shares.Weights()
	if err != nil {
		return nil, err
	}
	rows, shares := weights.Float32s(), counts.Float32s()
	var films []film
	for _, item := range known {
		f := film{title: d.Titles[item], ratings: count[item], vector: slices.Clone(rows[int(item)*t.dim : int(item+1)*t.dim])}
		norm := 0.0
		for c := range f.vector {
			f.vector[c] *= shares[c]
			norm += float64(f.vector[c]) * float64(f.vector[c])
		}
		for c := range f.vector {
			f.vector[c] /= float32(math.Sqrt(norm) + 1e-12)
		}
		films = append(films, f)
	}
	return films, nil
}

// neighbours prints for some films those that the same users like.
func (t *trainer) neighbours(stdout io.Writer) error {
	const shown, each, atLeast, most = 8, 4, 30, 2000
	films, err := t.films(most, atLeast)
	if err != nil || len(films) < 2*each {
		return err
	}
	fmt.Fprintf(stdout, "\nfilms that the same people like, of the %d with %d ratings or more\n", len(films), atLeast)
	for i := range min(shown, len(films)) {
		near := make([]int, 0, len(films)-1)
		closeness := make([]float64, len(films))
		for j := range films {
			for c, x := range films[j].vector {
				closeness[j] += float64(x) * float64(films[i].vector[c])
			}
			if j != i {
				near = append(near, j)
			}
		}
		slices.SortStableFunc(near, func(a, b int) int { return cmp.Compare(closeness[b], closeness[a]) })
		var names []string
		for _, j := range near[:each] {
			names = append(names, films[j].title)
		}
		fmt.Fprintln(stdout, console.List("  "+films[i].title+": ", names, "; ", 4))
	}
	return nil
}
