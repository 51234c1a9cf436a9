package main

import (
	"context"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/benchmarks/internal/child"
)

// served is a [Remote] whose other end is in this process.
func served(t *testing.T) *Remote {
	requests, toServer := io.Pipe()
	fromServer, replies := io.Pipe()
	ended := make(chan error)
	go func() { ended <- serve(requests, replies) }()
	r := &Remote{Process: child.Connected(OursNoasm, toServer, fromServer)}
	t.Cleanup(func() {
		assert.NoError(t, r.Stop())
		assert.NoError(t, <-ended)
	})
	return r
}

func TestRun(t *testing.T) {
	var progress strings.Builder
	b := &Bench{rounds: 2, runs: 1, threads: []int{1, 2}, remotes: []*Remote{served(t)}, dir: t.TempDir(), progress: &progress}
	some := []Case{smallCases(Read)[1], smallCases(Gradient)[5]}
	some[1].Group = Gradients
	r, err := b.run(context.Background(), some)
	require.NoError(t, err)
	require.Len(t, r.Results, 4)

	lookup := r.Results[0]
	for _, name := range []string{Ours, OursNoasm, Memcpy, ByIndices, Gonnx} {
		us, ok := lookup.time(name)
		assert.True(t, ok, name)
		assert.Positive(t, us, name)
	}
	_, ok := r.Results[2].time(Gonnx)
	assert.False(t, ok, "gonnx has no gradient")
	for _, x := range lookup.Times {
		assert.LessOrEqual(t, x.Min, x.Median)
		assert.Equal(t, 2, x.Samples)
	}
	assert.Equal(t, 4, strings.Count(progress.String(), "\n"))
	assert.Contains(t, progress.String(), "4 of 4  GatherND, threads 2")
	left, err := os.ReadDir(b.dir)
	require.NoError(t, err)
	for _, f := range left {
		assert.Equal(t, resultFile, f.Name())
	}
}

// What was measured before an interruption is kept.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b := &Bench{rounds: 1, runs: 1, threads: []int{1}, dir: t.TempDir(), progress: writerFunc(func([]byte) { cancel() })}
	some := []Case{smallCases(Read)[1], smallCases(Read)[2]}
	r, err := b.run(ctx, some)
	assert.ErrorIs(t, err, context.Canceled)
	require.Len(t, r.Results, 1)
	assert.Equal(t, some[0].Name, r.Results[0].Name)
}

type writerFunc func([]byte)

func (f writerFunc) Write(b []byte) (int, error) {
	f(b)
	return len(b), nil
}

// stub is a Runner that waits.
type stub struct {
	name   string
	result Values
	wait   time.Duration
	runs   int
}

func (r *stub) Name() string            { return r.name }
func (r *stub) Result() (Values, error) { return r.result, nil }
func (r *stub) Close()                  {}
func (r *stub) Sample(n int) (time.Duration, error) {
	r.runs += n
	return time.Duration(n) * r.wait, nil
}

// collected is a stub that makes garbage.
type collected struct{ *stub }

func (collected) Collected() bool { return true }

func TestMeasure(t *testing.T) {
	fast, slow := &stub{name: "fast", wait: 100 * time.Microsecond}, &stub{name: "slow", wait: 2 * time.Second}
	times, err := measure(context.Background(), []Runner{fast, slow}, 7)
	require.NoError(t, err)
	assert.Equal(t, Time{Runner: "fast", Median: 100, Min: 100, Samples: 7, Runs: 80}, times[0])
	assert.Equal(t, Time{Runner: "slow", Median: 2e6, Min: 2e6, Samples: leastRounds, Runs: 1}, times[1])
	assert.Equal(t, 1+leastRounds, slow.runs, "one run that calibrates, then the samples")

	times, err = measure(context.Background(), []Runner{collected{fast}}, 7)
	require.NoError(t, err)
	assert.Equal(t, 1200, times[0].Runs, "the garbage collector has its share in every sample")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = measure(ctx, []Runner{fast}, 7)
	assert.True(t, errors.Is(err, context.Canceled))
}

func TestRotation(t *testing.T) {
	var seen []int
	r := &inProcess{sets: 3, run: func(set int) error { seen = append(seen, set); return nil }}
	for range 2 {
		_, err := r.Sample(4)
		require.NoError(t, err)
	}
	assert.Equal(t, []int{0, 1, 2, 0, 1, 2, 0, 1}, seen)
}

func TestRemoteErrors(t *testing.T) {
	for reply, want := range map[string]string{
		`{"cannot":true}`:  errCannot.Error(),
		`{"error":"oops"}`: "oops",
		`not JSON`:         "not JSON",
	} {
		r := &Remote{Process: child.Connected("peer", discard{}, strings.NewReader(reply+"\n"))}
		_, err := r.ask(request{Do: "load"})
		assert.ErrorContains(t, err, want)
	}
	r := &Remote{Process: child.Connected("peer", discard{}, strings.NewReader(""))}
	_, err := r.ask(request{Do: "load"})
	assert.ErrorContains(t, err, "peer has ended")
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }

func TestServeUnknownRequest(t *testing.T) {
	_, err := served(t).ask(request{Do: "dance"})
	assert.ErrorContains(t, err, `cannot "dance"`)
}

func TestPictures(t *testing.T) {
	check := func(t *testing.T, file string, words ...string) {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, w := range words {
			assert.Contains(t, string(b), w)
		}
		f, err := os.Open(strings.TrimSuffix(file, ".svg") + ".png")
		require.NoError(t, err)
		defer f.Close()
		_, err = png.Decode(f)
		assert.NoError(t, err)
	}
	t.Run("charts", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, drawCharts(sampleReport(), filepath.Join(dir, "chart.svg")))
		check(t, filepath.Join(dir, "chart.svg"), "ONNX Runtime, 1 thread", "2.0×", "sans-serif") // of 4 and 1
		check(t, filepath.Join(dir, "chart-gathers.svg"), "lookup", PyTorch, "2 threads", "1/2×", "sans-serif")
		check(t, filepath.Join(dir, "chart-rows-out-of-cache.svg"), "rows of 64 bytes", ONNXRuntime)
		pictures, err := filepath.Glob(filepath.Join(dir, "*.svg"))
		require.NoError(t, err)
		assert.Len(t, pictures, 3, "groups without results have none")
	})
	t.Run("chart without peers", func(t *testing.T) {
		assert.Error(t, drawCharts(&Report{}, filepath.Join(t.TempDir(), "chart.svg")))
	})
	t.Run("scaling", func(t *testing.T) {
		b := &Bench{rounds: 1, threads: []int{1, 2}, progress: io.Discard}
		var some []Case
		for _, s := range scales {
			some = append(some, s.at(leastScale), s.at(1<<10))
		}
		r, err := b.scaleOf(context.Background(), some)
		require.NoError(t, err)
		require.Len(t, r.Points, 2*2*len(scales))
		r.Machine.Caches = []Cache{{Level: 1, Bytes: 1 << 10}}
		file := filepath.Join(t.TempDir(), "scaling.svg")
		require.NoError(t, drawScaling(r, file))
		check(t, file, scales[0].name, scales[3].name, "L1 1 kB", "gather, threads 2")
		assert.Len(t, r.table(scales[1].name).rows, 2)
	})
}
