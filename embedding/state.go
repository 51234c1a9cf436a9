package embedding

import (
	"math"
	"runtime"
	"weak"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
	"gorgonia.org/gather/internal/update"
	"gorgonia.org/tensor"
)

// state is what an optimiser keeps of a table. It is the table that holds it, by a
// weak pointer to the optimiser: so it is gone with either of them, and when the
// table is closed. If the optimiser held it, it would outlive all tables that the
// optimiser has ever stepped, and they would outlive their last use.
type state struct {
	table    *Table
	shape    tensor.Shape // of each of the memories
	memories [2]*memory   // as many as the optimiser has names for
	initial  float64      // what they begin with
	steps    int          // that the table took part in
	ahead    [3]ahead     // of steps: of the table, and of the memories
	count    *memory      // the same, of a table in a file; nil: none
	kernel   update.Step
	sources  []update.Source    // of the step that is prepared
	update   update.Description // the step
	named    bool               // in the step that is prepared
	cleanup  runtime.Cleanup    // of the optimiser, which lets go of the state
}

// keep makes it the state of the optimiser's steps. The caller has the table's lock.
func (s *state) keep(o *optimizer) {
	t := s.table
	if t.states == nil {
		t.states = map[weak.Pointer[optimizer]]*state{}
	}
	t.states[o.self] = s
	type pair struct {
		table     weak.Pointer[Table]
		optimizer weak.Pointer[optimizer]
	}
	s.cleanup = runtime.AddCleanup(o, func(p pair) {
		if t := p.table.Value(); t != nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			delete(t.states, p.optimizer)
		}
	}, pair{weak.Make(t), o.self})
}

// dropStates drops the states of optimisers for a table that is closed.
func (t *Table) dropStates() (err error) {
	for _, s := range t.states {
		s.cleanup.Stop()
		if freeing := s.free(); err == nil {
			err = freeing
		}
	}
	t.states = nil
	return err
}

// stateOf is the state of a table, whose lock the caller has. One that is made stays
// even if the step then fails: it holds what a table without steps begins with.
func (o *optimizer) stateOf(op string, t *Table) (*state, error) {
	if s := t.states[o.self]; s != nil {
		return s, nil
	}
	if err := t.refuseStored(op, "only Float32 and Float64 can be trained: train a table of those and Quantize it, or Quantize this one to Float32"); err != nil {
		return nil, err
	}
	if err := fitsDtype(op, "WithInitialAccumulator has", o.numbers[accumulator], t); err != nil {
		return nil, err
	}
	if o.rule == update.RowWiseAdagrad {
		if err := checkEmptyRows(op, "states", t.shape); err != nil {
			return nil, err
		}
	}
	s := &state{table: t, shape: o.stateShape(t), initial: o.numbers[accumulator]}
	if t.file != nil {
		if err := o.openStates(op, s); err != nil {
			return nil, err
		}
		s.keep(o)
		return s, nil
	}
	for i, name := range stateNames[o.rule] {
		if name == "" {
			continue
		}
		if err := core.Fits(op, "state "+name, s.shape, t.dtype); err != nil {
			return nil, err
		}
		m, err := allocate(s.shape.TotalSize() * int(t.dtype.Size()))
		if err != nil {
			return nil, errors.WithMessagef(err, "%s: state %s", op, name)
		}
		s.memories[i] = m
		s.fill(m.bytes)
	}
	s.keep(o)
	return s, nil
}

// stateShape is the shape of each state of a table.
func (o *optimizer) stateShape(t *Table) tensor.Shape {
	if o.rule == update.RowWiseAdagrad {
		return t.shape[:1]
	}
	return t.shape
}

// maxSteps is the largest number of steps, so that a rate is made of an exact one.
const maxSteps = min(1<<53, math.MaxInt)

// checkSteps refuses a number of steps that cannot be: where says who has it.
func checkSteps(where string, n int) error {
	if n < 0 || n > maxSteps {
		return errors.Errorf("%s: %d steps of a table, allowed are 0 to %d", where, n, maxSteps)
	}
	return nil
}

// fill writes what a memory of zeros begins with.
func (s *state) fill(mem []byte) {
	if s.initial != 0 {
		fillWith(s.table.kind, mem, s.initial)
	}
}

// fillWith sets all numbers.
func fillWith(kind num.Kind, mem []byte, x float64) {
	par.Each(len(mem)/8, par.Grains(len(mem), 1), func(lo, hi int) {
		part := mem[8*lo : 8*hi]
		if kind == num.Float32 {
			fillNumbers(num.As[float32](part), float32(x))
		} else {
			fillNumbers(num.As[float64](part), x)
		}
	})
	if rest := mem[len(mem)&^7:]; len(rest) > 0 {
		fillNumbers(num.As[float32](rest), float32(x))
	}
}

func fillNumbers[T float32 | float64](numbers []T, x T) {
	for i := range numbers {
		numbers[i] = x
	}
}

// description is the update of the table, whose gradients are multiplied by a scale. The caller
// has the table's lock.
func (s *state) description(o *optimizer, scale float64) update.Description {
	rate, step := o.numbers[learnRate], s.steps+1
	switch o.rule {
	case update.Adagrad:
		rate = update.AdagradRate(rate, o.numbers[decay], step)
	case update.Adam:
		rate = update.AdamRate(rate, o.numbers[beta1], o.numbers[beta2], step)
	}
	var states [2][]byte
	for i, m := range s.memories {
		if m != nil {
			states[i] = m.bytes
		}
	}
	t := s.table
	return update.Description{
		Kind: t.kind, Optimizer: o.rule, Table: t.memory.bytes, Rows: t.rows, Inner: t.inner, First: states[0], Second: states[1],
		Rate: rate, Eps: o.numbers[eps], Scale: scale, L2: o.numbers[l2], Beta1: o.numbers[beta1], Beta2: o.numbers[beta2],
		Sources: s.sources,
	}
}

// checkNumbers refuses numbers that are infinite in the table's dtype: 0 times one is
// NaN, also in rows whose gradient is 0. Rates are those of the step.
func (s *state) checkNumbers(op string) error {
	if s.steps >= maxSteps {
		return errors.Errorf("%s: the table has had %d steps, more cannot be counted", op, s.steps)
	}
	for _, number := range [...]struct {
		name  string
		value float64
	}{{"the learning rate of the step is", s.update.Rate}, {"WithEps has", s.update.Eps}, {"WithL2Reg has", s.update.L2}} {
		if err := fitsDtype(op, number.name, number.value, s.table); err != nil {
			return err
		}
	}
	return nil
}

// fitsDtype refuses a number that is infinite in a table's dtype.
func fitsDtype(op, what string, x float64, t *Table) error {
	held := x
	if t.kind == num.Float32 {
		held = float64(float32(x))
	}
	if !math.IsInf(held, 0) {
		return nil
	}
	return fault.Errorf(dense.ErrOption, "%s: %s %v, more than the table's dtype %v can hold", op, what, x, t.dtype)
}

// positions is how many rows the sources name.
func (s *state) positions() int {
	n := 0
	for i := range s.sources {
		n += len(s.sources[i].Rows)
	}
	return n
}

// end lets go of the memory of others.
func (s *state) end() {
	clear(s.sources)
	s.sources, s.update, s.named = s.sources[:0], update.Description{}, false
}
