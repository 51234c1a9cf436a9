// Package loss has the loops of the losses of classification: of a score for each class of
// each example, and of the example's class, the loss and its gradient. Neither writes the
// logarithms of the probabilities out; what is needed of them is computed again. The
// exponential functions are those of package bag.
package loss

import (
	"math"
	"sync"
	"unsafe"

	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/par"
)

// Loss describes a call. The scores are Outer blocks of Classes rows of Inner columns; an
// example is a column of a block, and has the number block*Inner+column.
type Loss struct {
	Outer, Classes, Inner int
	LogProbs              bool      // the scores are logarithms of probabilities
	Targets               []int64   // the class of each example, -1 if it is ignored
	Weights               []float64 // of the classes; nil: all are 1
	Smoothing             float64   // 0 for LogProbs
}

// Losses writes the loss of each example, of scores x of float32 or float64: 0 if it is ignored,
// and else, of the class t and log p[j] = x[j] - log Σ exp(x),
//
//	(1-ε)·w[t]·(-log p[t]) - ε/C·Σ w[j]·log p[j]
func (l *Loss) Losses(kind num.Kind, out []float64, x []byte) {
	if kind == num.Float32 {
		losses(l, out, num.As[float32](x))
	} else {
		losses(l, out, num.As[float64](x))
	}
}

func losses[T bag.Float](l *Loss, out []float64, x []T) {
	if l.LogProbs {
		for b := range l.Outer {
			for i := range l.Inner {
				out[b*l.Inner+i] = 0
				if t := l.Targets[b*l.Inner+i]; t >= 0 {
					out[b*l.Inner+i] = -l.weight(t) * float64(x[(b*l.Classes+int(t))*l.Inner+i])
				}
			}
		}
		return
	}
	each(l, func(m *memory, first, example, columns int) {
		out, targets := out[example:example+columns], l.Targets[example:example+columns]
		if l.Inner == 1 && targets[0] < 0 {
			out[0] = 0
			return
		}
		exps(l, m, nil, x[first:], columns)
		smooth := 0.0
		for i, t := range targets {
			if out[i] = 0; t < 0 {
				continue
			}
			most, log := m.most[i], math.Log(m.sum[i])
			if l.Smoothing != 0 {
				sum := 0.0
				for j := range l.Classes {
					sum += l.weight(int64(j)) * (float64(x[first+j*l.Inner+i]) - most - log)
				}
				smooth = l.Smoothing / float64(l.Classes) * sum
			}
			out[i] = -(1-l.Smoothing)*l.weight(t)*(float64(x[first+int(t)*l.Inner+i])-most-log) - smooth
		}
	})
}

// Gradient writes the gradient of the scores x, where g is that of each loss: 0 for an example
// that is ignored, and else
//
//	g·(p[k]·((1-ε)·w[t] + ε/C·Σ w) - (1-ε)·w[t]·[k = t] - ε/C·w[k])
func (l *Loss) Gradient(kind num.Kind, out, x []byte, g []float64) {
	if kind == num.Float32 {
		gradient(l, num.As[float32](out), num.As[float32](x), g)
	} else {
		gradient(l, num.As[float64](out), num.As[float64](x), g)
	}
}

func gradient[T bag.Float](l *Loss, out, x []T, g []float64) {
	if l.LogProbs {
		par.Clear(out)
		for b := range l.Outer {
			for i := range l.Inner {
				if t := l.Targets[b*l.Inner+i]; t >= 0 {
					out[(b*l.Classes+int(t))*l.Inner+i] = T(-l.weight(t) * g[b*l.Inner+i])
				}
			}
		}
		return
	}
	all := 0.0
	for j := range l.Classes {
		all += l.weight(int64(j))
	}
	share := l.Smoothing / float64(l.Classes)
	each(l, func(m *memory, first, example, columns int) {
		out, g, targets := out[first:], g[example:example+columns], l.Targets[example:example+columns]
		if l.Inner == 1 && targets[0] < 0 {
			par.Clear(out[:l.Classes])
			return
		}
		exps(l, m, out, x[first:], columns)
		// From here on most is the factor of the exponentials, and sum what is subtracted at the class.
		for i, t := range targets {
			if m.most[i], m.sum[i] = 0, 0; t < 0 {
				continue
			}
			own := (1 - l.Smoothing) * l.weight(t)
			m.most[i], m.sum[i] = g[i]*(own+share*all)/m.total[i], g[i]*own
			// The difference of two numbers that may be nearly equal is rounded once.
			e := float64(out[int(t)*l.Inner+i])
			m.total[i] = e*m.most[i] - m.sum[i] - g[i]*share*l.weight(t)
		}
		if l.Inner == 1 {
			scale(l, out[:l.Classes], m.most[0], g[0]*share)
		} else {
			for j := range l.Classes {
				row, subtract := out[j*l.Inner:][:columns], share*l.weight(int64(j))
				for i, e := range row {
					if row[i] = 0; targets[i] >= 0 {
						row[i] = T(float64(e)*m.most[i] - g[i]*subtract)
					}
				}
			}
		}
		for i, t := range targets {
			if t >= 0 {
				out[int(t)*l.Inner+i] = T(m.total[i])
			}
		}
	})
}

