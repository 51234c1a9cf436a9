package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// drawn is the operators that are drawn, each as often as it stands here.
var drawn = []string{
	"Gather", "Gather", "GatherElements", "GatherElements", "GatherND",
	"ScatterUpdate", "ScatterElements", "ScatterElements", "ScatterND",
	"SegmentSum", "SegmentMean", "SegmentMax", "EmbeddingBagPacked", "EmbeddingBagOffsets",
	"AddGather", "AddGatherElements", "AddGatherND",
}

// generate draws n calls, the same ones for the same seed, and others for n more.
func generate(seed uint64, n int) []Call {
	g := generator{rand.New(rand.NewPCG(seed, 39)), 2000, 3_000_000}
	calls := make([]Call, n)
	for i := range calls {
		calls[i] = g.call()
	}
	return calls
}

// generator draws calls whose items have so many elements. Data have no more.
type generator struct {
	*rand.Rand
	least, most int
}

// call draws one.
func (g generator) call() Call {
	c := Call{Op: pick(g, drawn...), Dtype: "float32", Index: "int64"}
	if g.IntN(2) == 0 {
		c.Dtype = pick(g, "float64", "int64", "uint8", "float16")
	}
	if g.IntN(10) < 3 {
		c.Index = "int32"
	}
	switch c.form() {
	case rows:
		g.rows(&c)
	case elements:
		g.elements(&c)
	case tuples:
		g.tuples(&c)
	case segments:
		c.Data, c.Indices = g.table(), nil
		c.Indices = c.Data[:1]
		c.Count = g.size(2 * c.Data[0])
	case bags:
		g.bags(&c)
	}
	switch form := c.form(); {
	case form < segments:
		g.layout(&c)
	case form == bags && g.IntN(5) == 0:
		g.slice(&c)
	}
	if c.changes() && c.Op[0] == 'S' {
		c.Reduction, c.InPlace = pick(g, "none", "add", "max"), g.IntN(2) == 0
	}
	if c.overflows() {
		c.Dtype = "int64"
	}
	return c
}

func pick[T any](g generator, from ...T) T { return from[g.IntN(len(from))] }

// size is 1 to 3 in a quarter of the cases, else evenly spread over the logarithms up to most.
func (g generator) size(most int) int {
	if g.IntN(4) == 0 {
		most = min(most, 3)
		return 1 + g.IntN(most)
	}
	return g.between(1, most)
}

func (g generator) between(least, most int) int {
	low, high := math.Log(float64(least)), math.Log(float64(max(least, most)+1))
	return min(int(math.Exp(low+g.Float64()*(high-low))), max(least, most))
}

// dims splits a size among some axes: the product is that or less.
func (g generator) dims(size, rank int) []int {
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = g.size(size)
		if i == rank-1 {
			shape[i] = size
		}
		size /= shape[i]
	}
	g.Shuffle(rank, func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
	return shape
}

// frame draws what there is around an axis, the axis's size, and the number of indices.
func (g generator) frame() (outer, inner []int, axis, n int) {
	items, rank := g.between(g.least, g.most), 1+g.IntN(4)
	n = items
	around := 1
	if rank > 1 {
		n = g.size(items)
		around = items / n
	}
	axis = g.size(g.most / around)
	before := g.IntN(rank)
	switch before {
	case 0:
		inner = g.dims(around, rank-1)
	case rank - 1:
		outer = g.dims(around, rank-1)
	default:
		rows := g.size(around)
		outer, inner = g.dims(rows, before), g.dims(around/rows, rank-1-before)
	}
	return outer, inner, axis, n
}

func (g generator) rows(c *Call) {
	outer, inner, axis, n := g.frame()
	c.Data, c.Axis = slices.Concat(outer, []int{axis}, inner), len(outer)
	if n > 1 || g.IntN(2) == 0 {
		c.Indices = g.dims(n, 1+g.IntN(2))
	}
}

func (g generator) elements(c *Call) {
	outer, inner, axis, n := g.frame()
	c.Data, c.Axis = slices.Concat(outer, []int{axis}, inner), len(outer)
	c.Indices = slices.Concat(outer, []int{n}, inner)
	// Sometimes the indices leave some lines of data out.
	if at := g.IntN(len(c.Data)); at != c.Axis && g.IntN(3) == 0 && of(c.Data) < g.most/2 {
		c.Data[at] += g.IntN(c.Data[at] + 1)
	}
}

func (g generator) tuples(c *Call) {
	items, rank := g.between(g.least, g.most), 1+g.IntN(4)
	k := 1 + g.IntN(rank)
	batch := []int{}
	if k < rank && c.Op != "ScatterND" && g.IntN(2) == 0 {
		batch = []int{g.size(items)}
		c.BatchDims = 1
	}
	inner := []int{}
	if rest := rank - k - len(batch); rest > 0 {
		inner = g.dims(g.size(items/of(batch)), rest)
	}
	around := of(batch) * of(inner)
	c.Data = slices.Concat(batch, g.dims(g.size(g.most/around), k), inner)
	c.Indices = slices.Concat(batch, []int{max(1, items/around), k})
}

// table is the shape of some rows, of one column in a quarter of the cases.
func (g generator) table() []int {
	items := g.between(g.least, g.most)
	columns := g.size(min(items, 4096))
	if columns == 1 && g.IntN(2) == 0 {
		return []int{items}
	}
	return []int{items / columns, columns}
}

func (g generator) bags(c *Call) {
	c.Reduction = pick(g, "sum", "mean", "max")
	items, columns := g.between(g.least, g.most), g.size(512)
	n := max(1, items/columns)
	c.Data = []int{g.size(g.most / columns), columns}
	k := min(n, g.size(200))
	if c.Count = n / k; c.Op == "EmbeddingBagPacked" {
		c.Indices, c.Count = []int{n / k, k}, 0
		return
	}
	c.Indices = []int{n}
}

// layout leaves three fifths of the data packed.
func (g generator) layout(c *Call) {
	switch g.IntN(5) {
	case 0:
		order := g.Perm(len(c.Data))
		if !slices.IsSorted(order) {
			c.Layout = "T"
			for _, axis := range order {
				c.Layout += strconv.Itoa(axis)
			}
		}
	case 1:
		g.slice(c)
	}
}

// slice makes data the half of a tensor along an axis.
func (g generator) slice(c *Call) {
	if axis := g.IntN(len(c.Data)); c.Data[axis] > 1 {
		c.Layout = fmt.Sprintf("S%d", axis)
	}
}
