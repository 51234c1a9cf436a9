package picture

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot/plotter"
)

func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	points := plotter.XYs{{X: 50, Y: 50}, {X: 90, Y: 10}, {X: 90, Y: 10}, {X: 90, Y: 10}}
	for range 40 {
		points = append(points, plotter.XY{X: 20 + rng.Float64()*5, Y: 20 + rng.Float64()*9})
	}
	size := make(plotter.XYs, len(points))
	for i := range size {
		size[i] = plotter.XY{X: 1 + float64(i%3), Y: 2}
	}
	before := append(plotter.XYs{}, points...)
	shown, readable := spread(points, size, plotter.XY{X: 100, Y: 100})
	assert.True(t, readable)

	assert.Equal(t, before, points, "the points themselves stay")
	assert.Equal(t, points[0], shown[0], "a label with room stays on its point")
	for i := range shown {
		for j := range i {
			overlapX := (size[i].X+size[j].X)/2 - math.Abs(shown[i].X-shown[j].X)
			overlapY := (size[i].Y+size[j].Y)/2 - math.Abs(shown[i].Y-shown[j].Y)
			assert.Truef(t, overlapX < 0.05 || overlapY < 0.05, "labels %d and %d overlap by %.2f × %.2f", j, i, overlapX, overlapY)
		}
	}
	for i := range points {
		assert.Less(t, math.Hypot(shown[i].X-points[i].X, shown[i].Y-points[i].Y), 20.0, "label %d", i)
	}
}
