package main

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
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
	if err := writePicture(file, vector.WriteTo); err != nil {
		return err
	}
	pixels := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(130))}
	p.draw(draw.NewCanvas(pixels, p.width, p.height))
	return writePicture(strings.TrimSuffix(file, ".svg")+".png", pixels.WriteTo)
}

// chart measures, in points.
const (
	chartNames   = 205 // the names of the cases
	chartPanel   = 300 // the bars of one number of threads
	chartGap     = 25
	chartHead    = 62
	chartBar     = 6
	chartBetween = 7 // cases
	chartFoot    = 30
)

// drawChart draws how many times as long as ours each peer takes: bars to the
// right of 1 are slower. ByIndices and gonnx are left to the table, they would
// need ten times the room.
func drawChart(r *Report, file string) error {
	var peers []string
	for _, name := range []string{ONNXRuntime, PyTorch, OpenVINO} {
		for _, g := range groups {
			if contains(r.names(g), name) && !contains(peers, name) {
				peers = append(peers, name)
			}
		}
	}
	var rows [][]Result
	for _, g := range groups {
		rows = append(rows, r.cases(g)...)
	}
	if len(peers) == 0 || len(rows) == 0 {
		return errors.New("chart: no peer was measured")
	}
	step := vg.Length(chartBar*len(peers) + chartBetween)
	panels := r.threads()
	p := picture{
		width:  vg.Length(chartNames + len(panels)*(chartPanel+chartGap)),
		height: chartHead + step*vg.Length(len(rows)) + chartFoot,
	}
	axis := ratioAxis(rows, peers)
	p.draw = func(c draw.Canvas) {
		c.SetColor(color.White)
		c.Fill(c.Rectangle.Path())
		top := c.Max.Y - chartHead
		bottom := top - step*vg.Length(len(rows))
		c.FillText(sans(14, -0.5, -0.5), vg.Point{X: c.Center().X, Y: c.Max.Y - 15},
			"Time of each peer, as a multiple of gather's")
		drawLegend(c, peers, vg.Point{X: chartNames, Y: c.Max.Y - 35})
		for i, row := range rows {
			y := top - step*(vg.Length(i)+0.5)
			c.FillText(sans(9, -1, -0.5), vg.Point{X: c.Min.X + chartNames - 8, Y: y}, row[0].Name)
		}
		for i, threads := range panels {
			left := vg.Length(chartNames + i*(chartPanel+chartGap))
			x := func(ratio float64) vg.Length { return left + chartPanel*vg.Length(axis.at(ratio)) }
			axis.draw(c, x, top, bottom, fmt.Sprintf("threads %d", threads))
			for j, row := range rows {
				y := top - step*vg.Length(j) - chartBetween/2
				for k, name := range peers {
					ratio, ok := ratioAt(row, threads, name)
					if !ok {
						continue
					}
					bar := vg.Rectangle{
						Min: vg.Point{X: min(x(1), x(ratio)), Y: y - chartBar*vg.Length(k+1)},
						Max: vg.Point{X: max(x(1), x(ratio)), Y: y - chartBar*vg.Length(k)},
					}
					c.SetColor(colours[name])
					c.Fill(bar.Path())
				}
			}
		}
	}
	return p.save(file)
}

func contains(some []string, name string) bool {
	for _, s := range some {
		if s == name {
			return true
		}
	}
	return false
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

// ratioAxis holds all ratios, and 1.
func ratioAxis(rows [][]Result, peers []string) logAxis {
	low, high := 1.0, 2.0
	for _, row := range rows {
		for _, x := range row {
			for _, name := range peers {
				if ratio, ok := x.ratioTo(name); ok {
					low, high = min(low, ratio), max(high, ratio)
				}
			}
		}
	}
	return logAxis{int(math.Floor(math.Log2(low))), int(math.Ceil(math.Log2(high)))}
}

// at is where on the axis a value stands, from 0 to 1.
func (a logAxis) at(value float64) float64 {
	return (math.Log2(value) - float64(a.low)) / float64(a.high-a.low)
}

func (a logAxis) draw(c draw.Canvas, x func(float64) vg.Length, top, bottom vg.Length, title string) {
	for e := a.low; e <= a.high; e++ {
		at := x(math.Exp2(float64(e)))
		line := draw.LineStyle{Color: grid, Width: 0.5}
		if e == 0 {
			line = draw.LineStyle{Color: color.Black, Width: 1}
		}
		c.StrokeLine2(line, at, bottom, at, top)
		c.FillText(sans(9, -0.5, -1), vg.Point{X: at, Y: bottom - 4}, fmt.Sprintf("%g×", math.Exp2(float64(e))))
	}
	c.FillText(sans(11, -0.5, 0), vg.Point{X: (x(math.Exp2(float64(a.low))) + x(math.Exp2(float64(a.high)))) / 2, Y: top + 5}, title)
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
