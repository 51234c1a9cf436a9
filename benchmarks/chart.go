package main

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// colours can be told apart by readers who see red and green alike, too
// (M. Okabe and K. Ito, Color Universal Design, 2008).
var colours = map[string]color.Color{
	Ours:        color.RGBA{0x00, 0x72, 0xb2, 0xff},
	ONNXRuntime: color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	PyTorch:     color.RGBA{0x00, 0x9e, 0x73, 0xff},
	OpenVINO:    color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	ByIndices:   color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	Gonnx:       color.RGBA{0x66, 0x66, 0x66, 0xff},
}

var grid = color.Gray{0xe0}

// sans is drawn by plot's own copy of the Liberation fonts, so that the picture
// looks alike on machines with other fonts, or none.
func sans(points vg.Length, x, y float64) draw.TextStyle {
	return draw.TextStyle{
		Color: color.Black, Handler: plot.DefaultTextHandler,
		Font:   font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, points),
		XAlign: draw.XAlignment(x), YAlign: draw.YAlignment(y),
	}
}

// picture is something that can be drawn in any format.
type picture struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

// save writes file, which ends in .svg, and the same as PNG.
func (p picture) save(file string) error {
	vector := vgsvg.New(p.width, p.height)
	p.draw(draw.NewCanvas(vector, p.width, p.height))
	var text bytes.Buffer
	if _, err := vector.WriteTo(&text); err != nil {
		return errors.Wrap(err, "picture")
	}
	// A browser that lacks the font would take one with serifs.
	wide := strings.NewReplacer("font-family:Liberation Sans", "font-family:Liberation Sans,Arial,Helvetica,sans-serif")
	if err := writePicture(file, strings.NewReader(wide.Replace(text.String())).WriteTo); err != nil {
		return err
	}
	pixels := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(130))}
	p.draw(draw.NewCanvas(pixels, p.width, p.height))
	return writePicture(strings.TrimSuffix(file, ".svg")+".png", pixels.WriteTo)
}

// chart measures, in points.
const (
	chartNames   = 215 // the names of the cases
	chartPanel   = 290 // the bars of one number of threads
	chartGap     = 35
	chartHead    = 62
	chartBar     = 6
	chartBetween = 7  // cases
	chartTitle   = 18 // the name of a group
	chartFoot    = 24
)

// mostRatio is where the axis ends. Longer bars are cut off there, with their
// number beside them: few cases would else make all others short.
const mostRatio = 32

// drawChart draws how many times as long as ours each peer takes: bars to the
// right of 1 are slower. ByIndices and gonnx are left to the table, they would
// be cut off nearly everywhere.
func drawChart(r *Report, file string) error {
	var peers []string
	for _, name := range []string{ONNXRuntime, PyTorch, OpenVINO} {
		for _, g := range groups {
			if slices.Contains(r.names(g), name) && !slices.Contains(peers, name) {
				peers = append(peers, name)
			}
		}
	}
	if len(peers) == 0 {
		return errors.New("chart: no peer was measured")
	}
	c := chart{report: r, peers: peers, step: vg.Length(chartBar*len(peers) + chartBetween), axis: r.ratioAxis(peers)}
	height := vg.Length(chartHead + chartFoot)
	for _, g := range groups {
		if rows := r.cases(g); len(rows) > 0 {
			height += chartTitle + c.step*vg.Length(len(rows))
		}
	}
	width := vg.Length(chartNames + len(r.threads())*(chartPanel+chartGap))
	return picture{width, height, c.draw}.save(file)
}

// chart is what the parts of the drawing have in common.
type chart struct {
	report *Report
	peers  []string
	step   vg.Length // from case to case
	axis   logAxis
}

func (h chart) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c.FillText(sans(14, -0.5, -0.5), vg.Point{X: c.Center().X, Y: c.Max.Y - 15},
		"Time of each peer, as a multiple of gather's")
	drawLegend(c, h.peers, vg.Point{X: chartNames, Y: c.Max.Y - 35})
	for i, threads := range h.report.threads() {
		title := "1 thread"
		if threads > 1 {
			title = fmt.Sprintf("%d threads", threads)
		}
		h.axis.draw(c, h.x(i), c.Max.Y-chartHead, chartFoot, title)
	}
	y := c.Max.Y - chartHead
	for _, g := range groups {
		rows := h.report.cases(g)
		if len(rows) == 0 {
			continue
		}
		c.FillText(sans(10, 0, -0.5), vg.Point{X: 8, Y: y - chartTitle/2}, strings.ToUpper(g[:1])+g[1:])
		y -= chartTitle
		for _, row := range rows {
			c.FillText(sans(9, -1, -0.5), vg.Point{X: chartNames - 8, Y: y - h.step/2}, row[0].Name)
			for i, threads := range h.report.threads() {
				h.bars(c, h.x(i), y-chartBetween/2, row, threads)
			}
			y -= h.step
		}
	}
}

// x is where ratios stand in a panel.
func (h chart) x(panel int) func(float64) vg.Length {
	left := vg.Length(chartNames + panel*(chartPanel+chartGap))
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

// ratioAxis holds the ratios of the peers, and 1.
func (r *Report) ratioAxis(peers []string) logAxis {
	low, high := 0.5, 2.0
	for _, x := range r.Results {
		for _, name := range peers {
			if ratio, ok := x.ratioTo(name); ok {
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
	}
	middle := (x(math.Exp2(float64(a.low))) + x(math.Exp2(float64(a.high)))) / 2
	c.FillText(sans(11, -0.5, 0), vg.Point{X: middle, Y: top + 5}, title)
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

func writePicture(file string, write func(io.Writer) (int64, error)) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return errors.Wrap(err, "picture")
	}
	defer func() {
		// The last bytes may be written, and may fail, only here.
		if e := f.Close(); err == nil {
			err = errors.Wrap(e, "picture")
		}
	}()
	_, err = write(f)
	return errors.Wrap(err, "picture")
}
