package picture

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// entry is a line of the legend: a mark and what it means.
type entry struct {
	text string
	mark plot.Thumbnailer
}

// Explain adds a mark of the plot to the legend: a line, a scatter, or [Glyphs].
func (p *Picture) Explain(text string, mark plot.Thumbnailer) {
	p.legend = append(p.legend, entry{text, mark})
}

// Glyphs is a mark made of glyphs on top of each other.
type Glyphs []draw.GlyphStyle

// Thumbnail draws the glyphs; see [plot.Thumbnailer].
func (g Glyphs) Thumbnail(c *draw.Canvas) {
	for _, glyph := range g {
		c.DrawGlyph(glyph, c.Center())
	}
}

// What stands between the parts of the header.
const (
	lineGap   = vg.Length(4)
	markGap   = vg.Length(5)  // between a mark and its text
	entryGap  = vg.Length(13) // between two entries of a row
	headerGap = vg.Length(10) // below all

	// Letters stand a little below the middle of their line, and so do marks.
	belowMiddle = vg.Length(1.5)

	glyphWidth = vg.Length(14)
	lineWidth  = vg.Length(26) // long enough to show dashes
)

// drawHeader draws headline, remark and legend at the top of c and returns the
// rest of c.
func (p *Picture) drawHeader(c draw.Canvas) draw.Canvas {
	text := Text(11, Grey)
	left := c.Min.X
	for _, part := range []struct {
		style draw.TextStyle
		text  string
	}{{bold(14), p.headline}, {text, p.remark}} {
		style := part.style
		style.XAlign, style.YAlign = draw.XLeft, draw.YTop
		for _, line := range wrap(part.text, func(s string) bool { return style.Width(s) <= c.Size().X }) {
			c.FillText(style, vg.Point{X: left, Y: c.Max.Y}, line)
			c.Max.Y -= style.Height(line) + lineGap
		}
	}
	if len(p.legend) > 0 {
		c.Max.Y -= lineGap
	}
	for _, row := range rows(p.legend, func(e entry) vg.Length { return e.width() }, c.Size().X) {
		p.drawRow(c, row)
		c.Max.Y -= text.Height("x") + lineGap
	}
	c.Max.Y -= headerGap
	return c
}

// drawRow draws some entries of the legend side by side.
func (p *Picture) drawRow(c draw.Canvas, row []entry) {
	style := Text(11, Grey)
	style.XAlign = draw.XLeft
	height := style.Height("x")
	middle := c.Max.Y - height/2
	x := c.Min.X
	for _, e := range row {
		mark := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: middle - height/2 - belowMiddle},
			Max: vg.Point{X: x + e.markWidth(), Y: middle + height/2 - belowMiddle},
		}}
		e.mark.Thumbnail(&mark)
		c.FillText(style, vg.Point{X: mark.Max.X + markGap, Y: middle}, e.text)
		x += e.width() + entryGap
	}
}

func (e entry) markWidth() vg.Length {
	if _, isLine := e.mark.(*plotter.Line); isLine {
		return lineWidth
	}
	return glyphWidth
}

func (e entry) width() vg.Length {
	return e.markWidth() + markGap + Text(11, Grey).Width(e.text)
}

// rows divides the entries into rows that fit the width, each as long as can be.
func rows(legend []entry, width func(entry) vg.Length, most vg.Length) [][]entry {
	var rows [][]entry
	var taken vg.Length
	for _, e := range legend {
		if len(rows) == 0 || taken+width(e) > most {
			rows, taken = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		taken += width(e) + entryGap
	}
	return rows
}

// wrap divides a text into lines that fit, between words.
func wrap(text string, fits func(string) bool) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		if last := len(lines) - 1; last >= 0 && fits(lines[last]+" "+word) {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
