package main

import (
	"image/color"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gorgonia.org/gather/internal/examples/picture"
)

// plotLoss draws the history, with the baseline as a level to get below.
func plotLoss(path string, h *history, baseline float64) error {
	p := picture.New("Guessing the next character of a name",
		"Lower is better. The loss on training names is the mean over the epoch, the other is taken after it.",
		"epoch", "loss, bits per character")
	epochs := len(h.train)
	for _, curve := range []struct {
		label  string
		values []float64
		color  color.Color
		dashes []vg.Length
	}{
		{"training names", h.train, picture.Blue, nil},
		{"held-out names", h.held, picture.Orange, nil},
		{"held-out names, by counting pairs", level(baseline, epochs), picture.Grey, []vg.Length{vg.Points(5), vg.Points(4)}},
	} {
		points := make(plotter.XYs, len(curve.values))
		for i, bits := range curve.values {
			points[i] = plotter.XY{X: float64(i + 1), Y: bits}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return errors.Wrap(err, "drawing the loss")
		}
		line.Color, line.Width, line.Dashes = curve.color, vg.Points(2), curve.dashes
		p.Add(line)
		p.Explain(curve.label, line)
		if curve.dashes == nil {
			// After a single epoch there is no line yet.
			p.Add(&plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: curve.color, Radius: 2.5, Shape: draw.CircleGlyph{}}})
		}
	}
	p.X.Min, p.X.Max = 1, float64(max(epochs, 2))
	margin := 0.05 * (p.Y.Max - p.Y.Min)
	p.Y.Min, p.Y.Max = p.Y.Min-margin, p.Y.Max+margin
	p.X.Tick.Marker = picture.Ticks{Whole: true}
	return p.Save(7*vg.Inch, 4.5*vg.Inch, path)
}

// level is the same value n times, and at least twice: one point is no line.
func level(value float64, n int) []float64 {
	values := make([]float64, max(n, 2))
	for i := range values {
		values[i] = value
	}
	return values
}
