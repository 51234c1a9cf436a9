package embedding_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gorgonia.org/gather/dense"
	"gorgonia.org/gather/embedding"
	"gorgonia.org/gather/internal/layout"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A trainee is a table, with what it is compared to.
type trainee[T float32 | float64] struct {
	table      *embedding.Table
	plain      *plainTable[T]
	rows       int
	row        tensor.Shape
	inner      int
	padding    int64
	padded     bool
	fill       bool
	noNegative bool
}

// A place is a lookup, with what it is compared to.
type place[T float32 | float64] struct {
	*trainee[T]
	lookup    *embedding.Lookup
	shape     []int // of ids; nil: bags
	bags      int
	mode      embedding.Mode
	weights   *G.Node // that the value is multiplied by: its gradient
	value     []T     // that the plain formulas give
	gradients func(g []T) []plainGradient[T]
	g         []T
}

func draw[T float32 | float64](rng *rand.Rand, n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = T(rng.NormFloat64())
		if rng.IntN(4) == 0 {
			all[i] = T(rng.IntN(3)) // ties, and zeros
		}
	}
	return all
}

func drawRule(rng *rand.Rand) (plainRule, embedding.Optimizer, error) {
	r := plainRule{name: []string{"SGD", "Adagrad", "RowWiseAdagrad", "Adam"}[rng.IntN(4)], rate: rng.Float64()}
	opts := []embedding.Option{embedding.WithLearnRate(r.rate)}
	if rng.IntN(2) == 0 {
		r.l2 = rng.Float64() / 10
		opts = append(opts, embedding.WithL2Reg(r.l2))
	}
	if rng.IntN(3) == 0 {
		r.clip = rng.Float64() * 5
		opts = append(opts, embedding.WithClipNorm(r.clip))
	}
	if r.name != "SGD" {
		r.eps = []float64{1e-8, 1e-3}[rng.IntN(2)]
		opts = append(opts, embedding.WithEps(r.eps))
	}
	if r.name == "Adagrad" && rng.IntN(2) == 0 {
		r.decay = rng.Float64()
		opts = append(opts, embedding.WithLearnRateDecay(r.decay))
	}
	if (r.name == "Adagrad" || r.name == "RowWiseAdagrad") && rng.IntN(2) == 0 {
		r.at = rng.Float64()
		opts = append(opts, embedding.WithInitialAccumulator(r.at))
	}
	if r.name == "Adam" {
		r.beta1, r.beta2 = 0.9, 0.999
		if rng.IntN(2) == 0 {
			r.beta1, r.beta2 = rng.Float64(), rng.Float64()
			opts = append(opts, embedding.WithBeta1(r.beta1), embedding.WithBeta2(r.beta2))
		}
	}
	o, err := map[string]func(...embedding.Option) (embedding.Optimizer, error){
		"SGD": embedding.NewSGD, "Adagrad": embedding.NewAdagrad, "RowWiseAdagrad": embedding.NewRowWiseAdagrad, "Adam": embedding.NewAdam,
	}[r.name](opts...)
	return r, o, err
}

func drawTrainee[T float32 | float64](rng *rand.Rand, begin T) (*trainee[T], error) {
	tr := &trainee[T]{rows: 1 + rng.IntN(12), inner: 1}
	tr.row = tensor.Shape{1 + rng.IntN(20)}
	switch rng.IntN(5) {
	case 0:
		tr.row = tensor.Shape{}
	case 1:
		tr.row = tensor.Shape{1 + rng.IntN(3), 1 + rng.IntN(4)}
	}
	for _, n := range tr.row {
		tr.inner *= n
	}
	var opts []embedding.TableOption
	if tr.padded = rng.IntN(2) == 0; tr.padded {
		tr.padding = []int64{0, -1, 99}[rng.IntN(3)]
		opts = append(opts, embedding.WithPadding(tr.padding))
	}
	if tr.fill = rng.IntN(3) == 0; tr.fill {
		opts = append(opts, embedding.WithOutOfRange(dense.ZeroFill))
	}
	if tr.noNegative = rng.IntN(3) == 0; tr.noNegative {
		opts = append(opts, embedding.WithNonNegativeIDs())
	}
	weights := draw[T](rng, tr.rows*tr.inner)
	tr.plain = newPlainTable(weights, tr.rows, tr.inner, begin)
	var err error
	tr.table, err = embedding.New(tensor.New(tensor.WithShape(append(tensor.Shape{tr.rows}, tr.row...)...), tensor.WithBacking(weights)), opts...)
	return tr, err
}

// drawID draws an id that is allowed, and its row, or -1.
func (tr *trainee[T]) drawID(rng *rand.Rand) (int64, int) {
	row := rng.IntN(tr.rows)
	if rng.IntN(2) == 0 {
		row = 0
	}
	id := int64(row)
	switch {
	case tr.padded && rng.IntN(3) == 0:
		id = tr.padding
	case tr.fill && rng.IntN(4) == 0:
		id, row = []int64{int64(tr.rows), -int64(tr.rows) - 1, math.MaxInt64}[rng.IntN(3)], -1
	case !tr.noNegative && rng.IntN(4) == 0:
		id -= int64(tr.rows)
	}
	if tr.padded && id == tr.padding {
		row = -1
	}
	return id, row
}

