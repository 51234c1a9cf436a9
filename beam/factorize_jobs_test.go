package gatherbeam_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	gatherbeam "gorgonia.org/gather/beam"
)

// films is a problem of some size.
func films(rule gatherbeam.Rule) problem {
	p := problem{
		start: gatherbeam.Start{Dtype: tensor.Float32, Users: 50, Items: 30, Blocks: 3, Dim: 5, Deviation: 0.3, Biases: true},
		c:     gatherbeam.DSGD{Epochs: 1, Rule: rule, LearnRate: 0.05, L2: 0.02, Batch: 4, Biases: true, Seed: 7},
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 600 {
		p.ratings = append(p.ratings, rating{rng.Int64N(50), rng.Int64N(30), float32(rng.NormFloat64())})
	}
	return p
}

// Some jobs of some epochs give what one process gives, from the files of each.
func TestJobs(t *testing.T) {
	for _, rule := range []gatherbeam.Rule{gatherbeam.SGD, gatherbeam.Adagrad} {
		p, folder := films(rule), tempDir(t)
		start, ratings := p.store(t, folder)
		f := start
		epochs := 0
		for _, each := range []int{1, 2, 1} {
			var err error
			p.c.Epochs = each
			f, err = job(t.Context(), folder, p.c, f, ratings)
			require.NoError(t, err)
			epochs += each
			assert.Equal(t, int64(epochs), f.Epochs)
			assert.Equal(t, rule == gatherbeam.Adagrad, len(f.UsersState.Shards) > 0)
			assert.Equal(t, trained(t, p.c, start, ratings, epochs), rows(t, f), "%s after %d epochs", rule, epochs)
		}
		// A trainer goes on from files, too.
		all := trained(t, p.c, start, ratings, epochs+1)
		assert.Equal(t, all, trained(t, p.c, f, ratings, 1))
		// Another rule begins anew.
		p.c.Rule, p.c.Epochs = gatherbeam.SGD, 1
		f, err := job(t.Context(), folder, p.c, f, ratings)
		require.NoError(t, err)
		assert.Empty(t, f.UsersState.Shards)
		require.NoError(t, gatherbeam.Prune(t.Context(), folder))
		_, err = job(t.Context(), folder, p.c, f, ratings)
		require.NoError(t, err, "what is pruned nobody needs")
	}
}

// outside is a table of ratings with one of a user whom its block does not have.
func outside(t *testing.T, folder string, user, item float32) gatherbeam.Table {
	t.Helper()
	g, err := gatherbeam.NewGeneration(t.Context(), folder)
	require.NoError(t, err)
	table, err := g.Table("outside", tensor.Float32, tensor.Shape{9, 3}, 9)
	require.NoError(t, err)
	backing := make([]float32, 27)
	backing[12], backing[13] = user, item // of blocks 1 and 1
	require.NoError(t, table.Store(t.Context(), tensor.New(tensor.WithShape(9, 3), tensor.WithBacking(backing))))
	require.NoError(t, g.Commit(t.Context()))
	return table
}

// A job that fails says why, and leaves the factors as they were.
func TestJobsThatFail(t *testing.T) {
	p, folder := films(gatherbeam.Adagrad), tempDir(t)
	f, ratings := p.store(t, folder)
	f, err := job(t.Context(), folder, p.c, f, ratings)
	require.NoError(t, err)
	want := rows(t, f)
	elsewhere := tempDir(t)
	damaged := func(change func(path string)) gatherbeam.Table {
		folder := tempDir(t)
		_, ratings := p.store(t, folder)
		change(ratings.File(4))
		return ratings
	}
	for name, c := range map[string]struct {
		ratings gatherbeam.Table
		text    string
	}{
		"a user outside":  {outside(t, filepath.Join(elsewhere, "a"), 17, 0), "rating 0 is of the user 17, rows 0 to 16 are in its block"},
		"an item outside": {outside(t, filepath.Join(elsewhere, "b"), 0, 10), "rating 0 is of the item 10, rows 0 to 9 are in its block"},
		"a negative user": {outside(t, filepath.Join(elsewhere, "c"), -1, 0), "rating 0 is of the user -1"},
		"half a user":     {outside(t, filepath.Join(elsewhere, "d"), 0.5, 0), "rating 0 is of the user 0.5"},
		"no number":       {outside(t, filepath.Join(elsewhere, "e"), 0, float32(math.NaN())), "rating 0 is of the item NaN"},
		"no file":         {damaged(func(path string) { require.NoError(t, os.Remove(path)) }), "no such file"},
		"a short file":    {damaged(func(path string) { require.NoError(t, os.Truncate(path, 4100)) }), "truncated"},
		"another file": {damaged(func(path string) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			data[len(data)-1] ^= 1
			require.NoError(t, os.WriteFile(path, data, 0o600))
		}), "checksum"},
	} {
		manifest, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
		require.NoError(t, err)
		_, err = job(t.Context(), folder, p.c, f, c.ratings)
		assert.ErrorContains(t, err, c.text, name)
		after, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
		require.NoError(t, err)
		assert.Equal(t, string(manifest), string(after), name)
		now, err := gatherbeam.OpenFactors(t.Context(), folder)
		require.NoError(t, err)
		assert.Equal(t, f, now, name)
		assert.Equal(t, want, rows(t, now), name)
	}
	_, err = job(t.Context(), folder, p.c, f, ratings)
	assert.NoError(t, err, "and go on")
}

const killed = "GATHERBEAM_TEST_KILLED"

// Killed at any moment, a job leaves the factors of the last one that was committed,
// and the next goes on to the same bits.
func TestKilled(t *testing.T) {
	p := films(gatherbeam.Adagrad)
	if folder := os.Getenv(killed); folder != "" {
		for {
			f, err := gatherbeam.OpenFactors(t.Context(), folder)
			require.NoError(t, err)
			ratings, err := gatherbeam.OpenTable(t.Context(), folder, "ratings")
			require.NoError(t, err)
			_, err = job(t.Context(), folder, p.c, f, ratings)
			require.NoError(t, err)
		}
	}
	folder := tempDir(t)
	start, ratings := p.store(t, folder)
	trainer, err := gatherbeam.NewTrainer(t.Context(), p.c, start, ratings)
	require.NoError(t, err)
	learnt := int64(0)
	for wait := 300 * time.Millisecond; learnt < 4; wait += 70 * time.Millisecond {
		child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		child.Env = append(os.Environ(), killed+"="+folder)
		var out bytes.Buffer
		child.Stdout, child.Stderr = &out, &out
		require.NoError(t, child.Start())
		time.AfterFunc(wait, func() { child.Process.Kill() })
		require.Error(t, child.Wait(), out.String())
		require.Empty(t, out.String())

		f, err := gatherbeam.OpenFactors(t.Context(), folder)
		require.NoError(t, err)
		require.NoError(t, trainer.Run(t.Context(), int(f.Epochs-learnt)))
		learnt = f.Epochs
		require.Equal(t, [2]any{trainer.Users().Data(), trainer.Items().Data()}, rows(t, f), "after %d epochs", learnt)
		require.Less(t, wait, 10*time.Second)
	}
}
