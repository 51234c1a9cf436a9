package main

import (
	"fmt"
	"image/color"
	"io"
	"strings"

	"github.com/pkg/errors"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/palette/brewer"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"gorgonia.org/gather/internal/files"
)

// mostDrawn is how many sentences a picture shows. More would be smaller than a
// pixel, and take long to put in order.
const mostDrawn = 300

// The measures of the picture.
const (
	margin     = vg.Length(24)
	largeCell  = vg.Length(15)  // of a few sentences
	matrixSide = vg.Length(800) // of many
	readable   = vg.Length(8)   // smaller cells have no texts beside them, and no gaps
	labelRunes = 64
)

var (
	ink  = color.Gray{0x22}
	grey = color.Gray{0x77}
	pale = color.Gray{0xe6} // the diagonal, which says nothing
)

// scale are the colours of similarities from 0 to 1: ColorBrewer's YlGnBu, whose
// lightness falls all the way, so that readers who see no colours see the same.
var scale = func() []color.Color {
	p, err := brewer.GetPalette(brewer.TypeSequential, "YlGnBu", 9)
	if err != nil {
		panic(err) // one of the package's own
	}
	return p.Colors()
}()

// colourOf is the colour of a similarity; one below 0 is drawn as 0.
func colourOf(x float64) color.Color {
	at := min(max(x, 0), 1) * float64(len(scale)-1)
	i := min(int(at), len(scale)-2)
	share := at - float64(i)
	r0, g0, b0, _ := scale[i].RGBA()
	r1, g1, b1, _ := scale[i+1].RGBA()
	mix := func(a, b uint32) uint8 { return uint8((float64(a)*(1-share) + float64(b)*share) / 0x101) }
	return color.NRGBA{mix(r0, r1), mix(g0, g1), mix(b0, b1), 0xff}
}

// sans is plot's own copy of the Liberation fonts: pictures look alike on all
// machines.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

func style(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.From(sans, size), Handler: plot.DefaultTextHandler, YAlign: text.YCenter}
}

// drawable is the beginning of a text in one line, with a box for each character
// that the font has not.
func drawable(s string) string {
	face := font.DefaultCache.Lookup(sans, 10).Face
	var buffer sfnt.Buffer
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == labelRunes {
			return strings.TrimRight(b.String(), " ") + "…"
		}
		if glyph, err := face.GlyphIndex(&buffer, r); err != nil || glyph == 0 {
			r = '□'
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// drawSimilarity draws the matrix of all similarities, like sentences next to each
// other, and above it how much each is like the query, if there is one.
func drawSimilarity(path string, all []*sentence, query *sentence) error {
	headline := fmt.Sprintf("How alike %d sentences are", len(all))
	if len(all) > mostDrawn {
		headline = fmt.Sprintf("How alike the first %d of %d sentences are", mostDrawn, len(all))
		all = all[:mostDrawn]
	}
	const remark = "cosine of the vectors of paraphrase-MiniLM-L3-v2, computed by gonnx; like sentences next to each other"
	title, small := style(17, ink), style(10, grey)

	p := newPicture(all, query)
	const head, bar = vg.Length(58), vg.Length(64) // the lines above the matrix, and the colours right of it
	strip := vg.Length(0)
	if query != nil {
		strip = max(p.cell, 12) + 8
	}
	width := margin + max(p.labels+p.side+bar, title.Width(headline), small.Width(remark)) + margin
	height := head + strip + max(p.side, 120) + margin
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(144))}
	p.canvas = draw.NewCanvas(canvas, width, height)
	p.canvas.FillText(title, vg.Point{X: margin, Y: height - 28}, headline)
	p.canvas.FillText(small, vg.Point{X: margin, Y: height - 47}, remark)

	corner := vg.Point{X: margin + p.labels, Y: height - head} // upper left
	if query != nil {
		p.drawQuery(corner, strip-8, query)
		corner.Y -= strip
	}
	p.drawMatrix(corner)
	p.drawScale(vg.Point{X: corner.X + p.side + 18, Y: corner.Y}, max(min(p.side, 240), 100))
	return save(canvas, path)
}

// A picture is one under way.
type picture struct {
	canvas       draw.Canvas
	all          []*sentence
	order        []int
	matrix       [][]float64
	cell, gap    vg.Length
	side, labels vg.Length // of the matrix, and of the texts left of it
	texts, asked text.Style
}

func newPicture(all []*sentence, query *sentence) *picture {
	p := &picture{all: all, matrix: similarities(all)}
	p.order = likeNextToLike(p.matrix)
	p.cell = min(largeCell, matrixSide/vg.Length(len(all)))
	p.side = p.cell * vg.Length(len(all))
	p.texts = style(min(p.cell*0.72, 10), ink)
	p.texts.XAlign = text.XRight
	p.asked = style(max(p.texts.Font.Size, 9), ink)
	p.asked.Font.Weight = xfont.WeightBold
	p.asked.XAlign = text.XRight
	if p.cell >= readable {
		p.gap = p.cell / 14
		for _, s := range all {
			p.labels = max(p.labels, p.texts.Width(drawable(s.text))+8)
		}
	}
	if query != nil {
		p.labels = max(p.labels, p.asked.Width(drawable(query.text))+8)
	}
	return p
}

// square fills a rectangle whose upper left corner is at x, y.
func (p *picture) square(x, y, width, height vg.Length, of color.Color) {
	p.canvas.FillPolygon(of, []vg.Point{{X: x, Y: y}, {X: x + width, Y: y}, {X: x + width, Y: y - height}, {X: x, Y: y - height}})
}

// drawQuery draws a row with the similarity of each sentence to the query.
func (p *picture) drawQuery(at vg.Point, height vg.Length, query *sentence) {
	for column, i := range p.order {
		p.square(at.X+vg.Length(column)*p.cell, at.Y, p.cell-p.gap, height, colourOf(cosine(query.vector, p.all[i].vector)))
	}
	p.canvas.FillText(p.asked, vg.Point{X: at.X - 6, Y: at.Y - height/2}, drawable(query.text))
}

func (p *picture) drawMatrix(at vg.Point) {
	for row, i := range p.order {
		y := at.Y - vg.Length(row)*p.cell
		for column, j := range p.order {
			of := colourOf(p.matrix[i][j])
			if i == j {
				of = pale
			}
			p.square(at.X+vg.Length(column)*p.cell, y, p.cell-p.gap, p.cell-p.gap, of)
		}
		if p.cell >= readable {
			p.canvas.FillText(p.texts, vg.Point{X: at.X - 6, Y: y - p.cell/2}, drawable(p.all[i].text))
		}
	}
}

// drawScale draws which colour stands for which similarity.
func (p *picture) drawScale(at vg.Point, height vg.Length) {
	const steps, ticks = 100, 4
	for i := range steps {
		h := height / steps
		p.square(at.X, at.Y-vg.Length(i)*h, 12, h*1.2, colourOf(1-(float64(i)+0.5)/steps))
	}
	numbers := style(9, grey)
	for i := range ticks + 1 {
		p.canvas.FillText(numbers, vg.Point{X: at.X + 17, Y: at.Y - vg.Length(i)*height/ticks}, fmt.Sprintf("%.2f", 1-float64(i)/ticks))
	}
}

func save(canvas vgimg.PngCanvas, path string) error {
	err := files.Replace(path, func(w io.Writer) error {
		_, err := canvas.WriteTo(w)
		return errors.WithStack(err)
	})
	return errors.Wrap(err, "cannot save the picture")
}
