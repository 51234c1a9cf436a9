package gather_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/gather"
	gatherdense "gorgonia.org/gather/dense"
	"gorgonia.org/gather/diff"
	"gorgonia.org/gather/internal/turns"
	"gorgonia.org/gather/shapes"
	G "gorgonia.org/gorgonia"
)

// TestExportedIsComplete reads the packages' files and wants each exported function
// and type to be called by the tests below.
func TestExportedIsComplete(t *testing.T) {
	found := map[string]bool{}
	for name, folder := range map[string]string{"gather": ".", "dense": "dense", "diff": "diff", "shapes": "shapes"} {
		packages, err := parser.ParseDir(token.NewFileSet(), folder, func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0)
		ok(t, err)
		for _, file := range packages[name].Files {
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil && d.Name.IsExported() {
						found[name+"."+d.Name.Name] = true
						if exported[name+"."+d.Name.Name] == nil {
							t.Errorf("%s.%s is not called with bad arguments: add it to the list in this test", name, d.Name)
						}
					}
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						if spec, is := spec.(*ast.TypeSpec); is && spec.Name.IsExported() {
							found[name+"."+spec.Name.Name] = true
							if _, listed := exportedTypes[name+"."+spec.Name.Name]; !listed {
								t.Errorf("the methods of %s.%s are not called: add it to the list in this test", name, spec.Name)
							}
						}
					}
				}
			}
		}
	}
	for name := range exported {
		if !found[name] {
			t.Errorf("%s does not exist", name)
		}
	}
	for name := range exportedTypes {
		if !found[name] {
			t.Errorf("%s does not exist", name)
		}
	}
}

// TestExported calls each function with nil, zero, empty, mistyped and otherwise
// impossible arguments. None may panic, and errors must be fit to be read.
func TestExported(t *testing.T) {
	calls := 1500
	if testing.Short() {
		calls = 500
	}
	for name, f := range exported {
		t.Run(name, func(t *testing.T) { attack(t, name, reflect.ValueOf(f), calls) })
	}
}

// FuzzExported is TestExported with arguments that the fuzzer chooses.
func FuzzExported(f *testing.F) {
	var names []string
	for name := range exported {
		names = append(names, name)
	}
	slices.Sort(names)
	for i := range names {
		f.Add(byte(i), []byte{})
		f.Add(byte(i), []byte{0, 4, 0, 0, 0})
	}
	f.Fuzz(func(t *testing.T, function byte, choices []byte) {
		name := names[int(function)%len(names)]
		callWith(t, name, reflect.ValueOf(exported[name]), newHostile(choices, nil))
	})
}

// TestExportedTypes calls the methods of all types.
func TestExportedTypes(t *testing.T) {
	for name, value := range exportedTypes {
		if value == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			v := reflect.New(reflect.TypeOf(value))
			v.Elem().Set(reflect.ValueOf(value))
			methods(t, name, v)
			methods(t, "zero "+name, reflect.New(v.Type().Elem()))
			if _, isError := v.Interface().(error); isError {
				methods(t, "nil "+name, reflect.Zero(v.Type()))
			}
		})
	}
}

// TestOperatorMethods calls the methods of every operator of a graph.
func TestOperatorMethods(t *testing.T) {
	for name, op := range operators(t) {
		t.Run(name, func(t *testing.T) { methods(t, name, reflect.ValueOf(op)) })
	}
}

