package gatherbeam

import (
	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/fault"
	"gorgonia.org/tensor"
)

// A side is the rows of users or of items that a trainer has in memory: a block, or
// all of them.
type side[T float32 | float64] struct {
	rows  []T
	state []T              // of Adagrad
	table *embedding.Table // on the memory of the rows

	ids   []int64 // of the batch: room for a whole one
	grads []T
	// The same as tensors, for a batch of so many ratings.
	length                int
	idsTensor, gradTensor *tensor.Dense
}

// trainer changes rows of users and items. The result depends on the rows and the
// ratings alone, bit for bit.
type trainer[T float32 | float64] struct {
	c            *DSGD
	dim          int
	optimizer    embedding.Optimizer
	users, items side[T]
}

// newTrainer makes a trainer that changes the given rows and their state in place. Rows
// that come without a state have not been trained yet; they get a new one if the rule
// has states.
func newTrainer[T float32 | float64](c *DSGD, dim int, users, items, usersState, itemsState []T) (*trainer[T], error) {
	t := &trainer[T]{c: c, dim: dim}
	var err error
	if t.optimizer, err = c.optimizer(); err != nil {
		return nil, err
	}
	for _, s := range []struct {
		side        *side[T]
		rows, state []T
	}{{&t.users, users, usersState}, {&t.items, items, itemsState}} {
		s.side.rows, s.side.state = s.rows, s.state
		shape := tensor.WithShape(len(s.rows)/dim, dim)
		if s.side.table, err = embedding.New(tensor.New(shape, tensor.WithBacking(s.rows))); err != nil {
			return nil, err
		}
		s.side.ids, s.side.grads = make([]int64, c.batch()), make([]T, c.batch()*dim)
		if !c.stateful() {
			continue
		}
		if len(s.state) == 0 {
			s.side.state = make([]T, len(s.rows))
			for i := range s.side.state {
				s.side.state[i] = T(c.InitialAccumulator)
			}
		}
		state := tensor.New(shape, tensor.WithBacking(s.side.state))
		if err := embedding.SetState(t.optimizer, s.side.table, 0, map[string]*tensor.Dense{"s": state}); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// resize makes the tensors of the side those of a batch of n ratings.
func (s *side[T]) resize(n, dim int) {
	if s.idsTensor != nil && s.length == n {
		return
	}
	s.length = n
	s.idsTensor = tensor.New(tensor.WithShape(n), tensor.WithBacking(s.ids[:n]))
	s.gradTensor = tensor.New(tensor.WithShape(n, dim), tensor.WithBacking(s.grads[:n*dim]))
}

// pair is a pair of blocks: its ratings, as their file has them, and which rows of
// the trainer's are those of its blocks.
type pair struct {
	ratings              []float32 // (n, 3): row of the user in its block, of the item in its, rating
	order                []int32   // in which they are learnt from
	userStart, itemStart int
}

// train learns from the ratings of a pair.
func (t *trainer[T]) train(p pair) error {
	batch := t.c.batch()
	for lo := 0; lo < len(p.order); lo += batch {
		of := p.order[lo:min(lo+batch, len(p.order))]
		t.users.resize(len(of), t.dim)
		t.items.resize(len(of), t.dim)
		t.gradients(p, of)
		for _, s := range []*side[T]{&t.users, &t.items} {
			if err := t.optimizer.Update(s.table, s.idsTensor, s.gradTensor); err != nil {
				return err
			}
		}
	}
	return nil
}

// gradients writes ids and gradients of some ratings of the pair. Each product is
// rounded before the sum: a fused multiply-add, which some processors have, would give
// other bits.
func (t *trainer[T]) gradients(p pair, of []int32) {
	l2 := T(t.c.L2)
	for k, r := range of {
		rating := p.ratings[3*r : 3*r+3 : 3*r+3]
		u, i := p.userStart+int(rating[0]), p.itemStart+int(rating[1])
		t.users.ids[k], t.items.ids[k] = int64(u), int64(i)
		user, item := t.users.rows[u*t.dim:(u+1)*t.dim], t.items.rows[i*t.dim:(i+1)*t.dim]
		e := said(t.c, user, item) - T(rating[2])
		gu, gi := t.users.grads[k*t.dim:(k+1)*t.dim], t.items.grads[k*t.dim:(k+1)*t.dim]
		common := t.dim
		if t.c.Biases {
			common--
			gu[common] = e + T(l2*user[common])
			gi[common] = e + T(l2*item[common])
		}
		for c, x := range user[:common] {
			y := item[c]
			gu[c] = T(e*y) + T(l2*x)
			gi[c] = T(e*x) + T(l2*y)
		}
	}
}

// said is what is predicted of a rating by two rows. The products are added up in
// four sums, that of column c in sum c%4, so that a processor need not wait for each
// sum before the next.
func said[T float32 | float64](c *DSGD, user, item []T) T {
	start := T(c.Mean)
	if c.Biases {
		last := len(user) - 1
		start += user[last] + item[last]
		user, item = user[:last], item[:last]
	}
	item = item[:len(user)]
	var sums [4]T
	for len(user) >= 4 {
		a, b := user[:4:4], item[:4:4]
		sums[0] += T(a[0] * b[0])
		sums[1] += T(a[1] * b[1])
		sums[2] += T(a[2] * b[2])
		sums[3] += T(a[3] * b[3])
		user, item = user[4:], item[4:]
	}
	for c, x := range user {
		sums[c] += T(x * item[c])
	}
	return start + ((sums[0] + sums[1]) + (sums[2] + sums[3]))
}

// checkRatings refuses ratings of rows that a pair of blocks does not have. Values
// are not checked: NaN gives NaN.
func checkRatings(ratings []float32, users, items int64) error {
	for n := 0; n < len(ratings); n += 3 {
		for column, what := range [...]struct {
			name string
			rows int64
		}{{"user", users}, {"item", items}} {
			row := ratings[n+column]
			if !(row >= 0 && float64(row) < float64(what.rows)) || row != float32(int64(row)) {
				return fault.Errorf(dense.ErrShape, "rating %d is of the %s %v, rows 0 to %d are in its block", n/3, what.name, row, what.rows-1)
			}
		}
	}
	return nil
}
