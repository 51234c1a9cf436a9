package embedding

import (
	"math"
	"sync"
	"weak"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/gather/internal/update"
	"gorgonia.org/tensor"
)

// An Optimizer changes the rows of tables that a step has touched, and no others.
// In all of them g is the sum of a row's gradients over all its occurrences in the
// step, within a lookup and across all lookups of the table, in row-major order and
// that of the lookups. With [WithClipNorm] it is then scaled, with [WithL2Reg] λ
// times the row is added. Each operation is rounded to the table's dtype.
//
// An Optimizer may be used by several goroutines. Its steps come one after the
// other.
type Optimizer interface {
	// Step changes the rows that some lookups have looked up, by the gradients of the
	// run since. The lookups may be of any tables; those of one table are one step
	// for it. Each must have been Set, and its graph run, since the last Step with it.
	//
	// After an error no row and no state has changed. It is an error if no run has
	// come to the lookup's gradient since Set: on TapeMachine always, on LispMachine,
	// which does not tell, only if there was no Set since the last Step. A run that
	// failed behind the gradient cannot be seen: do not Step then.
	//
	// NaN in a gradient makes NaN of what it touches, row and state.
	//
	// Errors: [dense.ErrOption] if a number of the optimiser is infinite in the dtype of a
	// table; a lookup that was not Set or had no run, a table that is closed or read-only,
	// and with [WithClipNorm] a norm that is not finite.
	Step(lookups ...*Lookup) error

	// Update is a step of one table without a graph: grads have a row for each id,
	// of the shape of ids ++ d.... Ids are taken as the table's lookups take them, and
	// after an error no row has changed.
	//
	// Errors: [dense.ErrShape], [dense.ErrDtype], [dense.ErrLayout],
	// [*dense.IndexError].
	Update(t *Table, ids, grads *tensor.Dense) error

	// SetLearnRate changes the learning rate of the steps that follow. One that is
	// negative, or not finite in the dtype of a table, makes them errors.
	SetLearnRate(rate float64)

	// State returns the states that the optimiser has for a table, not copied: each has
	// the table's shape, that of row-wise Adagrad (rows). It is empty before the table's
	// first step, and when the table is closed. Do not read or write it while a step runs.
	State(t *Table) map[string]*tensor.Dense
}

// An Option sets a number of an optimiser. One that the optimiser does not have is
// [dense.ErrOption].
type Option struct {
	number number
	value  float64
}

// number is which number of an optimiser an Option sets.
type number uint8

const (
	noNumber number = iota // the zero Option
	learnRate
	eps
	beta1
	beta2
	l2
	clipNorm
	decay
	accumulator
	numbers
)

// WithLearnRate sets the learning rate, 0 or more.
func WithLearnRate(rate float64) Option { return Option{learnRate, rate} }

// WithEps sets ε, which keeps divisions from being by 0: 0 or more. With 0, as with what
// is 0 in the table's dtype, a number whose gradients have all been 0 becomes NaN, as it
// does in PyTorch. For Adagrad, row-wise Adagrad and Adam.
func WithEps(x float64) Option { return Option{eps, x} }

// WithBeta1 sets β1 of Adam, how much of the mean of gradients is kept: in [0, 1).
func WithBeta1(x float64) Option { return Option{beta1, x} }

// WithBeta2 sets β2 of Adam, how much of the mean of their squares is kept: in
// [0, 1).
func WithBeta2(x float64) Option { return Option{beta2, x} }

// WithL2Reg sets λ, 0 or more: λw is added to the gradient of each row that the step
// touches, w being the row. Rows that it does not touch do not decay.
func WithL2Reg(lambda float64) Option { return Option{l2, lambda} }

// WithClipNorm sets the greatest norm of the gradients, above 0. The norm is that
// of the summed gradients of all rows of all tables of the step, in float64, before
// the L2 regularisation; where it is greater they are multiplied by norm/theirs. A
// step whose norm is not finite is an error. It costs a second pass over the
// gradients.
func WithClipNorm(norm float64) Option { return Option{clipNorm, norm} }