// operators are one of each type that package gather and package diff have.
func operators(t *testing.T) map[string]G.Op {
	t.Helper()
	g := G.NewGraph()
	data, indices := input(g, "data", dense2(3, 2)), input(g, "indices", dense([]int64{2, 0}, 2))
	tuples, updates := input(g, "tuples", dense([]int64{2, 0}, 2, 1)), input(g, "updates", dense2(2, 2))
	ids, lengths, end := input(g, "steps", dense([]int32{0, 0}, 2, 1, 1)), input(g, "lengths", dense([]int32{2}, 1)), input(g, "end", int32(9))
	node := func(n *G.Node, err error) *G.Node {
		t.Helper()
		ok(t, err)
		return n
	}
	gathered := node(gather.Gather(data, indices, 0))
	scattered := node(gather.ScatterND(data, tuples, updates, gather.WithReduction(gather.Mul)))
	gradData := node(diff.ScatterGradData(scattered.Op(), data, data, tuples, updates))
	gradUpdates := node(diff.ScatterGradUpdates(scattered.Op(), data, data, tuples, updates))
	second, err := gradUpdates.Op().(G.SDOp).SymDiff(G.Nodes{data, data, tuples, updates}, gradUpdates, updates)
	ok(t, err)
	bag := node(gather.EmbeddingBagOffsets(data, indices, indices, input(g, "weights", dense([]float64{1, 2}, 2))))
	bagInputs := G.Nodes{data, indices, indices, g.ByName("weights")[0]}
	bagTable, most := node(diff.BagGradTable(bag.Op(), updates, bagInputs...)), node(gather.SegmentMax(data, input(g, "ids", dense([]int64{0, 0, 1}, 3)), 2))
	bagSecond, err := bagTable.Op().(G.SDOp).SymDiff(append(G.Nodes{updates}, bagInputs[1:]...), bagTable, data)
	ok(t, err)
	return map[string]G.Op{
		"EmbeddingBagOffsets":    bag.Op(),
		"SegmentMax":             most.Op(),
		"BagGradTable":           bagTable.Op(),
		"BagGradTable of max":    node(diff.BagGradTable(most.Op(), updates, data, g.ByName("ids")[0])).Op(),
		"BagGradWeights":         node(diff.BagGradWeights(bag.Op(), updates, bagInputs...)).Op(),
		"bag of a tangent":       bagSecond[0].Op(),
		"Gather":                 gathered.Op(),
		"Gather of a scalar":     node(gather.GatherND(data, input(g, "pair", dense([]int64{0, 0}, 2)))).Op(),
		"ScatterND":              scattered.Op(),
		"GatherTree":             node(gather.GatherTree(ids, ids, lengths, end)).Op(),
		"ScatterAdd":             node(diff.ScatterAdd(gathered.Op(), updates, indices, data.Shape())).Op(),
		"ScatterAdd, huge":       node(diff.ScatterAdd(gathered.Op(), updates, indices, []int{math.MaxInt / 4, 2})).Op(),
		"ScatterGradData":        gradData.Op(),
		"ScatterGradUpdates":     gradUpdates.Op(),
		"ScatterTangentUpdates":  second[0].Op(),
		"second derivative":      second[3].Op(),
		"second, data by update": second[1].Op(),
	}
}

// methods calls the exported methods of a value.
func methods(t *testing.T, name string, v reflect.Value) {
	for i := range v.NumMethod() {
		attack(t, name+"."+v.Type().Method(i).Name, v.Method(i), 300)
	}
}

// attack calls a function n times with random arguments. Then it takes some of the
// calls that succeeded, and replaces each of their arguments by all others.
func attack(t *testing.T, name string, f reflect.Value, n int) {
	t.Helper()
	switch {
	case testing.Short():
		n /= 10
	case !turns.Every():
		n /= 3
	}
	rng := newRand(1)
	var succeeded [][]byte
	for range n {
		h := newHostile(nil, rng)
		if callWith(t, name, f, h) {
			succeeded = append(succeeded, h.choices)
		}
		if t.Failed() || f.Type().NumIn() == 0 {
			return
		}
	}
	rng.Shuffle(len(succeeded), func(i, j int) { succeeded[i], succeeded[j] = succeeded[j], succeeded[i] })
	for _, choices := range succeeded[:min(len(succeeded), 1+n/300)] {
		for i := range choices {
			for choice := range max(len(nodes), len(values)) {
				changed := slices.Clone(choices)
				changed[i] = byte(choice)
				callWith(t, name, f, newHostile(changed, rng))
				if t.Failed() {
					return
				}
			}
		}
	}
}

// callWith calls a function with arguments drawn from all that its parameters can
// be, and tells whether there was no error.
func callWith(t *testing.T, name string, f reflect.Value, from *hostile) bool {
	t.Helper()
	var in []reflect.Value
	for i := range f.Type().NumIn() {
		parameter := f.Type().In(i)
		if f.Type().IsVariadic() && i == f.Type().NumIn()-1 {
			// Most functions have few variadic arguments, operators up to five.
			for range []int{0, 0, 1, 2, 3, 4, 5, 1}[from.choose(8)] {
				in = append(in, from.value(t, parameter.Elem()))
			}
			break
		}
		in = append(in, from.value(t, parameter))
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s(%s) panics: %v\n%s", name, strings.Join(from.drawn, ", "), r, debug.Stack())
		}
	}()
	succeeds := true
	for _, out := range f.Call(in) {
		if err, is := out.Interface().(error); is {
			readable(t, name, from, err)
			succeeds = false
		}
	}
	return succeeds
}

