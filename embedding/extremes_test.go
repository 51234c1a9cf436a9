package embedding_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestPaddingOfExtremes: an id is compared with the padding as it is given, also one that
// no int64 holds.
func TestPaddingOfExtremes(t *testing.T) {
	const most = math.MaxUint64
	for _, c := range []struct {
		padding int64
		ids     *tensor.Dense
		bad     int // the first that is out of range, or -1
	}{
		{math.MaxInt64, vector[uint64](1, math.MaxInt64), -1},
		{math.MaxInt64, vector[uint64](1, math.MaxInt64+1), 1},
		{math.MaxInt64, vector[uint64](most, 1), 0},
		{math.MaxInt64, vector[int64](1, math.MaxInt64), -1},
		{math.MaxInt64, vector[int64](1, math.MaxInt64-1), 1},
		{math.MaxInt64 - 1, vector[uint64](1, math.MaxInt64-1), -1},
		{math.MaxInt64 - 1, vector[uint64](1, most), 1},
		{math.MinInt64, vector[int64](1, math.MinInt64), -1},
		{math.MinInt64, vector[uint64](1, math.MaxInt64+1), 1},
		{-1, vector[uint64](1, most), 1},
	} {
		for _, m := range []dense.OutOfRange{dense.Reject, dense.ZeroFill} {
			table, err := embedding.New(matrix(3, 1, 10.0, 11, 12), embedding.WithPadding(c.padding), embedding.WithOutOfRange(m))
			ok(t, err)
			l, err := table.Lookup(G.NewGraph(), "ids", 2)
			ok(t, err)
			for what, err := range map[string]error{"Set": l.Set(c.ids), "Update": newSGD(t).Update(table, c.ids, matrix(2, 1, 0.0, 0))} {
				var bad *dense.IndexError
				if want := c.bad >= 0 && m == dense.Reject; want != errors.As(err, &bad) || want && bad.Position[0] != c.bad || !want && err != nil {
					t.Errorf("%s: WithPadding(%d) of %v: error %v", what, c.padding, c.ids.Data(), err)
				}
			}
		}
	}
	// A transposed view is not read from its own memory.
	table, err := embedding.New(matrix(3, 1, 10.0, 11, 12), embedding.WithPadding(math.MaxInt64))
	ok(t, err)
	l, err := table.Lookup(G.NewGraph(), "ids", 2, 2)
	ok(t, err)
	ids := matrix[uint64](2, 2, 0, 1, math.MaxInt64, 2)
	ok(t, ids.T())
	ok(t, l.Set(ids))
	same(t, "rows", l.Node().Value().Data(), []float64{10, 0, 11, 12})
}

// TestExtremeSteps: numbers of steps of which no rate can be made are errors.
func TestExtremeSteps(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int holds fewer")
	}
	most := int(math.Exp2(53))
	for name, newOptimizer := range makers(t) {
		w := matrix(3, 2, 1.0, 2, 3, 4, 5, 6)
		table, err := embedding.New(w)
		ok(t, err)
		o := newOptimizer()
		update(t, o, table, 0)
		state := o.State(table)
		for _, steps := range []int{math.MinInt, -1, most + 1, math.MaxInt} {
			if err := embedding.SetState(o, table, steps, state); err == nil || !strings.Contains(err.Error(), "allowed are 0 to 9007199254740992") {
				t.Errorf("%s: SetState of %d steps: error %v", name, steps, err)
			}
		}
		moved, err := embedding.New(w.Clone().(*tensor.Dense))
		ok(t, err)
		o = newOptimizer()
		ok(t, embedding.SetState(o, moved, most, clones(state)))
		ok(t, embedding.SetState(o, moved, most-1, clones(state)))
		update(t, o, moved, 1)
		before := bits(t, moved)
		if err := step(t, o, moved, 2); err == nil || !strings.Contains(err.Error(), "the table has had 9007199254740992 steps") {
			t.Errorf("%s: a step too many: error %v", name, err)
		}
		sameBits(t, name+": after the error", bits(t, moved), before)
		if weights := w.Float64s(); slices.ContainsFunc(append(weights, moved64(t, moved)...), math.IsNaN) {
			t.Errorf("%s: the rows are %v", name, weights)
		}
	}
}

