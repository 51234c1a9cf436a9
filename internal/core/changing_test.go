package core_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"gorgonia.org/gather/internal/bag"
	"gorgonia.org/gather/internal/core"
	"gorgonia.org/gather/internal/elem"
	"gorgonia.org/gather/internal/num"
	"gorgonia.org/gather/internal/plan"
	"gorgonia.org/gather/internal/race"
	"gorgonia.org/tensor"
)

var changing = flag.Duration("changing", 2*time.Second, "how long operators run while their integers are changed")

// TestIndicesChange runs operators while another goroutine changes what they read
// twice: in a process of its own, which a read or write outside of a tensor ends.
func TestIndicesChange(t *testing.T) {
	const child = "GATHER_TEST_INDICES_CHANGE"
	if os.Getenv(child) != "" {
		changeIndices(t)
		return
	}
	if race.Enabled {
		t.Skip("the race is the caller's")
	}
	c := exec.Command(os.Args[0], "-test.run=^TestIndicesChange$", fmt.Sprintf("-test.short=%t", testing.Short()), fmt.Sprintf("-changing=%v", *changing))
	c.Env = append(os.Environ(), child+"=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out[:min(len(out), 8000)])
	}
}

// A changingCase is an operator with all inputs but one, which is integers that another
// goroutine changes.
type changingCase struct {
	name  string
	shape []int
	index func() int64 // a good one
	run   func(integers tensor.Tensor) (*tensor.Dense, error)
}

// changeIndices runs random cases for some time: each some times while integers change,
// and then with good ones, when nothing of that may be left.
func changeIndices(t *testing.T) {
	runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0)))
	length := *changing
	if testing.Short() {
		length = min(200*time.Millisecond, length)
	}
	rng := rand.New(rand.NewSource(time.Now().UnixNano()))
	end, inTurn := time.Now().Add(length), rng.Perm(len(changingCases)) // each is met, then any of them
	for i := 0; i < len(inTurn) || time.Now().Before(end); i++ {
		which := rng.Intn(len(changingCases))
		if i < len(inTurn) {
			which = inTurn[i]
		}
		c := changingCases[which](rng)
		good := make([]int64, tensor.ProdInts(c.shape))
		for i := range good {
			good[i] = c.index()
		}
		if rng.Intn(2) == 0 {
			compareChanged[int32](t, c, good)
		} else {
			compareChanged[int64](t, c, good)
		}
	}
}

func compareChanged[I int32 | int64](t *testing.T, c changingCase, good []int64) {
	t.Helper()
	integers := make([]I, len(good))
	for i, v := range good {
		integers[i] = I(v)
	}
	x := tensor.New(tensor.WithShape(c.shape...), tensor.WithBacking(integers))
	want, err := c.run(x)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	var stop atomic.Bool
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; !stop.Load(); i++ {
			at := i * 7 % len(integers)
			flip(&integers[at], int64(i), good)
			flip(&integers[at], -1, good[at:])
		}
	}()
	for range 5 {
		_, _ = c.run(x) // an error or undefined values
	}
	stop.Store(true)
	<-stopped
	for range 2 { // what was left in a pool may be for the second
		got, err := c.run(x)
		if err != nil || !alike(got, want) {
			t.Fatalf("%s: wrong values after a call whose integers were changed, error %v", c.name, err)
		}
	}
}

// flip writes a bad integer or another good one and, at -1, the first good one.
func flip[I int32 | int64](to *I, i int64, good []int64) {
	v := good[0]
	switch {
	case i >= 0 && i%3 == 0:
		v = []int64{math.MaxInt32, math.MinInt32, 1 << 24, -1 << 24}[i/3%4]
		if unsafe.Sizeof(*to) == 8 {
			v <<= 8
		}
	case i >= 0:
		v = good[i%int64(len(good))]
	}
	switch to := any(to).(type) {
	case *int32:
		atomic.StoreInt32(to, int32(v))
	case *int64:
		atomic.StoreInt64(to, v)
	}
}

func alike(a, b *tensor.Dense) bool {
	if a.Dtype() == tensor.String {
		return reflect.DeepEqual(a.Data(), b.Data())
	}
	return bytes.Equal(a.Uint8s(), b.Uint8s())
}

