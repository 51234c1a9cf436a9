package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gorgonia.org/gather/internal/examples/picture"
)

// A confusion is the share of a language's held-out names that are taken for each
// language: share[truth][guess].
type confusion [][]float64

func newConfusion(names []name, guesses []int) confusion {
	c := make(confusion, len(languages))
	count := make([]float64, len(languages))
	for l := range c {
		c[l] = make([]float64, len(languages))
	}
	for i, n := range names {
		c[n.language][guesses[i]]++
		count[n.language]++
	}
	for l, row := range c {
		for g := range row {
			row[g] /= max(count[l], 1)
		}
	}
	return c
}

// Plot draws a field for each pair of languages, the darker the more names there
// are, with their percentage in it. The first language is at the top.
func (c confusion) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	for truth, row := range c {
		for guess, share := range row {
			left, right := x(float64(guess)-0.5), x(float64(guess)+0.5)
			low, high := y(-float64(truth)-0.5), y(-float64(truth)+0.5)
			canvas.FillPolygon(shade(share, truth == guess), []vg.Point{{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high}, {X: left, Y: high}})
			if share < 0.005 {
				continue
			}
			text := color.Color(color.Black)
			if share > 0.55 {
				text = color.White
			}
			canvas.FillText(picture.Text(9, text), vg.Point{X: (left + right) / 2, Y: (low + high) / 2}, fmt.Sprintf("%.0f", 100*share))
		}
	}
}

// shade is white for nothing, and blue for all that is right, or orange for what
// is mistaken.
func shade(share float64, right bool) color.Color {
	full := picture.Orange
	if right {
		full = picture.Blue
	}
	mix := func(c uint8) uint8 { return uint8(255 - share*(255-float64(c))) }
	return color.RGBA{mix(full.R), mix(full.G), mix(full.B), 255}
}

func drawConfusion(path string, r *result) error {
	p := picture.New("Which language is this name?",
		fmt.Sprintf("Held-out names of each language (row) by guess (column), in percent, after %d epochs.", r.epochs),
		"guess", "language")
	p.Add(newConfusion(r.held, r.after))
	var columns, lines plot.ConstantTicks
	for l, code := range languages {
		columns = append(columns, plot.Tick{Value: float64(l), Label: code})
		lines = append(lines, plot.Tick{Value: -float64(l), Label: code})
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = columns, lines
	p.X.Min, p.X.Max = -0.5, float64(len(languages))-0.5
	p.Y.Min, p.Y.Max = 0.5-float64(len(languages)), 0.5
	return p.Save(7*vg.Inch, 6.5*vg.Inch, path)
}

var _ plot.Plotter = confusion{}
