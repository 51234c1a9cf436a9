// Package picture gives the pictures of all examples one look, and writes them.
package picture

import (
	"image/color"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours that also readers who see red and green alike can tell apart (M. Okabe
// and K. Ito, Color Universal Design, 2008), and a grey for what is there to
// compare with. Amber is so much lighter than Blue that the two differ without
// colour, too; as a text on white it is too light.
var (
	Blue   = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	Orange = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	Amber  = color.RGBA{0xe6, 0x9f, 0x00, 0xff}
	Green  = color.RGBA{0x00, 0x9e, 0x73, 0xff}
	Grey   = color.RGBA{0x66, 0x66, 0x66, 0xff}
)

// Groups are ten colours for groups of words on white.
var Groups = [...]color.RGBA{
	Orange, Blue, Green, Grey,
	{0x33, 0x22, 0x88, 0xff}, // indigo
	{0xaa, 0x44, 0x99, 0xff}, // purple
	{0x8c, 0x8c, 0x00, 0xff}, // olive
	{0x00, 0x00, 0x00, 0xff},
	{0xcc, 0x66, 0x77, 0xff}, // rose
	{0x8c, 0x51, 0x0a, 0xff}, // brown
}

// sans is drawn by plot's own copy of the Liberation fonts: the pictures look
// alike on machines with other fonts, or none.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// Picture is a plot below a headline, a remark and its legend. The legend stands
// above the plot because no place within it is free in every run.
type Picture struct {
	*plot.Plot
	headline, remark string
	legend           []entry
}

// New returns an empty picture with named axes and a faint grid.
func New(headline, remark, x, y string) *Picture {
	p := bare(headline, remark)
	p.X.Label.Text, p.Y.Label.Text = x, y
	grid := plotter.NewGrid()
	for _, lines := range []*draw.LineStyle{&grid.Horizontal, &grid.Vertical} {
		lines.Color, lines.Width = color.Gray{0xe8}, vg.Points(0.5)
	}
	p.Add(grid)
	return p
}

// Bare returns an empty picture without axes, for drawings in which the
// coordinates mean nothing.
func Bare(headline, remark string) *Picture {
	p := bare(headline, remark)
	p.HideAxes()
	return p
}

func bare(headline, remark string) *Picture {
	p := &Picture{Plot: plot.New(), headline: headline, remark: remark}
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = font.From(sans, 11)
		axis.Label.Padding = vg.Points(5)
		axis.Tick.Label.Font = font.From(sans, 10)
		axis.Tick.Marker = Ticks{}
	}
	return p
}

// Text is the style of a text within a plot, centred on its point.
func Text(size vg.Length, c color.Color) draw.TextStyle {
	return draw.TextStyle{
		Color: c, Font: font.From(sans, size), Handler: plot.DefaultTextHandler,
		XAlign: draw.XCenter, YAlign: draw.YCenter,
	}
}

// bold is the style of a headline.
func bold(size vg.Length) draw.TextStyle {
	style := Text(size, color.Black)
	style.Font.Weight = xfont.WeightBold
	return style
}

// CanDraw tells whether the font of [Text] has the character: it has the Latin,
// Greek and Cyrillic ones.
func CanDraw(r rune) bool {
	var buffer sfnt.Buffer
	glyph, err := font.DefaultCache.Lookup(sans, 10).Face.GlyphIndex(&buffer, r)
	return err == nil && glyph != 0
}
