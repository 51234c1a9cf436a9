package gather_test

import (
	"fmt"
	"log"

	"gorgonia.org/gather"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// One graph takes batches of up to four words. The words that a batch lacks are -1 and
// belong to no document: a lookup reads zeros for them, a segment and a scatter leave
// them out.
func ExampleWithOutOfRange_padding() {
	const size, documents, vocabulary = 4, 2, 3
	g := G.NewGraph()
	words := G.NewVector(g, tensor.Int64, G.WithShape(size), G.WithName("words"))
	document := G.NewVector(g, tensor.Int64, G.WithShape(size), G.WithName("document"))
	table := G.NewVector(g, tensor.Float64, G.WithShape(vocabulary), G.WithName("table"))
	zeros := G.NewVector(g, tensor.Float64, G.WithShape(vocabulary), G.WithName("zeros"))
	ones := G.NewVector(g, tensor.Float64, G.WithShape(size), G.WithName("ones"))

	fromStart := gather.WithNonNegativeIndices() // -1 is not the last word
	looked := G.Must(gather.Gather(table, words, 0, fromStart, gather.WithOutOfRange(gather.ZeroFill)))
	means := G.Must(gather.SegmentMean(looked, document, documents, gather.WithOutOfRange(gather.Skip)))
	counts := G.Must(gather.ScatterUpdate(zeros, words, ones, 0, fromStart,
		gather.WithReduction(gather.Add), gather.WithOutOfRange(gather.Skip)))
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
			batch.document = append(batch.document, documents)
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
