package dense_test

import (
	"math/rand"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"
)

// BenchmarkStops reports how long garbage collections that are asked for all the
// time had to wait for the goroutines to stop, at worst, while an operator ran.
// What cannot be preempted holds up every goroutine for so long.
func BenchmarkStops(b *testing.B) {
	const adds, picks = 24e6, 1e4
	rng := rand.New(rand.NewSource(1))
	random := func(n, below int) *tensor.Dense {
		values := make([]int32, n)
		for i := range values {
			values[i] = rng.Int31n(int32(below))
		}
		return tensor.New(tensor.WithShape(n), tensor.WithBacking(values))
	}
	floats := func(shape ...int) *tensor.Dense {
		return tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(shape...))
	}
	for _, bench := range []struct {
		name string
		make func() func() error
	}{
		{"random adds", func() func() error {
			dst, updates, indices := floats(1<<26), floats(adds), random(adds, 1<<26)
			return func() error { return dense.AddGather(dst, updates, indices, 0) }
		}},
		{"random elements", func() func() error {
			data, out, indices := floats(1<<26), floats(adds), random(adds, 1<<26)
			return func() error {
				_, err := dense.Gather(data, indices, 0, dense.WithReuse(out))
				return err
			}
		}},
		{"rows of 16 kB", func() func() error {
			data, out, indices := floats(1<<14, 4<<10), floats(picks, 4<<10), random(picks, 1<<14)
			return func() error {
				_, err := dense.Gather(data, indices, 0, dense.WithReuse(out))
				return err
			}
		}},
		{"rows of 100 MB", func() func() error {
			data, out, indices := floats(2, 25e6), floats(5, 25e6), random(5, 2)
			return func() error {
				_, err := dense.Gather(data, indices, 0, dense.WithReuse(out))
				return err
			}
		}},
		{"sums of rows of 16 kB", func() func() error {
			dst, updates, indices := floats(1<<14, 4<<10), floats(picks, 4<<10), random(picks, 1<<14)
			return func() error { return dense.AddGather(dst, updates, indices, 0) }
		}},
		{"scattered rows of 16 kB, and a copy of data", func() func() error {
			data, out, updates, indices := floats(1<<14, 4<<10), floats(1<<14, 4<<10), floats(picks, 4<<10), random(picks, 1<<14)
			return func() error {
				_, err := dense.ScatterUpdate(data, indices, updates, 0, dense.WithReuse(out))
				return err
			}
		}},
		{"columns", func() func() error {
			data, out, indices := floats(1<<12, 1<<13), floats(1<<12, 1<<13), random(1<<13, 1<<13)
			return func() error {
				_, err := dense.Gather(data, indices, 1, dense.WithReuse(out))
				return err
			}
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
			run := bench.make()
			if err := run(); err != nil {
				b.Fatal(err)
			}
			var done atomic.Bool
			collected := make(chan int)
			go func() {
				times := 0
				for ; !done.Load(); times++ {
					runtime.GC()
					time.Sleep(time.Millisecond)
				}
				collected <- times
			}()
			before := stops()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
			done.Store(true)
			b.ReportMetric(float64(<-collected)/float64(b.N), "collections/op")
			b.ReportMetric(worst(before, stops())*1e3, "worst-ms")
		})
	}
}

// stops is how long the goroutines took to stop, each time.
func stops() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}}
	metrics.Read(sample)
	return sample[0].Value.Float64Histogram()
}

// worst is the longest time, to the upper end of its bucket, in the second
// histogram but not in the first.
func worst(before, after *metrics.Float64Histogram) float64 {
	for i := len(after.Counts) - 1; i >= 0; i-- {
		if after.Counts[i] > before.Counts[i] {
			return after.Buckets[i+1]
		}
	}
	return 0
}
