package main

import (
	"strconv"

	"github.com/pkg/errors"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gorgonia.org/gather/examples/internal/picture"
)

// plotReturns draws the return of each episode as a dot, the average as a line
// among them, and the level that solves the problem.
func plotReturns(path string, h *history) error {
	p := picture.New("Balancing a pole on a cart", "episode", "return (pushes until the fall)")
	p.X.Min, p.X.Max = 0, float64(max(len(h.returns), 20))
	p.X.Tick.Marker = roundTicks(int(p.X.Max))
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
	p.Legend.Add("one episode", dots)
	p.Legend.Add("average of the last 100", average)
	p.Legend.Add("solved", level)
	p.Legend.Top, p.Legend.YOffs = false, vg.Points(4) // good returns leave room below
	return picture.Save(p, 7*vg.Inch, 4.5*vg.Inch, path)
}

// roundTicks marks up to ten round numbers: plot's own choice has decimals, and
// there is no half an episode.
func roundTicks(most int) plot.ConstantTicks {
	step := 5
	for factor := 2; most/step > 10; factor = 7 - factor { // 5, 10, 50, 100, 500 and so on
		step *= factor
	}
	var ticks plot.ConstantTicks
	for v := 0; v <= most; v += step {
		ticks = append(ticks, plot.Tick{Value: float64(v), Label: strconv.Itoa(v)})
	}
	return ticks
}

// points gives the values the places 1, 2, 3 and so on.
func points(values []float64) plotter.XYs {
	p := make(plotter.XYs, len(values))
	for i, v := range values {
		p[i] = plotter.XY{X: float64(i + 1), Y: v}
	}
	return p
}
