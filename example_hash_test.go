package gather_test

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

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
