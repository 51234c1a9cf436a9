package gather_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An embedding table is trained to give words their targets. Row 1 is read for
// no word and stays as it was; row 2 is read twice, so its gradient is a sum.
func Example() {
	g := G.NewGraph()
	table := G.NewMatrix(g, tensor.Float64, G.WithShape(3, 2), G.WithName("table"), G.WithInit(G.Zeroes()))
	words := G.NewVector(g, tensor.Int64, G.WithShape(3), G.WithName("words"))
	targets := G.NewMatrix(g, tensor.Float64, G.WithShape(3, 2), G.WithName("targets"))

	embedded := G.Must(gather.Gather(table, words, 0)) // (3, 2)
	loss := G.Must(G.Sum(G.Must(G.Square(G.Must(G.Sub(embedded, targets))))))
	if _, err := G.Grad(loss, table); err != nil {
		log.Fatal(err)
	}

	machine := G.NewTapeMachine(g, G.BindDualValues(table))
	defer machine.Close()
	solver := G.NewVanillaSolver(G.WithLearnRate(0.25))
	for range 3 {
		G.Let(words, tensor.New(tensor.WithBacking([]int64{2, 0, 2})))
		G.Let(targets, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{5, 6, 1, 2, 5, 6})))
		if err := machine.RunAll(); err != nil {
			log.Fatal(err)
		}
		fmt.Println("loss", loss.Value())
		if err := solver.Step(G.NodesToValueGrads(G.Nodes{table})); err != nil {
			log.Fatal(err)
		}
		machine.Reset()
	}
	fmt.Println("table", table.Value().(*tensor.Dense).Float64s())
	// Output:
	// loss 127
	// loss 1.25
	// loss 0.3125
	// table [0.875 1.75 0 0 5 6]
}

func ExampleGather() {
	g := G.NewGraph()
	table := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21})), G.WithName("table"))
	rows := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{2, 0, -1})), G.WithName("rows"))

	picked := G.Must(gather.Gather(table, rows, 0))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(picked.Shape(), picked.Value().(*tensor.Dense).Float64s())
	// Output: (3, 2) [20 21 0 1 20 21]
}

// The value Q(s, a) of the action taken in each state.
func ExampleGatherElements() {
	g := G.NewGraph()
	q := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0.1, 0.9, 0.4, 0.6, 0.7, 0.3})), G.WithName("q"))
	actions := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 1), tensor.WithBacking([]int{1, 0, 0})), G.WithName("actions"))

	taken := G.Must(gather.GatherElements(q, actions, 1))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(taken.Shape(), taken.Value().(*tensor.Dense).Float64s())
	// Output: (3, 1) [0.9 0.4 0.7]
}

// Two pixels of an image of three colours.
func ExampleGatherND() {
	g := G.NewGraph()
	image := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 2, 3), tensor.WithBacking(tensor.Range(tensor.Float32, 0, 12))), G.WithName("image"))
	pixels := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]int32{1, 0, 0, -1})), G.WithName("pixels"))

	colours := G.Must(gather.GatherND(image, pixels))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(colours.Shape(), colours.Value().(*tensor.Dense).Float32s())
	// Output: (2, 3) [6 7 8 3 4 5]
}

func ExampleAsIndexError() {
	g := G.NewGraph()
	table := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking(make([]float64, 6))), G.WithName("table"))
	rows := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 2, 3})), G.WithName("rows"))
	G.Must(gather.Gather(table, rows, 0))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if bad, ok := gather.AsIndexError(machine.RunAll()); ok {
		fmt.Println(bad)
		fmt.Println(bad.Position, bad.Index, bad.Axis, bad.Size, bad.Operands)
	}
	// Output:
	// Gather(table, rows): indices[2]: 3 out of range [-3, 3) for data axis 0; see WithOutOfRange
	// [2] 3 0 3 [table rows]
}

// Each row of scores is indexed by its own row of choices.
func ExampleWithBatchDims() {
	g := G.NewGraph()
	scores := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{1, 2, 3, 4, 5, 6})), G.WithName("scores"))
	choices := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]int64{2, 0, 1, 1})), G.WithName("choices"))

	chosen := G.Must(gather.Gather(scores, choices, 1, gather.WithBatchDims(1)))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(chosen.Shape(), chosen.Value().(*tensor.Dense).Float64s())
	// Output: (2, 2) [3 1 5 5]
}

