package embedding_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestStepsThatMustNotBe: a step without a Set or a run, or a second one, changes
// nothing.
func TestStepsThatMustNotBe(t *testing.T) {
	s := newScene(t, false)
	o := newSGD(t, embedding.WithLearnRate(1))
	s.unchanged("no lookup", o.Step(), "no lookup")
	s.unchanged("a nil lookup", o.Step(nil), "nil")
	s.unchanged("no Set", o.Step(s.words), "not Set")
	s.set()
	s.unchanged("no run", o.Step(s.words), "Lookup(words)", "not been run")
	s.run()
	s.unchanged("twice the same", o.Step(s.words, s.bags, s.words), "twice")
	ok(t, s.words.Set(vector(int64(1), 1, 1)))
	s.unchanged("other ids than those of the run", o.Step(s.words), "not been run")
	s.unchanged("one of two", o.Step(s.bags, s.words), "not been run")
	s.run()
	ok(t, s.machine.RunAll()) // without a Reset it does nothing
	s.set()
	ok(t, s.machine.RunAll())
	s.unchanged("no Reset", o.Step(s.words), "Reset")
	s.run()
	o.SetLearnRate(math.NaN())
	s.unchanged("a rate of NaN", o.Step(s.words), "learning rate")
	o.SetLearnRate(0)
	ok(t, o.Step(s.words, s.bags))
	o.SetLearnRate(1)
	s.unchanged("a second step", o.Step(s.words, s.bags), "not Set")
	s.run()
	s.unchanged("a second run", o.Step(s.words), "not Set")

	clipped := newSGD(t, embedding.WithClipNorm(1))
	s.set()
	s.run()
	copy(s.words.Node().Deriv().Value().(*tensor.Dense).Float64s(), []float64{math.NaN()})
	s.unchanged("a norm of NaN", clipped.Step(s.words), "norm", "NaN")
	ok(t, s.table.Close())
	s.unchanged("closed", o.Step(s.words), "closed")
	s.unchanged("closed", s.words.Set(vector(int64(1), 1, 1)), "closed")
	_, err := s.table.Weights()
	s.unchanged("closed", err, "closed")
	s.unchanged("closed", o.Update(s.table, vector(int64(1)), matrix(1, 2, 1.0, 1)), "closed")
	ok(t, s.table.Close())
}

// TestStepsOnLispMachine: what can be seen there.
func TestStepsOnLispMachine(t *testing.T) {
	s := newScene(t, true)
	o := newSGD(t, embedding.WithLearnRate(0))
	s.unchanged("no Set", o.Step(s.words), "not Set")
	s.set()
	s.unchanged("no run", o.Step(s.words), "no gradient")
	s.run()
	ok(t, o.Step(s.words, s.bags))
	s.unchanged("a second step", o.Step(s.words), "not Set")
	s.set()
	s.run()
	solver := G.NewVanillaSolver()
	ok(t, solver.Step(G.NodesToValueGrads(G.Nodes{s.words.Node()})))
	s.unchanged("a solver", o.Step(s.words), "solver")
}

// TestEvaluationRuns: the runs between, whose lookups are set again without a step,
// leave nothing behind.
func TestEvaluationRuns(t *testing.T) {
	for _, lisp := range []bool{false, true} {
		s := newScene(t, lisp)
		o := newSGD(t, embedding.WithLearnRate(0.25))
		for range 3 {
			ok(t, s.words.Set(vector(int64(4), 4, 4)))
			ok(t, s.bags.Set(matrix(2, 1, int64(4), 4)))
			s.run()
		}
		s.set()
		s.run()
		ok(t, o.Step(s.words))
		// Of 2w twice for row 0, once for row 3.
		if got, want := s.weights.Float64s(), []float64{0, 0, 10, 11, 20, 21, 15, 15.5, 40, 41}; !slices.Equal(got, want) {
			t.Errorf("lisp %v: %v, want %v", lisp, got, want)
		}
	}
}

