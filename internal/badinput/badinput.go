// Package badinput has the arguments that a caller should not give and may: for
// tests that nothing panics.
package badinput

import (
	"bytes"
	"io"
	"maps"
	"math"
	"math/rand"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/chewxy/hm"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Nodes are nodes that no operator can use, some that it can, and nil. Those that
// are of a graph are of g, but for one.
func Nodes(g *gorgonia.ExprGraph) map[string]*gorgonia.Node {
	in, name := gorgonia.In(g), gorgonia.WithName
	vector := gorgonia.NewVector(g, tensor.Float32, gorgonia.WithShape(3), name("vector"))
	variable := hm.TypeVariable('a')
	return map[string]*gorgonia.Node{
		"nil":                     nil,
		"the zero Node":           new(gorgonia.Node),
		"no type":                 gorgonia.NewUniqueNode(in, name("no type")),
		"a type variable":         gorgonia.NewUniqueNode(in, name("variable"), gorgonia.WithType(variable)),
		"a tensor of a variable":  gorgonia.NewUniqueNode(in, name("of variable"), gorgonia.WithType(gorgonia.TensorType{Dims: 1, Of: variable}), gorgonia.WithShape(3)),
		"a tensor of nothing":     gorgonia.NewUniqueNode(in, name("of nothing"), gorgonia.WithType(gorgonia.TensorType{Dims: 1}), gorgonia.WithShape(3)),
		"a function":              gorgonia.NewUniqueNode(in, name("function"), gorgonia.WithType(hm.NewFnType(tensor.Float32, tensor.Float32))),
		"no shape":                gorgonia.NewMatrix(g, tensor.Float32, name("no shape")),
		"no graph":                vector.Clone().(*gorgonia.Node),
		"another graph":           gorgonia.NewVector(gorgonia.NewGraph(), tensor.Int64, gorgonia.WithShape(2), name("elsewhere")),
		"no name":                 gorgonia.NewVector(g, tensor.Int64, gorgonia.WithShape(2)),
		"a constant":              gorgonia.NewConstant(tensor.New(tensor.WithBacking([]int64{0, 1}))),
		"a scalar constant":       gorgonia.NewConstant(int64(1)),
		"a constant of the graph": gorgonia.NewConstant(tensor.New(tensor.WithBacking([]int64{1, 0})), in),
		"a vector":                vector,
		"a matrix":                gorgonia.NewMatrix(g, tensor.Float32, gorgonia.WithShape(3, 3), name("matrix")),
		"indices":                 gorgonia.NewVector(g, tensor.Int64, gorgonia.WithShape(1), name("indices")),
		"a scalar":                gorgonia.NewScalar(g, tensor.Int64, name("scalar")),
		"empty":                   gorgonia.NewMatrix(g, tensor.Float32, gorgonia.WithShape(0, 3), name("empty")),
		"huge":                    gorgonia.NewMatrix(g, tensor.Int64, gorgonia.WithShape(math.MaxInt, math.MaxInt), name("huge")),
		"of pointers":             gorgonia.NewVector(g, tensor.UnsafePointer, gorgonia.WithShape(3), name("pointers")),
	}
}

// wrapped is a tensor of a type that package tensor does not know.
type wrapped struct{ *tensor.Dense }

// Tensors are tensors that no operator can use, some that it can, and nil.
func Tensors() map[string]tensor.Tensor {
	floats := func(shape ...int) *tensor.Dense {
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(tensor.Range(tensor.Float32, 0, tensor.Shape(shape).TotalSize())))
	}
	of := func(dt tensor.Dtype, shape ...int) *tensor.Dense {
		return tensor.New(tensor.Of(dt), tensor.WithShape(shape...))
	}
	transposed := floats(3, 2)
	if err := transposed.T(); err != nil {
		panic(err)
	}
	sliced, err := floats(4, 4).Slice(tensor.S(1, 3), tensor.S(1, 3))
	if err != nil {
		panic(err)
	}
	return map[string]tensor.Tensor{
		"nil":             nil,
		"a nil Dense":     (*tensor.Dense)(nil),
		"the zero Dense":  new(tensor.Dense),
		"a nil CS":        (*tensor.CS)(nil),
		"the zero CS":     new(tensor.CS),
		"sparse":          tensor.CSRFromCoord(tensor.Shape{2, 2}, []int{0, 1}, []int{1, 0}, []float32{1, 2}),
		"wrapped":         wrapped{floats(3, 3)},
		"wrapped nil":     wrapped{},
		"wrapped pointer": (*wrapped)(nil),
		"masked":          tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{1, 2}, []bool{true, false})),
		"masked indices":  tensor.New(tensor.WithShape(2), tensor.WithBacking([]int64{0, 1}, []bool{true, false})),
		"a vector":        floats(3),
		"a matrix":        floats(3, 3),
		"transposed":      transposed,
		"a view":          sliced,
		"column-major":    tensor.New(tensor.WithShape(2, 2), tensor.AsFortran([]float32{1, 2, 3, 4})),
		"a scalar":        tensor.New(tensor.FromScalar(float32(1))),
		"indices":         tensor.New(tensor.WithShape(1), tensor.WithBacking([]int64{0})),
		"one index":       tensor.New(tensor.FromScalar(int64(1))),
		"bad indices":     tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]int64{math.MinInt64, math.MaxInt64})),
		"narrow indices":  of(tensor.Int8, 2),
		"empty":           of(tensor.Float32, 0, 3),
		"empty indices":   of(tensor.Int64, 0),
		"empty tuples":    of(tensor.Int64, 2, 0),
		"strings":         tensor.New(tensor.WithShape(2), tensor.WithBacking([]string{"a", "b"})),
		"bools":           of(tensor.Bool, 2),
		"complex":         of(tensor.Complex128, 3),
		"of pointers":     of(tensor.UnsafePointer, 3),
		"of structs":      of(tensor.Dtype{Type: structType}, 3),
	}
}

