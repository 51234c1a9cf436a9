package picture

import (
	"math"

	"gonum.org/v1/plot/plotter"
)

// spread returns where to write the labels of points so that each can be read:
// labels that would overlap are pushed apart, and none leaves the area, whose
// corner is at 0, 0. readable is false if they still overlap in the end, there
// being too many. size gives each label's width and height.
//
// Characters which are used alike lie close together, so without it the most
// telling parts of a map would be blots.
func spread(points, size plotter.XYs, area plotter.XY) (shown plotter.XYs, readable bool) {
	const rounds = 500 // a crowd settles in some dozens
	shown = append(plotter.XYs{}, points...)
	for round := 0; round < rounds && !readable; round++ {
		readable = true
		for i := range shown {
			shown[i].X = within(shown[i].X, size[i].X, area.X)
			shown[i].Y = within(shown[i].Y, size[i].Y, area.Y)
			for j := range i {
				if pushApart(&shown[j], &shown[i], size[j], size[i]) {
					readable = false
				}
			}
		}
	}
	for i := range shown {
		shown[i].X = within(shown[i].X, size[i].X, area.X)
		shown[i].Y = within(shown[i].Y, size[i].Y, area.Y)
	}
	return shown, readable
}

// within is the middle of a label, moved so that it ends at the area's edges.
func within(middle, size, area float64) float64 {
	return max(size/2, min(area-size/2, middle))
}

// pushApart moves two overlapping labels away from each other, in the direction
// in which they lie, until they touch, and tells whether they did overlap. A
// crowd grows to all sides by that; the shortest way would make a tower of it.
func pushApart(a, b *plotter.XY, sizeA, sizeB plotter.XY) bool {
	dx, dy := b.X-a.X, b.Y-a.Y
	width, height := (sizeA.X+sizeB.X)/2, (sizeA.Y+sizeB.Y)/2
	overlapX, overlapY := width-math.Abs(dx), height-math.Abs(dy)
	// Less than a hundredth is rounding, not overlap: two labels put exactly
	// side by side would otherwise be moved for ever.
	if overlapX < width/100 || overlapY < height/100 {
		return false
	}
	if dx == 0 && dy == 0 {
		dx = 1 // any direction will do
	}
	part := min(overlapX/math.Abs(dx), overlapY/math.Abs(dy)) / 2
	a.X, b.X = a.X-part*dx, b.X+part*dx
	a.Y, b.Y = a.Y-part*dy, b.Y+part*dy
	return true
}
