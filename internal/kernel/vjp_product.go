package kernel

import "gorgonia.org/gather/internal/num"

// Product describes the products that a scatter makes. The factors of a target
// are its updates and, if Init is set, its old value in Data, which comes first.
//
// The gradient of a product with respect to a factor is the product of the
// others. The whole product divided by the factor would be that, but for
// factors of 0, and with another rounding. Instead two passes carry one running
// product for each target: forwards over the updates, that of the factors before
// each update, and backwards, that of the factors behind it. A zero is a factor
// like any other then.
//
// For second derivatives the passes carry a product and its change, which is a
// product of dual numbers:
//
//	(a + ε da) (b + ε db) = ab + ε (da b + a db),  ε² = 0
//
// The change of the product of all factors but one is thereby as cheap as the
// product itself, though it is a sum of products that leave out two.
type Product struct {
	Data, Updates []byte
	Targets       []int
	Init          bool
}

func (f field[T]) Others(out, grad []byte, p Product) {
	o, g, w := num.As[T](out), num.As[T](grad), num.As[T](p.Updates)
	product := f.before(p, len(g))
	for i, t := range p.Targets {
		o[i] = product[t]
		product[t] = f.mul(product[t], w[i])
	}
	f.behind(p, product)
	for i := len(w) - 1; i >= 0; i-- {
		t := p.Targets[i]
		o[i] = f.mul(g[t], f.conj(f.mul(o[i], product[t])))
		product[t] = f.mul(product[t], w[i])
	}
}

func (f field[T]) Tangent(out, change []byte, p Product) {
	d, dw, w := num.As[T](out), num.As[T](change), num.As[T](p.Updates)
	product := f.before(p, len(d))
	clearAny(d)
	for i, t := range p.Targets {
		d[t] = f.add(f.mul(d[t], w[i]), f.mul(product[t], dw[i]))
		product[t] = f.mul(product[t], w[i])
	}
}

func (f field[T]) OtherTwo(out, change, grad []byte, p Product) {
	o, dw, g, w := num.As[T](out), num.As[T](change), num.As[T](grad), num.As[T](p.Updates)
	product, d := f.before(p, len(g)), make([]T, len(g))
	changes := make([]T, len(w)) // of the products in o
	for i, t := range p.Targets {
		o[i], changes[i] = product[t], d[t]
		d[t] = f.add(f.mul(d[t], w[i]), f.mul(product[t], dw[i]))
		product[t] = f.mul(product[t], w[i])
	}
	f.behind(p, product)
	clearAny(d)
	for i := len(w) - 1; i >= 0; i-- {
		t := p.Targets[i]
		o[i] = f.mul(g[t], f.conj(f.add(f.mul(changes[i], product[t]), f.mul(o[i], d[t]))))
		d[t] = f.add(f.mul(d[t], w[i]), f.mul(product[t], dw[i]))
		product[t] = f.mul(product[t], w[i])
	}
}

func (f field[T]) Scale(out, a, b []byte, targets []int) {
	o, x, y := num.As[T](out), num.As[T](a), num.As[T](b)
	clearAny(o)
	for _, t := range targets {
		o[t] = f.mul(x[t], f.conj(y[t]))
	}
}

// before is the running products of n targets before the first update.
func (f field[T]) before(p Product, n int) []T {
	product := make([]T, n)
	if p.Init {
		copyAny(product, num.As[T](p.Data))
	} else {
		f.behind(p, product)
	}
	return product
}

// behind sets the running products to what they are behind the last update.
func (f field[T]) behind(p Product, product []T) {
	for _, t := range p.Targets {
		product[t] = f.one
	}
}
