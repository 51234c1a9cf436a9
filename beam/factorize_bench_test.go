package gatherbeam_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	gatherbeam "gorgonia.org/gather/beam"
	"gorgonia.org/gather/internal/examples/ratings"
)

// BenchmarkFactorize is a job of 80 strata, and tells what a stratum takes on Prism
// above what its work takes in one process. With one pair at a time the work is the
// same. The job's start and the files that it writes count as well. What travels in a
// stratum is 8 bytes a number with Adagrad: 0.2 MB of the small problem, 16 MB of the
// large one.
func BenchmarkFactorize(b *testing.B) {
	b.Run("small", func(b *testing.B) { factorize(b, 1000, 500) })
	b.Run("large", func(b *testing.B) { factorize(b, 100_000, 20_000) })
}

func factorize(b *testing.B, users, items int) {
	const count, blocks, epochs = 200_000, 8, 10
	ctx, folder := context.Background(), b.TempDir()
	g, err := gatherbeam.NewGeneration(ctx, folder)
	require.NoError(b, err)
	f, err := g.Factors(ctx, gatherbeam.Start{Dtype: tensor.Float32, Users: users, Items: items, Dim: 17, Blocks: blocks, Deviation: 0.05, Biases: true})
	require.NoError(b, err)
	w, err := g.Ratings("ratings", f)
	require.NoError(b, err)
	for r := range ratings.MadeUp(1, users, items, count) {
		require.NoError(b, w.Add(int64(r.User), int64(r.Item), r.Value))
	}
	of, err := w.Close(ctx)
	require.NoError(b, err)
	require.NoError(b, g.Commit(ctx))
	c := gatherbeam.DSGD{Epochs: epochs, Rule: gatherbeam.Adagrad, LearnRate: 0.05, L2: 0.05, Mean: 3.5, Biases: true, Batch: 64, Parallel: 1}
	var work, whole time.Duration
	for b.Loop() {
		trainer, err := gatherbeam.NewTrainer(ctx, c, f, of)
		require.NoError(b, err)
		start := time.Now()
		require.NoError(b, trainer.Run(ctx, epochs))
		work += time.Since(start)
		start = time.Now()
		_, err = job(ctx, folder, c, f, of)
		require.NoError(b, err)
		whole += time.Since(start)
	}
	strata := float64(b.N * blocks * epochs)
	b.ReportMetric(work.Seconds()*1000/strata, "ms-work/stratum")
	b.ReportMetric((whole-work).Seconds()*1000/strata, "ms-above/stratum")
}
