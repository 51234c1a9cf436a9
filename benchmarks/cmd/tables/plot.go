package main

import (
	"image/color"
	"strconv"

	"github.com/pkg/errors"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// drawRows draws the time of a step with one thread against the rows of the table.
func drawRows(r *report, file string) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.Title.Text = "A training step on 4096 rows of 64 numbers, one thread"
	p.X.Label.Text, p.Y.Label.Text = "rows of the table", "µs"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(powers), plot.TickerFunc(powers)
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = vg.Points(8), vg.Points(4), vg.Points(4)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding, p.Legend.XOffs, p.Legend.TextStyle.Font.Size = vg.Points(3), vg.Points(8), vg.Points(10)
	colors := map[string]color.Color{
		"SGD": color.RGBA{0x1b, 0x6c, 0xa8, 0xff}, "Adagrad": color.RGBA{0x2a, 0x8c, 0x4a, 0xff},
		"RowWiseAdagrad": color.RGBA{0x8a, 0x5a, 0xb0, 0xff}, "Adam": color.RGBA{0xc0, 0x39, 0x2b, 0xff},
	}
	drawn := false
	for _, name := range []string{pyTorch, gather} {
		for _, o := range optimizers {
			if name == pyTorch && o == "RowWiseAdagrad" {
				continue // it has none
			}
			var points plotter.XYs
			for _, x := range r.Results {
				c := x.Case
				seconds := x.Seconds[name]
				if (c.Group == "rows" || c.Group == "large") && c.Optimizer == o && !c.Zipf && c.Threads == 1 && seconds > 0 {
					points = append(points, plotter.XY{X: float64(c.Rows), Y: 1e6 * seconds})
				}
			}
			if len(points) == 0 {
				continue
			}
			line, dots, err := plotter.NewLinePoints(points)
			if err != nil {
				return errors.WithStack(err)
			}
			line.Color, dots.Color, line.Width = colors[o], colors[o], vg.Points(1.5)
			if name == pyTorch {
				line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
			}
			p.Add(line, dots)
			p.Legend.Add(name+", "+o, line, dots)
			drawn = true
		}
	}
	if !drawn {
		return errors.New("there are no points to draw: the groups rows and large have them")
	}
	p.Add(plotter.NewGrid())
	p.X.Max *= 2 // room for the last label
	p.Y.Max *= 8 // and for the legend
	return errors.WithStack(p.Save(7*vg.Inch, 5*vg.Inch, file))
}

// powers are the ticks of a logarithmic axis, with labels as people read them: 10 000.
func powers(least, most float64) []plot.Tick {
	ticks := plot.LogTicks{Prec: -1}.Ticks(least, most)
	for i, t := range ticks {
		if t.Label == "" {
			continue
		}
		text := strconv.FormatFloat(t.Value, 'f', -1, 64)
		for at := len(text) - 3; at > 0; at -= 3 {
			text = text[:at] + " " + text[at:]
		}
		ticks[i].Label = text
	}
	return ticks
}
