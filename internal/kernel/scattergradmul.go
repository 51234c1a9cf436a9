package kernel

// The gradient of a product with respect to one factor is the product of the
// others. Dividing the whole product by the factor would give that, but for
// factors that are 0, and would round. Instead two passes carry a running
// product for each target: forwards over the updates, that of the factors
// before each update, and backwards, that of the factors behind it. Zeros are
// factors like any others. A pass takes one element of memory for each element
// of data.

func (f field[T]) Others(out, grad, data, updates []byte, targets []int, init bool) {
	o, g, w := As[T](out), As[T](grad), As[T](updates)
	running := f.start(len(g), data, init)
	for p, t := range targets {
		o[p] = running[t]
		running[t] = f.mul(running[t], w[p])
	}
	for _, t := range targets {
		running[t] = f.one
	}
	for p := len(targets) - 1; p >= 0; p-- {
		t := targets[p]
		o[p] = f.mul(g[t], f.conj(f.mul(o[p], running[t])))
		running[t] = f.mul(running[t], w[p])
	}
}

// start is the running products before the first update: data, or ones.
func (f field[T]) start(n int, data []byte, init bool) []T {
	running := make([]T, n)
	if init {
		copy(running, As[T](data))
		return running
	}
	for j := range running {
		running[j] = f.one
	}
	return running
}