// With ZeroFill an index out of range, here -1 for padding, gives zeros, and
// nothing is trained by what it gave.
func ExampleWithOutOfRange() {
	g := G.NewGraph()
	table := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 2, 3, 4})), G.WithName("table"))
	words := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{1, 0, -1, -1})), G.WithName("words"))

	padded := G.Must(gather.Gather(table, words, 0, gather.WithOutOfRange(gather.ZeroFill), gather.WithNonNegativeIndices()))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(padded.Shape(), padded.Value().(*tensor.Dense).Float64s())
	// Output: (4, 2) [3 4 1 2 0 0 0 0]
}

func ExampleWithNonNegativeIndices() {
	g := G.NewGraph()
	table := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]float64{1, 2, 3})), G.WithName("table"))
	words := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, -1})), G.WithName("words"))

	G.Must(gather.Gather(table, words, 0, gather.WithNonNegativeIndices()))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	bad, _ := gather.AsIndexError(machine.RunAll())
	fmt.Println(bad)
	// Output: Gather(table, words): indices[1]: -1 out of range [0, 3) for data axis 0; see WithOutOfRange
}

// The values are the same with and without: only the shape differs.
func ExampleWithFusedBatchDims() {
	g := G.NewGraph()
	data := G.NewTensor(g, tensor.Float32, 3, G.WithShape(2, 3, 4), G.WithName("data"))
	indices := G.NewTensor(g, tensor.Int64, 4, G.WithShape(2, 3, 1, 1), G.WithName("indices"))

	plain := G.Must(gather.GatherND(data, indices, gather.WithBatchDims(2)))
	fused := G.Must(gather.GatherND(data, indices, gather.WithBatchDims(2), gather.WithFusedBatchDims()))

	fmt.Println(plain.Shape(), fused.Shape())
	// Output: (2, 3, 1) (6, 1)
}

// What calls gorgonia.ByIndices with a constant calls Gather with it.
func Example_migration() {
	g := G.NewGraph()
	table := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21})), G.WithName("table"))
	idx := tensor.New(tensor.WithBacking([]int{2, 0}))

	before := G.Must(G.ByIndices(table, G.NewConstant(idx), 0))
	after := G.Must(gather.Gather(table, G.NewConstant(idx), 0))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(before.Value().(*tensor.Dense).Float64s(), after.Value().(*tensor.Dense).Float64s())
	// Output: [20 21 0 1] [20 21 0 1]
}

// Gorgonia's own operator reads other elements along an inner axis, without an
// error: of the second matrix, here, it reads the wrong rows.
func Example_byIndices() {
	g := G.NewGraph()
	data := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 3, 2), tensor.WithBacking(tensor.Range(tensor.Float64, 0, 12))), G.WithName("data"))
	indices := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int{0, 2, 2, 1})), G.WithName("indices"))

	wrong := G.Must(G.ByIndices(data, indices, 1))
	right := G.Must(gather.Gather(data, indices, 1))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("gorgonia.ByIndices", wrong.Value().(*tensor.Dense).Float64s())
	fmt.Println("gather.Gather     ", right.Value().(*tensor.Dense).Float64s())
	// Output:
	// gorgonia.ByIndices [0 1 4 5 4 5 2 3 4 5 8 9 8 9 6 7]
	// gather.Gather      [0 1 4 5 4 5 2 3 6 7 10 11 10 11 8 9]
}

