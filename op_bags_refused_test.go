package gather_test

import (
	"errors"
	"strings"
	"testing"

	"gorgonia.org/gather"
	gatherdense "gorgonia.org/gather/dense"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestBagsRefused has what can be known to be wrong when a graph is built.
func TestBagsRefused(t *testing.T) {
	g := G.NewGraph()
	node := func(name string, dt tensor.Dtype, shape ...int) *G.Node {
		return G.NewTensor(g, dt, len(shape), G.WithShape(shape...), G.WithName(name))
	}
	table, idx, first := node("table", tensor.Float64, 3, 2), node("idx", tensor.Int64, 5), node("first", tensor.Int64, 4)
	weights, unnamed := node("weights", tensor.Float64, 5), G.NewVector(g, tensor.Int64, G.WithShape(5))
	offsets := func(table, idx, first, weights *G.Node, opts ...gather.Option) error {
		_, err := gather.EmbeddingBagOffsets(table, idx, first, weights, opts...)
		return err
	}
	segments := func(ids *G.Node, n int, opts ...gather.Option) error {
		_, err := gather.EmbeddingSegments(table, idx, ids, nil, n, opts...)
		return err
	}
	most := func(n int, opts ...gather.Option) error {
		_, err := gather.SegmentMax(table, node("three", tensor.Int64, 3), n, opts...)
		return err
	}
	packed := func(opts ...gather.Option) error {
		_, err := gather.EmbeddingBagPacked(table, node("matrix", tensor.Int64, 5, 2), nil, opts...)
		return err
	}
	constant := func(dt tensor.Dtype, shape ...int) *G.Node {
		return G.NewConstant(tensor.New(tensor.Of(dt), tensor.WithShape(shape...)))
	}
	for text, c := range map[string]struct {
		err, is error
	}{
		"EmbeddingBagOffsets: table is nil, a node is needed":                                                                                      {offsets(nil, idx, first, nil), nil},
		"EmbeddingBagOffsets: offsets is nil, a node is needed":                                                                                    {offsets(table, idx, nil, nil), nil},
		"EmbeddingBagOffsets: table, indices, offsets are constants without a graph, one of them must be in one: gorgonia.In puts it there":        {offsets(constant(tensor.Float64, 2, 1), constant(tensor.Int64, 2), constant(tensor.Int64, 1), nil), nil},
		"EmbeddingBagOffsets: offsets (3, 2) have rank 2, 1 is needed":                                                                             {offsets(table, idx, table, nil), gather.ErrShape},
		"EmbeddingBagOffsets: weights (4) must have the shape of indices (5)":                                                                      {offsets(table, idx, first, node("short", tensor.Float64, 4)), gather.ErrShape},
		"EmbeddingBagOffsets: weights have dtype float32, table has float64, they must be equal":                                                   {offsets(table, idx, first, node("w32", tensor.Float32, 5)), gather.ErrDtype},
		"EmbeddingBagOffsets: offsets have dtype float64, integers are needed":                                                                     {offsets(table, idx, node("f", tensor.Float64, 5), nil), gather.ErrDtype},
		"EmbeddingBagOffsets: values of dtype bool have no reduction add, nor any other":                                                           {offsets(node("flags", tensor.Bool, 3), idx, first, nil), gather.ErrDtype},
		"EmbeddingBagOffsets: values of dtype complex128 have no reduction max, allowed is add, mean":                                              {offsets(node("waves", tensor.Complex128, 3), idx, first, nil, gather.WithReduction(gather.Max)), gather.ErrDtype},
		"EmbeddingBagOffsets: values of dtype complex128 have no reduction sqrtn, allowed is add, mean":                                            {offsets(node("sea", tensor.Complex128, 3), idx, first, nil, gather.WithReduction(gather.SqrtN)), gather.ErrDtype},
		"EmbeddingBagOffsets: values of dtype int32 have no reduction sqrtn, allowed is add, mean, max":                                            {offsets(node("counts", tensor.Int32, 3), idx, first, nil, gather.WithReduction(gather.SqrtN)), gather.ErrDtype},
		"EmbeddingBagOffsets: values of dtype int32 have no mean with weights, real floats have one":                                               {offsets(node("ints", tensor.Int32, 3), idx, first, node("int weights", tensor.Int32, 5), gather.WithReduction(gather.Mean)), gather.ErrDtype},
		"EmbeddingBagOffsets: values of dtype complex64 have no mean with weights, real floats have one":                                           {offsets(node("c", tensor.Complex64, 3), idx, first, node("c weights", tensor.Complex64, 5), gather.WithReduction(gather.Mean)), gather.ErrDtype},
		"EmbeddingBagOffsets: weights do not apply to WithReduction(max), only to add, mean and sqrtn":                                             {offsets(table, idx, first, weights, gather.WithReduction(gather.Max)), gather.ErrOption},
		"EmbeddingBagOffsets: WithLengths and WithLastOffset are given, one of them is allowed":                                                    {offsets(table, idx, first, nil, gather.WithLastOffset(), gather.WithLengths()), gather.ErrOption},
		"EmbeddingBagOffsets: offsets (0) with WithLastOffset, 1 or more are needed: the last one is the number of indices":                        {offsets(table, idx, node("none", tensor.Int64, 0), nil, gather.WithLastOffset()), gather.ErrShape},
		"EmbeddingBagPacked: WithLengths does not apply, the options are: WithOutOfRange, WithNonNegativeIndices, WithReduction, WithPadding":      {packed(gather.WithLengths()), gather.ErrOption},
		"EmbeddingBagPacked: WithLastOffset does not apply, the options are: WithOutOfRange, WithNonNegativeIndices, WithReduction, WithPadding":   {packed(gather.WithLastOffset()), gather.ErrOption},
		"EmbeddingBagOffsets: WithReduction(none), allowed are add, mean, sqrtn and max":                                                           {offsets(table, idx, first, nil, gather.WithReduction(gather.None)), gather.ErrOption},
		"EmbeddingBagOffsets: WithReduction(mul), allowed are add, mean, sqrtn and max":                                                            {offsets(table, idx, first, nil, gather.WithReduction(gather.Mul)), gather.ErrOption},
		"EmbeddingBagOffsets: WithDefaultIndex(3), the table has 3 rows":                                                                           {offsets(table, idx, first, nil, gather.WithDefaultIndex(3)), gather.ErrOption},
		"EmbeddingBagOffsets: WithDefaultIndex(-2), the rows of the table are allowed, and -1 for none":                                            {offsets(table, idx, first, nil, gather.WithDefaultIndex(-2)), gather.ErrOption},
		"EmbeddingBagOffsets: WithDefaultIndex(1) is the padding of WithPadding(1), which is no row":                                               {offsets(table, idx, first, nil, gather.WithDefaultIndex(1), gather.WithPadding(1)), gather.ErrOption},
		"EmbeddingSegments: WithDefaultIndex(2) is the padding of WithPadding(2), which is no row":                                                 {segments(idx, 3, gather.WithPadding(2), gather.WithDefaultIndex(2)), gather.ErrOption},
		"EmbeddingSegments: WithDefaultIndex(-1), the rows of the table are allowed":                                                               {segments(idx, 3, gather.WithDefaultIndex(-1)), gather.ErrOption},
		"EmbeddingSegments: numSegments is -1, 0 is the least":                                                                                     {segments(idx, -1), gather.ErrShape},
		"EmbeddingSegments: segmentIDs (4) must have the shape of indices (5)":                                                                     {segments(first, 3), gather.ErrShape},
		"EmbeddingBagPacked: WithDefaultIndex does not apply, the options are: WithOutOfRange, WithNonNegativeIndices, WithReduction, WithPadding": {packed(gather.WithDefaultIndex(0)), gather.ErrOption},
		"SegmentMax: WithReduction does not apply, the options are: WithOutOfRange, WithFillMode, WithEmptySegment, WithPadding":                   {most(3, gather.WithReduction(gather.Max)), gather.ErrOption},
		"SegmentMax: WithFillMode(2), allowed are FillZero and FillLowest":                                                                         {most(3, gather.WithFillMode(2)), gather.ErrOption},
		"EmbeddingBagOffsets: WithReuse applies to package dense only":                                                                             {offsets(table, idx, first, nil, gatherdense.WithReuse(tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(1)))), gather.ErrOption},
	} {
		if c.err == nil || c.err.Error() != text || c.is != nil && !errors.Is(c.err, c.is) {
			t.Errorf("error %v, want %s", c.err, text)
		}
	}
	for _, err := range []error{offsets(table, unnamed, first, nil), offsets(table, idx, unnamed, nil), segments(unnamed, 3)} {
		if err == nil || !containsAll(err.Error(), "input node without a name") {
			t.Errorf("unnamed operands: %v", err)
		}
	}
	ok(t, offsets(table, idx, first, nil, gather.WithDefaultIndex(-1)))
}

