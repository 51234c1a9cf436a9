package graph

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// filled is a graph of so many inputs n0, n1, …, which are vectors of 2 float64.
func filled(size int) (*G.ExprGraph, G.Nodes) {
	g := G.NewGraph()
	for i := range size {
		G.NewVector(g, tensor.Float64, G.WithShape(2), G.WithName(fmt.Sprint("n", i)))
	}
	return g, g.AllNodes()
}

// TestFind finds nodes by hash, in graphs with an index and without one, also after
// nodes were removed and added.
func TestFind(t *testing.T) {
	for _, size := range []int{fewNodes - 3, fewNodes + 3} {
		g, nodes := filled(size)
		all := append(G.Nodes{}, nodes...)
		check := func(what string, gone ...*G.Node) {
			t.Helper()
			for _, n := range all {
				want := n
				for _, removed := range gone {
					if removed == n {
						want = nil
					}
				}
				if got, found := find(g, n.Hashcode()); got != want || found != (want != nil) {
					t.Fatalf("%d nodes, %s: %v found as %v, %v", size, what, n, got, found)
				}
			}
		}
		check("new")
		g.RemoveNode(all[5])
		check("one removed", all[5])
		last := all[size-1]
		g.RemoveNode(last)
		all = append(all, G.NewVector(g, tensor.Float64, G.WithShape(2), G.WithName("another")))
		check("the last one removed, one added", all[5], last)
		all = append(all, G.NewVector(g, tensor.Float64, G.WithShape(2), G.WithName("more")))
		check("one more added", all[5], last)
	}
}

// TestFindSeveral has two nodes of one hash, in a graph with an index and without one.
func TestFindSeveral(t *testing.T) {
	for _, size := range []int{2, 2 * fewNodes} {
		g, _ := filled(size)
		a := G.NewVector(g, tensor.Float64, G.WithShape(2), G.WithName("input92108"))
		if err := Check(g); err != nil {
			t.Errorf("before: %v", err)
		}
		if !Taken(g, a.Type(), a.Shape(), "input135300") || Taken(g, a.Type(), a.Shape(), "input135301") || Taken(g, a.Type(), tensor.Shape{3}, "input92108") {
			t.Error("Taken does not know the hashes of inputs")
		}
		b := G.NewVector(g, tensor.Float64, G.WithShape(2), G.WithName("input135300"))
		if a == b || a.Hashcode() != b.Hashcode() {
			t.Fatalf("%v and %v do not collide", a, b)
		}
		if n, found := find(g, b.Hashcode()); n != nil || !found {
			t.Errorf("got %v, %v", n, found)
		}
		want := "nodes input92108 and input135300 have one hash"
		if err := Check(g); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestBindTaken gives constants names of which no node has the hash.
func TestBindTaken(t *testing.T) {
	g := G.NewGraph()
	x := G.NewVector(g, tensor.Float64, G.WithShape(2), G.WithName("x"))
	for i, value := range []any{tensor.New(tensor.WithBacking([]float64{1, 2})), tensor.New(tensor.WithBacking([]float64{3, 4})), 5.0} {
		n := Bind(x, G.NewConstant(value))[1]
		if want := fmt.Sprint(bindings, i+1); n.Name() != want || !Taken(g, n.Type(), n.Shape(), want) {
			t.Errorf("%v is %v, want %s", value, n, want)
		}
	}
}

// TestIndexMemory looks nodes up in graphs that nothing holds any more: the index goes
// with them.
func TestIndexMemory(t *testing.T) {
	var graphs []weak.Pointer[G.ExprGraph]
	for range 10 {
		g, nodes := filled(10 * fewNodes)
		if n, _ := find(g, nodes[7].Hashcode()); n != nodes[7] {
			t.Fatal("not found")
		}
		graphs = append(graphs, weak.Make(g))
		if _, ok := indexes.Load(weak.Make(g)); !ok {
			t.Fatal("the graph has no index")
		}
		runtime.KeepAlive(g)
	}
	for deadline := time.Now().Add(10 * time.Second); ; runtime.GC() {
		left := 0
		for _, g := range graphs {
			if _, ok := indexes.Load(g); ok || g.Value() != nil {
				left++
			}
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d graphs or their indexes are left", left, len(graphs))
		}
	}
}
