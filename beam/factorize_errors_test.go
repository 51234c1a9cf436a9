package gatherbeam_test

import (
	"math"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gather/dense"
	"gorgonia.org/tensor"

	gatherbeam "gorgonia.org/gather/beam"
)

// What does not fit is a pipeline that fails, and a trainer that is none, with a text
// that says what is wrong.
func TestFactorizeErrors(t *testing.T) {
	p := films(gatherbeam.SGD)
	f, ratings := p.store(t, "memfs://errors")
	wide := p
	wide.start.Dim = 6
	g, _ := wide.store(t, "memfs://errors/wide")
	wide.start.Dtype = tensor.Float64
	wide.start.Dim = 5
	double, _ := wide.store(t, "memfs://errors/double")
	wide.start.Dtype, wide.start.Blocks = tensor.Float32, 2
	two, ofTwo := wide.store(t, "memfs://errors/two")
	p.c.Rule = gatherbeam.Adagrad
	learnt, err := job(t.Context(), "memfs://errors", p.c, f, ratings)
	require.NoError(t, err)
	p.c.Rule = gatherbeam.SGD
	empty := f.Users
	empty.Shape, empty.Shards = []int64{1, 5}, []gatherbeam.ShardFile{{Rows: 1}, {}, {}}
	for _, c := range []struct {
		name   string
		change func(c *gatherbeam.DSGD, f *gatherbeam.Factors, r *gatherbeam.Table)
		text   string
	}{
		{"no epochs", func(c *gatherbeam.DSGD, _ *gatherbeam.Factors, _ *gatherbeam.Table) { c.Epochs = 0 }, "DSGD: Epochs is 0, the least is 1"},
		{"a negative rate", func(c *gatherbeam.DSGD, _ *gatherbeam.Factors, _ *gatherbeam.Table) { c.LearnRate = -1 }, "DSGD: LearnRate is -1, allowed are finite numbers from 0 on"},
		{"a mean that is none", func(c *gatherbeam.DSGD, _ *gatherbeam.Factors, _ *gatherbeam.Table) { c.Mean = math.NaN() }, "DSGD: Mean is NaN, allowed are finite numbers"},
		{"a pull that is infinite", func(c *gatherbeam.DSGD, _ *gatherbeam.Factors, _ *gatherbeam.Table) { c.L2 = math.Inf(1) }, "DSGD: L2 is +Inf"},
		{"a negative batch", func(c *gatherbeam.DSGD, _ *gatherbeam.Factors, _ *gatherbeam.Table) { c.Batch = -1 }, "DSGD: Batch is -1"},
		{"a huge batch", func(c *gatherbeam.DSGD, _ *gatherbeam.Factors, _ *gatherbeam.Table) { c.Batch = 1 << 30 }, "DSGD: Batch is 1073741824, the most is 1048576"},
		{"an unknown rule", func(c *gatherbeam.DSGD, _ *gatherbeam.Factors, _ *gatherbeam.Table) { c.Rule = "Adam" }, "allowed are SGD and Adagrad"},
		{"Adagrad's numbers for SGD", func(c *gatherbeam.DSGD, _ *gatherbeam.Factors, _ *gatherbeam.Table) { c.Eps = 1 }, "which SGD does not have"},
		{"rows of other lengths", func(_ *gatherbeam.DSGD, f *gatherbeam.Factors, _ *gatherbeam.Table) { f.Items = g.Items }, "rows of users have 5 numbers, those of items 6"},
		{"other dtypes", func(_ *gatherbeam.DSGD, f *gatherbeam.Factors, _ *gatherbeam.Table) { f.Items = double.Items }, "users are float32, items float64"},
		{"other blocks", func(_ *gatherbeam.DSGD, f *gatherbeam.Factors, _ *gatherbeam.Table) { f.Items = two.Items }, "users lie in 3 blocks, items in 2"},
		{"a block without rows", func(_ *gatherbeam.DSGD, f *gatherbeam.Factors, _ *gatherbeam.Table) { f.Users = empty }, "table users: block 1 of 3 has no rows; fewer blocks are needed"},
		{"no tables", func(_ *gatherbeam.DSGD, f *gatherbeam.Factors, _ *gatherbeam.Table) { *f = gatherbeam.Factors{} }, "the folder's name is empty"},
		{"ratings of other blocks", func(_ *gatherbeam.DSGD, _ *gatherbeam.Factors, r *gatherbeam.Table) { *r = ofTwo }, "table ratings has 4 shards; ratings of 3 blocks of users and of items have 9"},
		{"ratings that are none", func(_ *gatherbeam.DSGD, f *gatherbeam.Factors, r *gatherbeam.Table) { *r = f.Users }, "ratings are float32 of shape (N, 3)"},
		{"half a state", func(_ *gatherbeam.DSGD, f *gatherbeam.Factors, _ *gatherbeam.Table) { f.UsersState = learnt.UsersState }, "one of users and items only"},
		{"a state of others", func(_ *gatherbeam.DSGD, f *gatherbeam.Factors, _ *gatherbeam.Table) {
			f.UsersState, f.ItemsState = learnt.ItemsState, learnt.UsersState
		}, "table items.adagrad is not like table users"},
		{"too many epochs", func(_ *gatherbeam.DSGD, f *gatherbeam.Factors, _ *gatherbeam.Table) { f.Epochs = 1 << 30 }, "1 epochs after 1073741824"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config, factors, of := p.c, f, ratings
			c.change(&config, &factors, &of)
			_, err := job(t.Context(), "memfs://errors/to", config, factors, of)
			assert.ErrorContains(t, err, c.text)
			if config.Epochs == 0 { // which a trainer has no need of
				return
			}
			_, err = gatherbeam.NewTrainer(t.Context(), config, factors, of)
			assert.ErrorContains(t, err, c.text)
		})
	}
	pipeline, s := beam.NewPipelineWithRoot()
	gatherbeam.Factorize(s, p.c, f, ratings, nil)
	assert.ErrorContains(t, run(pipeline), "no generation to write to")
	narrow := p
	narrow.start.Dim, narrow.start.Biases = 1, false
	one, ofOne := narrow.store(t, "memfs://errors/one")
	_, err = gatherbeam.NewTrainer(t.Context(), p.c, one, ofOne)
	assert.ErrorContains(t, err, "rows of one number have none beside the bias")
}

