package main

import (
	"image/color"
	"strconv"

	"github.com/pkg/errors"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"gorgonia.org/gather/examples/internal/picture"
)

// plotLoss draws the history, with the baseline as a level to get below.
func plotLoss(path string, h *history, baseline float64) error {
	p := picture.New("Guessing the next character of a name", "epoch", "loss, bits per character")
	epochs := len(h.train)
	for _, curve := range []struct {
		label  string
		values []float64
		color  color.Color
		dashes []vg.Length
	}{
		{"training names (mean over the epoch)", h.train, picture.Blue, nil},
		{"held-out names", h.held, picture.Orange, nil},
		{"bigram counts, held-out names", level(baseline, epochs), picture.Grey, []vg.Length{vg.Points(5), vg.Points(4)}},
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
		p.Legend.Add(curve.label, line)
	}
	p.X.Min, p.X.Max = 1, float64(max(epochs, 2))
	p.Y.Max += 0.3 * (p.Y.Max - p.Y.Min) // room for the legend
	p.X.Tick.Marker = wholeTicks{}
	return picture.Save(p, 7*vg.Inch, 4.5*vg.Inch, path)
}

// level is the same value n times, and at least twice: one point is no line.
func level(value float64, n int) []float64 {
	values := make([]float64, max(n, 2))
	for i := range values {
		values[i] = value
	}
	return values
}

// wholeTicks marks whole numbers only, as there is no epoch 2.5, and not more
// of them than can be read.
type wholeTicks struct{}

func (wholeTicks) Ticks(least, most float64) []plot.Tick {
	step := 1
	for _, factor := range []int{2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if (most-least)/float64(step) > 20 {
			step = factor
		}
	}
	var ticks []plot.Tick
	for v := (int(least) + step - 1) / step * step; float64(v) <= most; v += step {
		ticks = append(ticks, plot.Tick{Value: float64(v), Label: strconv.Itoa(v)})
	}
	return ticks
}
