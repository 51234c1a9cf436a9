package gatherbeam

import (
	"math"
	"runtime"

	"github.com/pkg/errors"
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/fault"
)

// DSGD says how a matrix of ratings is factorised: what is predicted of a rating, and
// how the rows of its user and of its item learn from the difference. With dim
// numbers a row, in the dtype of the rows,
//
//	said(u, i) = Mean + Σ_c users[u, c] · items[i, c]                                  c < dim
//	said(u, i) = Mean + users[u, dim-1] + items[i, dim-1] + Σ_c users[u, c] · items[i, c]   c < dim-1, with Biases
//
// and e = said - rating. A rating's gradients, of ½e² + ½L2(|users[u]|² + |items[i]|²), are
//
//	e · items[i] + L2 · users[u]    for users[u]
//	e · users[u] + L2 · items[i]    for items[i]
//
// where with Biases the last column has e in place of the product. Gradients are
// computed for Batch ratings at a time, from the rows before the batch; those of a row
// are summed in the order of the ratings, and then the rule changes the row
// ([embedding.NewSGD], [embedding.NewAdagrad]). With Batch 1 this is SGD as the paper
// has it: R. Gemulla, P. J. Haas, E. Nijkamp and Y. Sismanis, "Large-Scale Matrix
// Factorization with Distributed Stochastic Gradient Descent", KDD 2011.
//
// # The order
//
// Users and items lie in B blocks each, the shards of their tables. An epoch is B
// strata. In each stratum every block of users meets one block of items, so that no two
// pairs share a row and all train side by side; over the epoch it meets all of them.
//
// The order of the strata in an epoch and that of the ratings in a pair of blocks
// are random, determined by Seed and the number of the epoch. The result does not
// depend on the workers, on the runner, or on the number of jobs that the epochs are
// divided into.
type DSGD struct {
	Epochs int // of the job, 1 or more

	Rule               Rule
	LearnRate          float64
	Eps                float64 // of Adagrad; 0: 1e-10
	InitialAccumulator float64 // of Adagrad

	Mean   float64 // of all ratings, or another constant to add to each prediction
	Biases bool    // the last column of the rows is a bias
	L2     float64 // how strongly rows are pulled to zero, per rating
	Batch  int     // ratings at a time; 0: 1
	Seed   uint64

	// Parallel is how many pairs of blocks a bundle of the runner trains at a time; 0
	// is GOMAXPROCS. Beam's own Prism makes one bundle of a whole stratum, so that it
	// needs this. A runner that has several bundles at a time in a worker needs 1.
	Parallel int
}

// A Rule is how gradients change rows.
type Rule string

// The rules of [DSGD]. Adagrad keeps a sum of squares for each number of a row, in
// tables beside those of the rows.
const (
	SGD     Rule = "SGD"     // the default
	Adagrad Rule = "Adagrad" // Duchi, Hazan and Singer, 2011
)

// check refuses settings out of range.
func (c *DSGD) check() error {
	for _, number := range []struct {
		name     string
		value    float64
		negative bool // allowed
	}{{"LearnRate", c.LearnRate, false}, {"Eps", c.Eps, false}, {"InitialAccumulator", c.InitialAccumulator, false}, {"Mean", c.Mean, true}, {"L2", c.L2, false}} {
		if x := number.value; math.IsNaN(x) || math.IsInf(x, 0) || x < 0 && !number.negative {
			allowed := "finite numbers from 0 on"
			if number.negative {
				allowed = "finite numbers"
			}
			return fault.Errorf(dense.ErrOption, "DSGD: %s is %v, allowed are %s", number.name, x, allowed)
		}
	}
	for _, count := range []struct {
		name         string
		value, least int
	}{{"Epochs", c.Epochs, 1}, {"Batch", c.Batch, 0}, {"Parallel", c.Parallel, 0}} {
		if count.value < count.least {
			return fault.Errorf(dense.ErrOption, "DSGD: %s is %d, the least is %d", count.name, count.value, count.least)
		}
	}
	if c.Batch > mostBatch {
		return fault.Errorf(dense.ErrOption, "DSGD: Batch is %d, the most is %d", c.Batch, mostBatch)
	}
	_, err := c.optimizer()
	return err
}

// mostBatch bounds the memory for gradients.
const mostBatch = 1 << 20

func (c *DSGD) batch() int { return max(c.Batch, 1) }

func (c *DSGD) parallel() int {
	if c.Parallel > 0 {
		return c.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

// stateful reports whether the rule remembers something of the rows.
func (c *DSGD) stateful() bool { return c.Rule == Adagrad }

// optimizer is a new one by the rule.
func (c *DSGD) optimizer() (embedding.Optimizer, error) {
	opts := []embedding.Option{embedding.WithLearnRate(c.LearnRate)}
	switch c.Rule {
	case SGD, "":
		if c.Eps != 0 || c.InitialAccumulator != 0 {
			return nil, fault.Errorf(dense.ErrOption, "DSGD: Eps is %v and InitialAccumulator %v, which SGD does not have; Adagrad does", c.Eps, c.InitialAccumulator)
		}
		o, err := embedding.NewSGD(opts...)
		return o, errors.WithMessage(err, "DSGD")
	case Adagrad:
		if c.Eps != 0 {
			opts = append(opts, embedding.WithEps(c.Eps))
		}
		o, err := embedding.NewAdagrad(append(opts, embedding.WithInitialAccumulator(c.InitialAccumulator))...)
		return o, errors.WithMessage(err, "DSGD")
	}
	return nil, fault.Errorf(dense.ErrOption, "DSGD: the rule %s, allowed are SGD and Adagrad", fault.Name(string(c.Rule)))
}