// Two beams of three steps: the best last step followed back to its start. The
// second beam began as the first, and ended after two steps.
func ExampleGatherTree() {
	g := G.NewGraph()
	stepIDs := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 1, 2), tensor.WithBacking([]int32{5, 6, 7, 9, 8, 9})), G.WithName("step ids"))
	parentIDs := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 1, 2), tensor.WithBacking([]int32{0, 0, 0, 0, 0, 1})), G.WithName("parent ids"))
	lengths := G.NodeFromAny(g, tensor.New(tensor.WithShape(1), tensor.WithBacking([]int32{3})), G.WithName("lengths"))
	end := G.NodeFromAny(g, int32(9), G.WithName("end"))

	beams := G.Must(gather.GatherTree(stepIDs, parentIDs, lengths, end))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	for t := range 3 {
		first, _ := beams.Value().(*tensor.Dense).At(t, 0, 0)
		second, _ := beams.Value().(*tensor.Dense).At(t, 0, 1)
		fmt.Println(first, second)
	}
	// Output:
	// 5 5
	// 7 9
	// 8 9
}

func ExampleScatterElements() {
	g := G.NewGraph()
	data := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{1, 2, 3, 4, 5, 6})), G.WithName("data"))
	columns := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]int64{2, 0})), G.WithName("columns"))
	values := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{30, 40})), G.WithName("values"))

	changed := G.Must(gather.ScatterElements(data, columns, values, 1))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(changed.Value().(*tensor.Dense).Float64s())
	// Output: [1 2 30 40 5 6]
}

func ExampleScatterND() {
	g := G.NewGraph()
	board := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]string{".", ".", ".", ".", ".", "."})), G.WithName("board"))
	fields := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]int64{0, 0, 1, -1})), G.WithName("fields"))
	stones := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]string{"x", "o"})), G.WithName("stones"))

	next := G.Must(gather.ScatterND(board, fields, stones))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(next.Value().(*tensor.Dense).Strings())
	// Output: [x . . . . o]
}

func ExampleScatterUpdate() {
	g := G.NewGraph()
	cache := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking(make([]float64, 6))), G.WithName("cache"))
	slots := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{2, 0})), G.WithName("slots"))
	rows := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 2, 3, 4})), G.WithName("rows"))

	filled := G.Must(gather.ScatterUpdate(cache, slots, rows, 0))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(filled.Value().(*tensor.Dense).Float64s())
	// Output: [3 4 0 0 1 2]
}

// Messages that arrive at the same node are summed.
func ExampleWithReduction() {
	g := G.NewGraph()
	nodes := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking(make([]float64, 6))), G.WithName("nodes"))
	targets := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 1), tensor.WithBacking([]int{2, 0, 2})), G.WithName("targets"))
	messages := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 2, 3, 4, 10, 20})), G.WithName("messages"))

	sums := G.Must(gather.ScatterND(nodes, targets, messages, gather.WithReduction(gather.Add)))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sums.Value().(*tensor.Dense).Float64s())
	// Output: [3 4 0 0 11 22]
}

// The mean of what arrives, without the old value of the target. What nothing
// arrives at keeps its value.
func ExampleWithInitValue() {
	g := G.NewGraph()
	data := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]float64{100, 200, 300})), G.WithName("data"))
	targets := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{2, 0, 2})), G.WithName("targets"))
	updates := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]float64{1, 5, 2})), G.WithName("updates"))

	means := G.Must(gather.ScatterElements(data, targets, updates, 0, gather.WithReduction(gather.Mean), gather.WithInitValue(false)))

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(means.Value().(*tensor.Dense).Float64s())
	// Output: [5 200 1.5]
}

// runExample runs a graph on a TapeMachine.
func runExample(g *G.ExprGraph) {
	machine := G.NewTapeMachine(g)
	defer machine.Close()
	if err := machine.RunAll(); err != nil {
		log.Fatal(err)
	}
}

// Three bags of rows are summed, the second of which is empty.
func ExampleEmbeddingBagOffsets() {
	g := G.NewGraph()
	table := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21})), G.WithName("table"))
	ids := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{2, 0, 1})), G.WithName("ids"))
	offsets := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 2, 2})), G.WithName("offsets"))

	bags := G.Must(gather.EmbeddingBagOffsets(table, ids, offsets, nil))

	runExample(g)
	fmt.Println(bags.Shape(), bags.Value().(*tensor.Dense).Float64s())
	// Output: (3, 2) [20 22 0 0 10 11]
}