// idTensor is ids as a tensor of some integer dtype that holds them, in some layout.
func idTensor(rng *rand.Rand, ids []int64, shape ...int) *tensor.Dense {
	small, positive := true, true
	for _, id := range ids {
		small = small && id == int64(int8(id))
		positive = positive && id >= 0
	}
	l := layout.All[rng.IntN(len(layout.All))]
	switch kind := rng.IntN(4); {
	case len(ids) == 0:
	case kind == 0 && small:
		return layout.Lay(l, convert[int8](ids), 101, shape...).Dense
	case kind == 1 && small:
		return layout.Lay(l, convert[int32](ids), 101, shape...).Dense
	case kind == 2 && positive:
		return layout.Lay(l, convert[uint64](ids), 101, shape...).Dense
	case kind == 3 && small:
		return layout.Lay(l, convert[int](ids), 101, shape...).Dense
	}
	return layout.Lay(l, ids, 101, shape...).Dense
}

func convert[I int8 | int32 | int | uint64](ids []int64) []I {
	to := make([]I, len(ids))
	for i, id := range ids {
		to[i] = I(id)
	}
	return to
}

// drawPlace adds a lookup to a graph.
func drawPlace[T float32 | float64](rng *rand.Rand, g *G.ExprGraph, tr *trainee[T], number int) (*place[T], error) {
	p := &place[T]{trainee: tr}
	var err error
	name := fmt.Sprint("lookup ", number)
	if rng.IntN(2) == 0 {
		p.shape = []int{1 + rng.IntN(5)}
		if len(tr.row) < 2 && rng.IntN(2) == 0 {
			p.shape = append(p.shape, 1+rng.IntN(3))
		}
		p.lookup, err = tr.table.Lookup(g, name, p.shape...)
	} else {
		p.bags, p.mode = 1+rng.IntN(4), embedding.Mode(rng.IntN(4))
		p.lookup, err = tr.table.Bag(g, name, p.bags, p.mode)
	}
	if err != nil {
		return nil, err
	}
	n := p.lookup.Node()
	p.weights = G.NewTensor(g, dtypeOf[T](), n.Dims(), G.WithShape(n.Shape()...), G.WithName(fmt.Sprint("weights ", number)))
	return p, nil
}

// set sets the lookup to ids that it draws.
func (p *place[T]) set(rng *rand.Rand) error {
	if p.shape != nil {
		return p.setLookup(rng)
	}
	var sizes []int
	first, n := 0, 0
	packed := rng.IntN(3) == 0
	if packed {
		n = rng.IntN(4)
	} else if rng.IntN(3) == 0 {
		first = rng.IntN(3)
	}
	for range p.bags {
		if !packed {
			n = rng.IntN(5)
		}
		sizes = append(sizes, n)
	}
	ids, rows, offsets := []int64{}, []int{}, []int64{}
	next := func(n int) {
		for range n {
			id, row := p.drawID(rng)
			ids, rows = append(ids, id), append(rows, row)
		}
	}
	next(first)
	for _, n := range sizes {
		offsets = append(offsets, int64(len(ids)))
		next(n)
	}
	var weights []T
	var weightsTensor tensor.Tensor
	shape := tensor.Shape{len(ids)}
	if packed {
		shape = tensor.Shape{p.bags, n}
	}
	if p.mode != embedding.Max && rng.IntN(2) == 0 && len(ids) > 0 {
		weights = draw[T](rng, len(ids))
		weightsTensor = tensor.New(tensor.WithShape(shape...), tensor.WithBacking(append([]T(nil), weights...)))
	}
	p.value = nil
	var all []func(g []T) []plainGradient[T]
	for b, n := range sizes {
		var w []T
		at := int(offsets[b])
		if weights != nil {
			w = weights[at : at+n]
		}
		out, gradients := plainBag(p.plain, p.mode, rows[at:at+n], w, p.inner)
		p.value, all = append(p.value, out...), append(all, gradients)
	}
	p.gradients = func(g []T) (sum []plainGradient[T]) {
		for b, gradients := range all {
			sum = append(sum, gradients(g[b*p.inner:(b+1)*p.inner])...)
		}
		return sum
	}
	switch {
	case packed && weightsTensor == nil:
		return p.lookup.Set(idTensor(rng, ids, shape...))
	case packed:
		return p.lookup.SetBags(idTensor(rng, ids, shape...), nil, weightsTensor)
	}
	var opts []dense.Option
	switch choice := rng.IntN(3); {
	case choice == 0:
		offsets = append(offsets, int64(len(ids)))
		opts = append(opts, dense.WithLastOffset())
	case choice == 1 && first == 0:
		offsets = lengthsOf(offsets, len(ids))
		opts = append(opts, dense.WithLengths())
	}
	return p.lookup.SetBags(idTensor(rng, ids, shape...), idTensor(rng, offsets, len(offsets)), weightsTensor, opts...)
}

func (p *place[T]) setLookup(rng *rand.Rand) error {
	n := tensor.Shape(p.shape).TotalSize()
	ids, rows := make([]int64, n), make([]int, n)
	p.value = nil
	for i := range ids {
		ids[i], rows[i] = p.drawID(rng)
		if rows[i] < 0 {
			p.value = append(p.value, make([]T, p.inner)...)
		} else {
			p.value = append(p.value, p.plain.w[rows[i]]...)
		}
	}
	p.gradients = func(g []T) (all []plainGradient[T]) {
		for i, row := range rows {
			if row >= 0 {
				all = append(all, plainGradient[T]{row, append([]T(nil), g[i*p.inner:(i+1)*p.inner]...)})
			}
		}
		return all
	}
	return p.lookup.Set(idTensor(rng, ids, p.shape...))
}
