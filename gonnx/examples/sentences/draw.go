package main

import (
	"fmt"
	"image/color"
	"os"
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
	matrix := similarities(all)
	order := likeNextToLike(matrix)

	cell := min(largeCell, matrixSide/vg.Length(len(all)))
	side := cell * vg.Length(len(all))
	small := style(min(cell*0.72, 10), ink)
	labels := vg.Length(0) // how wide the texts are
	if cell >= readable {
		for _, s := range all {
			labels = max(labels, small.Width(drawable(s.text)))
		}
		labels += 8
	}
	left := margin
	asked := style(max(small.Font.Size, 9), ink)
	asked.Font.Weight = xfont.WeightBold
	asked.XAlign = text.XRight
	if query != nil {
		labels = max(labels, asked.Width(drawable(query.text))+8)
	}
	top, strip := vg.Length(58), vg.Length(0)
	if query != nil {
		strip = max(cell, 12) + 8
	}
	const bar = vg.Length(64) // of colours, with its numbers
	title, remark := style(17, ink), style(10, grey)
	about := "cosine of the vectors of paraphrase-MiniLM-L3-v2, computed by gonnx; like sentences next to each other"
	width := max(left+labels+side+bar, left+title.Width(headline), left+remark.Width(about)) + margin
	height := top + strip + side + margin + max(0, 120-side)

	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(144))}
	c := draw.NewCanvas(canvas, width, height)
	c.FillText(title, vg.Point{X: left, Y: height - 28}, headline)
	c.FillText(remark, vg.Point{X: left, Y: height - 47}, about)

	x0, y0 := left+labels, height-top // the upper left corner
	gap := cell / 14
	if cell < readable {
		gap = 0
	}
	square := func(x, y, w, h vg.Length, of color.Color) {
		c.FillPolygon(of, []vg.Point{{X: x, Y: y}, {X: x + w, Y: y}, {X: x + w, Y: y - h}, {X: x, Y: y - h}})
	}
	if query != nil {
		h := strip - 8
		for column, i := range order {
			square(x0+vg.Length(column)*cell, y0, cell-gap, h, colourOf(cosine(query.vector, all[i].vector)))
		}
		c.FillText(asked, vg.Point{X: x0 - 6, Y: y0 - h/2}, drawable(query.text))
		y0 -= strip
	}
	texts := small
	texts.XAlign = text.XRight
	for row, i := range order {
		y := y0 - vg.Length(row)*cell
		for column, j := range order {
			of := colourOf(matrix[i][j])
			if i == j {
				of = pale
			}
			square(x0+vg.Length(column)*cell, y, cell-gap, cell-gap, of)
		}
		if cell >= readable {
			c.FillText(texts, vg.Point{X: x0 - 6, Y: y - cell/2}, drawable(all[i].text))
		}
	}

	// The bar of colours.
	barX, barTop, barHeight := x0+side+18, y0, max(min(side, 240), 100)
	const steps = 100
	for i := range steps {
		h := barHeight / steps
		square(barX, barTop-vg.Length(i)*h, 12, h*1.2, colourOf(1-(float64(i)+0.5)/steps))
	}
	tick := style(9, grey)
	for i := 0; i <= 4; i++ {
		c.FillText(tick, vg.Point{X: barX + 17, Y: barTop - vg.Length(i)*barHeight/4}, fmt.Sprintf("%.2f", 1-float64(i)/4))
	}
	return save(canvas, path)
}

func save(canvas vgimg.PngCanvas, path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return errors.Wrap(err, "cannot save the picture")
	}
	defer func() {
		// The last bytes may be written, and may fail, only here.
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = errors.Wrap(closeErr, "cannot save the picture")
		}
	}()
	_, err = canvas.WriteTo(f)
	return errors.Wrap(err, "cannot save the picture")
}