func TestStartErrors(t *testing.T) {
	for text, change := range map[string]func(s *gatherbeam.Start){
		"Dim is 0, the least is 1":                            func(s *gatherbeam.Start) { s.Dim = 0 },
		"0 shards":                                            func(s *gatherbeam.Start) { s.Blocks = 0 },
		"317 blocks, at most 316":                             func(s *gatherbeam.Start) { s.Blocks, s.Users, s.Items = 317, 1000, 1000 },
		"block 3 of 4 has no rows; fewer blocks":              func(s *gatherbeam.Start) { s.Blocks, s.Items = 4, 3 },
		"float32 and float64":                                 func(s *gatherbeam.Start) { s.Dtype = tensor.Int32 },
		"axis 0 has size -1":                                  func(s *gatherbeam.Start) { s.Users = -1 },
		"Deviation is NaN, allowed are finite numbers from 0": func(s *gatherbeam.Start) { s.Deviation = math.NaN() },
	} {
		g, err := gatherbeam.NewGeneration(t.Context(), "memfs://start")
		require.NoError(t, err)
		s := films(gatherbeam.SGD).start
		change(&s)
		_, err = g.Factors(t.Context(), s)
		assert.ErrorContains(t, err, text)
	}
	_, err := gatherbeam.OpenFactors(t.Context(), "memfs://nothing")
	assert.Error(t, err)
}

func TestRatingsErrors(t *testing.T) {
	p := films(gatherbeam.SGD)
	f, _ := p.store(t, "memfs://ratings")
	g, err := gatherbeam.NewGeneration(t.Context(), "memfs://ratings")
	require.NoError(t, err)
	_, err = g.Ratings("a/b", f)
	assert.ErrorContains(t, err, "the name")
	_, err = g.Ratings("ratings", gatherbeam.Factors{})
	assert.Error(t, err)
	w, err := g.Ratings("ratings", f)
	require.NoError(t, err)
	for text, of := range map[string][2]int64{"user -1, allowed are 0 to 49": {-1, 0}, "user 50,": {50, 0}, "item 30, allowed are 0 to 29": {0, 30}} {
		err := w.Add(of[0], of[1], 1)
		assert.ErrorIs(t, err, dense.ErrShape)
		assert.ErrorContains(t, err, text)
	}
	require.NoError(t, w.Add(49, 29, 1), "the writer goes on")
	table, err := w.Close(t.Context())
	require.NoError(t, err)
	assert.Equal(t, int64(1), table.Rows())
	assert.Equal(t, int64(1), table.Shards[8].Rows)
}

// What factors say is the formula, rating by rating, from files and from a trainer.
func TestPredict(t *testing.T) {
	p := films(gatherbeam.SGD)
	p.c.Mean = 2
	f, ratings := p.store(t, "memfs://predict")
	trainer, err := gatherbeam.NewTrainer(t.Context(), p.c, f, ratings)
	require.NoError(t, err)
	users, items := trainer.Users().Float32s(), trainer.Items().Float32s()
	var want []gatherbeam.Prediction
	for said, err := range trainer.Predict(t.Context(), ratings) {
		require.NoError(t, err)
		want = append(want, said)
		u, i := users[said.User*5:][:5], items[said.Item*5:][:5]
		sum := 2 + float64(u[4]+i[4])
		for c := range 4 {
			sum += float64(u[c]) * float64(i[c])
		}
		require.InDelta(t, sum, said.Predicted, 1e-5)
	}
	var got []gatherbeam.Prediction
	for said, err := range p.c.Predict(t.Context(), f, ratings) {
		require.NoError(t, err)
		got = append(got, said)
	}
	assert.Equal(t, want, got)
	sums := map[[2]int64]float64{}
	for _, r := range p.ratings {
		sums[[2]int64{r.user, r.item}] += float64(r.value)
	}
	for _, said := range got {
		sums[[2]int64{said.User, said.Item}] -= said.Rating
	}
	for _, rest := range sums {
		require.InDelta(t, 0, rest, 1e-9, "each rating comes once")
	}
	for range p.c.Predict(t.Context(), f, ratings) {
		break // and that is all right
	}
	for _, err := range p.c.Predict(t.Context(), f, f.Users) {
		assert.ErrorContains(t, err, "Predict: table users")
	}
	for _, err := range trainer.Predict(t.Context(), f.Users) {
		assert.ErrorContains(t, err, "Trainer.Predict: table users")
	}
}
