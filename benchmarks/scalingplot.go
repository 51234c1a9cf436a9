package main

import (
	"fmt"
	"image/color"
	"math"

	"github.com/pkg/errors"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawScaling draws a panel for each series: time per element against the bytes
// that a call touches, both on log scales, with the caches marked.
func drawScaling(r *Scaling, file string) error {
	var panels []*plot.Plot
	for _, s := range scales {
		p, err := scalingPanel(r, s.name)
		if err != nil {
			return err
		}
		if p != nil {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return errors.New("scaling: there are no points to draw")
	}
	rows := (len(panels) + 1) / 2
	pic := picture{width: 860, height: vg.Length(290*rows + 22)}
	pic.draw = func(c draw.Canvas) {
		c.SetColor(color.White)
		c.Fill(c.Rectangle.Path())
		tiles := draw.Tiles{Rows: rows, Cols: 2, PadX: 20, PadY: 14, PadTop: 32, PadBottom: 8, PadLeft: 8, PadRight: 14}
		scalingLegend(c, r.Points)
		for i, p := range panels {
			p.Draw(tiles.At(c, i%2, i/2))
		}
	}
	return pic.save(file)
}

// scalingPanel is nil where the series has no points.
func scalingPanel(r *Scaling, series string) (*plot.Plot, error) {
	lines := map[string]plotter.XYs{}
	var order []Point
	bounds := struct{ low, high, fast, slow float64 }{math.Inf(1), 0, math.Inf(1), 0}
	for _, p := range r.Points {
		if p.Series != series {
			continue
		}
		if len(lines[p.line()]) == 0 {
			order = append(order, p)
		}
		lines[p.line()] = append(lines[p.line()], plotter.XY{X: float64(p.Bytes), Y: p.Element})
		bounds.low, bounds.high = min(bounds.low, float64(p.Bytes)), max(bounds.high, float64(p.Bytes))
		bounds.fast, bounds.slow = min(bounds.fast, p.Element), max(bounds.slow, p.Element)
	}
	if len(order) == 0 {
		return nil, nil
	}
	plt := scalingAxes(series)
	plt.X.Min, plt.X.Max = bounds.low/1.5, bounds.high*1.5
	plt.Y.Min, plt.Y.Max = bounds.fast/1.3, bounds.slow*1.3
	plt.Add(plotter.NewGrid(), cacheMarks{r.Machine.Caches})
	for _, p := range order {
		line, err := plotter.NewLine(lines[p.line()])
		if err != nil {
			return nil, errors.Wrap(err, "scaling")
		}
		line.LineStyle = p.style()
		plt.Add(line)
	}
	return plt, nil
}

// line names the curve that the point is on.
func (p Point) line() string { return fmt.Sprintf("%s, threads %d", p.Runner, p.Threads) }

// style is that of its line: dashed for several threads.
func (p Point) style() draw.LineStyle {
	style := draw.LineStyle{Color: colours[p.Runner], Width: 1.5}
	if p.Threads > 1 {
		style.Dashes = []vg.Length{4, 2}
	}
	return style
}

// scalingLegend names the lines, which are the same in all panels.
func scalingLegend(c draw.Canvas, points []Point) {
	at := vg.Point{X: 50, Y: c.Max.Y - 16}
	named := map[string]bool{}
	for _, p := range points {
		if named[p.line()] {
			continue
		}
		named[p.line()] = true
		c.StrokeLine2(p.style(), at.X, at.Y, at.X+28, at.Y)
		text := sans(10, 0, -0.5)
		c.FillText(text, vg.Point{X: at.X + 33, Y: at.Y}, p.line())
		at.X += 33 + text.Width(p.line()) + 22
	}
}

func scalingAxes(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, "bytes touched by a call", "ns per element"
	p.Title.TextStyle = sans(12, -0.5, -1)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = sans(10, 0, 0).Font
		axis.Tick.Label.Font = sans(9, 0, 0).Font
		axis.Scale = plot.LogScale{}
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(byteTicks), plot.TickerFunc(timeTicks)
	return p
}

// byteTicks names every sixteenth power of two: 1 kB, 16 kB and so on.
func byteTicks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for n := 1; float64(n) <= high; n *= 16 {
		if float64(n) >= low {
			ticks = append(ticks, plot.Tick{Value: float64(n), Label: byteText(n)})
		}
	}
	return ticks
}

// timeTicks are 1, 2 and 5 times the powers of ten.
func timeTicks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			if v := digit * power; v >= low && v <= high {
				ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.3g", v)})
			}
		}
	}
	return ticks
}

// cacheMarks draws a line at the size of each cache.
type cacheMarks struct{ caches []Cache }

// Plot is a method of [plot.Plotter].
func (m cacheMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, cache := range m.caches {
		at := x(float64(cache.Bytes))
		if at < c.Min.X || at > c.Max.X {
			continue
		}
		line := draw.LineStyle{Color: color.Gray{0x88}, Width: 0.8, Dashes: []vg.Length{2, 2}}
		c.StrokeLine2(line, at, c.Min.Y, at, c.Max.Y)
		c.FillText(sans(8, -1, -1), vg.Point{X: at - 2, Y: c.Max.Y - 2}, fmt.Sprintf("L%d %s", cache.Level, byteText(cache.Bytes)))
	}
}
