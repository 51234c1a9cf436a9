package picture

import (
	"image/color"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Curve is a number for each epoch.
type Curve struct {
	Label  string
	Values []float64
	Color  color.Color
	Level  bool // it is the same in all epochs, to compare with
}

// Curves draws what changes from epoch to epoch, and writes the picture.
func (p *Picture) Curves(path string, curves ...Curve) error {
	epochs := 2
	for _, c := range curves {
		points := make(plotter.XYs, len(c.Values))
		for i, y := range c.Values {
			points[i] = plotter.XY{X: float64(i + 1), Y: y}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return errors.Wrapf(err, "drawing %s", c.Label)
		}
		line.Color, line.Width = c.Color, vg.Points(2)
		if c.Level {
			line.Dashes = []vg.Length{vg.Points(5), vg.Points(4)}
		}
		p.Add(line)
		p.Explain(c.Label, line)
		if !c.Level {
			// After a single epoch there is no line yet.
			p.Add(&plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: c.Color, Radius: 2.5, Shape: draw.CircleGlyph{}}})
		}
		epochs = max(epochs, len(c.Values))
	}
	p.X.Min, p.X.Max = 1, float64(epochs)
	margin := 0.05 * (p.Y.Max - p.Y.Min)
	p.Y.Min, p.Y.Max = p.Y.Min-margin, p.Y.Max+margin
	p.X.Tick.Marker = Ticks{Whole: true}
	return p.Save(7*vg.Inch, 4.5*vg.Inch, path)
}
