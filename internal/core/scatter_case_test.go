package core_test

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"slices"

	"github.com/x448/float16"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/oracle"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/tensor"
)

// A scatterCase is a scatter of random shapes and indices.
type scatterCase struct {
	p       plan.Params
	data    []int // shape
	indices oracle.Array[int64]
	updates []int // shape
	places  []int // the place in data of each update, both counted in row-major order
}

// String has what is needed to repeat the call, but for the values.
func (c scatterCase) String() string {
	return fmt.Sprintf("%v of data %v, indices %v %v, updates %v", c.p, c.data, c.indices.Shape, c.indices.Data, c.updates)
}

func (c scatterCase) rule() oracle.Rule {
	return oracle.Rule{Reduction: oracle.Reduction(c.p.Reduction), NoInit: c.p.NoInit, NonNegative: c.p.NonNegative}
}

func (c scatterCase) indexTensor() *tensor.Dense {
	if len(c.indices.Data) == 0 {
		return tensor.New(tensor.Of(tensor.Int64), tensor.WithShape(c.indices.Shape...))
	}
	return tensor.New(tensor.WithShape(c.indices.Shape...), tensor.WithBacking(c.indices.Data))
}

// randomScatter draws a case. Dims are small, so that most targets have several
// updates; one in eight is 0.
func randomScatter(rng *rand.Rand) scatterCase {
	dims := func(n int) []int {
		shape := make([]int, n)
		for i := range shape {
			shape[i] = []int{2, 3, 4, 5, 1, 3, 2, 4, 3, 2, 5, 1, 3, 2, 4, 0}[rng.Intn(16)]
		}
		return shape
	}
	c := scatterCase{data: dims(1 + rng.Intn(3))}
	r := len(c.data)
	if rng.Intn(16) == 0 {
		c.data[r-1] = 32 + rng.Intn(60) // columns enough to be divided
	}
	c.p.Op = []plan.Op{plan.ScatterElements, plan.ScatterND, plan.ScatterUpdate}[rng.Intn(3)]
	if c.p.Op != plan.ScatterND {
		c.p.Axis = rng.Intn(r)
	}
	if c.p.Op != plan.ScatterUpdate {
		c.p.Reduction = num.Reduction(rng.Intn(int(num.Mean) + 1))
		c.p.NoInit = rng.Intn(2) == 0
	}
	var shape []int
	addressed := func([]int) int { return c.p.Axis }
	switch c.p.Op {
	case plan.ScatterElements:
		shape = slices.Clone(c.data)
		shape[c.p.Axis] = rng.Intn(8)
		if d := rng.Intn(r); d != c.p.Axis {
			shape[d] = rng.Intn(c.data[d] + 1)
		}
		c.updates = shape
	case plan.ScatterND:
		k := rng.Intn(r + 1)
		shape = dims(rng.Intn(3))
		c.updates = slices.Concat(shape, c.data[k:])
		shape = append(shape, k)
		addressed = func(position []int) int { return position[len(position)-1] }
	case plan.ScatterUpdate:
		shape = dims(rng.Intn(3))
		c.updates = slices.Concat(c.data[:c.p.Axis], shape, c.data[c.p.Axis+1:])
	}
	c.indices = oracle.New[int64](shape...)
	i := 0
	for position := range oracle.Coordinates(shape) {
		n := c.data[addressed(position)]
		if n == 0 { // no index is in range
			return randomScatter(rng)
		}
		c.indices.Data[i] = int64(rng.Intn(2*n) - n)
		i++
	}
	// What a gather with the same indices reads from data that counts its places.
	count := oracle.New[int](c.data...)
	for j := range count.Data {
		count.Data[j] = j
	}
	var places oracle.Array[int]
	switch c.p.Op {
	case plan.ScatterElements:
		places, _ = oracle.GatherElements(count, c.indices, c.p.Axis, oracle.Policy{})
	case plan.ScatterND:
		places, _ = oracle.GatherND(count, c.indices, 0, oracle.Policy{})
	case plan.ScatterUpdate:
		places, _ = oracle.Gather(count, c.indices, c.p.Axis, 0, oracle.Policy{})
	}
	c.places = places.Data
	return c
}

// gradients are those of data and of updates by the oracle.
func gradients[T any](c scatterCase, g, x, w []T, arith oracle.Arith[T]) (data, updates []T) {
	grad, d, u := oracle.From(g, c.data...), oracle.From(x, c.data...), oracle.From(w, c.updates...)
	var gd, gu oracle.Array[T]
	switch c.p.Op {
	case plan.ScatterElements:
		gd, gu, _ = oracle.ScatterElementsGrad(grad, d, c.indices, u, c.p.Axis, c.rule(), arith)
	case plan.ScatterND:
		gd, gu, _ = oracle.ScatterNDGrad(grad, d, c.indices, u, c.rule(), arith)
	case plan.ScatterUpdate:
		gd, gu, _ = oracle.ScatterUpdateGrad(grad, d, c.indices, u, c.p.Axis, false, arith)
	}
	return gd.Data, gu.Data
}