// The words of two sentences are averaged. Word 9, the padding, is in no table and
// does not count.
func ExampleEmbeddingBagPacked() {
	g := G.NewGraph()
	table := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21})), G.WithName("table"))
	words := G.NodeFromAny(g, tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]int64{0, 1, 2, 1, 9, 9})), G.WithName("words"))

	means := G.Must(gather.EmbeddingBagPacked(table, words, nil,
		gather.WithReduction(gather.Mean), gather.WithOutOfRange(gather.ZeroFill)))

	runExample(g)
	fmt.Println(means.Shape(), means.Value().(*tensor.Dense).Float64s())
	// Output: (2, 2) [10 11 10 11]
}

// Each id has the number of its bag, and a weight. The weights learn, too.
func ExampleEmbeddingSegments() {
	g := G.NewGraph()
	table := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{0, 1, 10, 11, 20, 21})), G.WithName("table"))
	ids := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{2, 0, 1})), G.WithName("ids"))
	users := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 0, 2})), G.WithName("users"))
	weights := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]float64{0.5, 2, 1})), G.WithName("weights"))

	sums := G.Must(gather.EmbeddingSegments(table, ids, users, weights, 3))
	gradients, err := G.Grad(G.Must(G.Sum(sums)), weights)
	if err != nil {
		log.Fatal(err)
	}

	runExample(g)
	fmt.Println(sums.Shape(), sums.Value().(*tensor.Dense).Float64s())
	fmt.Println(gradients[0].Value().(*tensor.Dense).Float64s())
	// Output:
	// (3, 2) [10 12.5 0 0 10 11]
	// [41 1 21]
}

// The greatest of the rows of each segment; segment 1 has none.
func ExampleSegmentMax() {
	g := G.NewGraph()
	data := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 9, 5, 2, 3, 4})), G.WithName("data"))
	segments := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 0, 2})), G.WithName("segments"))

	most := G.Must(gather.SegmentMax(data, segments, 3))

	runExample(g)
	fmt.Println(most.Shape(), most.Value().(*tensor.Dense).Float64s())
	// Output: (3, 2) [5 9 0 0 3 4]
}

// Rows 0 and 1 are segment 0, row 2 is segment 2; segment 1 has no rows.
func ExampleSegmentSum() {
	g := G.NewGraph()
	data := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 9, 5, 2, 3, 4})), G.WithName("data"))
	segments := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 0, 2})), G.WithName("segments"))

	result := G.Must(gather.SegmentSum(data, segments, 3))

	runExample(g)
	fmt.Println(result.Shape(), result.Value().(*tensor.Dense).Float64s())
	// Output: (3, 2) [6 11 0 0 3 4]
}

func ExampleSegmentMean() {
	g := G.NewGraph()
	data := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 9, 5, 2, 3, 4})), G.WithName("data"))
	segments := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 0, 2})), G.WithName("segments"))

	result := G.Must(gather.SegmentMean(data, segments, 3))

	runExample(g)
	fmt.Println(result.Shape(), result.Value().(*tensor.Dense).Float64s())
	// Output: (3, 2) [3 5.5 0 0 3 4]
}

func ExampleSegmentMin() {
	g := G.NewGraph()
	data := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 9, 5, 2, 3, 4})), G.WithName("data"))
	segments := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 0, 2})), G.WithName("segments"))

	result := G.Must(gather.SegmentMin(data, segments, 3))

	runExample(g)
	fmt.Println(result.Shape(), result.Value().(*tensor.Dense).Float64s())
	// Output: (3, 2) [1 2 0 0 3 4]
}

func ExampleSegmentProd() {
	g := G.NewGraph()
	data := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 9, 5, 2, 3, 4})), G.WithName("data"))
	segments := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 0, 2})), G.WithName("segments"))

	result := G.Must(gather.SegmentProd(data, segments, 3))

	runExample(g)
	fmt.Println(result.Shape(), result.Value().(*tensor.Dense).Float64s())
	// Output: (3, 2) [5 18 0 0 3 4]
}

