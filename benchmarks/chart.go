package main

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// chart measures, in points.
const (
	chartPanel   = 290 // the bars of one number of threads
	chartGap     = 48
	chartHead    = 72
	chartBar     = 6
	chartBetween = 7 // cases
	chartFoot    = 24
)

// caseStyle is that of the names of cases.
var caseStyle = sans(9, -1, -0.5)

// mostRatio is where the axis ends. Longer bars are cut off there, with their
// number beside them: few cases would else make all others short.
const mostRatio = 32

// chartPeers are those that have bars. ByIndices and gonnx are left to the
// table, they would be cut off nearly everywhere.
var chartPeers = []string{ONNXRuntime, PyTorch, OpenVINO}

// drawCharts draws the means into file, and a chart of each group beside it:
// that of gathers is benchmarks-gathers.svg where file is benchmarks.svg.
func drawCharts(r *Report, file string) error {
	all := false
	for _, g := range groups {
		peers := r.peers(g)
		if len(peers) == 0 {
			continue
		}
		all = true
		name := strings.TrimSuffix(file, ".svg") + "-" + strings.ReplaceAll(g, " ", "-") + ".svg"
		if err := drawChart(r, g, peers, name); err != nil {
			return err
		}
	}
	if !all {
		return errors.New("chart: no peer was measured")
	}
	return drawHeadline(r, chartPeers, file)
}

// peers are those of chartPeers that have times in a group.
func (r *Report) peers(group string) []string {
	var some []string
	for _, name := range chartPeers {
		if slices.Contains(r.names(group), name) {
			some = append(some, name)
		}
	}
	return some
}

// drawChart draws how many times as long as ours each peer takes: bars to the
// right of 1 are slower.
func drawChart(r *Report, group string, peers []string, file string) error {
	c := chart{report: r, group: group, peers: peers, step: vg.Length(chartBar*len(peers) + chartBetween), axis: r.ratioAxis(group, peers)}
	for _, row := range r.cases(group) {
		// A browser may take a wider font.
		c.names = max(c.names, 1.15*caseStyle.Width(row[0].Name)+24)
	}
	height := chartHead + chartFoot + c.step*vg.Length(len(r.cases(group)))
	width := c.names + vg.Length(len(r.threads())*(chartPanel+chartGap))
	return picture{width, height, c.draw}.save(file)
}

// chart is what the parts of the drawing have in common.
type chart struct {
	report *Report
	group  string
	peers  []string
	names  vg.Length // the width of the names of the cases
	step   vg.Length // from case to case
	axis   logAxis
}

func (h chart) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c.FillText(sans(14, -0.5, -0.5), vg.Point{X: c.Center().X, Y: c.Max.Y - 15},
		capital(h.group)+": time of each peer, as a multiple of gather's")
	drawLegend(c, h.peers, vg.Point{X: h.names, Y: c.Max.Y - 35})
	for i, threads := range h.report.threads() {
		h.axis.draw(c, h.x(i), c.Max.Y-chartHead, chartFoot, threadText(threads))
	}
	y := c.Max.Y - chartHead
	for _, row := range h.report.cases(h.group) {
		c.FillText(caseStyle, vg.Point{X: h.names - 16, Y: y - h.step/2}, row[0].Name)
		for i, threads := range h.report.threads() {
			h.bars(c, h.x(i), y-chartBetween/2, row, threads)
		}
		y -= h.step
	}
}

// x is where ratios stand in a panel.
func (h chart) x(panel int) func(float64) vg.Length {
	left := h.names + vg.Length(panel*(chartPanel+chartGap))
	return func(ratio float64) vg.Length { return left + chartPanel*vg.Length(h.axis.at(ratio)) }
}

// bars draws the peers of one case.
func (h chart) bars(c draw.Canvas, x func(float64) vg.Length, top vg.Length, row []Result, threads int) {
	for k, name := range h.peers {
		ratio, ok := ratioAt(row, threads, name)
		if !ok {
			continue
		}
		end := x(min(ratio, mostRatio))
		bar := vg.Rectangle{
			Min: vg.Point{X: min(x(1), end), Y: top - chartBar*vg.Length(k+1)},
			Max: vg.Point{X: max(x(1), end), Y: top - chartBar*vg.Length(k)},
		}
		c.SetColor(colours[name])
		c.Fill(bar.Path())
		if ratio > mostRatio {
			c.FillText(sans(7, 0, -0.5), vg.Point{X: end + 2, Y: (bar.Min.Y + bar.Max.Y) / 2}, fmt.Sprintf("%.0f×", ratio))
		}
	}
}

func ratioAt(row []Result, threads int, name string) (float64, bool) {
	for _, x := range row {
		if x.Threads == threads {
			return x.ratioTo(name)
		}
	}
	return 0, false
}

// logAxis is between two powers of two.
type logAxis struct{ low, high int }

// ratioAxis holds the ratios of the peers in a group, and 1.
func (r *Report) ratioAxis(group string, peers []string) logAxis {
	low, high := 0.5, 2.0
	for _, x := range r.Results {
		for _, name := range peers {
			if ratio, ok := x.ratioTo(name); ok && x.Group == group {
				low, high = min(low, ratio), max(high, ratio)
			}
		}
	}
	return logAxis{int(math.Floor(math.Log2(low))), int(math.Ceil(math.Log2(min(high, mostRatio))))}
}

// at is where on the axis a value stands, from 0 to 1.
func (a logAxis) at(value float64) float64 {
	return (math.Log2(value) - float64(a.low)) / float64(a.high-a.low)
}

func (a logAxis) draw(c draw.Canvas, x func(float64) vg.Length, top, bottom vg.Length, title string) {
	for e := a.low; e <= a.high; e++ {
		at := x(math.Exp2(float64(e)))
		line, label := draw.LineStyle{Color: grid, Width: 0.5}, fmt.Sprintf("%d×", 1<<max(e, 0))
		switch {
		case e == 0:
			line = draw.LineStyle{Color: color.Black, Width: 1}
		case e < 0:
			label = fmt.Sprintf("1/%d×", 1<<-e)
		}
		c.StrokeLine2(line, at, bottom, at, top)
		c.FillText(sans(9, -0.5, -1), vg.Point{X: at, Y: bottom - 4}, label)
		c.FillText(sans(9, -0.5, 0), vg.Point{X: at, Y: top + 3}, label)
	}
	middle := (x(math.Exp2(float64(a.low))) + x(math.Exp2(float64(a.high)))) / 2
	c.FillText(sans(11, -0.5, 0), vg.Point{X: middle, Y: top + 16}, title)
}

func drawLegend(c draw.Canvas, names []string, at vg.Point) {
	for _, name := range names {
		c.SetColor(colours[name])
		square := vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - 4}, Max: vg.Point{X: at.X + 8, Y: at.Y + 4}}
		c.Fill(square.Path())
		style := sans(10, 0, -0.5)
		c.FillText(style, vg.Point{X: at.X + 12, Y: at.Y}, name)
		at.X += 12 + style.Width(name) + 18
	}
}