// TestBadIDs: an id out of range changes nothing, neither the value nor what the next
// step will do.
func TestBadIDs(t *testing.T) {
	for _, lisp := range []bool{false, true} {
		s := newScene(t, lisp)
		o := newSGD(t, embedding.WithLearnRate(0.5))
		s.set()
		s.run()
		before := slices.Clone(s.words.Node().Value().Data().([]float64))
		sums := slices.Clone(s.bags.Node().Value().Data().([]float64))
		for _, c := range []struct {
			err      error
			position []int
			index    int64
			call     string
		}{
			{s.words.Set(vector(int64(1), 5, 7)), []int{1}, 5, "Lookup(words)"},
			{s.words.Set(vector(int32(1), 2, -6)), []int{2}, -6, "Lookup(words)"},
			{s.words.Set(vector(uint64(1), math.MaxUint64, 2)), []int{1}, math.MaxInt64, "Lookup(words)"},
			{s.bags.Set(matrix(2, 3, int8(0), 1, 2, 3, -128, 5)), []int{1, 1}, -128, "Bag(bags)"},
			{s.bags.SetBags(vector(int64(9), 1), vector(int64(1), 2), nil), []int{0}, 9, "Bag(bags)"},
			{o.Update(s.table, matrix(1, 2, int64(1), 5), tensor.New(tensor.WithShape(1, 2, 2), tensor.WithBacking([]float64{1, 1, 1, 1}))), []int{0, 1}, 5, "Update"},
		} {
			var bad *dense.IndexError
			if !errors.As(c.err, &bad) || !slices.Equal(bad.Position, c.position) || bad.Index != c.index || bad.Size != 5 || !strings.HasPrefix(bad.Error(), c.call) {
				t.Errorf("error %v, want that of %d at %v of %s", c.err, c.index, c.position, c.call)
			}
		}
		if got := s.words.Node().Value().Data().([]float64); !slices.Equal(got, before) {
			t.Errorf("the value is %v, was %v", got, before)
		}
		if got := s.bags.Node().Value().Data().([]float64); !slices.Equal(got, sums) {
			t.Errorf("the value is %v, was %v", got, sums)
		}
		ok(t, o.Step(s.words))
		if got, want := s.weights.Float64s(), []float64{0, -1, 10, 11, 20, 21, 0, 0, 40, 41}; !slices.Equal(got, want) {
			t.Errorf("lisp %v: %v, want %v", lisp, got, want)
		}
	}
}

