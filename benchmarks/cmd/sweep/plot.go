package main

import (
	"image/color"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// colours can be told apart by readers who see red and green alike, too
// (M. Okabe and K. Ito, Color Universal Design, 2008).
var colours = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x66, 0x66, 0x66, 0xff},
}

// The ratios that the picture has; others are drawn at its edge.
const least, most = 1.0 / 16, 8

// draw draws what share of the calls is up to each ratio, of the comparisons that have
// limits: the first report with solid lines, the others with dashes.
func draw(all []*Report, file string) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.Title.Text = "Random calls: time of ours / time of the other"
	p.X.Label.Text, p.Y.Label.Text = "ratio of times: below 1 ours is faster", "share of the calls up to that ratio, in %"
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = vg.Points(8), vg.Points(4), vg.Points(4)
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = plot.ConstantTicks{
		{Value: 1.0 / 16, Label: "1/16"}, {Value: 1.0 / 8, Label: "1/8"}, {Value: 1.0 / 4, Label: "1/4"}, {Value: 1.0 / 2, Label: "1/2"},
		{Value: 1, Label: "1"}, {Value: 1.25, Label: "1.25"}, {Value: 2, Label: "2"}, {Value: 4, Label: "4"}, {Value: 8, Label: "8"},
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding, p.Legend.XOffs, p.Legend.TextStyle.Font.Size = vg.Points(3), vg.Points(8), vg.Points(9)
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 25, Label: "25"}, {Value: 50, Label: "50"}, {Value: 75, Label: "75"}, {Value: 100, Label: "100"}}
	p.Add(plotter.NewGrid())
	lines := 0
	for i, r := range all {
		for j, c := range comparisons {
			ratios := c.firstRatios(c.counted(r.Results))
			if len(ratios) == 0 || len(c.limits) == 0 {
				continue
			}
			line, err := plotter.NewLine(distribution(ratios))
			if err != nil {
				return errors.WithStack(err)
			}
			line.Color, line.Width = colours[j%len(colours)], vg.Points(1.5)
			title := c.title
			if i > 0 {
				line.Dashes = []vg.Length{vg.Points(float64(5 - i)), vg.Points(3)}
				_, tags, _ := strings.Cut(r.Build, "-tags ")
				title += ", " + tags
			}
			p.Add(line)
			p.Legend.Add(title, line)
			lines++
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = least, most, 0, 100+5*float64(lines) // room for the legend
	return errors.WithStack(p.Save(8*vg.Inch, 6*vg.Inch, file))
}

// distribution is a step at each of the sorted ratios.
func distribution(ratios []float64) (points plotter.XYs) {
	for i, x := range ratios {
		x = max(least, min(most, x))
		for _, n := range []int{i, i + 1} {
			points = append(points, plotter.XY{X: x, Y: 100 * float64(n) / float64(len(ratios))})
		}
	}
	return points
}