// scatterShapes are shapes of data and of indices, by operator and axis: dense and
// sparse, lines, columns, rows, tuples, and indices that are smaller on another axis.
var scatterShapes = []struct {
	op            plan.Op
	axis          int
	data, indices []int
}{
	{plan.ScatterElements, 1, []int{1, 3000}, []int{1, 3000}},
	{plan.ScatterElements, 1, []int{1, 90000}, []int{1, 2000}},
	{plan.ScatterElements, 1, []int{700, 50}, []int{700, 1}},
	{plan.ScatterElements, 1, []int{64, 100}, []int{64, 100}},
	{plan.ScatterElements, 1, []int{64, 3000}, []int{64, 60}},
	{plan.ScatterElements, 0, []int{300, 64}, []int{300, 64}},
	{plan.ScatterElements, 0, []int{3000, 64}, []int{40, 64}},
	{plan.ScatterElements, 0, []int{64, 300}, []int{64, 100}},
	{plan.ScatterND, 0, []int{500, 64}, []int{300, 1}},
	{plan.ScatterND, 0, []int{9000, 20}, []int{300, 1}},
	{plan.ScatterND, 0, []int{30, 30}, []int{3000, 2}},
	{plan.ScatterND, 0, []int{30, 30, 30}, []int{900, 3}},
	{plan.ScatterND, 0, []int{5, 5, 5, 5, 17}, []int{400, 4}},
	{plan.ScatterUpdate, 1, []int{3, 400, 5}, []int{300}},
}

// changingDtypes fill memory with small numbers.
var changingDtypes = []func(rng *rand.Rand, shape []int) *tensor.Dense{
	numbersOf(func(i int) float32 { return float32(i) }), numbersOf(func(i int) float64 { return float64(i) }),
	numbersOf(func(i int) complex64 { return complex(float32(i), 1) }), numbersOf(func(i int) int64 { return int64(i) }),
	numbersOf(func(i int) int8 { return int8(i) }), numbersOf(func(i int) uint16 { return uint16(i) }),
	numbersOf(func(i int) string { return fmt.Sprint(i) }), numbersOf(func(i int) [12]byte { return [12]byte{byte(i)} }),
}

func numbersOf[T any](of func(i int) T) func(rng *rand.Rand, shape []int) *tensor.Dense {
	return func(rng *rand.Rand, shape []int) *tensor.Dense {
		all := make([]T, tensor.ProdInts(shape))
		for i := range all {
			all[i] = of(rng.Intn(8))
		}
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(all))
	}
}

var changingCases = []func(rng *rand.Rand) changingCase{
	changingScatter, changingScatter, changingScatter, changingDerivative, changingGather, changingGather,
	changingBag, changingBorders, changingTree,
}

// scatterOf draws a scatter, with data and updates of one of so many dtypes.
func scatterOf(rng *rand.Rand, dtypes int) (c changingCase, p plan.Params, data, updates *tensor.Dense) {
	s := scatterShapes[rng.Intn(len(scatterShapes))]
	p = plan.Params{Op: s.op, Axis: s.axis}
	p.NoInit, p.Padded, p.Padding = rng.Intn(2) == 0, rng.Intn(4) == 0, -1
	shape, size := s.indices, s.data[s.axis]
	switch s.op {
	case plan.ScatterND:
		k := s.indices[1]
		shape, size = append([]int{s.indices[0]}, s.data[k:]...), slices.Min(s.data[:k])
	case plan.ScatterUpdate:
		shape = append(append(slices.Clone(s.data[:s.axis]), s.indices...), s.data[s.axis+1:]...)
	}
	of := changingDtypes[rng.Intn(dtypes)]
	c = changingCase{name: fmt.Sprintf("%+v", s), shape: s.indices, index: func() int64 { return int64(rng.Intn(2*size) - size) }}
	return c, p, of(rng, s.data), of(rng, shape)
}

func changingScatter(rng *rand.Rand) changingCase {
	for {
		c, p, data, updates := scatterOf(rng, len(changingDtypes))
		p.Reduction = num.Reduction(rng.Intn(int(num.Mean) + 1))
		if p.Reduction == num.None {
			p.NoInit = false
		}
		if core.CheckDtypes(&p, data.Dtype(), tensor.Int64, updates.Dtype()) != nil {
			continue
		}
		strings := data.Dtype() == tensor.String
		inPlace, turned := rng.Intn(2) == 0 && !strings, rng.Intn(3) == 0 && !strings
		c.name += fmt.Sprintf(" %v of %v, in place %t, turned %t", p, data.Dtype(), inPlace, turned)
		c.run = func(x tensor.Tensor) (*tensor.Dense, error) {
			d, dst := copyOf(data), (*tensor.Dense)(nil)
			if turned { // the same shape in another layout
				d = columnMajor(data)
			}
			if inPlace {
				dst = d
			}
			return core.Scatter(&p, dst, d, x, updates)
		}
		return c
	}
}

// copyOf is a copy whose strings the garbage collector sees.
func copyOf(d *tensor.Dense) *tensor.Dense {
	if d.Dtype() == tensor.String {
		return tensor.New(tensor.WithShape(d.Shape()...), tensor.WithBacking(slices.Clone(d.Strings())))
	}
	return d.Clone().(*tensor.Dense)
}

