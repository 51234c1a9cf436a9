package embedding_test

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather/embedding"
	"gorgonia.org/tensor"
)

// TestSetState moves a training to other tables and optimisers after each step, with
// copies of what is remembered: the bits are those of a training that stays.
func TestSetState(t *testing.T) {
	for name, make := range makers(t) {
		for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			stays, err := embedding.Make(dt, 30, 7, embedding.Normal(3, 0, 1))
			ok(t, err)
			there := make()
			travels, err := embedding.Make(dt, 30, 7, embedding.Normal(3, 0, 1))
			ok(t, err)
			o := make()
			for k := range 5 {
				update(t, there, stays, k)
				update(t, o, travels, k)

				w, err := travels.Weights()
				ok(t, err)
				state := map[string]*tensor.Dense{}
				for name, s := range o.State(travels) {
					state[name] = s.Clone().(*tensor.Dense)
				}
				travels, err = embedding.New(w.Clone().(*tensor.Dense))
				ok(t, err)
				o = make()
				ok(t, embedding.SetState(o, travels, k+1, state))
				for name, s := range o.State(travels) {
					if s.Uintptr() != state[name].Uintptr() {
						t.Errorf("state %s lies elsewhere than what was given", name)
					}
				}
			}
			if !slices.Equal(bits(t, stays), bits(t, travels)) {
				t.Errorf("%s, %v: the rows differ", name, dt)
			}
		}
	}
}

func TestSetStateErrors(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("a table in a file is needed, here files are not mapped")
	}
	w := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float32{1, 2, 3, 4, 5, 6}))
	table, err := embedding.New(w)
	ok(t, err)
	adagrad, err := embedding.NewAdagrad()
	ok(t, err)
	adam, err := embedding.NewAdam()
	ok(t, err)
	of := func(shape ...int) *tensor.Dense {
		return tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(shape...))
	}
	s := func(d *tensor.Dense) map[string]*tensor.Dense { return map[string]*tensor.Dense{"s": d} }
	both := of(3, 2)
	closed, err := embedding.New(of(3, 2))
	ok(t, err)
	ok(t, closed.Close())
	inFile, err := embedding.Create(filepath.Join(t.TempDir(), "t.npy"), tensor.Float32, 3, 2, embedding.Zeros())
	ok(t, err)
	defer inFile.Close()
	update(t, adagrad, table, 0)
	before := append([]float32{}, adagrad.State(table)["s"].Float32s()...)
	for _, c := range []struct {
		name  string
		o     embedding.Optimizer
		t     *embedding.Table
		steps int
		state map[string]*tensor.Dense
		text  string
	}{
		{"no optimiser", nil, table, 0, s(of(3, 2)), "the optimiser is nil"},
		{"no table", adagrad, nil, 0, s(of(3, 2)), "the table is nil"},
		{"closed", adagrad, closed, 0, s(of(3, 2)), "the table is closed"},
		{"in a file", adagrad, inFile, 0, s(of(3, 2)), "its state in files beside it"},
		{"negative steps", adagrad, table, -1, s(of(3, 2)), "-1 steps of a table, allowed are 0 to"},
		{"none", adagrad, table, 0, nil, "the state s of Adagrad is missing"},
		{"nil", adagrad, table, 0, s(nil), "state s"},
		{"another's", adam, table, 0, s(of(3, 2)), "the state m of Adam is missing"},
		{"one more", adagrad, table, 0, map[string]*tensor.Dense{"s": of(3, 2), "m": of(3, 2)}, "which are not those of Adagrad"},
		{"shape", adagrad, table, 0, s(of(2, 3)), "has shape (2, 3), (3, 2) is needed"},
		{"dtype", adagrad, table, 0, s(tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(3, 2))), "has dtype float64, the table float32"},
		{"the table's memory", adagrad, table, 0, s(w), "shares memory with the table"},
		{"each other's memory", adam, table, 0, map[string]*tensor.Dense{"m": both, "v": both}, "shares memory with the table or another state"},
	} {
		if err := embedding.SetState(c.o, c.t, c.steps, c.state); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.text)
		}
	}
	if !slices.Equal(adagrad.State(table)["s"].Float32s(), before) {
		t.Error("an error has changed the state")
	}
}
