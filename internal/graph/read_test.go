package graph

import (
	"fmt"
	"hash/fnv"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestRead: the hash of a node that reads is foreseen, and a place by which it would be
// that of another node is not taken.
func TestRead(t *testing.T) {
	g := G.NewGraph()
	n := G.NewVector(g, tensor.Float64, G.WithShape(3), G.WithName("x"))
	hashes := map[uint32]*G.Value{}
	for range 1 << 17 {
		into := new(G.Value)
		hashes[readHash(n, into)] = into
	}
	// A node that has the hash of one of these places: Gorgonia's hash of an input node.
	var bad *G.Value
	for i := 0; bad == nil; i++ {
		name := fmt.Sprint("twin ", i)
		h := fnv.New32a()
		fmt.Fprintf(h, "%v%v%s\x00", n.Type(), n.Shape(), name)
		if bad = hashes[h.Sum32()]; bad != nil {
			twin := G.NewVector(g, tensor.Float64, G.WithShape(3), G.WithName(name))
			if twin.Hashcode() != readHash(n, bad) {
				t.Fatalf("the hash of %v is %x, not %x", twin, twin.Hashcode(), readHash(n, bad))
			}
		}
	}
	good := new(G.Value)
	places := []*G.Value{bad, good}
	if into := place(n, func() *G.Value { p := places[0]; places = places[1:]; return p }); into != good {
		t.Error("a place is taken by which the graph has two nodes of one hash")
	}
	into, read := Read(n)
	if got, want := read.Hashcode(), readHash(n, into); got != want {
		t.Errorf("the hash of %v is %x, %x was foreseen", read, got, want)
	}
	if err := Check(g); err != nil {
		t.Error(err)
	}
	G.Read(n, bad)
	if Check(g) == nil {
		t.Error("the twin of a node that reads is not found")
	}
}
