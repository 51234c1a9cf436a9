package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot/plotter"

	"gorgonia.org/gather/internal/examples/picture"
)

// However the points lie, every label is within the axes, and none on another:
// in points of the page, with the axes as they are drawn.
func TestArrange(t *testing.T) {
	symbols := []rune("abcdefghijklmnopqrstuvwxyzáâãäåçéèêëíîïñóôõö -'")
	symbols = append(symbols, end)
	rng := rand.New(rand.NewPCG(1, 0))
	cloud := func(x, y float64) plotter.XYs {
		points := make(plotter.XYs, len(symbols))
		for i := range points {
			points[i] = plotter.XY{X: x * rng.NormFloat64(), Y: y * rng.NormFloat64()}
		}
		return points
	}
	crowd := cloud(0.01, 0.01)
	crowd[len(crowd)-1] = plotter.XY{X: -50, Y: -3} // the widest label but two, far out in a corner
	cases := map[string]plotter.XYs{
		"a cloud":                     cloud(1, 1),
		"wide":                        cloud(100, 0.1),
		"tiny":                        cloud(1e-4, 1e-4),
		"a crowd and one far from it": crowd,
	}
	for name, points := range cases {
		t.Run(name, func(t *testing.T) {
			labels := &plotter.Labels{XYs: append(plotter.XYs{}, points...)}
			for _, r := range symbols {
				labels.Labels = append(labels.Labels, label(r))
				labels.TextStyle = append(labels.TextStyle, picture.Text(fontSize, picture.Blue))
			}
			p := picture.New("headline", "remark", "x", "y")
			p.Arrange(labels, mapWidth, mapHeight)
			p.Add(labels)
			area := p.Area(mapWidth, mapHeight)
			left, right, bottom, top := make([]float64, len(points)), make([]float64, len(points)), make([]float64, len(points)), make([]float64, len(points))
			for i, box := range labels.GlyphBoxes(p.Plot) {
				x, y := box.X*float64(area.X), box.Y*float64(area.Y)
				left[i], right[i] = x+float64(box.Min.X), x+float64(box.Max.X)
				bottom[i], top[i] = y+float64(box.Min.Y), y+float64(box.Max.Y)
				inside := left[i] >= 0 && right[i] <= float64(area.X) && bottom[i] >= 0 && top[i] <= float64(area.Y)
				assert.True(t, inside, "%q at %.0f to %.0f × %.0f to %.0f of %v", labels.Labels[i], left[i], right[i], bottom[i], top[i], area)
				for j := range i {
					overlapX := math.Min(right[i], right[j]) - math.Max(left[i], left[j])
					overlapY := math.Min(top[i], top[j]) - math.Max(bottom[i], bottom[j])
					assert.False(t, overlapX > 0.5 && overlapY > 0.5, "%q on %q by %.1f × %.1f", labels.Labels[i], labels.Labels[j], overlapX, overlapY)
				}
			}
		})
	}
}