// TestRefused has what functions must refuse, and what the errors say.
func TestRefused(t *testing.T) {
	s := newScene(t, false)
	first := func(_ any, err error) error { return err }
	transposed := matrix(2, 3, 1.0, 2, 3, 4, 5, 6)
	ok(t, transposed.T())
	one := vector(int64(1))
	row := matrix(1, 2, 1.0, 1)
	o := newSGD(t)
	of1, err := embedding.New(vector(1.0, 2))
	ok(t, err)
	for name, c := range map[string]struct {
		err   error
		is    error // or nil
		words string
	}{
		"New of integers":                    {first(embedding.New(matrix(1, 2, int64(1), 2))), dense.ErrDtype, "float32 and float64"},
		"New of a scalar":                    {first(embedding.New(tensor.New(tensor.FromScalar(1.0)))), dense.ErrShape, "scalar"},
		"New of a transposed one":            {first(embedding.New(transposed)), dense.ErrLayout, "row-major"},
		"New of a masked one":                {first(embedding.New(tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{1, 2}, []bool{true, false})))), dense.ErrLayout, "masked"},
		"New with no option":                 {first(embedding.New(s.weights, embedding.TableOption{})), dense.ErrOption, "option 0"},
		"New with a policy unknown":          {first(embedding.New(s.weights, embedding.WithOutOfRange(9))), dense.ErrOption, "WithOutOfRange(9)"},
		"Make of halves":                     {first(embedding.Make(dense.Float16, 1, 1, embedding.Zeros())), dense.ErrDtype, "allowed"},
		"Make of -1 rows":                    {first(embedding.Make(tensor.Float32, -1, 1, embedding.Zeros())), dense.ErrShape, "rows -1"},
		"Make of -1 columns":                 {first(embedding.Make(tensor.Float32, 1, -1, embedding.Zeros())), dense.ErrShape, "dim -1"},
		"Make of too much":                   {first(embedding.Make(tensor.Float32, math.MaxInt/2, 64, embedding.Zeros())), dense.ErrShape, "memory"},
		"Make of 2⁶² bytes":                  {first(embedding.Make(tensor.Float32, 1<<30, 1<<30, embedding.Zeros())), dense.ErrShape, "memory"},
		"Uniform of NaN":                     {first(embedding.Make(tensor.Float32, 1, 1, embedding.Uniform(1, 0, math.NaN()))), dense.ErrOption, "NaN"},
		"Uniform downward":                   {first(embedding.Make(tensor.Float32, 1, 1, embedding.Uniform(1, 1, 0))), dense.ErrOption, "ascending"},
		"Uniform of all":                     {first(embedding.Make(tensor.Float32, 1, 1, embedding.Uniform(1, -math.MaxFloat64, math.MaxFloat64))), dense.ErrOption, "finite"},
		"Normal below 0":                     {first(embedding.Make(tensor.Float32, 1, 1, embedding.Normal(1, 0, -1))), dense.ErrOption, "-1"},
		"FromRows that panics with an error": {first(embedding.Make(tensor.Float64, 2, 1, embedding.FromRows(func(int, []float64) { panic(dense.ErrShape) }))), dense.ErrShape, "Make: the function of FromRows has panicked"},
		"FromRows that panics": {first(embedding.Make(tensor.Float32, 2, 1, embedding.FromRows(func(row int, _ []float64) {
			if row > 0 {
				panic("own")
			}
		}))), nil, "Make: the function of FromRows has panicked: own"},
		"Uniform from more to less": {first(embedding.Make(tensor.Float32, 2, 1, embedding.Uniform(1, 2, 1))), dense.ErrOption,
			"Make: Uniform from 2 to 1, two numbers in ascending order are needed, finite in float32"},
		"FromRows of nil":             {first(embedding.Make(tensor.Float32, 1, 1, embedding.FromRows(nil))), dense.ErrOption, "nil"},
		"Lookup of no graph":          {first(s.table.Lookup(nil, "a", 1)), nil, "graph is nil"},
		"Lookup of no name":           {first(s.table.Lookup(s.g, "", 1)), nil, "name is empty"},
		"Lookup of a name again":      {first(s.table.Lookup(s.g, "words", 9)), nil, "already"},
		"Lookup of another's name":    {first(s.table.Lookup(s.g, "target", 1)), nil, "already"},
		"Lookup of a negative dim":    {first(s.table.Lookup(s.g, "a", 2, -1)), dense.ErrShape, "axis 1"},
		"Lookup of too much":          {first(s.table.Lookup(s.g, "a", math.MaxInt, 3)), dense.ErrShape, "memory"},
		"Lookup of a scalar":          {first(of1.Lookup(s.g, "a")), dense.ErrShape, "scalar"},
		"Bag of an unknown mode":      {first(s.table.Bag(s.g, "a", 1, 4)), dense.ErrOption, "mode 4"},
		"Bag of -1":                   {first(s.table.Bag(s.g, "a", -1, embedding.Sum)), dense.ErrShape, "-1 bags"},
		"Set of floats":               {s.words.Set(vector(1.0, 2, 3)), dense.ErrDtype, "float64"},
		"Set of two":                  {s.words.Set(vector(int64(1), 2)), dense.ErrShape, "(2)"},
		"Set of a scalar":             {s.words.Set(tensor.New(tensor.FromScalar(int64(1)))), dense.ErrShape, "()"},
		"Set of a vector for bags":    {s.bags.Set(vector(int64(1), 2)), dense.ErrShape, "(2, k)"},
		"Set of three bags":           {s.bags.Set(matrix(3, 1, int64(1), 2, 3)), dense.ErrShape, "(2, k)"},
		"SetBags of no bags":          {s.words.SetBags(vector(int64(1)), vector(int64(0)), nil), nil, "use Set"},
		"SetBags of a matrix":         {s.bags.SetBags(matrix(2, 1, int64(1), 2), vector(int64(0), 1), nil), dense.ErrShape, "rank 1"},
		"offsets of floats":           {s.bags.SetBags(vector(int64(1), 2), vector(0.0, 1), nil), dense.ErrDtype, "offsets"},
		"three offsets":               {s.bags.SetBags(vector(int64(1), 2), vector(int64(0), 1, 2), nil), dense.ErrShape, "(2) is needed"},
		"offsets downward":            {s.bags.SetBags(vector(int64(1), 2), vector(int64(1), 0), nil), dense.ErrShape, "offsets[1] is 0"},
		"offsets below 0":             {s.bags.SetBags(vector(int64(1), 2), vector(int64(-1), 0), nil), dense.ErrShape, "offsets[0] is -1"},
		"offsets above n":             {s.bags.SetBags(vector(int64(1), 2), vector(int64(0), 3), nil), dense.ErrShape, "offsets[1] is 3"},
		"weights of another dtype":    {s.bags.SetBags(vector(int64(1), 2), vector(int64(0), 1), vector(float32(1), 2)), dense.ErrDtype, "weights"},
		"weights of another shape":    {s.bags.SetBags(vector(int64(1), 2), vector(int64(0), 1), vector(1.0)), dense.ErrShape, "weights"},
		"weights of a packed one":     {s.bags.SetBags(matrix(2, 1, int64(1), 2), nil, vector(1.0, 1)), dense.ErrShape, "weights"},
		"Update of another dtype":     {o.Update(s.table, one, matrix(1, 2, float32(1), 1)), dense.ErrDtype, "grads"},
		"Update of another row":       {o.Update(s.table, one, matrix(1, 3, 1.0, 1, 1)), dense.ErrShape, "(1, 2)"},
		"Update of two rows":          {o.Update(s.table, one, matrix(2, 2, 1.0, 1, 1, 1)), dense.ErrShape, "(1, 2)"},
		"Update of a vector":          {o.Update(s.table, one, vector(1.0, 1)), dense.ErrShape, "(1, 2)"},
		"Update of nothing":           {o.Update(s.table, nil, row), dense.ErrLayout, "ids is nil"},
		"Update without gradients":    {o.Update(s.table, one, nil), dense.ErrLayout, "grads is nil"},
		"Update of no table":          {o.Update(nil, one, row), nil, "table is nil"},
		"Update of the zero Table":    {o.Update(new(embedding.Table), one, row), nil, "zero Table"},
		"Step of the zero Lookup":     {o.Step(new(embedding.Lookup)), nil, "zero Lookup"},
		"SGD with ε":                  {first(embedding.NewSGD(embedding.WithEps(1))), dense.ErrOption, "WithEps"},
		"SGD with β1":                 {first(embedding.NewSGD(embedding.WithBeta1(.5))), dense.ErrOption, "WithBeta1"},
		"row-wise Adagrad with decay": {first(embedding.NewRowWiseAdagrad(embedding.WithLearnRateDecay(1))), dense.ErrOption, "WithLearnRateDecay"},
		"Adam with an accumulator":    {first(embedding.NewAdam(embedding.WithInitialAccumulator(1))), dense.ErrOption, "WithInitialAccumulator"},
		"a rate below 0":              {first(embedding.NewSGD(embedding.WithLearnRate(-1))), dense.ErrOption, "WithLearnRate(-1)"},
		"a rate of +Inf":              {first(embedding.NewSGD(embedding.WithLearnRate(math.Inf(1)))), dense.ErrOption, "finite"},
		"ε of NaN":                    {first(embedding.NewAdam(embedding.WithEps(math.NaN()))), dense.ErrOption, "NaN"},
		"β2 of 1":                     {first(embedding.NewAdam(embedding.WithBeta2(1))), dense.ErrOption, "[0, 1)"},
		"a norm of 0":                 {first(embedding.NewAdagrad(embedding.WithClipNorm(0))), dense.ErrOption, "above 0"},
		"λ below 0":                   {first(embedding.NewAdagrad(embedding.WithL2Reg(-1))), dense.ErrOption, "WithL2Reg"},
		"the zero Option":             {first(embedding.NewAdagrad(embedding.Option{})), dense.ErrOption, "option 0"},
	} {
		if c.err == nil || c.is != nil && !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.words) {
			t.Errorf("%s: error %v, want one of %v that says %s", name, c.err, c.is, c.words)
		}
	}
	most, err := s.table.Bag(s.g, "most", 1, embedding.Max)
	ok(t, err)
	if err := most.SetBags(one, vector(int64(0)), vector(1.0)); !errors.Is(err, dense.ErrOption) {
		t.Errorf("weights of Max: error %v", err)
	}
}

// TestUpdateOfOneID gives a list of one id that package tensor has made a scalar, and is told so.
func TestUpdateOfOneID(t *testing.T) {
	table, id := newPair(t, 9)["items"], tensor.New(tensor.WithBacking([]int64{1}))
	err := newAdam(t).Update(table, id, tensor.New(tensor.Of(table.Dtype()), tensor.WithShape(1, table.Shape()[1])))
	if err == nil || !strings.Contains(err.Error(), "makes a scalar unless WithShape(1) is given") {
		t.Errorf("error %v", err)
	}
}