// scale multiplies the exponentials of one example, and subtracts what smoothing subtracts.
func scale[T bag.Float](l *Loss, e []T, by, share float64) {
	switch {
	case l.Smoothing == 0:
		for j, v := range e {
			e[j] = T(float64(v) * by)
		}
	case l.Weights == nil:
		for j, v := range e {
			e[j] = T(float64(v)*by - share)
		}
	default:
		for j, v := range e {
			e[j] = T(float64(v)*by - share*l.Weights[j])
		}
	}
}

func (l *Loss) weight(class int64) float64 {
	if l.Weights == nil {
		return 1
	}
	return l.Weights[class]
}

const (
	grain = 4096 // how many elements a goroutine has at least
	// lanes is how many sums there are of one column, whose exponentials are computed side by
	// side. It decides the order in which they are added.
	lanes = 64
	// most columns of a tile, and elements whose exponentials are written only to be added up
	tileColumns = 512
	scratch     = 4096
)

// memory is what a goroutine needs for a tile, which is some columns of a block.
type memory struct {
	most, sum, total [tileColumns]float64
	exps             [scratch]float64
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// each calls do for each tile, in any order and from several goroutines, with the places of
// its first score and its first example.
func each(l *Loss, do func(m *memory, first, example, columns int)) {
	if l.Outer*l.Inner*l.Classes == 0 {
		return
	}
	perBlock := (l.Inner + tileColumns - 1) / tileColumns
	par.Each(l.Outer*perBlock, l.Outer*l.Inner*l.Classes/grain, func(lo, hi int) {
		m := memories.Get().(*memory)
		defer memories.Put(m)
		for tile := lo; tile < hi; tile++ {
			block, from := tile/perBlock, tile%perBlock*tileColumns
			do(m, block*l.Classes*l.Inner+from, block*l.Inner+from, min(tileColumns, l.Inner-from))
		}
	})
}

// exps finds the greatest score of each column of a tile, and the sum of the exponentials of
// the differences from it: m.most, and m.sum and m.total. The exponentials go to out, in the
// places of the scores, unless that is nil.
func exps[T bag.Float](l *Loss, m *memory, out, x []T, columns int) {
	if l.Inner == 1 {
		m.most[0], m.sum[0] = expsOfLine(m, out, x[:l.Classes])
		m.total[0] = m.sum[0]
		return
	}
	most, sum := m.most[:columns], m.sum[:columns]
	for i, v := range x[:columns] {
		most[i], sum[i] = float64(v), 0
	}
	for j := 1; j < l.Classes; j++ {
		for i, v := range x[j*l.Inner:][:columns] {
			if float64(v) > most[i] {
				most[i] = float64(v)
			}
		}
	}
	rows := 1 // at once
	if columns == l.Inner {
		rows = scratch / columns
	}
	for j := 0; j < l.Classes; j += rows {
		n := (min(rows, l.Classes-j)-1)*l.Inner + columns
		bag.Exps(written(m, out, j*l.Inner, n), x[j*l.Inner:][:n], most, sum)
	}
	copy(m.total[:], sum)
}

// expsOfLine is exps of one column whose elements are side by side. They are taken for rows
// of lanes columns.
func expsOfLine[T bag.Float](m *memory, out, x []T) (most, sum float64) {
	most = bag.Greatest(x)
	mosts, sums := m.most[:min(lanes, len(x))], m.sum[:min(lanes, len(x))]
	for i := range mosts {
		mosts[i], sums[i] = most, 0
	}
	for at := 0; at < len(x); {
		n := min(scratch, (len(x)-at)&^(lanes-1))
		columns := lanes
		if n == 0 {
			n = len(x) - at
			columns = n
		}
		bag.Exps(written(m, out, at, n), x[at:at+n], mosts[:columns], sums[:columns])
		at += n
	}
	for _, s := range sums {
		sum += s
	}
	return most, sum
}

// written is where n exponentials are written.
func written[T bag.Float](m *memory, out []T, at, n int) []T {
	if out != nil {
		return out[at : at+n]
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&m.exps)), len(m.exps))[:n]
}

// Add is the sum of the losses, and the sum of the weights of the classes that count.
func (l *Loss) Add(losses []float64) (sum, weights float64) {
	for i, t := range l.Targets {
		if t >= 0 {
			sum, weights = sum+losses[i], weights+l.weight(t)
		}
	}
	return sum, weights
}
