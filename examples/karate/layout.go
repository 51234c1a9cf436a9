package main

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/graph/layout"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/plot/plotter"
)

// arrange finds a place for each member, such that friends are near each other
// and the others are not (P. Eades, "A Heuristic for Graph Drawing", 1984).
func arrange(club []friendship) plotter.XYs {
	// A graph kept as a matrix lists its nodes in order; one kept as a map would
	// list them, and so place them, differently in each run.
	g := simple.NewUndirectedMatrix(members, 0, 0, 0)
	for _, f := range club {
		g.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(f.a - 1), T: simple.Node(f.b - 1), W: 1})
	}
	// Longer strides throw the two with most friends out of the picture.
	eades := layout.EadesR2{Updates: 2000, Repulsion: 3, Rate: 0.01, Theta: 0.2, Src: rand.NewPCG(1, 0)}
	optimizer := layout.NewOptimizerR2(g, eades.Update)
	for optimizer.Update() {
	}
	places := make(plotter.XYs, members)
	for m := range places {
		place := optimizer.Coord2(int64(m))
		places[m] = plotter.XY{X: place.X, Y: place.Y}
	}
	return places
}
