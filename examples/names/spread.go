package main

import (
	"math"

	"gonum.org/v1/plot/plotter"
)

// spread returns where to write the labels of points so that each can be read:
// labels that would overlap are pushed apart, as little as it takes, until none
// does. size gives each label's width and height in the units of the plot.
//
// Characters which are used alike lie close together, so without it the most
// telling parts of a map would be blots.
func spread(points, size plotter.XYs) plotter.XYs {
	const rounds = 500 // a crowd settles in some dozens
	shown := append(plotter.XYs{}, points...)
	for range rounds {
		settled := true
		for i := range shown {
			for j := range i {
				if pushApart(&shown[j], &shown[i], size[j], size[i]) {
					settled = false
				}
			}
		}
		if settled {
			break
		}
	}
	return shown
}

// pushApart moves two overlapping labels away from each other, in the direction
// in which that takes the shorter way, and tells whether they did overlap.
func pushApart(a, b *plotter.XY, sizeA, sizeB plotter.XY) bool {
	dx, dy := b.X-a.X, b.Y-a.Y
	width, height := (sizeA.X+sizeB.X)/2, (sizeA.Y+sizeB.Y)/2
	overlapX, overlapY := width-math.Abs(dx), height-math.Abs(dy)
	// Less than a hundredth is rounding, not overlap: two labels put exactly
	// side by side would otherwise be moved for ever.
	if overlapX < width/100 || overlapY < height/100 {
		return false
	}
	if overlapX/width < overlapY/height {
		move := math.Copysign(overlapX/2, dx)
		a.X, b.X = a.X-move, b.X+move
	} else {
		move := math.Copysign(overlapY/2, dy)
		a.Y, b.Y = a.Y-move, b.Y+move
	}
	return true
}