// A kind is an element type that has gradients.
type kind[T any] struct {
	name  string
	of    func(f float64) T
	arith oracle.Arith[T]
}

func toBF16(f float32) elem.BF16 { // exact for the numbers of these tests
	return elem.BF16(math.Float32bits(f) >> 16)
}

func fromBF16(b elem.BF16) float32 { return math.Float32frombits(uint32(b) << 16) }

// rounded rounds to nearest even, by the nearer of the two neighbours.
func rounded(f float32) elem.BF16 {
	down := toBF16(f)
	below, above := math.Abs(float64(f-fromBF16(down))), math.Abs(float64(fromBF16(down+1)-f))
	if above < below || above == below && down%2 == 1 {
		down++
	}
	return down
}

var (
	float32s = kind[float32]{"float32", func(f float64) float32 { return float32(f) }, oracle.Floats[float32]()}
	float64s = kind[float64]{"float64", func(f float64) float64 { return f }, oracle.Floats[float64]()}
	halves   = kind[float16.Float16]{"float16", func(f float64) float16.Float16 { return float16.Fromfloat32(float32(f)) },
		oracle.Halves(float16.Float16.Float32, float16.Fromfloat32)}
	bfloats = kind[elem.BF16]{"bfloat16", func(f float64) elem.BF16 { return toBF16(float32(f)) }, oracle.Halves(fromBF16, rounded)}
	// A complex number turns by a quarter for each unit, so that its conjugate is
	// another number.
	complex64s = kind[complex64]{"complex64", func(f float64) complex64 { return complex64(turned(f)) }, oracle.Complexes[complex64]()}
	complexes  = kind[complex128]{"complex128", turned, oracle.Complexes[complex128]()}
)

func turned(f float64) complex128 {
	return complex(f, 0) * [...]complex128{1, 1i, -1, -1i}[int(f)&3]
}

// powers draws n of 1, 2, 1/2, their negatives and 0: their products are exact
// in every type.
func powers(rng *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = []float64{1, -1, 2, -2, .5, 0, 1, -1}[rng.Intn(8)]
	}
	return out
}

// integers draws n integers from a small range, so that they tie, and now and
// then a NaN.
func integers(rng *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(rng.Intn(5) - 2)
		if rng.Intn(12) == 0 {
			out[i] = math.NaN()
		}
	}
	return out
}

func (k kind[T]) all(numbers []float64) []T {
	out := make([]T, len(numbers))
	for i, f := range numbers {
		out[i] = k.of(f)
	}
	return out
}

// layouts are the ways to lay out a tensor: see laid.
const layouts = 5

// laid makes a tensor on memory that is otherwise filled with junk: row-major,
// column-major, transposed, a slice of every second element, or that transposed.
func laid[T any](layout int, values []T, junk T, shape ...int) *tensor.Dense {
	size := len(values)
	if size <= 1 || slices.Contains(shape, 1) { // package tensor drops strides and dims there
		layout = 0
	}
	parent := slices.Clone(shape)
	if layout == 2 || layout == 4 {
		slices.Reverse(parent)
	}
	cuts := make([]tensor.Slice, len(shape))
	if layout >= 3 {
		for i, n := range parent {
			parent[i], cuts[i] = 2*n+1, tensor.S(1, 2*n+1, 2)
		}
	}
	if size == 0 {
		return tensor.NewDense(tensor.Dtype{Type: reflect.TypeFor[T]()}, slices.Clone(shape))
	}
	opts := []tensor.ConsOpt{tensor.WithShape(parent...), tensor.WithBacking(slices.Repeat([]T{junk}, product(parent)))}
	if layout == 1 {
		opts = append(opts, tensor.AsFortran(nil))
	}
	d := tensor.New(opts...)
	if layout >= 3 {
		view, err := d.Slice(cuts...)
		if err != nil {
			panic(err)
		}
		d = view.(*tensor.Dense)
	}
	if layout == 2 || layout == 4 {
		if err := d.T(); err != nil {
			panic(err)
		}
	}
	mem := num.As[T](d.Uint8s())
	for i, place := range elements(d) {
		mem[place] = values[i]
	}
	return d
}

// elements are the places of a tensor's elements in its memory, in row-major
// order.
func elements(d *tensor.Dense) []int {
	var places []int
	for position := range oracle.Coordinates(d.Shape()) {
		place := 0
		for axis, i := range position {
			place += i * d.Strides()[axis]
		}
		places = append(places, place)
	}
	return places
}

// read are a tensor's elements in row-major order.
func read[T any](d *tensor.Dense) []T {
	mem := num.As[T](d.Uint8s())
	var out []T
	for _, place := range elements(d) {
		out = append(out, mem[place])
	}
	return out
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// same reports whether two elements are equal, all NaN being one.
func same(a, b any) bool { return a == b || fmt.Sprint(a) == fmt.Sprint(b) && a != a }
