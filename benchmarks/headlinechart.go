package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// headlineBar is a mean.
type headlineBar struct {
	peer           string
	threads, cases int
	mean           float64
}

// headline are the means of each peer over all cases but steps of a graph: two
// bars for each of three peers.
func (r *Report) headline(peers []string) []headlineBar {
	var all []headlineBar
	for _, name := range peers {
		for _, threads := range r.threads() {
			mean, n := geomean(r.of(notStep, threads), func(x Result) (float64, bool) { return x.ratioTo(name) })
			if n > 0 {
				all = append(all, headlineBar{name, threads, n, mean})
			}
		}
	}
	return all
}

// In points.
const (
	headlineNames = 200 // with room for a wider font
	headlineWidth = 300 // of the longest bar
	headlineHead  = 50
	headlineStep  = 19 // from bar to bar
	headlineFoot  = 24
)

// drawHeadline draws the bars, from 0 on: their lengths are the times.
func drawHeadline(r *Report, peers []string, file string) error {
	bars := r.headline(peers)
	longest := 1.0
	for _, b := range bars {
		longest = max(longest, b.mean)
	}
	p := picture{
		width:  headlineNames + headlineWidth + 50,
		height: vg.Length(headlineHead + headlineStep*len(bars) + headlineFoot),
	}
	x := func(ratio float64) vg.Length { return headlineNames + headlineWidth*vg.Length(ratio/longest) }
	p.draw = func(c draw.Canvas) {
		c.SetColor(color.White)
		c.Fill(c.Rectangle.Path())
		c.FillText(sans(12, -0.5, -0.5), vg.Point{X: c.Center().X, Y: c.Max.Y - 14},
			"Time of the others, as a multiple of gather's")
		c.FillText(sans(9, -0.5, -0.5), vg.Point{X: c.Center().X, Y: c.Max.Y - 32},
			"geometric mean over all cases that both have; the line is gather's time")
		top := c.Max.Y - headlineHead
		for i, b := range bars {
			y := top - headlineStep*(vg.Length(i)+0.5)
			c.FillText(sans(10, -1, -0.5), vg.Point{X: headlineNames - 24, Y: y}, b.label())
			c.SetColor(colours[b.peer])
			bar := vg.Rectangle{Min: vg.Point{X: x(0), Y: y - 6}, Max: vg.Point{X: x(b.mean), Y: y + 6}}
			c.Fill(bar.Path())
			c.FillText(sans(10, 0, -0.5), vg.Point{X: x(b.mean) + 5, Y: y}, fmt.Sprintf("%.1f×", b.mean))
		}
		bottom := top - headlineStep*vg.Length(len(bars))
		c.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 1}, x(1), bottom-3, x(1), top+3)
		c.FillText(sans(9, -0.5, -1), vg.Point{X: x(1), Y: bottom - 5}, "1×")
	}
	return p.save(file)
}

func (b headlineBar) label() string { return fmt.Sprintf("%s, %s", b.peer, threadText(b.threads)) }

func threadText(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}
