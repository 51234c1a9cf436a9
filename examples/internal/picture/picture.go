// Package picture gives the pictures of all examples one look, and writes them.
package picture

import (
	"image/color"
	"os"

	"github.com/pkg/errors"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Three colours that also readers who see red and green alike can tell apart
// (M. Okabe and K. Ito, Color Universal Design, 2008), and a grey for what is
// there to compare with.
var (
	Blue   = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	Orange = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	Green  = color.RGBA{0x00, 0x9e, 0x73, 0xff}
	Grey   = color.RGBA{0x66, 0x66, 0x66, 0xff}
)

// sans is drawn by plot's own copy of the Liberation fonts: the pictures look
// alike on machines with other fonts, or none.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// New returns an empty plot with a title, named axes and a faint grid.
func New(title, x, y string) *plot.Plot {
	p := styled(title, x, y)
	grid := plotter.NewGrid()
	grid.Horizontal.Color = color.Gray{0xe0}
	grid.Vertical.Color = color.Gray{0xe0}
	p.Add(grid)
	return p
}

// Bare returns an empty plot with a title and nothing else, for drawings in
// which the coordinates mean nothing.
func Bare(title string) *plot.Plot {
	p := styled(title, "", "")
	p.HideAxes()
	return p
}

func styled(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = vg.Points(10)
	for style, size := range map[*draw.TextStyle]vg.Length{
		&p.Title.TextStyle:   14,
		&p.X.Label.TextStyle: 11, &p.X.Tick.Label: 10,
		&p.Y.Label.TextStyle: 11, &p.Y.Tick.Label: 10,
		&p.Legend.TextStyle: 11,
	} {
		style.Font = font.From(sans, size)
	}
	p.X.Label.Padding, p.Y.Label.Padding = vg.Points(5), vg.Points(5)
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(3)
	p.Legend.XOffs, p.Legend.YOffs = -vg.Points(8), -vg.Points(4)
	p.Legend.ThumbnailWidth = vg.Points(26) // long enough to show dashes
	return p
}

// Text is the style of a text within a plot, centred on its point.
func Text(size vg.Length, c color.Color) draw.TextStyle {
	return draw.TextStyle{
		Color: c, Font: font.From(sans, size), Handler: plot.DefaultTextHandler,
		XAlign: draw.XCenter, YAlign: draw.YCenter,
	}
}

// margin keeps the texts off the edge of the picture.
const margin = vg.Length(12)

// Save draws p on a white ground and writes it as a PNG file.
func Save(p *plot.Plot, width, height vg.Length, path string) (err error) {
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(150))}
	p.Draw(draw.Crop(draw.NewCanvas(canvas, width, height), margin, -margin, margin, -margin))

	f, err := os.Create(path)
	if err != nil {
		return errors.Wrap(err, "cannot save a picture")
	}
	defer func() {
		// The last bytes may be written, and may fail, only here.
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = errors.Wrap(closeErr, "cannot save a picture")
		}
	}()
	_, err = canvas.WriteTo(f)
	return errors.Wrap(err, "cannot save a picture")
}

// CanDraw tells whether the font of [Text] has the character: it has the Latin,
// Greek and Cyrillic ones.
func CanDraw(r rune) bool {
	var buffer sfnt.Buffer
	glyph, err := font.DefaultCache.Lookup(sans, 10).Face.GlyphIndex(&buffer, r)
	return err == nil && glyph != 0
}

// Swatch is a coloured square, for a legend of colours.
type Swatch struct{ Color color.Color }

// Thumbnail draws the square; see [plot.Thumbnailer].
func (s Swatch) Thumbnail(c *draw.Canvas) {
	middle, half := c.Center(), c.Size().Y/3
	c.FillPolygon(s.Color, []vg.Point{
		{X: middle.X - half, Y: middle.Y - half}, {X: middle.X + half, Y: middle.Y - half},
		{X: middle.X + half, Y: middle.Y + half}, {X: middle.X - half, Y: middle.Y + half},
	})
}
