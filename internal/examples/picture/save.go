package picture

import (
	"image/png"
	"io"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"

	"gorgonia.org/gather/internal/files"
)

// margin keeps the texts off the edge of the picture.
const margin = vg.Length(12)

// below draws the header and returns where the plot belongs.
func (p *Picture) below(c draw.Canvas) draw.Canvas {
	return p.drawHeader(draw.Crop(c, margin, -margin, margin, -margin))
}

// Area is the size of what lies between the axes in a picture of this width and
// height: for those who have to know how large a text is in the units of the
// axes. The axes need their ranges first, which decide how wide the numbers
// beside them are.
func (p *Picture) Area(width, height vg.Length) vg.Point {
	var nowhere recorder.Canvas
	return p.DataCanvas(p.below(draw.NewCanvas(&nowhere, width, height))).Size()
}

// Save draws the picture on a white ground and writes it as a PNG file.
func (p *Picture) Save(width, height vg.Length, path string) error {
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(150))
	p.Draw(p.below(draw.New(canvas)))

	image := paletted(canvas.Image())
	err := files.Replace(path, func(w io.Writer) error { return png.Encode(w, image) })
	return errors.Wrap(err, "cannot save a picture")
}