// WithLearnRateDecay sets the decay of Adagrad's learning rate, 0 or more.
func WithLearnRateDecay(x float64) Option { return Option{decay, x} }

// WithInitialAccumulator sets what the sums of squares of Adagrad and row-wise
// Adagrad begin with, 0 or more.
func WithInitialAccumulator(x float64) Option { return Option{accumulator, x} }

// describe says of each number what it is called and what is allowed.
var describe = [numbers]struct {
	option, allowed string
	ok              func(x float64) bool
}{
	learnRate:   {"WithLearnRate", finite, atLeast0},
	eps:         {"WithEps", finite, atLeast0},
	beta1:       {"WithBeta1", "numbers in [0, 1)", below1},
	beta2:       {"WithBeta2", "numbers in [0, 1)", below1},
	l2:          {"WithL2Reg", finite, atLeast0},
	clipNorm:    {"WithClipNorm", "finite numbers above 0", func(x float64) bool { return atLeast0(x) && x > 0 }},
	decay:       {"WithLearnRateDecay", finite, atLeast0},
	accumulator: {"WithInitialAccumulator", finite, atLeast0},
}

const finite = "finite numbers from 0 on"

func atLeast0(x float64) bool { return x >= 0 && x <= math.MaxFloat64 }
func below1(x float64) bool   { return x >= 0 && x < 1 }

// An optimizer is an Optimizer by one of the rules of package kernel.
type optimizer struct {
	rule    update.Optimizer
	numbers [numbers]float64

	self weak.Pointer[optimizer] // what tables know it by

	mu     sync.Mutex
	steps  []*state  // of the tables of a step, in the order of their lookups
	locked []*state  // the same, in the order in which tables are locked
	order  []*Lookup // the lookups, in the order in which they are locked

	rows   []int64 // of the ids of Update
	grads  []byte  // of Update
	copied []byte  // those, if they are not packed
}

// NewSGD makes the optimiser without a memory:
//
//	w -= rate g
//
// By default rate is 0.001. It is what torch.optim.SGD does with sparse gradients, but
// that gradients of a row are added up before they change it.
//
// Options: [WithLearnRate], [WithL2Reg], [WithClipNorm].
func NewSGD(opts ...Option) (Optimizer, error) {
	return newOptimizer("SGD", update.SGD, [numbers]float64{learnRate: 1e-3}, opts, learnRate, l2, clipNorm)
}

// NewAdagrad makes Adagrad (Duchi, Hazan and Singer, 2011):
//
//	s += g²
//	w -= rate/(1+(t-1)decay) · g/(√s+ε)
//
// where t counts the steps of the table. By default rate is 0.01, decay 0, ε 1e-10,
// and s begins with 0. State: s. It is what torch.optim.Adagrad does with sparse
// gradients.
//
// Options: [WithLearnRate], [WithEps], [WithLearnRateDecay],
// [WithInitialAccumulator], [WithL2Reg], [WithClipNorm].
func NewAdagrad(opts ...Option) (Optimizer, error) {
	return newOptimizer("Adagrad", update.Adagrad, [numbers]float64{learnRate: 1e-2, eps: 1e-10}, opts,
		learnRate, eps, decay, accumulator, l2, clipNorm)
}

// NewRowWiseAdagrad makes Adagrad with one sum for each row of d numbers, which
// takes a d-th of the memory:
//
//	s += Σg²/d
//	w -= rate g/(√s+ε)
//
// By default rate is 0.01, ε 1e-8, and s begins with 0. State: s, (rows). The sum is
// made in sixteen sums: column c goes into sum c%16, and the second half of the
// sums is added to the first until one is left. It is what FBGEMM calls exact row-wise
// Adagrad.
//
// Options: [WithLearnRate], [WithEps], [WithInitialAccumulator], [WithL2Reg],
// [WithClipNorm].
func NewRowWiseAdagrad(opts ...Option) (Optimizer, error) {
	return newOptimizer("RowWiseAdagrad", update.RowWiseAdagrad, [numbers]float64{learnRate: 1e-2, eps: 1e-8}, opts,
		learnRate, eps, accumulator, l2, clipNorm)
}