func ExampleWithEmptySegment() {
	g := G.NewGraph()
	data := G.NodeFromAny(g, tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{1, 9, 5, 2, 3, 4})), G.WithName("data"))
	segments := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 0, 2})), G.WithName("segments"))

	result := G.Must(gather.SegmentProd(data, segments, 3, gather.WithEmptySegment(1)))

	runExample(g)
	fmt.Println(result.Shape(), result.Value().(*tensor.Dense).Float64s())
	// Output: (3, 2) [5 18 1 1 3 4]
}

// Two messages go to node 0 and one to node 2: the weights of a node's messages add up
// to 1.
func ExampleSegmentSoftmax() {
	g := G.NewGraph()
	scores := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]float64{1, 1, 5})), G.WithName("scores"))
	nodes := G.NodeFromAny(g, tensor.New(tensor.WithBacking([]int64{0, 0, 2})), G.WithName("nodes"))

	weights := G.Must(gather.SegmentSoftmax(scores, nodes, 3))

	runExample(g)
	fmt.Println(weights.Value().(*tensor.Dense).Float64s())
	// Output: [0.5 0.5 1]
}

// One graph takes batches of up to four words. The words that a batch lacks are -1 and
// belong to no document: a lookup reads zeros for them, a segment and a scatter leave
// them out.
func ExampleWithPadding() {
	const size, documents, vocabulary = 4, 2, 3
	g := G.NewGraph()
	words := G.NewVector(g, tensor.Int64, G.WithShape(size), G.WithName("words"))
	document := G.NewVector(g, tensor.Int64, G.WithShape(size), G.WithName("document"))
	table := G.NewVector(g, tensor.Float64, G.WithShape(vocabulary), G.WithName("table"))
	zeros := G.NewVector(g, tensor.Float64, G.WithShape(vocabulary), G.WithName("zeros"))
	ones := G.NewVector(g, tensor.Float64, G.WithShape(size), G.WithName("ones"))

	padding := gather.WithPadding(-1)
	looked := G.Must(gather.Gather(table, words, 0, padding))
	means := G.Must(gather.SegmentMean(looked, document, documents, padding))
	counts := G.Must(gather.ScatterUpdate(zeros, words, ones, 0, gather.WithReduction(gather.Add), padding))
	var lookedValue, meansValue, countsValue G.Value
	G.Read(looked, &lookedValue)
	G.Read(means, &meansValue)
	G.Read(counts, &countsValue)

	machine := G.NewTapeMachine(g)
	defer machine.Close()
	for _, batch := range []struct{ words, document []int64 }{
		{[]int64{0, 2, 1, 1}, []int64{0, 0, 1, 1}},
		{[]int64{2, 2}, []int64{0, 1}},
	} {
		for len(batch.words) < size {
			batch.words = append(batch.words, -1)
			batch.document = append(batch.document, -1)
		}
		for node, backing := range map[*G.Node]any{
			words: batch.words, document: batch.document,
			table: []float64{10, 20, 30}, zeros: make([]float64, vocabulary), ones: []float64{1, 1, 1, 1},
		} {
			if err := G.Let(node, tensor.New(tensor.WithBacking(backing))); err != nil {
				log.Fatal(err)
			}
		}
		if err := machine.RunAll(); err != nil {
			log.Fatal(err)
		}
		machine.Reset()
		for _, v := range []G.Value{lookedValue, meansValue, countsValue} {
			fmt.Print(v.(*tensor.Dense).Float64s())
		}
		fmt.Println()
	}
	// Output:
	// [10 30 20 20][20 20][1 2 1]
	// [30 30 0 0][30 30][0 0 2]
}

// Gorgonia tells nodes by a hash of 32 bits: by chance, two names can have one.
func Example_nodesOfOneHash() {
	g := G.NewGraph()
	for _, name := range []string{"input92108", "input135300"} {
		G.NewVector(g, tensor.Float64, G.WithShape(2), G.WithName(name))
	}
	byHash := map[uint32]*G.Node{}
	for _, n := range g.AllNodes() {
		if other := byHash[n.Hashcode()]; other != nil {
			fmt.Println(other.Name(), "and", n.Name(), "have one hash")
		}
		byHash[n.Hashcode()] = n
	}
	// Output: input92108 and input135300 have one hash
}