// columnMajor is a copy of the elements of a matrix, in column-major order.
func columnMajor(d *tensor.Dense) *tensor.Dense {
	out := d.Clone().(*tensor.Dense)
	if err := out.T(); err != nil {
		panic(err)
	}
	if err := out.Transpose(); err != nil {
		panic(err)
	}
	if err := out.T(); err != nil {
		panic(err)
	}
	return out
}

func changingDerivative(rng *rand.Rand) changingCase {
	c, p, data, updates := scatterOf(rng, 3)
	p.Reduction = num.Reduction(rng.Intn(int(num.Mean) + 1))
	if data.Dtype() == tensor.Complex64 && (p.Reduction == num.Min || p.Reduction == num.Max) {
		p.Reduction = num.Mul
	}
	if p.Reduction == num.None {
		p.NoInit = false
	}
	d, second := core.ScatterMap(rng.Intn(4)), core.UpdatesByData+core.ScatterMap(rng.Intn(3))
	if core.CheckHVP(p) != nil {
		d %= core.JVPData
	}
	c.name += fmt.Sprintf(" derivative %d of %v, %v", d, p, data.Dtype())
	like := []*tensor.Dense{data, data, data, updates}[d]
	c.run = func(x tensor.Tensor) (*tensor.Dense, error) { return d.Apply(p, nil, like, data, x, updates) }
	if p.Reduction == num.Mul && rng.Intn(2) == 0 {
		c.name += fmt.Sprintf(" second %d", second)
		moved := updates
		if second == core.UpdatesByData {
			moved = data
		}
		c.run = func(x tensor.Tensor) (*tensor.Dense, error) {
			return second.Apply(p, nil, moved, data, data, x, updates)
		}
	}
	return c
}

func changingGather(rng *rand.Rand) changingCase {
	c, p, data, _ := scatterOf(rng, len(changingDtypes))
	p.Op = map[plan.Op]plan.Op{plan.ScatterElements: plan.GatherElements, plan.ScatterND: plan.GatherND, plan.ScatterUpdate: plan.Gather}[p.Op]
	p.NoInit = false
	if rng.Intn(2) == 0 {
		p.OutOfRange = plan.ZeroFill
	}
	c.name += fmt.Sprintf(" %v of %v", p, data.Dtype())
	c.run = func(x tensor.Tensor) (*tensor.Dense, error) {
		p := p
		return core.Gather(&p, nil, data, x)
	}
	if dt := data.Dtype(); dt != tensor.String && dt.Kind() != reflect.Array && rng.Intn(2) == 0 {
		c.name += ", adjoint"
		updates := tensor.New(tensor.WithShape(must(c.good(c.run)).Shape()...), tensor.Of(dt))
		c.run = func(x tensor.Tensor) (*tensor.Dense, error) {
			dst := copyOf(data)
			return dst, core.AddGather(p, dst, updates, x)
		}
	}
	return c
}

// good is a run with good integers.
func (c changingCase) good(run func(tensor.Tensor) (*tensor.Dense, error)) (*tensor.Dense, error) {
	integers := make([]int64, tensor.ProdInts(c.shape))
	for i := range integers {
		integers[i] = c.index()
	}
	return run(tensor.New(tensor.WithShape(c.shape...), tensor.WithBacking(integers)))
}

func must(d *tensor.Dense, err error) *tensor.Dense {
	if err != nil {
		panic(err)
	}
	return d
}

// bagOf draws an operator of bags of 2000 rows of a table, in 100 bags.
func bagOf(rng *rand.Rand) (p plan.Params, in core.BagInputs, ids, borders *tensor.Dense) {
	for {
		p, in, ids, borders = anyBagOf(rng)
		if bag.Has(elem.KindOf(in.Table.Dtype()), p.Reduction) {
			return p, in, ids, borders
		}
	}
}

