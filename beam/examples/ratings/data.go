package main

import (
	"context"
	"iter"
	"math"

	"github.com/pkg/errors"
	"gorgonia.org/tensor"

	gatherbeam "gorgonia.org/gather/beam"
	"gorgonia.org/gather/internal/examples/ratings"
)

// input is where ratings come from: one after the other, as often as needed.
type input struct {
	all          func() iter.Seq[ratings.Rating]
	users, items int
	source       string
	inMemory     *ratings.Ratings // nil: too many
}

// mostInMemory is how many ratings are kept to compare with models that need all of
// them at a time.
const mostInMemory = 2_000_000

func (s *settings) source() (*input, error) {
	if s.path != "" {
		r, err := ratings.ReadCSV(s.path)
		if err != nil {
			return nil, err
		}
		return &input{r.All, r.Users, r.Items, r.Source, r}, nil
	}
	in := &input{
		all:   func() iter.Seq[ratings.Rating] { return ratings.MadeUp(s.seed, s.users, s.items, s.count) },
		users: s.users, items: s.items, source: ratings.MadeUpSource(s.users, s.items, s.count),
	}
	if s.count <= mostInMemory {
		in.inMemory = ratings.Generate(s.seed, s.users, s.items, s.count)
	}
	return in, nil
}

// about is a table of what a resumed run needs to know of the one before.
const about = "about"

// fingerprint are the flags that a resumed run must have in common with the one before.
func (s *settings) fingerprint() (names []string, values []float64) {
	return []string{"seed", "seed", "users", "items", "count", "dim", "blocks", "batch", "rate", "l2"},
		[]float64{float64(s.seed >> 32), float64(s.seed & math.MaxUint32), float64(s.users), float64(s.items), float64(s.count),
			float64(s.dim), float64(s.blocks), float64(s.batch), s.rate, s.l2}
}

// store writes rows that have learnt nothing, and the ratings, as they come.
func (in *input) store(ctx context.Context, s settings, folder string) (err error) {
	g, err := gatherbeam.NewGeneration(ctx, folder)
	if err != nil {
		return err
	}
	f, err := g.Factors(ctx, gatherbeam.Start{
		Dtype: tensor.Float32, Users: in.users, Items: in.items, Dim: s.dim, Blocks: s.blocks,
		Deviation: 0.05, Biases: true, Seed: s.seed,
	})
	if err != nil {
		return err
	}
	learn, err := g.Ratings("ratings", f)
	if err != nil {
		return err
	}
	held, err := g.Ratings("held", f)
	if err != nil {
		return err
	}
	next, sum, n := ratings.Parts(s.seed), 0.0, 0
	least, most := math.Inf(1), math.Inf(-1)
	for r := range in.all() {
		if n%4096 == 0 && ctx.Err() != nil {
			err = errors.New("stopped while the ratings were divided; there is nothing to resume yet")
			break
		}
		n++
		least, most = min(least, float64(r.Value)), max(most, float64(r.Value))
		to := learn
		if next() == ratings.Held {
			to = held
		} else {
			sum += float64(r.Value)
		}
		if err = to.Add(int64(r.User), int64(r.Item), r.Value); err != nil {
			break
		}
	}
	learnt, closing := learn.Close(ctx)
	if err == nil {
		err = closing
	}
	if _, closing = held.Close(ctx); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	_, values := s.fingerprint()
	values = append([]float64{sum / float64(max(learnt.Rows(), 1)), least, most}, values...)
	t, err := g.Table(about, tensor.Float64, tensor.Shape{1, len(values)}, 1)
	if err != nil {
		return err
	}
	if err := t.Store(ctx, tensor.New(tensor.WithShape(1, len(values)), tensor.WithBacking(values))); err != nil {
		return err
	}
	return g.Commit(ctx)
}

// open takes up what a folder holds.
func open(ctx context.Context, s settings, folder string) (*training, error) {
	t := &training{settings: s, folder: folder}
	var err error
	if t.factors, err = gatherbeam.OpenFactors(ctx, folder); err != nil {
		return nil, err
	}
	for name, to := range map[string]*gatherbeam.Table{"ratings": &t.ratings, "held": &t.held} {
		if *to, err = gatherbeam.OpenTable(ctx, folder, name); err != nil {
			return nil, err
		}
	}
	said, err := gatherbeam.OpenTable(ctx, folder, about)
	if err != nil {
		return nil, err
	}
	row, err := said.Load(ctx)
	if err != nil {
		return nil, err
	}
	names, want := s.fingerprint()
	var got []float64
	if row.Dtype() == tensor.Float64 {
		got = row.Float64s()
	}
	if len(got) != 3+len(want) {
		return nil, errors.Errorf("flag -resume: %s is of another program", folder)
	}
	for i, name := range names {
		if got[3+i] != want[i] {
			return nil, errors.Errorf("flag -resume: %s was made with another -%s", folder, name)
		}
	}
	t.mean, t.least, t.most = got[0], got[1], got[2]
	return t, nil
}
