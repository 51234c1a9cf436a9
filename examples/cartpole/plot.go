package main

import (
	"fmt"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gorgonia.org/gather/internal/examples/picture"
)

// plotReturns draws the return of each episode as a dot, the average as a line
// among them, and the level that solves the problem.
func plotReturns(path string, h *history) error {
	p := picture.New("Learning to balance a pole on a cart", sentence(h.verdict()),
		"episode", "return (pushes until the fall)")
	p.X.Min, p.X.Max = 0, float64(max(len(h.returns), 20))
	p.X.Tick.Marker = picture.Ticks{Whole: true}
	p.Y.Min, p.Y.Max = 0, longest+10

	dots, err := plotter.NewScatter(points(h.returns))
	if err != nil {
		return errors.Wrap(err, "drawing the returns")
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: picture.Blue, Radius: vg.Points(1.5), Shape: draw.CircleGlyph{}}
	average, err := plotter.NewLine(points(h.averages))
	if err != nil {
		return errors.Wrap(err, "drawing the average return")
	}
	average.Color, average.Width = picture.Orange, vg.Points(2)
	level, err := plotter.NewLine(plotter.XYs{{X: p.X.Min, Y: enough}, {X: p.X.Max, Y: enough}})
	if err != nil {
		return errors.Wrap(err, "drawing the level to reach")
	}
	level.Color, level.Dashes = picture.Grey, []vg.Length{vg.Points(5), vg.Points(4)}

	p.Add(level, dots, average)
	p.Explain("one episode", dots)
	p.Explain(fmt.Sprintf("average of the last %d, or of all so far", inARow), average)
	p.Explain(fmt.Sprintf("solved at %d", enough), level)
	return p.Save(7*vg.Inch, 4.5*vg.Inch, path)
}

// sentence begins with a capital and ends with a stop.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }

// points gives the values the places 1, 2, 3 and so on.
func points(values []float64) plotter.XYs {
	p := make(plotter.XYs, len(values))
	for i, v := range values {
		p[i] = plotter.XY{X: float64(i + 1), Y: v}
	}
	return p
}