func anyBagOf(rng *rand.Rand) (p plan.Params, in core.BagInputs, ids, borders *tensor.Dense) {
	const rows, n, bags = 300, 2000, 100
	of := changingDtypes[rng.Intn(6)]
	in.Table = of(rng, []int{rows, []int{1, 8, 33}[rng.Intn(3)]})
	list, ends := make([]int64, n), make([]int64, bags)
	for i := range list {
		list[i] = int64(rng.Intn(rows))
	}
	p.Op, p.Reduction = []plan.Op{plan.EmbeddingBagOffsets, plan.EmbeddingSegments, plan.SegmentMax}[rng.Intn(3)], num.Add
	if rng.Intn(3) > 0 {
		p.Reduction = []num.Reduction{num.Mean, num.Max, num.SqrtN}[rng.Intn(3)]
	}
	for b := range ends {
		ends[b] = int64(b * n / bags)
	}
	switch p.Op {
	case plan.EmbeddingSegments:
		p.NumSegments, ends = bags, make([]int64, n)
		for i := range ends {
			ends[i] = int64(i * bags / n)
		}
	case plan.SegmentMax:
		p.NumSegments, p.Reduction, ends = bags, num.Max, make([]int64, rows)
		for i := range ends {
			ends[i] = int64(i * bags / rows)
		}
	}
	if rng.Intn(2) == 0 && p.Op != plan.SegmentMax {
		p.OutOfRange = plan.ZeroFill
	}
	p.Padded, p.Padding = rng.Intn(4) == 0, 40 // of segment ids, or of indices
	return p, in, tensor.New(tensor.WithShape(len(list)), tensor.WithBacking(list)), tensor.New(tensor.WithShape(len(ends)), tensor.WithBacking(ends))
}

// bagRun is one of the three things that bags do, to the table, its gradient or that of
// the weights.
func bagRun(rng *rand.Rand, c changingCase, p plan.Params, in func(x tensor.Tensor) core.BagInputs, ids tensor.Tensor) changingCase {
	table := in(ids).Table.(*tensor.Dense)
	c.run = func(x tensor.Tensor) (*tensor.Dense, error) {
		inputs := in(x)
		return core.Bag(&p, nil, &inputs)
	}
	bags := p.NumSegments
	if bags == 0 {
		bags = 100
	}
	grad := tensor.New(tensor.WithShape(bags, table.Shape()[1]), tensor.Of(table.Dtype()))
	if core.CheckBagGradient("", &p, table.Dtype()) == nil && rng.Intn(2) == 0 {
		c.name += ", gradient"
		c.run = func(x tensor.Tensor) (*tensor.Dense, error) {
			dst := copyOf(table)
			return dst, core.AddBag(p, dst, grad, in(x))
		}
		if (p.Reduction == num.Add || p.Reduction == num.SqrtN) && p.Op != plan.SegmentMax && rng.Intn(2) == 0 {
			c.name += " of weights"
			c.run = func(x tensor.Tensor) (*tensor.Dense, error) { return core.BagWeights(p, nil, grad, in(x)) }
		}
	}
	return c
}

func changingBag(rng *rand.Rand) changingCase {
	p, in, ids, borders := bagOf(rng)
	for p.Op == plan.SegmentMax {
		p, in, ids, borders = bagOf(rng)
	}
	in.Borders = borders
	c := changingCase{name: fmt.Sprintf("indices of %v of %v", p, in.Table.Dtype()), shape: ids.Shape(), index: func() int64 { return int64(rng.Intn(300)) }}
	return bagRun(rng, c, p, func(x tensor.Tensor) core.BagInputs {
		in := in
		in.Indices = x
		return in
	}, ids)
}

func changingBorders(rng *rand.Rand) changingCase {
	p, in, ids, borders := bagOf(rng)
	if p.Op != plan.SegmentMax {
		in.Indices = ids
	}
	list, next := borders.Int64s(), 0
	c := changingCase{name: fmt.Sprintf("borders of %v of %v", p, in.Table.Dtype()), shape: borders.Shape(), index: func() int64 {
		next++
		return list[(next-1)%len(list)]
	}}
	return bagRun(rng, c, p, func(x tensor.Tensor) core.BagInputs {
		in := in
		in.Borders = x
		return in
	}, borders)
}

// changingTree follows parents of the type of the ids.
func changingTree(rng *rand.Rand) changingCase {
	shape := []int{9, 50, 7}
	ids := func(x tensor.Tensor, n ...int) tensor.Tensor {
		all := make([]int64, max(1, tensor.ProdInts(n)))
		for i := range all {
			all[i] = int64(i % 9)
		}
		wide := tensor.New(tensor.WithShape(n...), tensor.WithBacking(all))
		if x.Dtype() == tensor.Int64 {
			return wide
		}
		narrow := make([]int32, len(all))
		for i, v := range all {
			narrow[i] = int32(v)
		}
		return tensor.New(tensor.WithShape(n...), tensor.WithBacking(narrow))
	}
	return changingCase{name: "GatherTree", shape: shape, index: func() int64 { return int64(rng.Intn(7)) }, run: func(x tensor.Tensor) (*tensor.Dense, error) {
		end := tensor.New(tensor.FromScalar(int64(1)))
		if x.Dtype() == tensor.Int32 {
			end = tensor.New(tensor.FromScalar(int32(1)))
		}
		return core.GatherTree(plan.Params{Op: plan.GatherTree}, nil, ids(x, shape...), x, ids(x, shape[1]), end)
	}}
}