// doubled is an error that says twice what is allowed, or what does not fit.
var doubled = regexp.MustCompile("(allowed|needed|must).*: (dtype not allowed|option not allowed|shapes do not fit|axis out of range|tensor not usable)$")

// readable wants errors to be of a length that can be read, and not to end twice.
func readable(t *testing.T, name string, from *hostile, err error) {
	t.Helper()
	text := err.Error()
	if len(text) == 0 || len(text) > 2000 || doubled.MatchString(text) {
		t.Errorf("%s(%v): an error of %d bytes: %.500s", name, from.drawn, len(text), text)
	}
	for _, sentinel := range []error{gather.ErrShape, gather.ErrAxis, gather.ErrDtype, gather.ErrOption, gather.ErrLayout} {
		if errors.Is(err, sentinel) && strings.HasSuffix(text, ": "+sentinel.Error()) {
			t.Errorf("%s(%v): the error ends in its sentinel's text: %s", name, from.drawn, text)
		}
	}
	_ = fmt.Sprintf("%+v", err)
}

// dense2 is a matrix of float64.
func dense2(rows, columns int) any { return dense(offsets(rows, columns).Data, rows, columns) }

// exported are the functions of the packages for users, which are called with
// everything that a caller can get wrong. TestExportedIsComplete finds what is
// missing.
var exported = map[string]any{
	"gather.Gather":                 gather.Gather,
	"gather.GatherElements":         gather.GatherElements,
	"gather.GatherND":               gather.GatherND,
	"gather.ScatterElements":        gather.ScatterElements,
	"gather.ScatterND":              gather.ScatterND,
	"gather.ScatterUpdate":          gather.ScatterUpdate,
	"gather.EmbeddingBagOffsets":    gather.EmbeddingBagOffsets,
	"gather.EmbeddingBagPacked":     gather.EmbeddingBagPacked,
	"gather.EmbeddingSegments":      gather.EmbeddingSegments,
	"gather.SegmentMax":             gather.SegmentMax,
	"gather.SegmentSum":             gather.SegmentSum,
	"gather.SegmentMean":            gather.SegmentMean,
	"gather.SegmentMin":             gather.SegmentMin,
	"gather.SegmentProd":            gather.SegmentProd,
	"gather.SegmentSoftmax":         gather.SegmentSoftmax,
	"gather.WithEmptySegment":       gather.WithEmptySegment,
	"dense.SegmentSum":              gatherdense.SegmentSum,
	"dense.SegmentMean":             gatherdense.SegmentMean,
	"dense.SegmentMin":              gatherdense.SegmentMin,
	"dense.SegmentProd":             gatherdense.SegmentProd,
	"dense.SegmentSoftmax":          gatherdense.SegmentSoftmax,
	"dense.WithEmptySegment":        gatherdense.WithEmptySegment,
	"diff.SegmentGrad":              diff.SegmentGrad,
	"diff.SegmentSoftmaxGrad":       diff.SegmentSoftmaxGrad,
	"diff.AddSegmentTo":             diff.AddSegmentTo,
	"shapes.SegmentSum":             shapes.SegmentSum,
	"shapes.SegmentMean":            shapes.SegmentMean,
	"shapes.SegmentMin":             shapes.SegmentMin,
	"shapes.SegmentProd":            shapes.SegmentProd,
	"shapes.SegmentSoftmax":         shapes.SegmentSoftmax,
	"gather.WithDefaultIndex":       gather.WithDefaultIndex,
	"gather.WithFillMode":           gather.WithFillMode,
	"gather.WithLengths":            gather.WithLengths,
	"gather.WithLastOffset":         gather.WithLastOffset,
	"gather.GatherTree":             gather.GatherTree,
	"gather.AsIndexError":           gather.AsIndexError,
	"gather.WithBatchDims":          gather.WithBatchDims,
	"gather.WithFusedBatchDims":     gather.WithFusedBatchDims,
	"gather.WithOutOfRange":         gather.WithOutOfRange,
	"gather.WithPadding":            gather.WithPadding,
	"gather.WithNonNegativeIndices": gather.WithNonNegativeIndices,
	"gather.WithReduction":          gather.WithReduction,
	"gather.WithInitValue":          gather.WithInitValue,

	"dense.Gather":                 gatherdense.Gather,
	"dense.GatherElements":         gatherdense.GatherElements,
	"dense.GatherND":               gatherdense.GatherND,
	"dense.ScatterElements":        gatherdense.ScatterElements,
	"dense.ScatterND":              gatherdense.ScatterND,
	"dense.ScatterUpdate":          gatherdense.ScatterUpdate,
	"dense.EmbeddingBagOffsets":    gatherdense.EmbeddingBagOffsets,
	"dense.EmbeddingBagPacked":     gatherdense.EmbeddingBagPacked,
	"dense.EmbeddingSegments":      gatherdense.EmbeddingSegments,
	"dense.SegmentMax":             gatherdense.SegmentMax,
	"dense.WithDefaultIndex":       gatherdense.WithDefaultIndex,
	"dense.WithFillMode":           gatherdense.WithFillMode,
	"dense.WithLengths":            gatherdense.WithLengths,
	"dense.WithLastOffset":         gatherdense.WithLastOffset,
	"dense.AddEmbeddingBagOffsets": gatherdense.AddEmbeddingBagOffsets,
	"dense.AddEmbeddingBagPacked":  gatherdense.AddEmbeddingBagPacked,
	"dense.AddEmbeddingSegments":   gatherdense.AddEmbeddingSegments,
	"dense.AddSegmentMax":          gatherdense.AddSegmentMax,
	"dense.GatherTree":             gatherdense.GatherTree,
	"dense.AddGather":              gatherdense.AddGather,
	"dense.AddGatherElements":      gatherdense.AddGatherElements,
	"dense.AddGatherND":            gatherdense.AddGatherND,
	"dense.WithBatchDims":          gatherdense.WithBatchDims,
	"dense.WithFusedBatchDims":     gatherdense.WithFusedBatchDims,
	"dense.WithOutOfRange":         gatherdense.WithOutOfRange,
	"dense.WithPadding":            gatherdense.WithPadding,
	"dense.WithNonNegativeIndices": gatherdense.WithNonNegativeIndices,
	"dense.WithReduction":          gatherdense.WithReduction,
	"dense.WithInitValue":          gatherdense.WithInitValue,
	"dense.WithReuse":              gatherdense.WithReuse,
	"dense.WithMaxBytes":           gatherdense.WithMaxBytes,
	"dense.ReadNpy":                gatherdense.ReadNpy,
	"dense.WriteNpy":               gatherdense.WriteNpy,

	"diff.ScatterAdd":         diff.ScatterAdd,
	"diff.ScatterGradData":    diff.ScatterGradData,
	"diff.ScatterGradUpdates": diff.ScatterGradUpdates,
	"diff.BagGradTable":       diff.BagGradTable,
	"diff.BagGradWeights":     diff.BagGradWeights,
	"diff.AddBagTo":           diff.AddBagTo,
	"diff.AddTo":              diff.AddTo,
	"diff.AddScatterTo":       diff.AddScatterTo,

	"shapes.Axis":                shapes.Axis,
	"shapes.Gather":              shapes.Gather,
	"shapes.GatherElements":      shapes.GatherElements,
	"shapes.GatherND":            shapes.GatherND,
	"shapes.EmbeddingBagOffsets": shapes.EmbeddingBagOffsets,
	"shapes.EmbeddingBagPacked":  shapes.EmbeddingBagPacked,
	"shapes.EmbeddingSegments":   shapes.EmbeddingSegments,
	"shapes.SegmentMax":          shapes.SegmentMax,
	"shapes.GatherTree":          shapes.GatherTree,
	"shapes.ScatterElements":     shapes.ScatterElements,
	"shapes.ScatterND":           shapes.ScatterND,
	"shapes.ScatterUpdate":       shapes.ScatterUpdate,
}

// exportedTypes are the types of these packages, all methods of which are called:
// those of values, of zero values and of nil pointers.
var exportedTypes = map[string]any{
	"gather.Option":     gather.Option{},
	"gather.OutOfRange": gather.OutOfRange(200),
	"gather.Reduction":  gather.Reduction(200),
	"gather.FillMode":   gather.FillMode(200),
	"dense.FillMode":    gatherdense.FillLowest,
	"gather.IndexError": gather.IndexError{},
	"gather.BF16":       gather.BF16(1),
	"dense.Option":      gatherdense.Option{},
	"dense.OutOfRange":  gatherdense.Reject,
	"dense.ReadOption":  gatherdense.ReadOption{},
	"dense.Reduction":   gatherdense.Mean,
	"dense.IndexError":  gatherdense.IndexError{Op: "GatherTree", Argument: "parentIDs", Position: []int{1}, Operands: []string{"a b"}},
	"dense.BF16":        gatherdense.BF16(0),
	// Interfaces: what implements them are the operators of TestOperatorMethods.
	"diff.Operator": nil,
}