// NewAdam makes lazy Adam (Kingma and Ba, 2014, on the rows that a step touches):
//
//	m += (1-β1)(g-m)
//	v += (1-β2)(g²-v)
//	w -= rate √(1-β2ᵗ)/(1-β1ᵗ) · m/(√v+ε)
//
// where t counts the steps of the table. By default rate is 0.001, ε 1e-8, β1 0.9
// and β2 0.999. State: m, v. It is what torch.optim.SparseAdam does.
//
// Options: [WithLearnRate], [WithEps], [WithBeta1], [WithBeta2], [WithL2Reg],
// [WithClipNorm].
func NewAdam(opts ...Option) (Optimizer, error) {
	return newOptimizer("Adam", update.Adam, [numbers]float64{learnRate: 1e-3, eps: 1e-8, beta1: 0.9, beta2: 0.999}, opts,
		learnRate, eps, beta1, beta2, l2, clipNorm)
}

func newOptimizer(name string, rule update.Optimizer, defaults [numbers]float64, opts []Option, allowed ...number) (Optimizer, error) {
	o := &optimizer{rule: rule, numbers: defaults}
	o.self = weak.Make(o)
	var has [numbers]bool
	for _, n := range allowed {
		has[n] = true
	}
	for i, opt := range opts {
		if opt.number == noNumber || opt.number >= numbers {
			return nil, fault.Errorf(dense.ErrOption, "New%s: option %d is the zero Option, which is none", name, i)
		}
		d := &describe[opt.number]
		if !has[opt.number] {
			return nil, fault.Errorf(dense.ErrOption, "New%s: it has no option %s", name, d.option)
		}
		if !d.ok(opt.value) {
			return nil, fault.Errorf(dense.ErrOption, "New%s: %s(%v), allowed are %s", name, d.option, opt.value, d.allowed)
		}
		o.numbers[opt.number] = opt.value
	}
	return o, nil
}

// SetLearnRate: see Optimizer.
func (o *optimizer) SetLearnRate(rate float64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.numbers[learnRate] = rate
}

// checkRate refuses what SetLearnRate could not.
func (o *optimizer) checkRate(op string) error {
	if d := &describe[learnRate]; !d.ok(o.numbers[learnRate]) {
		return errors.Errorf("%s: the learning rate was set to %v, allowed are %s", op, o.numbers[learnRate], d.allowed)
	}
	return nil
}

// State: see Optimizer.
func (o *optimizer) State(t *Table) map[string]*tensor.Dense {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := map[string]*tensor.Dense{}
	if t.made("State") != nil {
		return all
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := o.known("State", t)
	if s == nil || err != nil || s.steps == 0 { // what a step that failed has made is not seen
		return all
	}
	for i, m := range s.memories {
		if m != nil {
			all[stateNames[o.rule][i]] = m.tensor(t.dtype, s.shape)
		}
	}
	return all
}

// known is the state of a table that had steps, here or in the files beside it, or
// nil. The caller has the table's lock.
func (o *optimizer) known(op string, t *Table) (*state, error) {
	if s := t.states[o.self]; s != nil || t.closed || t.readOnly {
		return s, nil
	}
	if folder, err := o.findStates(t); folder == "" || err != nil {
		return nil, errors.WithMessage(err, op)
	}
	return o.stateOf(op, t)
}

// stateNames are what formulas call the states.
var stateNames = [...][2]string{
	update.SGD:            {},
	update.Adagrad:        {"s"},
	update.RowWiseAdagrad: {"s"},
	update.Adam:           {"m", "v"},
}