// TestExtremeInits: no first number is infinite in the dtype of the table.
func TestExtremeInits(t *testing.T) {
	most := map[tensor.Dtype]float64{tensor.Float32: math.MaxFloat32, tensor.Float64: math.MaxFloat64}
	for dt, most := range most {
		for name, c := range map[string]struct {
			init  embedding.Init
			wrong bool
		}{
			"uniform":                  {embedding.Uniform(1, -most/2, most/2), false},
			"uniform, one number":      {embedding.Uniform(1, most, most), false},
			"uniform, high":            {embedding.Uniform(1, 0, most*2), true},
			"uniform, low":             {embedding.Uniform(1, -most*2, 0), true},
			"uniform, a large width":   {embedding.Uniform(1, -most, most), dt == tensor.Float64},
			"uniform, NaN":             {embedding.Uniform(1, math.NaN(), 0), true},
			"uniform, descending":      {embedding.Uniform(1, 1, 0), true},
			"normal":                   {embedding.Normal(1, most/2, most/64), false},
			"normal, mean":             {embedding.Normal(1, -most*2, 0), true},
			"normal, deviation":        {embedding.Normal(1, 0, most/2), true},
			"normal, both":             {embedding.Normal(1, most, most/32), true},
			"normal, below 0":          {embedding.Normal(1, 0, -1), true},
			"normal, NaN":              {embedding.Normal(1, 0, math.NaN()), true},
			"normal, infinite":         {embedding.Normal(1, math.Inf(1), 0), true},
			"normal, no deviation":     {embedding.Normal(1, most, 0), false},
			"normal, as it often is":   {embedding.Normal(1, 0, 0.01), false},
			"uniform, as it often is":  {embedding.Uniform(1, -0.01, 0.01), false},
			"uniform, 0 to 0":          {embedding.Uniform(1, 0, 0), false},
			"uniform, nearly infinite": {embedding.Uniform(1, most, math.Inf(1)), true},
		} {
			table, err := embedding.Make(dt, 200, 50, c.init)
			if c.wrong != errors.Is(err, dense.ErrOption) || !c.wrong && err != nil {
				t.Errorf("%s, %v: error %v", name, dt, err)
			}
			if err != nil {
				continue
			}
			for _, x := range bits(t, table) {
				value := math.Float64frombits(x)
				if dt == tensor.Float32 {
					value = float64(math.Float32frombits(uint32(x)))
				}
				if math.IsNaN(value) || math.IsInf(value, 0) {
					t.Fatalf("%s, %v: %v is among the rows", name, dt, value)
				}
			}
		}
	}
}

func clones(state map[string]*tensor.Dense) map[string]*tensor.Dense {
	all := map[string]*tensor.Dense{}
	for name, s := range state {
		all[name] = s.Clone().(*tensor.Dense)
	}
	return all
}

func moved64(t *testing.T, table *embedding.Table) []float64 {
	t.Helper()
	w, err := table.Weights()
	ok(t, err)
	return w.Float64s()
}

// TestLastGeneration: there is none after the greatest number.
func TestLastGeneration(t *testing.T) {
	dir := saved(t)
	last := filepath.Join(dir, "generation-9223372036854775807")
	if math.MaxInt == math.MaxInt32 {
		last = filepath.Join(dir, "generation-2147483647")
	}
	ok(t, os.Mkdir(last, 0o777))
	p := newPair(t, 2)
	if err := embedding.Save(dir, p, nil); err == nil || !strings.Contains(err.Error(), last+" has the number of the last generation") {
		t.Errorf("error %v", err)
	}
	ok(t, embedding.Load(dir, p, newAdam(t)))
	ok(t, os.Remove(last))
	ok(t, embedding.Save(dir, p, nil))
}