var structType = tensor.New(tensor.WithBacking([]struct{ A, B int }{{1, 2}})).Dtype().Type

// readerFunc is a reader, and as nil none.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Readers are readers that do not do what a reader does, and nil.
func Readers() map[string]io.Reader {
	return map[string]io.Reader{
		"nil":                 nil,
		"a nil Reader":        (*bytes.Reader)(nil),
		"a nil Buffer":        (*bytes.Buffer)(nil),
		"a nil string":        (*strings.Reader)(nil),
		"a nil File":          (*os.File)(nil),
		"a nil func":          readerFunc(nil),
		"a reader of nothing": readerFunc(func([]byte) (int, error) { return 0, nil }),
		"a reader of more":    readerFunc(func(p []byte) (int, error) { return len(p) + 1, nil }),
		"a reader of less":    readerFunc(func([]byte) (int, error) { return math.MinInt, nil }),
		"empty":               strings.NewReader(""),
		"zeros":               strings.NewReader(string(make([]byte, 1000))),
		"text":                strings.NewReader("<layer type='A' version='opset8'/> some text"),
	}
}

// Any is one of the values, the same one for a generator of the same seed.
func Any[T any](r *rand.Rand, values map[string]T) T {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	return values[names[r.Intn(len(names))]]
}

// Inputs are at most so many tensors, sound ones at their place among bad ones, and
// as many nodes of one graph.
func Inputs(r *rand.Rand, most int, sound []*tensor.Dense) (in []tensor.Tensor, inNodes []*gorgonia.Node) {
	tensors, nodes := Tensors(), Nodes(gorgonia.NewGraph())
	for i := range r.Intn(most + 1) {
		d := Any(r, tensors)
		if i < len(sound) && r.Intn(2) == 0 {
			d = sound[i]
		}
		in = append(in, d)
		inNodes = append(inNodes, Any(r, nodes))
	}
	return in, inNodes
}

// OneOf demands a result or an error, and not both. A panic is a failure of the
// test and not its end. The words say what was called.
func OneOf[T any](t *testing.T, call func() (*T, error), words ...string) {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%q: panic: %v", words, r)
		}
	}()
	if out, err := call(); (out == nil) == (err == nil) {
		t.Errorf("%q: %v, %v", words, out, err)
	}
}

// plain are the names of values that some operator can use.
var plain = []string{"a vector", "a matrix", "indices", "one index", "a scalar"}

// Tuples calls visit for all lists of so many of the named values, in any order,
// with their names. Both lists are those of the next call, too. Of three and more values
// there are, without -everypair, those with one that is not plain at most, and enough others
// for each pair of values at each pair of places. With -short two are as three,
// and of three and more a third of those with one that is not plain at most.
func Tuples[T any](values map[string]T, length int, visit func(names []string, list []T)) {
	all := slices.Sorted(maps.Keys(values))
	names, list := make([]string, length), make([]T, length)
	var fill func(at, sum, odd int)
	fill = func(at, sum, odd int) {
		if at == length {
			if odd <= 1 && (length < 3 || turns.Case(3, sum)) || turns.Of(len(all), 0, sum) || length < 3 && !testing.Short() {
				visit(names, list)
			}
			return
		}
		for i, name := range all {
			names[at], list[at] = name, values[name]
			now := odd
			if !slices.Contains(plain, name) {
				now++
			}
			fill(at+1, sum+i, now)
		}
	}
	fill(0, 0, 0)
}

// Try calls f. A panic is a failure of the test and not its end.
func Try(t *testing.T, call string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic: %v", call, r)
		}
	}()
	f()
}
