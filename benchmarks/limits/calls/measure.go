package main

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/pkg/errors"
	"gorgonia.org/tensor"
)

// sets of indices are used in rotation: with one set what it reads would stay in
// the cache.
const sets = 8

// sampleTime is how long one sample takes at least.
const sampleTime = 5 * time.Millisecond

// A timing is the median of one runner.
type timing struct {
	name   string
	micros float64
}

// A runner does the call with one set of indices.
type runner struct {
	name string
	run  func(set int) error
}

// tensors makes what a call works on, with so many sets of indices.
func (c limit) tensors(sets int) (data, other *tensor.Dense, indices []*tensor.Dense) {
	rng := rand.New(rand.NewPCG(7, 11))
	data = tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(c.data...))
	other = tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(c.others()...))
	fill(rng, data.Float32s())
	fill(rng, other.Float32s())
	for range sets {
		indices = append(indices, c.draw(rng))
	}
	return data, other, indices
}

// runner does the call by a loop.
func (c limit) runner(f loop, data, other *tensor.Dense, indices []*tensor.Dense, threads int) runner {
	return runner{"C, " + f.name, func(set int) error {
		w := c.call()
		w.in, w.out, w.index = data.Float32s(), other.Float32s(), indices[set].Int64s()
		if c.sum {
			w.in, w.out = w.out, w.in
		}
		return w.run(f, threads)
	}}
}

// measure returns the library's time first, then those of the loops.
func (c limit) measure(threads, rounds int) ([]timing, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
	data, other, indices := c.tensors(sets)
	runners := []runner{{"gather", func(set int) error { return c.ours(data, other, indices[set]) }}}
	for _, f := range c.loops {
		runners = append(runners, c.runner(f, data, other, indices, threads))
	}
	if err := same(data.Float32s(), other.Float32s(), c.sum, runners); err != nil {
		return nil, err
	}
	samples := make([][]float64, len(runners))
	for range rounds {
		for i, r := range runners {
			micros, err := sample(r)
			if err != nil {
				return nil, errors.Wrap(err, r.name)
			}
			samples[i] = append(samples[i], micros)
		}
	}
	times := make([]timing, len(runners))
	for i, r := range runners {
		slices.Sort(samples[i])
		times[i] = timing{r.name, samples[i][len(samples[i])/2]}
	}
	return times, nil
}

func fill(rng *rand.Rand, v []float32) {
	for i := range v {
		v[i] = rng.Float32()
	}
}

// same runs each runner once on the same values, and compares what comes out: a
// loop that does something else says nothing.
func same(data, other []float32, sum bool, runners []runner) error {
	out := other
	if sum {
		out = data
	}
	before := slices.Clone(out)
	var want []float32
	for _, r := range runners {
		copy(out, before)
		if err := r.run(0); err != nil {
			return errors.Wrap(err, r.name)
		}
		if want == nil {
			want = slices.Clone(out)
		}
		if !slices.Equal(out, want) {
			return errors.Errorf("%s: another result than that of gather", r.name)
		}
	}
	return nil
}

// sample is the mean time of some calls, each with the next set.
func sample(r runner) (micros float64, err error) {
	calls, begin := 0, time.Now()
	for ; calls < sets || time.Since(begin) < sampleTime; calls++ {
		if err := r.run(calls % sets); err != nil {
			return 0, err
		}
	}
	return time.Since(begin).Seconds() * 1e6 / float64(calls), nil
}

// run shares the call among goroutines.
func (c *call) run(f loop, threads int) error {
	if c.rows == 1 { // cut the only row
		return c.cut(f, threads)
	}
	return together(threads, func(i int) bool { return c.share(f, i, threads) })
}

// cut shares the picks of a call of one row.
func (c *call) cut(f loop, threads int) error {
	return together(threads, func(i int) bool {
		from, to := c.n*i/threads, c.n*(i+1)/threads
		part := call{in: c.in, out: c.out[from:to], index: c.index[from:to], rows: 1, n: to - from, line: c.line}
		return part.share(f, 0, 1)
	})
}

func together(n int, f func(i int) bool) error {
	inRange := make([]bool, n)
	var others sync.WaitGroup
	for i := 1; i < n; i++ {
		others.Add(1)
		go func() {
			defer others.Done()
			inRange[i] = f(i)
		}()
	}
	inRange[0] = f(0)
	others.Wait()
	if slices.Contains(inRange, false) {
		return errors.New("an index is out of range")
	}
	return nil
}
