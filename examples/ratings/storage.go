package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pkg/errors"
	"gorgonia.org/tensor"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
)

// storages is a flag: names of storages in fewer bits, separated by commas, or all.
type storages []embedding.Storage

var fewerBits = storages{embedding.Float16, embedding.BFloat16, embedding.Int8, embedding.Int4}

// String is the names.
func (s *storages) String() string {
	var names []string
	for _, storage := range *s {
		names = append(names, storageName(storage))
	}
	return strings.Join(names, ",")
}

// Set reads names.
func (s *storages) Set(text string) error {
	*s = nil
	if text == "all" {
		*s = fewerBits
		return nil
	}
	for name := range strings.SplitSeq(text, ",") {
		i := slices.IndexFunc(fewerBits, func(f embedding.Storage) bool { return storageName(f) == name })
		if i < 0 {
			return errors.New("allowed are float16, bfloat16, int8 and int4, several of them with commas between, or all")
		}
		*s = append(*s, fewerBits[i])
	}
	return nil
}

func storageName(s embedding.Storage) string { return strings.ToLower(s.String()) }

// stored is what a storage of the rows of users and films costs.
type stored struct {
	name            string
	rowBytes, bytes int           // of a row, and of both tables
	lookup          time.Duration // of the rows of servedRows users without a graph, the median
	rowError        float64       // of those rows, relative to float32
	held            float64       // RMSE on held-out ratings
}

const servedRows = 1024

// reportStorages stores the rows of users and films in fewer bits, and prints what that
// changes.
func (t *trainer) reportStorages(stdout io.Writer) (all []stored, err error) {
	if len(t.storages) == 0 {
		return nil, nil
	}
	users := t.data.User[:min(servedRows, len(t.data.User))]
	ids := tensor.New(tensor.WithShape(len(users)), tensor.WithBacking(users))
	trained, rows, err := t.measure(t.weights, ids, nil)
	if err != nil {
		return nil, err
	}
	all = append(all, trained)
	for _, s := range t.storages {
		small, err := t.quantised(s, ids, rows)
		if err != nil {
			return nil, errors.Wrapf(err, "storing the rows as %s", storageName(s))
		}
		all = append(all, small)
	}
	fmt.Fprintf(stdout, "\nrows of users and films in fewer bits, and the time to look up %d users\n", len(users))
	fmt.Fprintf(stdout, "  %-9s %14s  %8s  %10s  %12s  %13s\n", "storage", "bytes of a row", "all rows", "lookup", "error of row", "held-out RMSE")
	for _, s := range all {
		fmt.Fprintf(stdout, "  %-9s %14d  %8s  %7.1f µs  %10.3f %%  %13.5f\n", s.name, s.rowBytes, inBytes(s.bytes), s.lookup.Seconds()*1e6, 100*s.rowError, s.held)
	}
	return all, nil
}

// quantised measures the model with its rows of users and films in another storage. The
// biases stay: a row of one number is not smaller with a scale and an offset.
func (t *trainer) quantised(s embedding.Storage, ids *tensor.Dense, trained []float32) (stored, error) {
	small := *t.weights
	var err error
	if small.users, err = t.weights.users.Quantize(s); err != nil {
		return stored{}, err
	}
	defer small.users.Close()
	if small.items, err = t.weights.items.Quantize(s); err != nil {
		return stored{}, err
	}
	defer small.items.Close()
	result, _, err := t.measure(&small, ids, trained)
	return result, err
}

// measure is what weights cost, and the rows that a lookup gives. Their error is relative
// to want, or 0 without.
func (t *trainer) measure(w *weights, ids *tensor.Dense, want []float32) (s stored, rows []float32, err error) {
	s.name, s.rowBytes = storageName(w.users.Storage()), w.users.Storage().RowBytes(t.dim)
	s.bytes = s.rowBytes * (t.data.Users + t.data.Items)

	result, err := w.users.Rows(ids)
	if err != nil {
		return s, nil, err
	}
	times := make([]time.Duration, 101)
	for i := range times {
		start := time.Now()
		if _, err := w.users.Rows(ids, dense.WithReuse(result)); err != nil {
			return s, nil, err
		}
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	s.lookup = times[len(times)/2]

	rows = result.Float32s()
	var difference, length float64
	for i, x := range want {
		difference += math.Pow(float64(rows[i]-x), 2)
		length += math.Pow(float64(x), 2)
	}
	s.rowError = math.Sqrt(difference / max(length, math.SmallestNonzeroFloat64))

	judge, err := newNetwork(w, judgeBatch, false)
	if err != nil {
		return s, nil, err
	}
	defer judge.machine.Close()
	s.held, err = judge.error(t.data, t.data.Held)
	return s, rows, err
}
