package kernel

// Dim is one loop of the walk form: how often it runs, and how far each step
// moves in the items, in data and in the indices, in elements. A stride of 0
// means that the loop does not move there.
type Dim struct{ N, Items, Data, Idx int }

// A LineFunc moves or combines n elements of an item and of data, which are
// the given steps apart. Where the index is out of range and Fill is set, data
// is nil.
type LineFunc[T any] func(items, data []T, n, stepItems, stepData int)

// Pick adds a loop that chooses index tuples. Such loops come first.
func (c *Call) Pick(d Dim) { c.addDim(d, true) }

// Slab adds a loop over the elements that an index tuple picks.
func (c *Call) Slab(d Dim) { c.addDim(d, false) }

// addDim drops a loop that runs once, and joins two loops that step as one.
func (c *Call) addDim(d Dim, head bool) {
	if d.N == 1 {
		return
	}
	if last := len(c.Dims) - 1; last >= 0 && (last < c.Head) == head {
		outer := &c.Dims[last]
		if outer.Items == d.N*d.Items && outer.Data == d.N*d.Data && outer.Idx == d.N*d.Idx {
			d.N *= outer.N
			*outer = d
			return
		}
	}
	c.Dims = append(c.Dims, d)
	if head {
		c.Head++
	}
}

// walkGrain is the grain of a walk which may be cut into chunks.
func (c *Call) walkGrain(width int) (n, grainSize int) {
	n, tail := 1, 1
	for _, d := range c.Dims[:c.Head] {
		n *= d.N
	}
	for _, d := range c.Dims[c.Head:] {
		tail *= d.N
	}
	if tail == 0 {
		n = 0
	}
	return n, grain(max(width, 16) * tail)
}

// walk runs the positions lo to hi of the loops that pick index tuples, and
// for each the loops over its slab.
func walk[T any, I Index](c *Call, lo, hi int) int {
	items, data, idx := As[T](c.Items), As[T](c.Data), As[I](c.Idx)
	run := c.line.(LineFunc[T])
	k := len(c.Axes)
	tail, line := c.Dims[c.Head:], Dim{N: 1}
	if last := len(tail) - 1; last >= 0 {
		tail, line = tail[:last], tail[last]
	}
	var buf [32]int // the loop counters of every rank but the absurd
	counters := buf[:]
	if len(c.Dims) > len(buf) {
		counters = make([]int, len(c.Dims))
	}
	head := odometer{dims: c.Dims[:c.Head], count: counters[:c.Head]}
	slab := odometer{dims: tail, count: counters[c.Head:]}
	head.skip(lo)
	for range hi - lo {
		at, bad := resolve(c, idx[head.idx:][:k])
		if bad >= 0 && !c.Fill {
			return head.idx + bad
		}
		for more := true; more; more = slab.step() {
			var src []T
			if bad < 0 {
				src = data[head.data+at+slab.data:]
			}
			run(items[head.items+slab.items:], src, line.N, line.Items, line.Data)
		}
		head.step()
	}
	return -1
}

// odometer steps through nested loops, the last fastest, and keeps the offsets
// they have reached.
type odometer struct {
	dims             []Dim
	count            []int
	items, data, idx int
}

// skip makes n steps from the start.
func (o *odometer) skip(n int) {
	for i := len(o.dims) - 1; i >= 0; i-- {
		d := &o.dims[i]
		c := n % d.N
		n /= d.N
		o.count[i] = c
		o.items += c * d.Items
		o.data += c * d.Data
		o.idx += c * d.Idx
	}
}

// step makes one step; after the last one it is back at the start and returns
// false.
func (o *odometer) step() bool {
	for i := len(o.dims) - 1; i >= 0; i-- {
		d := &o.dims[i]
		o.count[i]++
		o.items += d.Items
		o.data += d.Data
		o.idx += d.Idx
		if o.count[i] < d.N {
			return true
		}
		o.count[i] = 0
		o.items -= d.N * d.Items
		o.data -= d.N * d.Data
		o.idx -= d.N * d.Idx
	}
	return false
}

// GatherWalk is GatherBlock or GatherElements in any layout, as the Dims say.
func (c *Call) GatherWalk(width int) int {
	var loop Loop
	switch width {
	case 0:
		c.line = LineFunc[string](copyToItems[string])
		loop = pick(c.Idx32, walk[string, int32], walk[string, int64])
	case 1:
		c.line = LineFunc[uint8](copyToItems[uint8])
		loop = pick(c.Idx32, walk[uint8, int32], walk[uint8, int64])
	case 2:
		c.line = LineFunc[uint16](copyToItems[uint16])
		loop = pick(c.Idx32, walk[uint16, int32], walk[uint16, int64])
	case 4:
		c.line = LineFunc[uint32](copyToItems[uint32])
		loop = pick(c.Idx32, walk[uint32, int32], walk[uint32, int64])
	case 8:
		c.line = LineFunc[[8]byte](copyToItems[[8]byte])
		loop = pick(c.Idx32, walk[[8]byte, int32], walk[[8]byte, int64])
	default:
		c.widen(width)
		c.line = LineFunc[byte](copyToItems[byte])
		loop = pick(c.Idx32, walk[byte, int32], walk[byte, int64])
	}
	n, grain := c.walkGrain(width)
	if n == 0 {
		return -1
	}
	return c.Run(loop, n, grain)
}

// widen counts in bytes instead of elements of the given width, each of which
// becomes a loop of its own.
func (c *Call) widen(width int) {
	for i := range c.Dims {
		c.Dims[i].Items *= width
		c.Dims[i].Data *= width
	}
	for i := range c.Axes {
		c.Axes[i].Stride *= width
	}
	c.Slab(Dim{N: width, Items: 1, Data: 1})
}

// copyToItems is the LineFunc of a gather.
func copyToItems[T any](items, data []T, n, stepItems, stepData int) {
	if data == nil {
		var zero T
		for i := range n {
			items[i*stepItems] = zero
		}
		return
	}
	if stepItems == 1 && stepData == 1 {
		copy(items[:n], data[:n])
		return
	}
	for i := range n {
		items[i*stepItems] = data[i*stepData]
	}
}