// TestBagErrorsOfRuns has errors that a run finds, on TapeMachine.
func TestBagErrorsOfRuns(t *testing.T) {
	run := func(indices, borders []int64, apply func(in []*G.Node) (*G.Node, error)) error {
		g := G.NewGraph()
		in := []*G.Node{input(g, "table", dense2(3, 2)), input(g, "item ids", dense(indices, len(indices))), input(g, "borders", dense(borders, len(borders)))}
		_, err := apply(in)
		ok(t, err)
		vm := G.NewTapeMachine(g)
		defer vm.Close()
		return vm.RunAll()
	}
	offsets := func(in []*G.Node) (*G.Node, error) { return offsetsOf(in) }
	segments := func(in []*G.Node) (*G.Node, error) { return segmentsOf(2)(in) }
	for text, err := range map[string]error{
		`EmbeddingBagOffsets(table, "item ids", borders): indices[1]: 3 out of range [-3, 3) for data axis 0; see WithOutOfRange`:  run([]int64{0, 3}, []int64{0}, offsets),
		`EmbeddingSegments(table, "item ids", borders): segmentIDs[1]: 2 out of range [0, 2) for result axis 0; raise numSegments`: run([]int64{0, 1}, []int64{0, 2}, segments),
	} {
		bad, is := gather.AsIndexError(err)
		if !is || bad.Error() != text {
			t.Errorf("error %v, want %s", err, text)
		}
	}
	for text, err := range map[string]error{
		"offsets[1] is 1, allowed are ascending numbers from 0 to 2, the number of indices; the one before is 2": run([]int64{0, 1}, []int64{2, 1}, offsets),
		"offsets[0] is 3, allowed are ascending numbers from 0 to 2, the number of indices":                      run([]int64{0, 1}, []int64{3}, offsets),
		"segmentIDs[0] is 1 and segmentIDs[1] is 0, they must be ascending":                                      run([]int64{0, 1}, []int64{1, 0}, segments),
	} {
		const before = "the one before" // which the first has not
		if err == nil || !containsAll(err.Error(), text) || strings.Contains(err.Error(), before) != strings.Contains(text, before) {
			t.Errorf("error %v, want %s", err, text)
		}
	}
}

func containsAll(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}
