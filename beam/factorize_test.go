package gatherbeam_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	gatherbeam "gorgonia.org/gather/beam"
)

type rating struct {
	user, item int64
	value      float32
}

// problem is factors that have not learnt and ratings, in a folder each.
type problem struct {
	start   gatherbeam.Start
	c       gatherbeam.DSGD
	ratings []rating
}

// draw makes a problem up.
func draw(rng *rand.Rand) problem {
	p := problem{
		start: gatherbeam.Start{Dtype: tensor.Float32, Blocks: 1 + rng.IntN(4), Dim: 2 + rng.IntN(9), Deviation: 0.5, Seed: rng.Uint64(), Biases: rng.IntN(2) == 0},
		c: gatherbeam.DSGD{
			Epochs: 1 + rng.IntN(2), LearnRate: 0.1 * rng.Float64(), L2: 0.1 * rng.Float64(), Mean: rng.NormFloat64(),
			Batch: rng.IntN(9), Seed: rng.Uint64(), Parallel: rng.IntN(4),
		},
	}
	p.c.Biases = p.start.Biases
	p.start.Users, p.start.Items = p.start.Blocks+rng.IntN(20), p.start.Blocks+rng.IntN(12)
	if rng.IntN(3) == 0 {
		p.start.Dtype = tensor.Float64
	}
	if rng.IntN(2) == 0 {
		p.c.Rule, p.c.InitialAccumulator = gatherbeam.Adagrad, 0.1*rng.Float64()
	}
	for range rng.IntN(80) { // pairs without ratings, too
		p.ratings = append(p.ratings, rating{rng.Int64N(int64(p.start.Users)), rng.Int64N(int64(p.start.Items)), float32(rng.NormFloat64())})
	}
	return p
}

// store writes a problem to a folder.
func (p problem) store(t *testing.T, folder string) (gatherbeam.Factors, gatherbeam.Table) {
	t.Helper()
	g, err := gatherbeam.NewGeneration(t.Context(), folder)
	require.NoError(t, err)
	f, err := g.Factors(t.Context(), p.start)
	require.NoError(t, err)
	w, err := g.Ratings("ratings", f)
	require.NoError(t, err)
	for _, r := range p.ratings {
		require.NoError(t, w.Add(r.user, r.item, r.value))
	}
	ratings, err := w.Close(t.Context())
	require.NoError(t, err)
	require.NoError(t, g.Commit(t.Context()))
	opened, err := gatherbeam.OpenFactors(t.Context(), folder)
	require.NoError(t, err)
	assert.Equal(t, f.Users.Shape, opened.Users.Shape)
	again, err := gatherbeam.OpenTable(t.Context(), folder, "ratings")
	require.NoError(t, err)
	assert.Equal(t, ratings, again)
	return opened, again
}

// job is a job of Factorize, and the factors that it leaves in the folder.
func job(ctx context.Context, folder string, c gatherbeam.DSGD, f gatherbeam.Factors, ratings gatherbeam.Table) (gatherbeam.Factors, error) {
	next, err := gatherbeam.NewGeneration(ctx, folder)
	if err != nil {
		return f, err
	}
	p, s := beam.NewPipelineWithRoot()
	gatherbeam.Factorize(s, c, f, ratings, next)
	if err := run(p); err != nil {
		return f, err
	}
	if err := next.Commit(ctx); err != nil {
		return f, err
	}
	return gatherbeam.OpenFactors(ctx, folder)
}

// rows are the rows of users and of items.
func rows(t *testing.T, f gatherbeam.Factors) [2]any {
	t.Helper()
	users, err := f.Users.Load(t.Context())
	require.NoError(t, err)
	items, err := f.Items.Load(t.Context())
	require.NoError(t, err)
	return [2]any{users.Data(), items.Data()}
}

// trained are the rows after some epochs in one process.
func trained(t *testing.T, c gatherbeam.DSGD, f gatherbeam.Factors, ratings gatherbeam.Table, epochs int) [2]any {
	t.Helper()
	trainer, err := gatherbeam.NewTrainer(t.Context(), c, f, ratings)
	require.NoError(t, err)
	require.NoError(t, trainer.Run(t.Context(), epochs))
	return [2]any{trainer.Users().Data(), trainer.Items().Data()}
}

// Random problems give the bits of one process. Some of them share a pipeline.
func TestFactorizeRandom(t *testing.T) {
	const cases, together = 200, 20
	rng := rand.New(rand.NewPCG(1, 2))
	for first := 0; first < cases; first += together {
		p, s := beam.NewPipelineWithRoot()
		var next []*gatherbeam.Generation
		var folders []string
		var want [][2]any
		for range together {
			drawn := draw(rng)
			folder := fmt.Sprintf("memfs://%s/%d", t.Name(), first+len(folders))
			f, ratings := drawn.store(t, folder)
			want = append(want, trained(t, drawn.c, f, ratings, drawn.c.Epochs))
			g, err := gatherbeam.NewGeneration(t.Context(), folder)
			require.NoError(t, err)
			gatherbeam.Factorize(s, drawn.c, f, ratings, g)
			next, folders = append(next, g), append(folders, folder)
		}
		require.NoError(t, run(p))
		for i, g := range next {
			require.NoError(t, g.Commit(t.Context()))
			f, err := gatherbeam.OpenFactors(t.Context(), folders[i])
			require.NoError(t, err)
			require.Equal(t, want[i], rows(t, f), "case %d", first+i)
		}
	}
}
