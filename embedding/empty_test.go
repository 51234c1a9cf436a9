package embedding_test

import (
	"testing"

	"gorgonia.org/gather"
	"gorgonia.org/gather/embedding"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestNoBags has a lookup of no bags, and ids that are in none: a step changes nothing.
func TestNoBags(t *testing.T) {
	for _, mode := range []embedding.Mode{embedding.Sum, embedding.Mean, embedding.Max} {
		t.Run(mode.String(), func(t *testing.T) {
			table, err := embedding.Make(tensor.Float64, 5, 3, embedding.Normal(1, 0, 1))
			ok(t, err)
			before := bits(t, table)
			g := G.NewGraph()
			bags, err := table.Bag(g, "bags", 0, mode)
			ok(t, err)
			at := G.NodeFromAny(g, tensor.New(tensor.Of(tensor.Int64), tensor.WithShape(0, 1)), G.WithName("at"))
			sums, err := gather.ScatterND(G.NewMatrix(g, tensor.Float64, G.WithShape(2, 3), G.WithName("zeros"), G.WithInit(G.Zeroes())),
				at, bags.Node(), gather.WithReduction(gather.Add))
			ok(t, err)
			_, err = G.Grad(G.Must(G.Sum(sums)), bags.Node())
			ok(t, err)
			machine := G.NewTapeMachine(g)
			defer machine.Close()
			ok(t, bags.SetBags(vector[int64](4, 2, 0), vector[int64](), nil))
			ok(t, machine.RunAll())
			sgd, err := embedding.NewSGD()
			ok(t, err)
			ok(t, sgd.Step(bags))
			sameBits(t, "rows", bits(t, table), before)
		})
	}
}
